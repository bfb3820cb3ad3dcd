#include "pdegcn/data/own_data.h"

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "pdegcn/data/feature_file.h"
#include "pdegcn/data/nearest.h"
#include "pdegcn/data/npy.h"
#include "pdegcn/data/sparse.h"
#include "pdegcn/data/table.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

std::int64_t to_integer(std::string_view field) {
  std::int64_t value = 0;
  if (field.starts_with('+')) field.remove_prefix(1);
  std::from_chars(field.data(), field.data() + field.size(), value);
  return value;
}

bool is_npy(const File& file) {
  return file.content().starts_with("\x93NUMPY");
}

TableReader open_table(const File& file, const std::optional<bool>& heading) {
  TableReader table(file);
  if (heading) table.set_heading(*heading);
  return table;
}

// What the nodes are called, and which number each has.
class NodeIndex {
 public:
  // Nodes 0 to n - 1, called so.
  explicit NodeIndex(std::int64_t count) : count_(count) {}

  // Nodes with names; throws Error when one is there twice.
  NodeIndex(std::vector<std::string_view> names, const File& file)
      : count_(static_cast<std::int64_t>(names.size())), names_(std::move(names)) {
    number_.reserve(names_.size());
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (!number_.emplace(names_[k], static_cast<NodeId>(k)).second)
        file.fail_at_line(
            1 + std::count(file.content().data(), names_[k].data(), '\n'),  // it lies in the file
            "node '{:.40}' is there twice", names_[k]);
  }

  std::int64_t count() const { return count_; }

  NodeId find(const TableReader& table, std::string_view name) const {
    if (name.empty()) table.fail("the node is empty");
    if (!number_.empty()) {
      const auto found = number_.find(name);
      if (found == number_.end()) table.fail("unknown node '{:.40}'", name);
      return found->second;
    }
    const auto id = table.parse<std::int64_t>(name, "the node");
    if (id < 0 || id >= count_)
      table.fail("node {} is outside 0..{} (nodes count from 0)", id, count_ - 1);
    return static_cast<NodeId>(id);
  }

  // Empty when the names are only the numbers.
  std::vector<std::string> names() const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (names_[k] != std::to_string(k)) return {names_.begin(), names_.end()};
    return {};
  }

 private:
  std::int64_t count_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, NodeId> number_;
};

void expect_edge_table(const TableReader& table, const File& file) {
  if (table.columns() > 2)
    throw Error("{}: {} columns where an edge has two, source and target", file.name(),
                table.columns());
  if (table.columns() == 1) throw Error("{}: one column where an edge has two", file.name());
}

// All nodes that labels and edges mention: numbers ascending, names in the order of appearance.
std::vector<std::string_view> mentioned_nodes(const OwnFiles& files) {
  std::vector<std::string_view> names;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](const TableReader& table, std::string_view name) {
    if (name.empty()) table.fail("the node is empty");
    if (seen.insert(name).second) names.push_back(name);
  };
  if (files.labels && !is_npy(*files.labels)) {
    TableReader table = open_table(*files.labels, files.heading);
    while (table.next_row()) add(table, table.row()[0]);
  }
  TableReader table = open_table(files.edges, files.heading);
  expect_edge_table(table, files.edges);
  while (table.next_row())
    for (const std::string_view name : table.row()) add(table, name);
  if (std::all_of(names.begin(), names.end(), is_integer))
    std::sort(names.begin(), names.end(),
              [](auto a, auto b) { return to_integer(a) < to_integer(b); });
  return names;
}

// Rows of a table of labels without ids, or 0 when it has ids.
std::int64_t rows_without_ids(const OwnFiles& files) {
  if (!files.labels) return 0;
  if (is_npy(*files.labels)) return NpyArray(*files.labels).view().count();
  TableReader table = open_table(*files.labels, files.heading);
  if (table.columns() != 1) return 0;
  std::int64_t rows = 0;
  while (table.next_row()) ++rows;
  return rows;
}

