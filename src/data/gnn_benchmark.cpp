#include "pdegcn/data/gnn_benchmark.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "pdegcn/data/npy.h"
#include "pdegcn/data/sparse.h"

namespace pdegcn::data {
namespace {

SparseMatrix read_csr(const Npz& arrays, const std::string& prefix) {
  const NpyArray shape = arrays.at(prefix + "_shape");
  shape.view().expect_shape({2});
  const auto size = shape.view().as<std::int64_t>();
  const NpyArray offsets = arrays.at(prefix + "_indptr"), columns = arrays.at(prefix + "_indices"),
                 values = arrays.at(prefix + "_data");
  return sparse_matrix(size[0], size[1], offsets.view(), columns.view(), values.view());
}

Features read_attributes(const Npz& arrays, std::int64_t nodes) {
  if (arrays.has("attr_data")) return read_csr(arrays, "attr");
  if (!arrays.has("attr_matrix")) return identity_features(nodes);
  const NpyArray array = arrays.at("attr_matrix");
  array.view().expect_shape({nodes, -1});
  return DenseMatrix{nodes, array.view().shape[1], array.view().as<float>()};
}

void read_labels(const Npz& arrays, Dataset& data) {
  const NpyArray array = arrays.at("labels");
  array.view().expect_shape({data.num_nodes()});
  NodeLabels labels{array.view().as<std::int32_t>()};
  const std::int32_t largest = *std::max_element(labels.label.begin(), labels.label.end());
  if (largest >= std::max<std::int64_t>(data.num_nodes(), 2))
    throw Error("{}: label {} is too large for {} nodes", array.view().name, largest,
                data.num_nodes());
  for (std::int32_t c = 0; c <= largest; ++c) data.class_names.push_back(std::to_string(c));
  data.targets = std::move(labels);
  if (!arrays.has("class_names")) return;
  try {
    const NpyArray names = arrays.at("class_names");
    if (names.view().count() >= data.num_classes()) data.class_names = names.view().strings();
  } catch (const Error&) {  // often pickled objects; the numbers will do
  }
}

}  // namespace

bool is_gnn_benchmark(const File& file) {
  if (!file.content().starts_with("PK")) return false;
  const Npz arrays(file);
  return arrays.has("adj_indptr");
}

Dataset read_gnn_benchmark(const File& file, const RandomSplits& splits) {
  const Npz arrays(file);
  const SparseMatrix adjacency = read_csr(arrays, "adj");
  if (adjacency.rows != adjacency.cols || adjacency.rows == 0)
    throw Error("{}: the adjacency matrix is {} x {}", file.name(), adjacency.rows, adjacency.cols);
  std::vector<Edge> edges;
  edges.reserve(adjacency.columns.size());
  for (std::int64_t r = 0; r < adjacency.rows; ++r)
    for (std::int64_t k = adjacency.offsets[r]; k < adjacency.offsets[r + 1]; ++k)
      if (adjacency.values[k] != 0) edges.push_back({static_cast<NodeId>(r), adjacency.columns[k]});

  Dataset data;
  data.name = std::filesystem::path(file.name()).stem().string();
  data.source = file.name();
  Sample& sample = data.samples.emplace_back();
  sample.graph = Graph::from_edges(static_cast<NodeId>(adjacency.rows), std::move(edges));
  sample.features = read_attributes(arrays, adjacency.rows);
  if (arrays.has("labels")) {
    read_labels(arrays, data);
    data.check();
    data.splits = random_splits(std::get<NodeLabels>(data.targets).label, splits);
  }
  data.check();
  return data;
}

}  // namespace pdegcn::data
