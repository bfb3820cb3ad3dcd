#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"
#include "pdegcn/graph/weights.h"
#include "pdegcn/kernels/row_plan.h"

namespace pdegcn::pde {

// Where an equation is solved: a graph with its edge weights γ as a tensor. Copies share the graph.
class Domain {
 public:
  // γ by edge id, of any floating type and on any device. It may require gradients: learnt weights
  // are a positive tensor that comes from a parameter. Throws Error when its size is not that of
  // the edges or a value is negative or not finite.
  Domain(std::shared_ptr<const Graph> graph, torch::Tensor gamma);

  // γ by one of the rules of graph/weights.h.
  Domain(Graph graph, WeightKind kind, std::span<const float> positions = {},
         torch::ScalarType type = torch::kFloat32);

  // The same graph with other weights.
  Domain with_gamma(torch::Tensor gamma) const;

  const Graph& graph() const { return *shared_->graph; }
  std::shared_ptr<const Graph> graph_pointer() const { return shared_->graph; }
  const torch::Tensor& gamma() const { return gamma_; }

  // The same with its nodes in an order in which neighbours lie close together, for the kernels to
  // walk. Nothing else sees that order: nodes and edges keep their numbers, dropped edges stay the
  // same, and results agree up to rounding.
  Domain reordered() const;

  // How the kernels walk it; `order` and `edge_ids` as in kernels::MarchProblem, or empty.
  struct Walk {
    explicit Walk(std::shared_ptr<const Graph> g) : graph(std::move(g)), plan(*graph) {}
    std::shared_ptr<const Graph> graph;
    kernels::RowPlan plan;
    std::vector<NodeId> order = {};
    std::vector<EdgeId> edge_ids = {};
  };
  const Walk& walk() const { return shared_->walk; }

  // The two ends of every edge, for index_select on the device of γ.
  torch::Tensor first_ends() const { return shared_->ends[0].to(gamma_.device()); }
  torch::Tensor second_ends() const { return shared_->ends[1].to(gamma_.device()); }

  // λmax(GᵀG) for the γ of now.
  double lambda_max() const;

 private:
  struct Shared {
    explicit Shared(std::shared_ptr<const Graph> g);
    std::shared_ptr<const Graph> graph;
    Walk walk;
    torch::Tensor ends[2];
  };
  Domain(std::shared_ptr<const Shared> shared, torch::Tensor gamma);

  std::shared_ptr<const Shared> shared_;
  torch::Tensor gamma_;
};

}  // namespace pdegcn::pde
