#include "pdegcn/data/ppi.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "pdegcn/data/node_link.h"
#include "pdegcn/data/npy.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

enum class Part { kTrain, kValidation, kTest };

// All graphs side by side, whatever the layout of the files.
struct Nodes {
  std::int64_t count = 0;
  std::vector<Edge> edges;
  std::vector<std::int64_t> graph;  // of each node
  std::vector<Part> part;           // of each node
  std::int64_t features = 0;
  std::vector<double> values;  // count x features
  std::int64_t labels = 0;
  std::vector<std::uint8_t> targets;  // count x labels
  std::map<std::int64_t, std::string> graph_names;
};

void add_features(Nodes& nodes, const ArrayView& array, std::int64_t rows) {
  array.expect_shape({rows, nodes.features == 0 ? -1 : nodes.features});
  nodes.features = array.shape[1];
  const std::vector<double> values = array.as<double>();
  nodes.values.insert(nodes.values.end(), values.begin(), values.end());
}

void add_labels(Nodes& nodes, const ArrayView& array, std::int64_t rows) {
  array.expect_shape({rows, nodes.labels == 0 ? -1 : nodes.labels});
  nodes.labels = array.shape[1];
  const std::vector<std::uint8_t> values = array.as<std::uint8_t>();
  nodes.targets.insert(nodes.targets.end(), values.begin(), values.end());
}

// GraphSAGE joins all graphs into one and numbers their nodes one graph after the other: the
// shortest stretches of nodes that no edge leaves are the graphs again.
std::vector<std::int64_t> stretches(std::int64_t count, const std::vector<Edge>& edges) {
  std::vector<NodeId> reach(static_cast<std::size_t>(count));
  for (const Edge e : edges) {
    const auto [low, high] = std::minmax(e.i, e.j);
    reach[low] = std::max(reach[low], high);
  }
  std::vector<std::int64_t> graph;
  std::int64_t number = 1;
  NodeId end = 0;
  for (NodeId k = 0; k < count; ++k) {
    if (k > end) ++number;
    end = std::max({end, k, reach[k]});
    graph.push_back(number);
  }
  return graph;
}

// Rows of a table with `cols` columns in another order.
template <class T>
std::vector<T> gathered(const std::vector<T>& table, std::int64_t cols,
                        const std::vector<std::int64_t>& rows) {
  std::vector<T> result;
  result.reserve(rows.size() * static_cast<std::size_t>(cols));
  for (const std::int64_t row : rows) {
    const auto begin = table.begin() + row * cols;
    result.insert(result.end(), begin, begin + cols);
  }
  return result;
}

Nodes read_graphsage(const fs::path& folder) {
  NodeLink graph = read_node_link(File(folder / "ppi-G.json"));
  Nodes nodes;
  nodes.count = static_cast<std::int64_t>(graph.ids.size());
  std::unordered_map<std::string, std::int64_t> place;
  for (std::size_t k = 0; k < graph.ids.size(); ++k)
    place[graph.ids[k]] = static_cast<std::int64_t>(k);
  // For each node its row in the table that `file` maps ids to; calls use(id, numbers) on the way.
  const auto rows_of = [&](const File& file, auto use) {
    std::vector<std::int64_t> rows(graph.ids.size(), -1);
    read_number_map(file, [&](const std::string& id, const std::vector<std::int64_t>& numbers) {
      const auto found = place.find(id);
      if (found == place.end())
        throw Error("{}: node '{:.40}' is not in ppi-G.json", file.name(), id);
      if (rows[found->second] != -1)
        throw Error("{}: node '{:.40}' is there twice", file.name(), id);
      rows[found->second] = use(id, numbers);
    });
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] == -1) throw Error("{}: node '{:.40}' is missing", file.name(), graph.ids[k]);
    return rows;
  };

  add_features(nodes, NpyArray(folder / "ppi-feats.npy").view(), nodes.count);
  const File id_map(folder / "ppi-id_map.json");
  nodes.values =
      gathered(nodes.values, nodes.features,
               rows_of(id_map, [&](const std::string& id, const std::vector<std::int64_t>& row) {
                 if (row.size() != 1 || row[0] < 0 || row[0] >= nodes.count)
                   throw Error("{}: node '{:.40}' has no row of ppi-feats.npy", id_map.name(), id);
                 return row[0];
               }));

  const File class_map(folder / "ppi-class_map.json");
  std::int64_t row = 0;
  const auto label_rows = rows_of(class_map, [&](const std::string& id,
                                                 const std::vector<std::int64_t>& labels) {
    if (row == 0) nodes.labels = static_cast<std::int64_t>(labels.size());
    if (static_cast<std::int64_t>(labels.size()) != nodes.labels)
      throw Error("{}: node '{:.40}' has {} labels, others {}", class_map.name(), id, labels.size(),
                  nodes.labels);
    for (const std::int64_t label : labels) {
      if (label != 0 && label != 1)
        throw Error("{}: a label of node '{:.40}' is {}, not 0 or 1", class_map.name(), id, label);
      nodes.targets.push_back(static_cast<std::uint8_t>(label));
    }
    return row++;
  });
  nodes.targets = gathered(nodes.targets, nodes.labels, label_rows);

  for (std::size_t k = 0; k < graph.ids.size(); ++k)
    nodes.part.push_back(graph.test[k]         ? Part::kTest
                         : graph.validation[k] ? Part::kValidation
                                               : Part::kTrain);
  nodes.graph = stretches(nodes.count, graph.edges);
  nodes.edges = std::move(graph.edges);
  return nodes;
}