NodeIndex index_nodes(const OwnFiles& files, const FeatureTable* features) {
  if (features != nullptr && !features->ids.empty())
    return NodeIndex(features->ids, *files.features);
  if (features != nullptr)
    return NodeIndex(std::visit([](const auto& m) { return m.rows; }, features->features));
  if (const std::int64_t rows = rows_without_ids(files); rows > 0) return NodeIndex(rows);
  if (is_npy(files.edges))
    throw Error("{}: features or labels must tell how many nodes there are", files.edges.name());
  return NodeIndex(mentioned_nodes(files), files.edges);
}

std::vector<Edge> read_edges(const OwnFiles& files, const NodeIndex& nodes) {
  std::vector<Edge> edges;
  if (is_npy(files.edges)) {
    const NpyArray array(files.edges);
    array.view().expect_shape({-1, 2});
    const std::vector<std::int64_t> ends = array.view().as<std::int64_t>();
    for (std::size_t k = 0; k < ends.size(); k += 2) {
      for (const std::int64_t id : {ends[k], ends[k + 1]})
        if (id < 0 || id >= nodes.count())
          throw Error("{}: edge {} names node {}, outside 0..{}", files.edges.name(), k / 2, id,
                      nodes.count() - 1);
      edges.push_back({static_cast<NodeId>(ends[k]), static_cast<NodeId>(ends[k + 1])});
    }
    return edges;
  }
  TableReader table = open_table(files.edges, files.heading);
  expect_edge_table(table, files.edges);
  while (table.next_row())
    edges.push_back({nodes.find(table, table.row()[0]), nodes.find(table, table.row()[1])});
  return edges;
}

bool means_unlabelled(std::string_view label) {
  return label.empty() || label == "?" || label == "-1" || label == "NA";
}

// The label of every node as it is written; empty for none.
std::vector<std::string> read_label_names(const OwnFiles& files, const NodeIndex& nodes,
                                          const FeatureTable* features) {
  std::vector<std::string> names(static_cast<std::size_t>(nodes.count()));
  const auto set = [&](std::size_t node, std::string_view label) {
    if (!means_unlabelled(label)) names[node] = label;
  };
  if (!files.labels) {
    for (std::size_t k = 0; k < features->labels.size(); ++k) set(k, features->labels[k]);
  } else if (is_npy(*files.labels)) {
    const NpyArray array(*files.labels);
    array.view().expect_shape({nodes.count()});
    const std::vector<std::int64_t> labels = array.view().as<std::int64_t>();
    for (std::size_t k = 0; k < labels.size(); ++k) set(k, std::to_string(labels[k]));
  } else {
    TableReader table = open_table(*files.labels, files.heading);
    if (table.columns() > 2)
      throw Error("{}: {} columns where labels have one, or two with ids", files.labels->name(),
                  table.columns());
    std::vector<bool> seen(names.size());
    std::size_t rows = 0;
    for (; table.next_row(); ++rows) {
      const bool ids = table.columns() == 2;
      if (!ids && rows == names.size()) table.fail("more labels than the {} nodes", names.size());
      const std::size_t node =
          ids ? static_cast<std::size_t>(nodes.find(table, table.row()[0])) : rows;
      if (seen[node]) table.fail("node '{:.40}' is there twice", table.row()[0]);
      seen[node] = true;
      set(node, table.row().back());
    }
    if (table.columns() == 1 && rows != names.size())
      throw Error("{}: {} labels for {} nodes", files.labels->name(), rows, names.size());
  }
  return names;
}

// Numbers the labels: numbers ascending, names in alphabetical order.
void set_labels(Dataset& data, const std::vector<std::string>& names) {
  std::vector<std::string> classes;
  for (const std::string& name : names)
    if (!name.empty()) classes.push_back(name);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  std::unordered_map<std::string_view, std::int32_t> number;
  if (std::all_of(classes.begin(), classes.end(), is_integer))
    std::sort(classes.begin(), classes.end(),
              [](const auto& a, const auto& b) { return to_integer(a) < to_integer(b); });
  for (const std::string& name : classes)
    number.emplace(name, static_cast<std::int32_t>(number.size()));
  NodeLabels labels;
  for (const std::string& name : names)
    labels.label.push_back(name.empty() ? kUnlabelled : number.at(name));
  data.targets = std::move(labels);
  data.class_names = std::move(classes);
}

