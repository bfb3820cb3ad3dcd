#include "pdegcn/data/planetoid.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pdegcn/data/pickle.h"
#include "pdegcn/data/sparse.h"
#include "pdegcn/data/splits.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

constexpr std::int64_t kValidationNodes = 500;

SparseMatrix read_matrix(const std::filesystem::path& path) {
  const File file(path);
  const PickledMatrix m = Pickle(file).matrix();
  return sparse_matrix(m.rows, m.cols, m.offsets, m.columns, m.values);
}

struct OneHot {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  std::vector<std::int32_t> label;
};

// Class of every row; a row of zeros has none.
OneHot read_labels(const std::filesystem::path& path) {
  const File file(path);
  const ArrayView array = Pickle(file).array();
  array.expect_shape({-1, -1});
  OneHot result{array.shape[0], array.shape[1], {}};
  const std::vector<std::int32_t> values = array.as<std::int32_t>();
  if (values.empty()) throw Error("{}: there are no labels", path.string());
  for (std::int64_t r = 0; r < result.rows; ++r) {
    const auto row = values.begin() + r * result.classes, end = row + result.classes;
    const auto one = std::find(row, end, 1);
    if (std::count(row, end, 0) != result.classes - (one != end))
      throw Error("{}: row {} of the labels is not one-hot", path.string(), r);
    result.label.push_back(one == end ? kUnlabelled : static_cast<std::int32_t>(one - row));
  }
  return result;
}

// row_of[k] is the row of tx and ty that belongs to node first + k, or -1.
std::vector<std::int64_t> read_test_rows(const std::filesystem::path& path, std::int64_t first,
                                         std::int64_t rows) {
  const File file(path);
  TextReader reader(file);
  std::vector<std::int64_t> row_of;
  std::int64_t row = 0;
  for (; reader.next_line(); ++row) {
    const auto node = reader.number<std::int32_t>(' ', "the test node");
    reader.expect_end_of_line(' ');
    // CiteSeer leaves out a few: a file with large gaps is a wrong one.
    if (node < first || node - first >= 2 * rows)
      reader.fail("test node {} is outside {}..{}", node, first, first + 2 * rows - 1);
    if (node - first >= static_cast<std::int64_t>(row_of.size()))
      row_of.resize(node - first + 1, -1);
    if (row_of[node - first] != -1) reader.fail("test node {} is there twice", node);
    row_of[node - first] = row;
  }
  if (row != rows) throw Error("{}: {} test nodes, but tx has {} rows", path.string(), row, rows);
  return row_of;
}

// Adds the rows of `from` in the given order; -1 stands for an empty row.
void append_rows(SparseMatrix& to, const SparseMatrix& from,
                 const std::vector<std::int64_t>& rows) {
  to.columns.reserve(to.columns.size() + from.columns.size());
  to.values.reserve(to.values.size() + from.values.size());
  for (const std::int64_t row : rows) {
    if (row >= 0) {
      const std::int64_t begin = from.offsets[row], end = from.offsets[row + 1];
      to.columns.insert(to.columns.end(), from.columns.begin() + begin, from.columns.begin() + end);
      to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
    }
    to.offsets.push_back(static_cast<std::int64_t>(to.columns.size()));
  }
  to.rows += static_cast<std::int64_t>(rows.size());
}

Graph read_graph(const std::filesystem::path& path, std::int64_t nodes) {
  const File file(path);
  const PickledLists lists = Pickle(file).lists();
  std::vector<bool> seen(static_cast<std::size_t>(nodes));
  const auto node = [&](std::int64_t id) {
    if (id < 0 || id >= nodes)
      throw Error("{}: node {} is outside 0..{}", path.string(), id, nodes - 1);
    return static_cast<NodeId>(id);
  };
  std::vector<Edge> edges;
  edges.reserve(lists.values.size());
  for (std::size_t k = 0; k < lists.keys.size(); ++k) {
    const NodeId i = node(lists.keys[k]);
    if (seen[i]) throw Error("{}: node {} is there twice", path.string(), i);
    seen[i] = true;
    for (std::int64_t at = lists.offsets[k]; at < lists.offsets[k + 1]; ++at)
      edges.push_back({i, node(lists.values[at])});
  }
  return Graph::from_edges(static_cast<NodeId>(nodes), std::move(edges));
}

std::vector<std::int32_t> range(std::int64_t begin, std::int64_t end) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(end - begin));
  std::iota(result.begin(), result.end(), static_cast<std::int32_t>(begin));
  return result;
}

}  // namespace

Dataset read_planetoid(const std::filesystem::path& folder, const std::string& name) {
  const auto part = [&](const char* suffix) { return folder / ("ind." + name + "." + suffix); };
  const auto fit = [&](const char* a, std::int64_t in_a, const char* b, std::int64_t in_b) {
    if (in_a != in_b)
      throw Error("{}: {} has {} where ind.{}.{} has {}", part(a).string(), a, in_a, name, b, in_b);
  };

  SparseMatrix features = read_matrix(part("allx"));
  OneHot labels = read_labels(part("ally"));
  const std::int64_t known = features.rows;
  fit("ally", labels.rows, "allx", known);
  const SparseMatrix test_features = read_matrix(part("tx"));
  const OneHot test_labels = read_labels(part("ty"));
  fit("tx", test_features.cols, "allx", features.cols);
  fit("ty", test_labels.rows, "tx", test_features.rows);
  fit("ty", test_labels.classes, "ally", labels.classes);
  const OneHot train_labels = read_labels(part("y"));
  if (train_labels.rows > known)
    throw Error("{}: {} training nodes of {}", part("y").string(), train_labels.rows, known);

  const std::vector<std::int64_t> rows =
      read_test_rows(part("test.index"), known, test_features.rows);
  append_rows(features, test_features, rows);
  Split split{"public",
              range(0, train_labels.rows),
              range(train_labels.rows, std::min(known, train_labels.rows + kValidationNodes)),
              {}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    labels.label.push_back(rows[k] < 0 ? kUnlabelled : test_labels.label[rows[k]]);
    if (rows[k] >= 0) split.test.push_back(static_cast<std::int32_t>(known + k));
  }

  Dataset data;
  data.name = name;
  data.source = folder.string();
  Sample& sample = data.samples.emplace_back();
  sample.graph = read_graph(part("graph"), features.rows);
  sample.features = std::move(features);
  data.targets = NodeLabels{std::move(labels.label)};
  for (std::int64_t c = 0; c < labels.classes; ++c) data.class_names.push_back(std::to_string(c));
  data.splits = read_geom_gcn_splits(folder, name, data.num_nodes());
  data.splits.insert(data.splits.begin(), std::move(split));
  data.check();
  return data;
}

}  // namespace pdegcn::data