Nodes read_dgl(const fs::path& folder) {
  Nodes nodes;
  for (const Part part : {Part::kTrain, Part::kValidation, Part::kTest}) {
    const std::string name = part == Part::kTrain        ? "train"
                             : part == Part::kValidation ? "valid"
                                                         : "test";
    const auto path = [&](const char* suffix) { return folder / (name + suffix); };
    const NodeLink graph = read_node_link(File(path("_graph.json")));
    const auto count = static_cast<std::int64_t>(graph.ids.size());
    for (std::int64_t k = 0; k < count; ++k)
      if (graph.ids[k] != std::to_string(k))
        throw Error("{}: node {} has the id '{:.40}'", path("_graph.json").string(), k,
                    graph.ids[k]);
    add_features(nodes, NpyArray(path("_feats.npy")).view(), count);
    add_labels(nodes, NpyArray(path("_labels.npy")).view(), count);
    const NpyArray ids(path("_graph_id.npy"));
    ids.view().expect_shape({count});
    const std::vector<std::int64_t> graph_ids = ids.view().as<std::int64_t>();
    nodes.graph.insert(nodes.graph.end(), graph_ids.begin(), graph_ids.end());
    nodes.part.insert(nodes.part.end(), graph_ids.size(), part);
    const auto first = static_cast<NodeId>(nodes.count);
    for (const Edge e : graph.edges) nodes.edges.push_back({first + e.i, first + e.j});
    nodes.count += count;
  }
  return nodes;
}

// graphs.tsv: graph_id, tissue, split and counts, which are not needed.
std::map<std::int64_t, Part> read_table(const File& file, Nodes& nodes) {
  std::map<std::int64_t, Part> parts;
  TextReader reader(file);
  while (reader.next_filled_line()) {
    if (reader.line().starts_with("graph_id")) continue;
    const auto id = reader.number<std::int64_t>('\t', "the graph id");
    std::string_view tissue, split;
    if (!reader.next_field('\t', tissue) || !reader.next_field('\t', split))
      reader.fail("tissue and split are missing");
    const Part part = split == "train"   ? Part::kTrain
                      : split == "valid" ? Part::kValidation
                      : split == "test"  ? Part::kTest
                                         : (reader.fail("unknown split '{:.20}'", split), Part{});
    if (!parts.emplace(id, part).second) reader.fail("graph {} is there twice", id);
    nodes.graph_names[id] = tissue;
  }
  return parts;
}

Nodes read_arrays(const fs::path& folder, const fs::path& labels) {
  Nodes nodes;
  const NpyArray graph_id(folder / "graph_id.npy");
  graph_id.view().expect_shape({-1});
  nodes.graph = graph_id.view().as<std::int64_t>();
  nodes.count = static_cast<std::int64_t>(nodes.graph.size());
  add_features(nodes, NpyArray(folder / "feats_u8.npy").view(), nodes.count);
  add_labels(nodes, NpyArray(labels).view(), nodes.count);

  const File table(folder / "graphs.tsv");
  const std::map<std::int64_t, Part> parts = read_table(table, nodes);
  for (const std::int64_t id : nodes.graph) {
    const auto part = parts.find(id);
    if (part == parts.end()) throw Error("{}: graph {} is missing", table.name(), id);
    nodes.part.push_back(part->second);
  }

  const NpyArray edges(folder / "edges.npy");
  edges.view().expect_shape({-1, 2});
  const std::vector<std::int32_t> ends = edges.view().as<std::int32_t>();
  for (std::size_t k = 0; k < ends.size(); k += 2) {
    for (const std::int32_t id : {ends[k], ends[k + 1]})
      if (id < 0 || id >= nodes.count)
        throw Error("{}: edge {} names node {} of {}", edges.view().name, k / 2, id, nodes.count);
    nodes.edges.push_back({ends[k], ends[k + 1]});
  }
  return nodes;
}