std::vector<Split> read_splits(const OwnFiles& files, const NodeIndex& nodes) {
  TableReader table = open_table(*files.splits, files.heading);
  const bool ids = table.columns() > 1;
  std::vector<Split> splits(table.columns() - std::min<std::size_t>(table.columns(), ids));
  for (std::size_t s = 0; s < splits.size(); ++s)
    splits[s].name =
        table.heading().empty() ? std::to_string(s) : std::string(table.heading()[s + ids]);
  for (const Split& split : splits) {
    // What --split understands otherwise.
    if (split.name.empty() || split.name == "all" || split.name.starts_with("random:") ||
        split.name.find_first_of(", ") != std::string::npos)
      throw Error("{}: '{:.40}' cannot be the name of a split", files.splits->name(), split.name);
    if (std::ranges::count(splits, split.name, &Split::name) > 1)
      throw Error("{}: there are two splits '{:.40}'", files.splits->name(), split.name);
  }
  std::vector<bool> seen(static_cast<std::size_t>(nodes.count()));
  NodeId rows = 0;
  for (; table.next_row(); ++rows) {
    if (!ids && rows == nodes.count()) table.fail("more rows than the {} nodes", nodes.count());
    const NodeId node = ids ? nodes.find(table, table.row()[0]) : rows;
    if (seen[node]) table.fail("node '{:.40}' is there twice", table.row()[0]);
    seen[node] = true;
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const std::string_view part = table.row()[s + ids];
      if (part == "train")
        splits[s].train.push_back(node);
      else if (part == "val" || part == "valid" || part == "validation")
        splits[s].validation.push_back(node);
      else if (part == "test")
        splits[s].test.push_back(node);
      else if (!part.empty() && part != "-" && part != "none")
        table.fail("'{:.40}' is none of train, validation, test, none", part);
    }
  }
  return splits;
}

// edges.csv, edges.tsv, ... in a folder.
std::optional<File> find_file(const fs::path& folder, const std::string& stem,
                              std::span<const std::string_view> endings) {
  std::optional<fs::path> found;
  for (const std::string_view ending : endings) {
    const fs::path path = folder / (stem + std::string(ending));
    if (!is_there(path)) continue;
    if (found)
      throw Error("{} and {} are both there: name one in a dataset.toml", found->string(),
                  path.filename().string());
    found = path;
  }
  if (!found) return std::nullopt;
  return File(*found);
}

// A table of a TOML file whose keys are all asked for.
class Settings {
 public:
  Settings(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  template <class T>
  void get(const char* key, T& value) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const std::optional<T> read = node->value<T>();
    if (!read) throw Error("{}:{}: '{}' has the wrong type", file_, node->source().begin.line, key);
    value = *read;
  }

  const toml::table* table(const char* key) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node != nullptr && !node->is_table())
      throw Error("{}:{}: '{}' is no table", file_, node->source().begin.line, key);
    return node == nullptr ? nullptr : node->as_table();
  }

  void expect_no_more() const {
    for (const auto& [key, node] : table_)
      if (!known_.contains(key.str())) {
        const std::vector<std::string_view> names(known_.begin(), known_.end());
        const std::string_view nearest = nearest_name(key.str(), names);
        throw Error("{}:{}: unknown key '{}'{}; known are {}", file_, node.source().begin.line,
                    key.str(), nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
                    fmt::join(known_, ", "));
      }
  }

 private:
  const toml::table& table_;
  std::string file_;
  std::set<std::string, std::less<>> known_;
};

