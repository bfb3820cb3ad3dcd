#include "pdegcn/train/experiment_table.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "toml_text.h"

namespace pdegcn::train {
namespace {

// A table of TOML with its place, for messages.
struct Node {
  const toml::table& table;
  const std::string& file;

  std::string where(const toml::key& key) const {
    return fmt::format("{}, line {}, {}", file, key.source().begin.line, key.str());
  }
};

template <class T>
T value_of(const toml::node& node, const std::string& where, const char* kind) {
  const auto value = node.value<T>();
  if (!value) throw Error("{}: this must be {}", where, kind);
  return *value;
}

std::int64_t whole_of(const toml::node& node, const std::string& where, std::int64_t least,
                      std::int64_t most) {
  const auto value = value_of<std::int64_t>(node, where, "a whole number");
  if (value < least || value > most)
    throw Error("{}: {} is not between {} and {}", where, value, least, most);
  return value;
}

double finite_of(const toml::node& node, const std::string& where) {
  const auto value = value_of<double>(node, where, "a number");
  if (!std::isfinite(value)) throw Error("{}: {} is not a finite number", where, value);
  return value;
}

const toml::table& table_of(const toml::node& node, const std::string& where) {
  const auto* table = node.as_table();
  if (table == nullptr) throw Error("{}: this must be a table", where);
  return *table;
}

const toml::array& list_of(const toml::node& node, const std::string& where) {
  const auto* list = node.as_array();
  if (list == nullptr) throw Error("{}: this must be a list", where);
  return *list;
}

std::vector<std::string> texts_of(const toml::node& node, const std::string& where) {
  std::vector<std::string> texts;
  for (const auto& item : list_of(node, where))
    texts.push_back(value_of<std::string>(item, where, "a list of texts"));
  return texts;
}

// What a run is told by the command alone.
void add_setting(Settings& settings, const toml::key& key, const toml::node& value,
                 const std::string& where) {
  constexpr std::array<std::string_view, 5> kOfTheCommand{"protocol", "out", "threads", "resume",
                                                          "quiet"};
  if (std::ranges::find(kOfTheCommand, key.str()) != kOfTheCommand.end())
    throw Error("{}: this is for the command to say, with --{}, and not for a table", where,
                key.str());
  settings[std::string(key.str())] = {text_of(value, where), where};
}

Settings settings_of(const toml::node& node, const std::string& file, const std::string& where) {
  Settings settings;
  for (const auto& [key, value] : table_of(node, where))
    add_setting(settings, key, value, Node{*node.as_table(), file}.where(key));
  return settings;
}

// What a row says of all its cells, and a cell of itself.
void read_cell(const Node& node, Cell& cell, std::string& name) {
  for (const auto& [key, value] : node.table) {
    const std::string where = node.where(key);
    if (key == "cells") continue;
    if (key == "method")
      cell.method = value_of<std::string>(value, where, "a text");
    else if (key == "name")
      name = value_of<std::string>(value, where, "a text");
    else if (key == "paper")
      cell.paper = finite_of(value, where);
    else if (key == "count")
      cell.count = value_of<std::string>(value, where, "a text");
    else if (key == "flow")
      cell.flow = value_of<std::string>(value, where, "a text");
    else if (key == "shape")
      cell.shape = value_of<std::string>(value, where, "a text");
    else if (key == "published")
      cell.published = value_of<bool>(value, where, "true or false");
    else
      add_setting(cell.settings, key, value, where);
  }
}

// What a data set is called in the name of a cell, which is a path below the results: of the path
// of one's own data the last part.
std::string name_of_data(const std::string& data) {
  if (data.find('/') == std::string::npos) return data;
  const auto path = std::filesystem::path(data + "/").lexically_normal().parent_path();
  return path.filename().string();
}

// The names of cells are paths, words of patterns with commas between, and keys of tuned.toml.
void check_name(const std::string& part, const std::string& where) {
  constexpr std::size_t kLongest = 100;
  const auto is_odd = [](unsigned char c) {
    return c < 0x20 || c == 0x7F || c == '/' || c == '\\' || c == '"' || c == ',';
  };
  if (part == "." || part == ".." || part.size() > kLongest || std::ranges::any_of(part, is_odd))
    throw Error("{}: '{:.100}' cannot be a part of the name of a cell", where,
                std::string_view(part.c_str()));
}

// No cell may have the name of another, nor one that begins with it: its runs would lie in the
// folder of the other's.
void add_name(std::set<std::string>& names, const std::string& name, const std::string& where) {
  if (!names.insert(name).second) throw Error("{}: there are two cells {}", where, name);
  const auto after = names.lower_bound(name + "/");
  if (after != names.end() && after->starts_with(name + "/"))
    throw Error("{}: the name of cell {} is the beginning of {}", where, name, *after);
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1))
    if (const std::string before = name.substr(0, at); names.contains(before))
      throw Error("{}: the name of cell {} is the beginning of {}", where, before, name);
}