void standardise(Nodes& nodes) {
  for (std::int64_t c = 0; c < nodes.features; ++c) {
    double sum = 0, squares = 0;
    std::int64_t rows = 0;
    const auto for_training = [&](auto use) {
      for (std::int64_t k = 0; k < nodes.count; ++k)
        if (nodes.part[k] == Part::kTrain) use(nodes.values[k * nodes.features + c]);
    };
    for_training([&](double value) {
      sum += value;
      ++rows;
    });
    const double mean = rows == 0 ? 0 : sum / static_cast<double>(rows);
    for_training([&](double value) { squares += (value - mean) * (value - mean); });
    const double deviation = rows == 0 ? 0 : std::sqrt(squares / static_cast<double>(rows));
    const double scale = deviation > 0 ? deviation : 1;
    for (std::int64_t k = 0; k < nodes.count; ++k) {
      double& value = nodes.values[k * nodes.features + c];
      value = (value - mean) / scale;
    }
  }
}

Dataset assemble(Nodes nodes, const fs::path& folder) {
  const std::string name = folder.string();
  if (nodes.count == 0) throw Error("{}: there are no nodes", name);
  standardise(nodes);

  struct Group {
    Part part;
    std::vector<std::int64_t> members;
    std::vector<Edge> edges;
  };
  std::map<std::int64_t, Group> groups;
  std::vector<NodeId> place(static_cast<std::size_t>(nodes.count));  // of each node in its graph
  for (std::int64_t k = 0; k < nodes.count; ++k) {
    Group& group = groups.try_emplace(nodes.graph[k], Group{nodes.part[k], {}, {}}).first->second;
    if (group.part != nodes.part[k])
      throw Error("{}: graph {} has nodes of several splits", name, nodes.graph[k]);
    place[k] = static_cast<NodeId>(group.members.size());
    group.members.push_back(k);
  }
  for (const Edge e : nodes.edges) {
    if (nodes.graph[e.i] != nodes.graph[e.j])
      throw Error("{}: an edge joins graphs {} and {}", name, nodes.graph[e.i], nodes.graph[e.j]);
    groups[nodes.graph[e.i]].edges.push_back({place[e.i], place[e.j]});
  }

  Dataset data;
  data.name = "ppi";
  data.source = name;
  NodeMultiLabels targets;
  targets.labels = nodes.labels;
  Split& split = data.splits.emplace_back();
  split.name = "public";
  for (auto& [id, group] : groups) {
    (group.part == Part::kTrain        ? split.train
     : group.part == Part::kValidation ? split.validation
                                       : split.test)
        .push_back(static_cast<std::int32_t>(data.samples.size()));
    Sample& sample = data.samples.emplace_back();
    const auto named = nodes.graph_names.find(id);
    sample.name = named == nodes.graph_names.end() ? std::to_string(id) : named->second;
    DenseMatrix features;
    features.rows = static_cast<std::int64_t>(group.members.size());
    features.cols = nodes.features;
    features.values.reserve(static_cast<std::size_t>(features.rows * features.cols));
    for (const std::int64_t k : group.members) {
      const auto values = nodes.values.begin() + k * nodes.features;
      features.values.insert(features.values.end(), values, values + nodes.features);
      const auto labels = nodes.targets.begin() + k * nodes.labels;
      targets.values.insert(targets.values.end(), labels, labels + nodes.labels);
    }
    sample.graph = Graph::from_edges(static_cast<NodeId>(features.rows), std::move(group.edges));
    sample.features = std::move(features);
  }
  data.targets = std::move(targets);
  for (std::int64_t c = 0; c < nodes.labels; ++c) data.class_names.push_back(std::to_string(c));
  data.check();
  return data;
}

// standin_label_names.tsv: column, name and count.
void read_label_names(const fs::path& path, std::vector<std::string>& names) {
  const File file(path);
  TextReader reader(file);
  while (reader.next_filled_line()) {
    if (reader.line().starts_with("column")) continue;
    const auto column = reader.number<std::int64_t>('\t', "the column");
    std::string_view name;
    if (column < 0 || column >= static_cast<std::int64_t>(names.size()))
      reader.fail("column {} is outside 0..{}", column, names.size() - 1);
    if (!reader.next_field('\t', name)) reader.fail("the name is missing");
    names[column] = name;
  }
}

bool has(const fs::path& folder, const char* name) {
  return is_there(folder / name);
}

}  // namespace

bool is_ppi(const fs::path& folder) {
  return has(folder, "ppi-G.json") || has(folder, "train_graph.json") ||
         (has(folder, "edges.npy") && has(folder, "graph_id.npy"));
}

Dataset read_ppi(const fs::path& folder) {
  if (has(folder, "ppi-G.json")) return assemble(read_graphsage(folder), folder);
  if (has(folder, "train_graph.json")) return assemble(read_dgl(folder), folder);
  if (has(folder, "labels_u8.npy"))
    return assemble(read_arrays(folder, folder / "labels_u8.npy"), folder);

  Dataset data = assemble(read_arrays(folder, folder / "standin_labels_u8.npy"), folder);
  data.name = "ppi_standin";
  data.source += " (stand-in labels: results do not compare with published ones)";
  if (has(folder, "standin_label_names.tsv"))
    read_label_names(folder / "standin_label_names.tsv", data.class_names);
  return data;
}

}  // namespace pdegcn::data
