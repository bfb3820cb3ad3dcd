#include "pdegcn/train/config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pdegcn/data/nearest.h"
#include "pdegcn/data/open.h"
#include "pdegcn/graph/error.h"
#include "toml_text.h"

namespace pdegcn::train {
namespace {

template <class T>
T parse_number(const Setting& setting, const char* kind) {
  T value{};
  const char* end = setting.text.data() + setting.text.size();
  const auto [stop, error] = std::from_chars(setting.text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw Error("{}: {} is out of range", setting.where, setting.text);
  if (error != std::errc{} || stop != end || !std::isfinite(static_cast<double>(value)))
    throw Error("{}: '{}' is not {}", setting.where, setting.text, kind);
  return value;
}

void check_range(const Field& f, double value, const Setting& setting) {
  if (value < f.least)
    throw Error("{}: {} is too small, it must be at least {}{}", setting.where, setting.text,
                f.least, f.outside);
  if (value >= f.below)
    throw Error("{}: {} is too large, it must be below {}{}", setting.where, setting.text, f.below,
                f.outside);
}

void check_choice(const Field& f, const std::string& value, const Setting& setting) {
  if (f.choices.empty() || std::ranges::find(f.choices, value) != f.choices.end()) return;
  if (value.empty() && text_of(RunConfig{}, f).empty()) return;  // as if it were not given
  const std::string_view nearest = data::nearest_name(value, f.choices);
  throw Error("{}: there is no '{}'{}; there are {}", setting.where, value,
              nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
              fmt::join(f.choices, ", "));
}

void set(RunConfig& config, const Field& f, const Setting& setting) {
  if (const auto* text = std::get_if<std::string RunConfig::*>(&f.member)) {
    const auto values = f.list ? parts_of(setting.text) : std::vector{setting.text};
    if (!data::is_utf8(setting.text)) throw Error("{}: this is not text in UTF-8", setting.where);
    for (const std::string& value : values) {
      check_choice(f, value, setting);
      if (std::ranges::count(values, value) > 1)
        throw Error("{}: '{}' is there twice", setting.where, value);
    }
    config.*(*text) = setting.text;
  } else if (const auto* whole = std::get_if<std::int64_t RunConfig::*>(&f.member)) {
    config.*(*whole) = parse_number<std::int64_t>(setting, "a whole number");
    check_range(f, static_cast<double>(config.*(*whole)), setting);
  } else if (const auto* real = std::get_if<double RunConfig::*>(&f.member)) {
    config.*(*real) = parse_number<double>(setting, "a number");
    check_range(f, config.*(*real), setting);
  } else {
    if (setting.text != "true" && setting.text != "false")
      throw Error("{}: '{}' is neither true nor false", setting.where, setting.text);
    config.*std::get<bool RunConfig::*>(f.member) = setting.text == "true";
  }
}

void read_table(const toml::table& table, const std::string& name,
                std::span<const std::string_view> known_sections, Settings& settings) {
  for (const auto& [key, node] : table) {
    const std::string where = fmt::format("{}, line {}", name, key.source().begin.line);
    if (node.is_table()) {
      if (std::ranges::find(known_sections, key.str()) == known_sections.end())
        throw Error("{}: there is no section [{}] here", where, key.str());
      continue;
    }
    const Field& f = field(key.str(), where);
    settings[std::string(f.name)] = {text_of(node, where), fmt::format("{}, {}", where, f.name)};
  }
}

nlohmann::ordered_json json_of(const RunConfig& config, const Field& f) {
  return std::visit([&](const auto member) { return nlohmann::ordered_json(config.*member); },
                    f.member);
}

// Whether a split is one of those with many training nodes, for which the paper has values of its
// own: all but the public one and those that have names.
bool is_full(const std::string& split) {
  return split == "all" || split.starts_with("random:") ||
         (!split.empty() && split.front() >= '0' && split.front() <= '9');
}

// experiments/<data>.toml, with a section for the splits with many training nodes.
Settings data_values(const std::string& data, bool full) {
  static constexpr std::array<std::string_view, 1> kSections{"full"};
  return read_settings(experiment(data), fmt::format("experiments/{}.toml", data), kSections,
                       std::span(kSections).first(full ? 1 : 0));
}

// experiments/models/<model>.toml, with sections [full], [<data>] and [<data>-full].
Settings model_values(const std::string& model, const std::string& data, bool full) {
  std::vector<std::string> names{"full"};
  for (const data::NamedSet& set : data::named_sets()) {
    names.emplace_back(set.name);
    names.push_back(names.back() + "-full");
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string own = data + "-full";
  const std::array<std::string_view, 2> many{"full", own};
  const std::array<std::string_view, 1> few{data};
  return read_settings(experiment("models/" + model),
                       fmt::format("experiments/models/{}.toml", model), known,
                       full ? std::span<const std::string_view>(many) : few);
}

}  // namespace

std::string_view to_string(Task task) {
  return task == kNode ? "node" : task == kGraph ? "graph" : "correspondence";
}

Task parse_task(std::string_view name) {
  for (const Task task : {kNode, kGraph, kCorrespondence})
    if (to_string(task) == name) return task;
  throw Error("there is no task '{}'; there are node, graph, correspondence", name);
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

const Field& field(std::string_view name, const std::string& where) {
  std::vector<std::string_view> names;
  for (const Field& f : fields()) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  const std::string_view nearest = data::nearest_name(name, names);
  throw Error("{}: there is no setting '{}'{}", where, name,
              nearest.empty() ? "; see 'pdegcn train --help'"
                              : fmt::format("; did you mean '{}'?", nearest));
}

Settings read_settings(std::string_view text, const std::string& name,
                       std::span<const std::string_view> known_sections,
                       std::span<const std::string_view> sections) {
  const toml::table table = parse_toml(text, name);
  Settings settings;
  read_table(table, name, known_sections, settings);
  for (const std::string_view section : sections)
    if (const auto* inner = table[section].as_table()) read_table(*inner, name, {}, settings);
  return settings;
}

void apply_settings(RunConfig& config, const Settings& settings) {
  for (const auto& [name, setting] : settings) set(config, field(name, setting.where), setting);
}

Settings built_in(const Settings& file, const Settings& flags) {
  // Data set, split and model decide which values of experiments/ count.
  RunConfig named;
  apply_settings(named, file);
  apply_settings(named, flags);
  apply_settings(named, data_values(named.data, false));
  apply_settings(named, file);
  apply_settings(named, flags);
  const bool full = is_full(named.split);

  Settings settings = model_values(parts_of(named.model).front(), named.data, full);
  settings.merge(data_values(named.data, full));
  std::erase_if(settings,
                [&](const auto& s) { return file.contains(s.first) || flags.contains(s.first); });
  return settings;
}

RunConfig resolve(const Settings& file, const Settings& flags) {
  RunConfig config;
  apply_settings(config, built_in(file, flags));
  apply_settings(config, file);
  apply_settings(config, flags);
  return fitting(std::move(config));
}

RunConfig fitting(RunConfig config) {
  const RunConfig defaults;
  for (const Field& f : fields())
    if ((f.models & parse_models(config.model)) == 0)
      std::visit([&](const auto member) { config.*member = defaults.*member; }, f.member);
  return config;
}

std::vector<RunConfig> resolve_each(const Settings& file, const Settings& flags) {
  std::vector<RunConfig> configs;
  for (const std::string& model : parts_of(resolve(file, flags).model)) {
    Settings one = flags;
    one["model"] = {model, "--model"};
    configs.push_back(resolve(file, one));
  }
  return configs;
}

void check_fit(const Settings& given, const RunConfig& config, Task task, bool with_models) {
  for (const auto& [name, setting] : given) {
    const Field& f = field(name, setting.where);
    if ((f.fits & task) == 0)
      throw Error("{}: this does not fit the task {}; see 'pdegcn train --help'", setting.where,
                  to_string(task));
    if (with_models && name == "select" && config.protocol == "test-peek")
      throw Error("{}: the protocol test-peek chooses by the test part", setting.where);
    if (!with_models || (f.models & parse_models(config.model)) != 0) continue;
    std::string others;
    for (const ModelInfo& info : models())
      if ((f.models & info.model) != 0)
        others += fmt::format("{}{}", others.empty() ? "" : " or ", info.name);
    throw Error("{}: model {} has no such setting: choose --model {}", setting.where, config.model,
                others);
  }
}

std::string text_of(const RunConfig& config, const Field& f) {
  return std::visit([&](const auto member) { return fmt::format("{}", config.*member); }, f.member);
}

std::string toml_line(const RunConfig& config, const Field& f) {
  std::string text = fmt::format("{} = {}", f.name, json_of(config, f).dump());
  // The one character that JSON allows in a text and TOML does not.
  for (std::size_t at; (at = text.find('\x7f')) != text.npos;) text.replace(at, 1, "\\u007f");
  return text;
}

std::string toml_line(const Field& f, const Setting& setting) {
  RunConfig config;
  set(config, f, setting);
  return toml_line(config, f);
}

bool is_recorded(const RunConfig& config, const Field& f) {
  return f.recorded && (config.task.empty() || (f.fits & parse_task(config.task)) != 0) &&
         (f.models & parse_models(config.model)) != 0;
}

std::string to_toml(const RunConfig& config) {
  std::string text;
  for (const Field& f : fields())
    if (is_recorded(config, f)) text += toml_line(config, f) + "\n";
  return text;
}

std::string to_json(const RunConfig& config) {
  nlohmann::ordered_json object;
  for (const Field& f : fields())
    if (is_recorded(config, f)) object[std::string(f.name)] = json_of(config, f);
  return object.dump();
}

RunConfig config_from_json(const std::string& json, const std::string& where) {
  RunConfig config;
  try {
    const auto object = nlohmann::json::parse(json);
    for (const auto& [key, value] : object.items()) {
      const Setting setting{value.is_string() ? value.get<std::string>() : value.dump(),
                            fmt::format("{}, {}", where, key)};
      set(config, field(key, where), setting);
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: the configuration is damaged: {}", where, error.what());
  }
  return config;
}

}  // namespace pdegcn::train
