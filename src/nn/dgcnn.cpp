#include "pdegcn/nn/dgcnn.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/neighbors.h"
#include "pdegcn/pde/integrate.h"

namespace pdegcn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void check_floats(const torch::Tensor& x) {
  if (!x.device().is_cpu() || x.scalar_type() != torch::kFloat32 || x.dim() != 2)
    throw Error("neighbours are searched among rows of floats on the CPU, not {}", x.toString());
}

kernels::Matrix<float> view(const torch::Tensor& m) {
  return {m.data_ptr<float>(), m.size(0), m.size(1), m.size(1)};
}

std::span<std::int32_t> numbers(const torch::Tensor& t) {
  return {t.data_ptr<std::int32_t>(), static_cast<std::size_t>(t.numel())};
}

class NeighborMax : public torch::autograd::Function<NeighborMax> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& index) {
    const auto out = torch::empty_like(x);
    const auto from = torch::empty(x.sizes(), torch::kInt32);
    kernels::neighbor_max(view(x), numbers(index), static_cast<int>(index.size(1)), view(out),
                          numbers(from));
    context->save_for_backward({from});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto given = outputs[0].contiguous();
    const auto x = torch::empty_like(given);
    kernels::neighbor_max_adjoint(view(given), numbers(context->get_saved_variables()[0]), view(x));
    return {x, torch::Tensor()};
  }
};

std::vector<std::int64_t> sizes_of(const Input& input) {
  return input.graph_sizes.empty() ? std::vector<std::int64_t>{input.domain.graph().num_nodes()}
                                   : input.graph_sizes;
}

// The graph in which every node is joined to its neighbours; an edge stands when either end asks
// for it.
Graph graph_of(const torch::Tensor& index) {
  const std::int64_t k = index.size(1);
  std::vector<Edge> edges;
  edges.reserve(index.numel());
  for (std::int64_t at = 0; at < index.numel(); ++at)
    edges.push_back({static_cast<NodeId>(at / k), numbers(index)[at]});
  return Graph::from_edges(static_cast<NodeId>(index.size(0)), std::move(edges));
}

void record(std::vector<torch::Tensor>* states, const torch::Tensor& f) {
  if (states != nullptr) states->push_back(f);
}

}  // namespace

torch::Tensor feature_neighbors(const torch::Tensor& x, std::span<const std::int64_t> graph_sizes,
                                int k) {
  check_floats(x);
  const auto rows = x.detach().contiguous();
  const auto index = torch::empty({rows.size(0), k}, torch::kInt32);
  kernels::nearest_rows(view(rows), graph_sizes, k, numbers(index));
  return index;
}

torch::Tensor neighbor_max(const torch::Tensor& x, const torch::Tensor& index) {
  check_floats(x);
  if (index.dim() != 2 || index.size(0) != x.size(0) || index.scalar_type() != torch::kInt32)
    throw Error("{} rows need as many rows of neighbours, int32, not {} of {}", x.size(0),
                index.toString(), fmt::join(index.sizes(), " x "));
  return NeighborMax::apply(x.contiguous(), index.contiguous());
}

EdgeConvImpl::EdgeConvImpl(std::int64_t inputs, std::int64_t outputs) {
  own = register_module("own", Linear(inputs, outputs));
  other = register_module("other", Linear(inputs, outputs));
  norm = register_module("norm", BatchNorm(outputs));
}

torch::Tensor EdgeConvImpl::forward(const torch::Tensor& x, const torch::Tensor& index) {
  const auto f = own->forward(x) + neighbor_max(other->forward(x), index);
  return torch::leaky_relu(norm->forward(f), 0.2);
}

DgcnnImpl::DgcnnImpl(const BaselineOptions& options, int k, bool opens)
    : Baseline(options, 1), k_(k) {
  const std::int64_t c = options.channels;
  if (opens) opening = register_module("opening", Linear(options.inputs, c));
  for (std::int64_t l = 0; l < options.layers; ++l)
    layers_.push_back(register_module(fmt::format("layer{}", l + 1),
                                      EdgeConv(l == 0 && !opens ? options.inputs : c, c)));
  closing = register_module("closing", Linear(options.layers * c, options.classes));
}

torch::Tensor DgcnnImpl::forward(const Input& input, const Draw& draw,
                                 std::vector<torch::Tensor>* states) {
  const auto sizes = sizes_of(input);
  auto f = opening.is_empty() ? drop(node_input(input), draw, 1)
                              : torch::relu(enter(opening, input, options_.dropout, draw));
  std::vector<torch::Tensor> seen;
  for (EdgeConv& layer : layers_) {
    f = layer->forward(f, feature_neighbors(f, sizes, k_));
    record(states, f);
    seen.push_back(f);
  }
  return closing->forward(drop(torch::cat(seen, 1), draw, 2));
}

std::vector<ParameterGroup> DgcnnImpl::parameter_groups() const {
  return {{"dense", parameters()}};
}

DgcnnDiffusionImpl::DgcnnDiffusionImpl(const BaselineOptions& options, int k, double step)
    : Baseline(options, 1), k_(k), dynamics_(step) {
  const std::int64_t c = options.channels;
  opening = register_module("opening", Linear(options.inputs, c));
  K = register_parameter("K", torch::eye(c).repeat({options.layers, 1, 1}));
  closing = register_module("closing", Linear(c, options.classes));
}

torch::Tensor DgcnnDiffusionImpl::forward(const Input& input, const Draw& draw,
                                          std::vector<torch::Tensor>* states) {
  const auto sizes = sizes_of(input);
  auto f = torch::relu(enter(opening, input, options_.dropout, draw));
  record(states, f);
  for (const auto& layer : K.split(1, 0)) {
    const pde::Domain domain(graph_of(feature_neighbors(f, sizes, k_)), WeightKind::metropolis);
    f = pde::integrate(domain, f, layer, dynamics_, 1).last;
    record(states, f);
  }
  return closing->forward(drop(f, draw, 2));
}

std::vector<ParameterGroup> DgcnnDiffusionImpl::parameter_groups() const {
  std::vector<ParameterGroup> groups{{"dense", {}}, {"pde", {K}}};
  for (const auto& layer : children())
    for (const auto& parameter : layer->parameters()) groups[0].parameters.push_back(parameter);
  return groups;
}

}  // namespace pdegcn::nn