void read_row(const Node& row, const Settings& common, std::set<std::string>& names,
              ExperimentTable& table) {
  Cell first;
  first.settings = common;
  std::string name;
  read_cell(row, first, name);
  const auto* cells = row.table["cells"].as_array();
  if (cells == nullptr)
    throw Error("{}, line {}: the row has no cells", row.file, row.table.source().begin.line);
  for (const auto& item : *cells) {
    const std::string where = fmt::format("{}, line {}", row.file, item.source().begin.line);
    Cell cell = first;
    std::string short_name = name;
    read_cell({table_of(item, where), row.file}, cell, short_name);
    const auto text = [&](const char* key) {
      const auto found = cell.settings.find(key);
      return found == cell.settings.end() ? std::string() : found->second.text;
    };
    cell.data = text("data");
    const std::string last = cell.count.empty() ? text("layers") : cell.count;
    for (const std::string& part : {name_of_data(cell.data), short_name, last}) {
      check_name(part, where);
      if (!part.empty()) cell.name += (cell.name.empty() ? "" : "/") + part;
    }
    if (!cell.published && text("model").find(',') != std::string::npos)
      throw Error("{}: a cell has one model, not {}", where, text("model"));
    if (cell.name.empty())
      throw Error("{}: the cell has no name: no data set, no name and no layers", where);
    add_name(names, cell.name, where);
    table.cells.push_back(std::move(cell));
  }
}

void read_quick(const Node& quick, ExperimentTable& table) {
  for (const auto& [key, value] : quick.table) {
    const std::string where = quick.where(key);
    if (key == "cells") {
      table.quick_cells = texts_of(value, where);
    } else if (key == "data") {
      for (const auto& [set, other] : table_of(value, where))
        table.quick_data[std::string(set.str())] = value_of<std::string>(other, where, "a text");
    } else {
      table.quick_settings[std::string(key.str())] = {text_of(value, where), where};
    }
  }
}

TuneRule read_rule(const Node& node) {
  TuneRule rule;
  for (const auto& [key, value] : node.table) {
    const std::string where = node.where(key);
    if (key == "models") {
      rule.models = texts_of(value, where);
      for (const std::string& model : rule.models) toml_line(field("model", where), {model, where});
    } else if (key == "data") {
      rule.data = texts_of(value, where);
    } else if (key == "layers") {
      for (const auto& item : list_of(value, where))
        rule.layers.push_back(std::to_string(whole_of(item, where, 1, 1000000)));
    } else if (key == "trials") {
      rule.trials = whole_of(value, where, 1, 100000);
    } else if (key == "space") {
      rule.space = value_of<std::string>(value, where, "a text");
    } else if (key == "time") {
      const auto& range = table_of(value, where);
      rule.from = range["from"].value<double>();
      rule.until = range["until"].value<double>();
      if (range.size() != 2 || !rule.from || !rule.until || !(*rule.from > 0) ||
          !(*rule.from <= *rule.until))
        throw Error("{}: this must be a range, from and until, above zero", where);
    } else if (key == "judge") {
      rule.judge = settings_of(value, node.file, where);
    } else if (key == "with") {
      rule.with = settings_of(value, node.file, where);
    } else {
      throw Error("{}: this is none of models, data, layers, trials, space, time, judge and with",
                  where);
    }
  }
  return rule;
}

}  // namespace

ExperimentTable read_experiment_table(std::string_view text, const std::string& name) {
  const toml::table root = parse_toml(text, name);
  ExperimentTable table;
  Settings common;
  std::set<std::string> names;
  if (const auto* settings = root.get("settings")) common = settings_of(*settings, name, name);
  for (const auto& [key, value] : root) {
    const std::string where = Node{root, name}.where(key);
    const auto each = [&](const auto& take) {
      for (const auto& item : list_of(value, where)) take(Node{table_of(item, where), name});
    };
    if (key == "title")
      table.title = value_of<std::string>(value, where, "a text");
    else if (key == "decimals")
      table.decimals = static_cast<int>(whole_of(value, where, 0, 10));
    else if (key == "columns")
      table.columns = field(value_of<std::string>(value, where, "a text"), where).name;
    else if (key == "curve")
      table.curve = value_of<std::string>(value, where, "a text");
    else if (key == "gap")
      table.gap = value_of<bool>(value, where, "true or false");
    else if (key == "quick")
      read_quick({table_of(value, where), name}, table);
    else if (key == "tune")
      each([&](const Node& node) { table.tune.push_back(read_rule(node)); });
    else if (key == "row")
      each([&](const Node& node) { read_row(node, common, names, table); });
    else if (key != "settings")
      throw Error("{}: a table has no such part", where);
  }
  if (table.cells.empty()) throw Error("{}: the table has no cells", name);
  const auto kind = [](const Cell& cell) {
    return std::pair(cell.count.empty(), cell.flow.empty());
  };
  for (const Cell& cell : table.cells)
    if (kind(cell) != kind(table.cells.front()))
      throw Error("{}: {} and {} are not of one kind: a table trains, counts or flows", name,
                  table.cells.front().name, cell.name);
  return table;
}

