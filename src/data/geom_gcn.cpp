#include "pdegcn/data/geom_gcn.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "pdegcn/data/splits.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

// True when the line is one of headings, which the format has but not every copy of it.
bool is_heading(TextReader& reader) {
  const std::string_view line = reader.line();
  return reader.line_number() == 1 && !line.empty() && (line[0] < '0' || line[0] > '9');
}

// The indices of the ones in a list "0,1,0,...", to the end of `columns`; returns the length of the
// list. Lists are long and nearly all zeros: eight at a time.
std::int32_t read_ones(TextReader& reader, std::string_view list,
                       std::vector<std::int32_t>& columns) {
  constexpr std::string_view kZeros = "0,0,0,0,0,0,0,0,";
  const char* at = list.data();
  const char* const end = at + list.size();
  std::int32_t column = 0;
  for (;;) {
    while (end - at >= static_cast<std::ptrdiff_t>(kZeros.size()) &&
           std::memcmp(at, kZeros.data(), kZeros.size()) == 0) {
      at += kZeros.size();
      column += 8;
    }
    if (at == end || (*at != '0' && *at != '1') || (at + 1 != end && at[1] != ','))
      reader.fail("feature {} is not 0 or 1, as the features before it are", column);
    if (*at == '1') columns.push_back(column);
    ++column;
    if (at + 1 == end) return column;
    at += 2;
  }
}

// The numbers of a list of indices, sorted, to the end of `columns`.
void read_indices(TextReader& reader, std::string_view list, std::vector<std::int32_t>& columns) {
  const auto first = static_cast<std::ptrdiff_t>(columns.size());
  while (!list.empty()) {
    const std::size_t length = std::min(list.find(','), list.size());
    columns.push_back(reader.parse<std::int32_t>(list.substr(0, length), "the feature"));
    if (columns.back() < 0) reader.fail("feature {} is negative", columns.back());
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  std::sort(columns.begin() + first, columns.end());
  const auto twice = std::adjacent_find(columns.begin() + first, columns.end());
  if (twice != columns.end()) reader.fail("feature {} is listed twice", *twice);
}

enum class Lists { kUnknown, kDense, kIndices };

// A number above 1 is an index; a 0 or 1 that repeats is not. Anything else may be either.
Lists kind_of(std::string_view list) {
  int zeros = 0, ones = 0;
  for (std::size_t at = 0; at < list.size(); at += 2) {
    if ((at + 1 < list.size() && list[at + 1] != ',') || (list[at] != '0' && list[at] != '1'))
      return Lists::kIndices;
    ++(list[at] == '0' ? zeros : ones);
    if (zeros > 1 || ones > 1) return Lists::kDense;
  }
  return Lists::kUnknown;
}

Lists find_kind(const File& file) {
  for (TextReader reader(file); reader.next_filled_line();) {
    std::string_view id, list;
    if (is_heading(reader) || !reader.next_field('\t', id) || !reader.next_field('\t', list))
      continue;
    if (const Lists kind = kind_of(list); kind != Lists::kUnknown) return kind;
  }
  return Lists::kDense;
}

struct Nodes {
  SparseMatrix features;
  std::vector<std::int32_t> label;
  std::int32_t classes = 0;
};

Nodes read_nodes(const File& file) {
  const Lists kind = find_kind(file);
  // In the order of the file first: an id says nothing before it is known how many there are.
  Nodes nodes;
  SparseMatrix& m = nodes.features;
  std::vector<std::pair<std::int32_t, std::size_t>> ids;  // and their lines
  TextReader reader(file);
  while (reader.next_filled_line()) {
    if (is_heading(reader)) continue;
    const std::size_t line = reader.line_number();
    ids.emplace_back(reader.number<std::int32_t>('\t', "the node id"), line);
    std::string_view list;
    if (!reader.next_field('\t', list)) reader.fail("the features are missing");
    if (kind == Lists::kDense) {
      const std::int32_t length = read_ones(reader, list, m.columns);
      if (m.rows == 0) m.cols = length;
      if (length != m.cols) reader.fail("{} features, but {} before", length, m.cols);
    } else {
      read_indices(reader, list, m.columns);
      if (!m.columns.empty()) m.cols = std::max<std::int64_t>(m.cols, m.columns.back() + 1LL);
    }
    nodes.label.push_back(reader.number<std::int32_t>('\t', "the label"));
    if (nodes.label.back() < 0) reader.fail("label {} is negative", nodes.label.back());
    reader.expect_end_of_line('\t');
    m.offsets.push_back(static_cast<std::int64_t>(m.columns.size()));
    ++m.rows;
  }
  if (m.rows == 0) throw Error("{}: there are no nodes", file.name());
  m.values.assign(m.columns.size(), 1.0f);

  // Neither ids nor labels may be beyond the number of nodes, which the file does hold.
  std::vector<std::int64_t> row_of(ids.size(), -1);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto [id, line] = ids[k];
    if (id < 0 || id >= m.rows)
      file.fail_at_line(line, "node id {} is outside 0..{}: {} nodes are listed", id, m.rows - 1,
                        m.rows);
    if (row_of[id] != -1) file.fail_at_line(line, "node id {} is there twice", id);
    row_of[id] = static_cast<std::int64_t>(k);
    if (nodes.label[k] >= std::max<std::int64_t>(m.rows, 2))
      file.fail_at_line(line, "label {} is too large for {} nodes", nodes.label[k], m.rows);
    nodes.classes = std::max(nodes.classes, nodes.label[k] + 1);
  }
  if (std::is_sorted(row_of.begin(), row_of.end())) return nodes;

  Nodes sorted;
  sorted.classes = nodes.classes;
  sorted.features.rows = m.rows;
  sorted.features.cols = m.cols;
  sorted.features.columns.reserve(m.columns.size());
  for (const std::int64_t row : row_of) {
    sorted.label.push_back(nodes.label[row]);
    sorted.features.columns.insert(sorted.features.columns.end(),
                                   m.columns.begin() + m.offsets[row],
                                   m.columns.begin() + m.offsets[row + 1]);
    sorted.features.offsets.push_back(static_cast<std::int64_t>(sorted.features.columns.size()));
  }
  sorted.features.values = std::move(m.values);
  return sorted;
}

