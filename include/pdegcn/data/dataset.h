#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn::data {

// A dense matrix, row by row.
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;  // rows x cols
};

// A sparse matrix in CSR form; columns ascend within a row.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int64_t> offsets{0};  // rows + 1
  std::vector<std::int32_t> columns;
  std::vector<float> values;
};

using Features = std::variant<DenseMatrix, SparseMatrix>;

// Attributes of edges, by edge id. An odd attribute changes its sign when the edge is walked the
// other way (a difference of coordinates, taken as that of i minus that of j for i < j), an even
// one does not (a length).
struct EdgeAttributes {
  DenseMatrix odd;
  DenseMatrix even;
};

// One graph with what lies on it. Parts that a data set does not have are empty.
struct Sample {
  std::string name;
  Graph graph;
  Features features;  // one row per node
  EdgeAttributes edge_attributes;
  std::vector<float> positions;  // one row of three per node
  std::vector<Triangle> triangles;
  std::vector<std::string> node_names;  // as the user's files call them; none when by number
};

// What is to be learnt.
//
// Labels count from 0; kUnlabelled stands for a label that is not known. Node targets run over the
// nodes of all samples, one sample after the other.
inline constexpr std::int32_t kUnlabelled = -1;

struct NodeLabels {
  std::vector<std::int32_t> label;  // per node
};
struct NodeMultiLabels {
  std::int64_t labels = 0;
  std::vector<std::uint8_t> values;  // nodes x labels, each 0 or 1
};
struct GraphLabels {
  std::vector<std::int32_t> label;  // per sample
};
using Targets = std::variant<std::monostate, NodeLabels, NodeMultiLabels, GraphLabels>;

// Which parts are for training, for choosing, and for the final test: nodes of the only sample, or,
// in a set of many graphs, samples.
struct Split {
  std::string name;  // "public", "0" to "9", ...
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> validation;
  std::vector<std::int32_t> test;
};

// A data set in plain memory, cheap to move.
struct Dataset {
  std::string name;
  std::string source;  // the folder or file it was read from, or how it was generated
  std::vector<Sample> samples;
  Targets targets;
  std::vector<std::string> class_names;
  std::vector<Split> splits;  // the first is the default
  // Of a correspondence: the vertex of the first sample, the template, that every class stands for;
  // -1 where the template does not show it. Empty for all other data sets.
  std::vector<NodeId> template_vertex;

  std::int64_t num_nodes() const;  // over all samples
  std::int64_t num_edges() const;
  std::int64_t num_features() const;  // columns of the node features
  std::int64_t num_classes() const { return static_cast<std::int64_t>(class_names.size()); }

  // The split of that name; throws Error with the names there are.
  const Split& split(const std::string& split_name) const;

  // Throws Error unless sizes, indices and labels fit together and every value is finite. Readers
  // and generators call it on what they return.
  void check() const;
};

}  // namespace pdegcn::data
