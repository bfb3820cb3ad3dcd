#pragma once

#include <torch/torch.h>

#include "pdegcn/graph/graph.h"
#include "pdegcn/nn/dropout.h"
#include "pdegcn/nn/sparse_input.h"

namespace pdegcn::nn {

// Â = D^(-1/2) (A + I) D^(-1/2), the normalised adjacency matrix with self-loops of Kipf and
// Welling (2017), where D holds the degrees plus one. A node without edges keeps its features.
class Propagation {
 public:
  // DropEdge (Rong et al., 2020): each edge is left out with probability `drop_edge`, as the draw
  // says, and what remains is normalised. Throws Error unless 0 <= drop_edge < 1.
  explicit Propagation(const Graph& graph, torch::ScalarType type = torch::kFloat32,
                       double drop_edge = 0, const Draw& draw = {});

  // Â x for x (n x c).
  torch::Tensor operator()(const torch::Tensor& x) const;

  // The matrix times a number.
  Propagation scaled(double factor) const;

  // The same matrix with dropout of its entries.
  Propagation dropped(double p, const Draw& draw, std::uint64_t site) const;

 private:
  SparseInput matrix_;
};

}  // namespace pdegcn::nn
