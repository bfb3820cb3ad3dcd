#include "pdegcn/nn/network.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/report/table.h"

namespace pdegcn::nn {
namespace {

// Sites of the random draws, see Draw.
enum Site : std::uint64_t { kInput = 1, kClosing };

// Σ_e scale γ_e (q_e at i, ± q_e at j), the adjoints of average and gradient.
torch::Tensor to_nodes(const pde::Domain& domain, const torch::Tensor& q, double scale, double sign,
                       const char* name) {
  if (q.dim() != 2 || q.size(0) != domain.graph().num_edges())
    throw Error("{} must have one row per edge, {} of them", name, domain.graph().num_edges());
  const auto weighted = scale * domain.gamma().unsqueeze(1) * q;
  return torch::zeros({domain.graph().num_nodes(), q.size(1)}, q.options())
      .index_add(0, domain.first_ends(), weighted)
      .index_add(0, domain.second_ends(), sign * weighted);
}

}  // namespace

torch::Tensor node_input(const Input& input) {
  const auto* sparse = std::get_if<SparseInput>(&input.features);
  std::vector<torch::Tensor> parts{sparse ? sparse->dense()
                                          : std::get<torch::Tensor>(input.features)};
  if (input.even_attributes.defined())
    parts.push_back(to_nodes(input.domain, input.even_attributes, 0.5, 1, "even_attributes"));
  if (input.odd_attributes.defined())
    parts.push_back(to_nodes(input.domain, input.odd_attributes, 1, -1, "odd_attributes"));
  return parts.size() == 1 ? parts.front() : torch::cat(parts, 1);
}

torch::Tensor Network::enter(Linear layer, const Input& input, double p, const Draw& draw) const {
  const double drop = is_training() ? p : 0;
  const auto* sparse = std::get_if<SparseInput>(&input.features);
  if (sparse == nullptr || input.odd_attributes.defined() || input.even_attributes.defined())
    return layer->forward(dropout(node_input(input), drop, draw, kInput));
  return layer->forward(sparse->with_values(dropout(sparse->values(), drop, draw, kInput)));
}

LayerRow Network::row_of(const std::string& name, const Linear& layer, const char* rows) {
  std::int64_t count = 0;
  for (const auto& p : layer->parameters()) count += p.numel();
  return {fmt::format("{} 1x1 convolution{}", name, layer->bias.defined() ? " with bias" : ""),
          fmt::format("{} x {}", rows, layer->outputs()), count};
}

LayerRow Network::dropout_row(double p, std::int64_t channels) {
  return {fmt::format("dropout {}", p), fmt::format("n x {}", channels)};
}

std::string Network::table() const {
  report::Table table({"layer", "output", "parameters"});
  std::int64_t total = 0;
  for (const LayerRow& row : rows()) {
    total += row.parameters;
    table.add({row.layer, row.output, row.parameters > 0 ? fmt::format("{}", row.parameters) : ""});
  }
  table.add({"total", "", fmt::format("{}", total)});
  return table.text();
}

PdeNetwork::PdeNetwork(std::int64_t inputs, std::int64_t closing_outputs,
                       const StackOptions& stack) {
  opening = register_module("opening", Linear(inputs, stack.channels));
  pde = register_module("pde", PdeStack(stack));
  closing = register_module("closing", Linear(stack.channels, closing_outputs));
}

torch::Tensor PdeNetwork::march(const Input& input, double p, const Draw& draw,
                                std::vector<torch::Tensor>* states) {
  const auto solution = pde->solve(input.domain, torch::relu(enter(opening, input, p, draw)), draw,
                                   states != nullptr);
  if (states != nullptr)
    for (const auto& state : solution.trajectory.unbind(0)) states->push_back(state);
  return solution.last;
}

std::vector<ParameterGroup> PdeNetwork::parameter_groups() const {
  std::vector<ParameterGroup> groups{{"dense", {}}, {"pde", {}}, {"alpha", {}}};
  for (const auto& item : named_parameters()) {
    const bool in_stack = item.key().rfind("pde.", 0) == 0;
    const std::size_t group = !in_stack ? 0 : item.key() == "pde.beta" ? 2 : 1;
    groups[group].parameters.push_back(item.value());
  }
  return groups;
}

std::vector<LayerRow> PdeNetwork::rows() const {
  const auto& o = pde->options();
  std::vector<LayerRow> rows;
  if (input_dropout() > 0) rows.push_back(dropout_row(input_dropout(), opening->inputs()));
  rows.push_back(row_of("opening", opening));
  rows.push_back({"ReLU", fmt::format("n x {}", o.channels)});
  std::int64_t in_stack = 0;
  for (const auto& p : pde->parameters()) in_stack += p.numel();
  rows.push_back({fmt::format("{} x PDE-GCN_{}, h = {}", o.layers,
                              o.equation == Equation::diffusion    ? "D"
                              : o.equation == Equation::hyperbolic ? "H"
                                                                   : "M",
                              o.step),
                  fmt::format("n x {}", o.channels), in_stack});
  for (LayerRow& row : head_rows()) rows.push_back(std::move(row));
  return rows;
}

NodeClassifierImpl::NodeClassifierImpl(std::int64_t inputs, std::int64_t classes, double dropout,
                                       const StackOptions& stack)
    : PdeNetwork(inputs, classes, stack), dropout_(dropout) {
  if (!(dropout >= 0) || dropout >= 1) throw Error("dropout must be in [0, 1), it is {}", dropout);
}

torch::Tensor NodeClassifierImpl::forward(const Input& input, const Draw& draw,
                                          std::vector<torch::Tensor>* states) {
  const auto f = march(input, dropout_, draw, states);
  return closing->forward(nn::dropout(f, is_training() ? dropout_ : 0, draw, kClosing));
}

std::vector<LayerRow> NodeClassifierImpl::head_rows() const {
  std::vector<LayerRow> rows;
  if (dropout_ > 0) rows.push_back(dropout_row(dropout_, closing->inputs()));
  rows.push_back(row_of("closing", closing));
  return rows;
}

ShapeClassifierImpl::ShapeClassifierImpl(std::int64_t inputs, std::int64_t classes,
                                         const StackOptions& stack)
    : PdeNetwork(inputs, stack.channels, stack) {
  head = register_module("head", ShapeHead(stack.channels, classes));
}

torch::Tensor ShapeClassifierImpl::forward(const Input& input, const Draw& draw,
                                           std::vector<torch::Tensor>* states) {
  return head->forward(torch::relu(closing->forward(march(input, 0, draw, states))),
                       input.graph_sizes, draw);
}

std::vector<LayerRow> ShapeClassifierImpl::head_rows() const {
  const auto c = fmt::format("n x {}", closing->outputs());
  return {row_of("closing", closing),
          {"ReLU", c},
          {"global max-pool", fmt::format("1 x {}", closing->outputs())},
          row_of("hidden", head->hidden1, "1"),
          {"batch normalisation", "1 x 128", 256},
          {"ReLU", "1 x 128"},
          {"dropout 0.5", "1 x 128"},
          row_of("hidden", head->hidden2, "1"),
          {"batch normalisation", "1 x 64", 128},
          {"ReLU", "1 x 64"},
          {"dropout 0.5", "1 x 64"},
          row_of("output", head->output, "1")};
}

CorrespondenceImpl::CorrespondenceImpl(std::int64_t inputs, std::int64_t template_vertices,
                                       const StackOptions& stack)
    : PdeNetwork(inputs, stack.channels, stack) {
  hidden = register_module("hidden", Linear(stack.channels, 512));
  output = register_module("output", Linear(512, template_vertices, true));
}

torch::Tensor CorrespondenceImpl::descriptors(const Input& input, const Draw& draw,
                                              std::vector<torch::Tensor>* states) {
  const auto f = torch::relu(closing->forward(march(input, 0, draw, states)));
  return torch::elu(hidden->forward(f));
}

torch::Tensor CorrespondenceImpl::forward(const Input& input, const Draw& draw,
                                          std::vector<torch::Tensor>* states) {
  return output->forward(descriptors(input, draw, states));
}

std::vector<LayerRow> CorrespondenceImpl::head_rows() const {
  return {row_of("closing", closing),
          {"ReLU", fmt::format("n x {}", closing->outputs())},
          row_of("hidden", hidden),
          {"ELU", "n x 512"},
          row_of("output", output)};
}

}  // namespace pdegcn::nn