std::optional<TuneRule> find_rule(const ExperimentTable& table, const Cell& cell) {
  if (!cell.settings.contains("model") || cell.published) return std::nullopt;
  const auto is_for = [&](const std::vector<std::string>& list, const char* key) {
    if (list.empty()) return true;
    const auto own = cell.settings.find(key);
    return own != cell.settings.end() && std::ranges::find(list, own->second.text) != list.end();
  };
  TuneRule all;
  for (const TuneRule& rule : table.tune) {
    if (!is_for(rule.models, "model") || !is_for(rule.data, "data") ||
        !is_for(rule.layers, "layers"))
      continue;
    if (rule.trials) all.trials = rule.trials;
    if (rule.from) std::tie(all.from, all.until) = std::tie(rule.from, rule.until);
    all.space += rule.space;
    if (!all.space.empty() && all.space.back() != '\n') all.space += '\n';
    for (const auto& [name, setting] : rule.judge) all.judge[name] = setting;
    for (const auto& [name, setting] : rule.with) all.with[name] = setting;
  }
  if (all.space.empty() && !all.from) return std::nullopt;
  return all;
}

std::string space_for(const TuneRule& rule, std::int64_t layers) {
  if (!rule.from) return rule.space;
  const auto step = [&](double time) { return time / static_cast<double>(layers); };
  return fmt::format("step = {{low = {:.3g}, high = {:.3g}, log = true}}\n{}", step(*rule.from),
                     step(*rule.until), rule.space);
}

TunedCells read_tuned(std::string_view text, const std::string& name) {
  const toml::table root = parse_toml(text, name);
  TunedCells cells;
  for (const auto& [cell, node] : root) {
    const Node here{table_of(node, Node{root, name}.where(cell)), name};
    Tuned& tuned = cells[std::string(cell.str())];
    for (const auto& [key, value] : here.table) {
      const std::string where = here.where(key);
      if (key == "settings")
        tuned.settings = settings_of(value, name, where);
      else if (key == "judge")
        tuned.judge = settings_of(value, name, where);
      else if (key == "space")
        tuned.space = value_of<std::string>(value, where, "a text");
      else if (key == "command")
        tuned.command = value_of<std::string>(value, where, "a text");
      else if (key == "trials")
        tuned.trials = value_of<std::int64_t>(value, where, "a whole number");
      else if (key == "trial")
        tuned.trial = value_of<std::int64_t>(value, where, "a whole number");
      else if (key == "validation")
        tuned.validation = value_of<double>(value, where, "a number");
      else
        throw Error("{}: a tuned cell has no such part", where);
    }
    if (tuned.settings.empty())
      throw Error("{}: the cell has no settings", Node{root, name}.where(cell));
  }
  return cells;
}

std::string write_tuned(const TunedCells& cells) {
  // As it is where it can be, for people.
  const auto text_of_lines = [](const std::string& text) {
    if (text.find("'''") != text.npos) return nlohmann::json(text).dump();
    return fmt::format("'''{}{}'''", text.find('\n') != text.npos ? "\n" : "", text);
  };
  const auto inline_table = [](const Settings& settings) {
    std::vector<std::string> lines;
    for (const auto& [key, setting] : settings)
      lines.push_back(toml_line(field(key, setting.where), setting));
    return fmt::format("{{{}}}", fmt::join(lines, ", "));
  };
  std::string text =
      "# Settings that searches found, judged on the validation part alone. For every cell: the "
      "space, the\n# number of trials, what they were judged with, the one that won and its "
      "score, the command.\n";
  for (const auto& [name, tuned] : cells)
    text += fmt::format(
        "\n[\"{}\"]\ncommand = {}\ntrials = {}\njudge = {}\ntrial = {}\nvalidation = {}\n"
        "settings = {}\nspace = {}\n",
        name, text_of_lines(tuned.command), tuned.trials, inline_table(tuned.judge), tuned.trial,
        tuned.validation, inline_table(tuned.settings), text_of_lines(tuned.space));
  return text;
}

bool matches(std::string_view name, std::string_view patterns) {
  return std::ranges::any_of(parts_of(patterns), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
  });
}

}  // namespace pdegcn::train
