#include "pdegcn/nn/propagation.h"

#include <cmath>
#include <vector>

#include "pdegcn/graph/error.h"

namespace pdegcn::nn {
namespace {

// Layers have sites from 1 on.
constexpr std::uint64_t kDropEdge = 0;

SparseInput normalized(const Graph& graph, torch::ScalarType type, double drop_edge,
                       const Draw& draw) {
  const NodeId nodes = graph.num_nodes();
  const auto kept = dropout(torch::ones({graph.num_edges()}), drop_edge, draw, kDropEdge);
  const float* keeps = kept.data_ptr<float>();
  std::vector<double> scale(nodes, 1);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (keeps[e] == 0) continue;
    ++scale[graph.edges()[e].i];
    ++scale[graph.edges()[e].j];
  }
  for (double& d : scale) d = 1 / std::sqrt(d);

  data::SparseMatrix pattern{nodes, nodes, {0}, {}, {}};
  std::vector<double> values;
  const std::size_t most = graph.neighbors().size() + nodes;
  pattern.columns.reserve(most);
  values.reserve(most);
  for (NodeId i = 0; i < nodes; ++i) {
    pattern.columns.push_back(i);
    values.push_back(scale[i] * scale[i]);
    for (EdgeId k = graph.offsets()[i]; k < graph.offsets()[i + 1]; ++k) {
      if (keeps[graph.edge_ids()[k]] == 0) continue;
      const NodeId j = graph.neighbors()[k];
      pattern.columns.push_back(j);
      values.push_back(scale[i] * scale[j]);
    }
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  pattern.values.resize(values.size());
  return SparseInput(pattern, type).with_values(torch::tensor(values, torch::kFloat64).to(type));
}

}  // namespace

Propagation::Propagation(const Graph& graph, torch::ScalarType type, double drop_edge,
                         const Draw& draw)
    : matrix_(normalized(graph, type, drop_edge, draw)) {}

torch::Tensor Propagation::operator()(const torch::Tensor& x) const {
  return matrix_.times(x);
}

Propagation Propagation::scaled(double factor) const {
  Propagation result = *this;
  result.matrix_ = matrix_.with_values(factor * matrix_.values());
  return result;
}

Propagation Propagation::dropped(double p, const Draw& draw, std::uint64_t site) const {
  Propagation result = *this;
  result.matrix_ = matrix_.with_values(dropout(matrix_.values(), p, draw, site));
  return result;
}

}  // namespace pdegcn::nn