std::vector<Edge> read_edges(const File& file, std::int64_t nodes) {
  std::vector<Edge> edges;
  TextReader reader(file);
  while (reader.next_filled_line()) {
    if (is_heading(reader)) continue;
    const auto i = reader.number<NodeId>('\t', "the first node");
    const auto j = reader.number<NodeId>('\t', "the second node");
    reader.expect_end_of_line('\t');
    for (const NodeId id : {i, j})
      if (id < 0 || id >= nodes) reader.fail("node {} is outside 0..{}", id, nodes - 1);
    edges.push_back({i, j});
  }
  return edges;
}

}  // namespace

Dataset read_geom_gcn(const std::filesystem::path& folder, std::string split_name) {
  const std::string name = name_of(folder);
  if (split_name.empty())
    split_name = name.ends_with("_gcnii") ? name.substr(0, name.size() - 6) : name;

  const File nodes(folder / "out1_node_feature_label.txt");
  const File edges(folder / "out1_graph_edges.txt");
  Dataset data = read_geom_gcn(nodes, edges);
  data.name = name;
  data.source = folder.string();
  data.splits = read_geom_gcn_splits(folder, split_name, data.num_nodes());
  data.check();
  return data;
}

Dataset read_geom_gcn(const File& nodes, const File& edges) {
  Nodes read = read_nodes(nodes);
  Dataset data;
  Sample& sample = data.samples.emplace_back();
  sample.graph = Graph::from_edges(static_cast<NodeId>(read.features.rows),
                                   read_edges(edges, read.features.rows));
  sample.features = std::move(read.features);
  data.targets = NodeLabels{std::move(read.label)};
  for (std::int32_t c = 0; c < read.classes; ++c) data.class_names.push_back(std::to_string(c));
  return data;
}

}  // namespace pdegcn::data
