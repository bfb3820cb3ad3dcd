#include "pdegcn/pde/domain.h"

#include <vector>

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/operators.h"
#include "pdegcn/graph/order.h"
#include "pdegcn/graph/transform.h"

namespace pdegcn::pde {

Domain::Shared::Shared(std::shared_ptr<const Graph> g) : graph(std::move(g)), walk(graph) {
  const std::int64_t edges = graph->num_edges();
  for (torch::Tensor& end : ends) end = torch::empty({edges}, torch::kInt64);
  for (std::int64_t e = 0; e < edges; ++e) {
    ends[0].data_ptr<std::int64_t>()[e] = graph->edges()[e].i;
    ends[1].data_ptr<std::int64_t>()[e] = graph->edges()[e].j;
  }
}

Domain::Domain(std::shared_ptr<const Graph> graph, torch::Tensor gamma)
    : Domain(std::make_shared<const Shared>(std::move(graph)), std::move(gamma)) {}

Domain::Domain(Graph graph, WeightKind kind, std::span<const float> positions,
               torch::ScalarType type)
    : Domain(std::make_shared<const Graph>(std::move(graph)), torch::Tensor()) {
  std::vector<double> gamma = edge_weights(*shared_->graph, kind, positions);
  *this = with_gamma(torch::tensor(gamma, torch::kFloat64).to(type));
}

Domain::Domain(std::shared_ptr<const Shared> shared, torch::Tensor gamma)
    : shared_(std::move(shared)), gamma_(std::move(gamma)) {
  if (!gamma_.defined()) return;  // to be filled in by the constructor above
  if (!gamma_.is_floating_point() || gamma_.dim() != 1 || gamma_.size(0) != graph().num_edges())
    throw Error("gamma must be {} floating-point numbers, one per edge; it has {} values",
                graph().num_edges(), gamma_.numel());
  const torch::NoGradGuard no_grad;
  const auto bad = ~(gamma_.ge(0) & gamma_.isfinite());
  if (bad.any().item<bool>()) {
    const std::int64_t e = bad.nonzero()[0].item<std::int64_t>();
    throw Error("gamma of edge {} is {}; it must be finite and not negative", e,
                gamma_[e].item<double>());
  }
}

Domain Domain::with_gamma(torch::Tensor gamma) const {
  return {shared_, std::move(gamma)};
}

Domain Domain::reordered() const {
  auto order = reverse_cuthill_mckee(graph());
  auto [moved, there] = reorder(graph(), order);
  auto shared = std::make_shared<Shared>(*shared_);
  shared->walk = Walk(std::make_shared<const Graph>(std::move(moved)));
  shared->walk.order = std::move(order);
  for (const EdgeId e : shared->walk.graph->edge_ids()) shared->walk.edge_ids.push_back(there[e]);
  return {std::move(shared), gamma_};
}

double Domain::lambda_max() const {
  const auto values = gamma_.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  return pdegcn::lambda_max(graph(),
                            {values.data_ptr<double>(), static_cast<std::size_t>(values.numel())});
}

}  // namespace pdegcn::pde