struct Description {
  std::string name;
  std::string edges, features, labels, splits;  // empty: by their usual names
  std::optional<bool> heading;
  RandomSplits random_splits;
};

void read_toml(const fs::path& path, Description& out) {
  const File file(path);
  check_toml_keys(file.content(), file.name());
  toml::table root;
  try {
    root = toml::parse(file.content(), file.name());
  } catch (const toml::parse_error& error) {
    file.fail_at_line(error.source().begin.line, "{}", error.description());
  }
  Settings settings(root, file.name());
  settings.get("name", out.name);
  settings.get("edges", out.edges);
  settings.get("features", out.features);
  settings.get("labels", out.labels);
  settings.get("splits", out.splits);
  bool heading = false;
  settings.get("heading", heading);
  if (root.contains("heading")) out.heading = heading;
  if (const toml::table* table = settings.table("random_splits")) {
    Settings random(*table, file.name());
    auto seed = static_cast<std::int64_t>(out.random_splits.seed);
    auto count = static_cast<std::int64_t>(out.random_splits.count);
    random.get("seed", seed);
    random.get("count", count);
    random.get("train", out.random_splits.train);
    random.get("validation", out.random_splits.validation);
    random.get("test", out.random_splits.test);
    random.expect_no_more();
    out.random_splits.where =
        fmt::format("{}:{}: random_splits", file.name(), table->source().begin.line);
    if (seed < 0) throw Error("{}: seed is {}, below 0", out.random_splits.where, seed);
    out.random_splits.seed = static_cast<std::uint64_t>(seed);
    out.random_splits.count = static_cast<int>(std::clamp<std::int64_t>(count, 0, 1 << 20));
  }
  settings.expect_no_more();
}

}  // namespace

Dataset read_own_data(const OwnFiles& files) {
  std::optional<FeatureTable> features;
  if (files.features) features = read_features(*files.features, files.heading);
  const FeatureTable* table = features ? &*features : nullptr;
  const NodeIndex nodes = index_nodes(files, table);

  Dataset data;
  Sample& sample = data.samples.emplace_back();
  sample.graph = Graph::from_edges(static_cast<NodeId>(nodes.count()), read_edges(files, nodes));
  sample.node_names = nodes.names();
  if (files.labels || (table != nullptr && !table->labels.empty()))
    set_labels(data, read_label_names(files, nodes, table));
  if (features)
    sample.features = std::move(features->features);
  else
    sample.features = identity_features(nodes.count());
  if (files.splits)
    data.splits = read_splits(files, nodes);
  else if (const auto* labels = std::get_if<NodeLabels>(&data.targets);
           labels != nullptr && !data.class_names.empty())
    data.splits = random_splits(labels->label, files.random_splits);
  data.check();
  return data;
}

Dataset read_own_data(const fs::path& folder_or_toml) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(folder_or_toml, ignored);
  const fs::path folder = is_folder ? folder_or_toml : folder_or_toml.parent_path();
  const fs::path toml = is_folder ? folder / "dataset.toml" : folder_or_toml;
  Description description;
  description.name = name_of(folder);
  if (!is_folder || is_there(toml)) read_toml(toml, description);

  static constexpr std::string_view kTables[] = {".csv", ".tsv", ".txt", ".npy"};
  const auto find = [&](const char* stem, const std::string& named,
                        std::span<const std::string_view> endings) -> std::optional<File> {
    if (!named.empty()) return File(folder / named);
    return find_file(folder, stem, endings);
  };
  const std::optional<File> edges = find("edges", description.edges, kTables);
  if (!edges)
    throw Error("{}: there is no edges.csv (.tsv, .txt, .npy) and no dataset.toml that names one",
                folder.string());
  Dataset data = read_own_data(OwnFiles{
      *edges, find("features", description.features, kFeatureEndings),
      find("labels", description.labels, kTables), find("splits", description.splits, kTables),
      description.heading, description.random_splits});
  data.name = description.name;
  data.source = folder_or_toml.string();
  return data;
}

}  // namespace pdegcn::data
