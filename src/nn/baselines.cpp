#include "pdegcn/nn/baselines.h"

#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::nn {
namespace {

void record(std::vector<torch::Tensor>* states, const torch::Tensor& f) {
  if (states != nullptr) states->push_back(f);
}

// The opening layer with weight decay, all others without.
std::vector<ParameterGroup> opening_decays(const Network& network) {
  std::vector<ParameterGroup> groups{{"dense", {}}, {"plain", {}}};
  for (const auto& item : network.named_parameters())
    groups[item.key().rfind("opening.", 0) == 0 ? 0 : 1].parameters.push_back(item.value());
  return groups;
}

// Whether the closing layer sees several layers side by side.
bool joins(Stacking stacking) {
  return stacking == Stacking::jknet || stacking == Stacking::inception;
}

}  // namespace

Baseline::Baseline(const BaselineOptions& options, std::int64_t fewest_layers) : options_(options) {
  if (options.layers < fewest_layers)
    throw Error("layers must be at least {} for this model, they are {}", fewest_layers,
                options.layers);
  if (options.channels < 1)
    throw Error("channels must be at least 1, they are {}", options.channels);
  for (const auto& [name, value] : {std::pair("dropout", options.dropout),
                                    {"drop_edge", options.drop_edge},
                                    {"teleport", options.teleport}})
    if (!(value >= 0) || value >= 1) throw Error("{} must be in [0, 1), it is {}", name, value);
}

Propagation Baseline::propagation(const Input& input, const Draw& draw) const {
  return Propagation(input.domain.graph(), parameters().front().scalar_type(),
                     is_training() ? options_.drop_edge : 0, draw);
}

torch::Tensor Baseline::drop(const torch::Tensor& x, const Draw& draw, std::uint64_t site) const {
  return dropout(x, is_training() ? options_.dropout : 0, draw, site);
}

std::vector<LayerRow> Baseline::rows() const {
  std::vector<LayerRow> rows;
  for (const auto& item : named_parameters(false))
    rows.push_back(
        {item.key(), fmt::format("n x {}", item.value().size(-1)), item.value().numel()});
  for (const auto& child : named_children()) {
    LayerRow row{child.key(), "", 0};
    for (const auto& item : child.value()->named_parameters()) {
      row.parameters += item.value().numel();
      row.output = fmt::format("n x {}", item.value().size(0));
    }
    rows.push_back(row);
  }
  return rows;
}

ConvolutionsImpl::ConvolutionsImpl(Stacking stacking, const BaselineOptions& options)
    : Baseline(options), stacking_(stacking) {
  const std::int64_t c = options.channels;
  const std::int64_t hidden = options.layers - 2;
  opening_ = make_layer("opening", options.inputs, c);
  for (std::int64_t depth = stacking == Stacking::inception ? 1 : hidden; depth <= hidden;
       ++depth) {
    branches_.emplace_back();
    for (std::int64_t k = 1; k <= depth; ++k)
      branches_.back().push_back(make_layer(stacking == Stacking::inception
                                                ? fmt::format("branch{}_hidden{}", depth, k)
                                                : fmt::format("hidden{}", k),
                                            c, c));
  }
  closing_ = make_layer("closing", joins(stacking) ? c * (hidden + 1) : c, options.classes);
}

ConvolutionsImpl::Layer ConvolutionsImpl::make_layer(const std::string& name, std::int64_t inputs,
                                                     std::int64_t outputs) {
  Layer layer{register_module(name, Linear(inputs, outputs)), {}};
  if (!joins(stacking_)) return layer;
  // Dropout of 0.8 multiplies the squares of the features by five. Glorot's weights halve them in
  // a layer with ReLU, these leave a sixth: a deep stack drowns in noise with the former only.
  const double bound = 1 / std::sqrt(static_cast<double>(outputs));
  torch::nn::init::uniform_(layer.features->weight, -bound, bound);
  layer.bias = register_parameter(name + "_bias", torch::empty({outputs}).uniform_(-bound, bound));
  return layer;
}

torch::Tensor ConvolutionsImpl::forward(const Input& input, const Draw& draw,
                                        std::vector<torch::Tensor>* states) {
  const Propagation graph = propagation(input, draw);
  const auto spread = [&](const torch::Tensor& f, const Layer& layer) {
    if (stacking_ == Stacking::mlp) return f;
    const auto y = graph(f);
    return layer.bias.defined() ? y.add_(layer.bias) : y;
  };
  std::uint64_t site = 1;
  // DropEdge's authors, who made these two what they are here, leave the input whole.
  const double before = joins(stacking_) ? 0 : options_.dropout;
  const auto first = spread(enter(opening_.features, input, before, draw), opening_).relu_();
  record(states, first);
  std::vector<torch::Tensor> seen{first};  // by the closing layer
  for (auto& branch : branches_) {
    auto f = first;
    for (Layer& layer : branch) {
      f = spread(layer.features->forward(drop(f, draw, ++site)), layer).relu_();
      // Of parallel branches the longest shows what depth does.
      if (&branch == &branches_.back()) record(states, f);
      if (stacking_ == Stacking::jknet) seen.push_back(f);
    }
    if (stacking_ == Stacking::inception) seen.push_back(f);
    if (!joins(stacking_)) seen = {f};
  }
  const auto closed = joined_product(seen, closing_.features->weight,
                                     is_training() ? options_.dropout : 0, draw, ++site);
  const auto logits = spread(closed, closing_);
  record(states, logits);
  return logits;
}

std::vector<ParameterGroup> ConvolutionsImpl::parameter_groups() const {
  if (joins(stacking_)) return {{"dense", parameters()}};
  return opening_decays(*this);
}

AppnpImpl::AppnpImpl(const BaselineOptions& options) : Baseline(options, 1) {
  opening = register_module("opening", Linear(options.inputs, options.channels));
  closing = register_module("closing", Linear(options.channels, options.classes));
}

torch::Tensor AppnpImpl::forward(const Input& input, const Draw& draw,
                                 std::vector<torch::Tensor>* states) {
  const Propagation graph = propagation(input, draw);
  std::uint64_t site = 1;
  const auto hidden = torch::relu(enter(opening, input, options_.dropout, draw));
  const auto first = closing->forward(drop(hidden, draw, ++site));
  record(states, first);
  auto z = first;
  for (std::int64_t step = 0; step < options_.layers; ++step) {
    const Propagation part = graph.dropped(is_training() ? options_.dropout : 0, draw, ++site);
    z = (1 - options_.teleport) * part(z) + options_.teleport * first;
    record(states, z);
  }
  return z;
}

std::vector<ParameterGroup> AppnpImpl::parameter_groups() const {
  return opening_decays(*this);
}

GcniiImpl::GcniiImpl(const BaselineOptions& options, bool star) : Baseline(options, 1) {
  if (!(options.lambda > 0)) throw Error("lambda must be above 0, it is {}", options.lambda);
  const std::int64_t c = options.channels;
  opening = register_module("opening", Linear(options.inputs, c, true));
  const auto matrices = [&] {
    const double bound = 1 / std::sqrt(static_cast<double>(c));  // as its authors have it
    return torch::empty({options.layers, c, c}).uniform_(-bound, bound);
  };
  weight = register_parameter("weight", matrices());
  if (star) initial = register_parameter("initial", matrices());
  closing = register_module("closing", Linear(c, options.classes, true));
}

torch::Tensor GcniiImpl::forward(const Input& input, const Draw& draw,
                                 std::vector<torch::Tensor>* states) {
  const Propagation graph = propagation(input, draw).scaled(1 - options_.teleport);
  std::uint64_t site = 1;
  const auto first = torch::relu(enter(opening, input, options_.dropout, draw));
  record(states, first);
  const auto far = options_.teleport * first;
  // Taken apart at once: the gradients of single matrices would each be as large as all of them.
  const auto matrices = weight.unbind(0);
  const auto others = initial.defined() ? initial.unbind(0) : std::vector<torch::Tensor>();
  const auto identity = torch::eye(options_.channels, weight.options());
  auto f = first;
  for (std::int64_t l = 0; l < options_.layers; ++l) {
    // (1 - β) x + β x W is a product with a small matrix rather than three passes over the
    // features.
    const double beta = std::log(options_.lambda / static_cast<double>(l + 1) + 1);
    const auto turn = [&](const torch::Tensor& x, const torch::Tensor& w) {
      return product(x, torch::lerp(identity, w, beta));
    };
    const auto near = graph(drop(f, draw, ++site));
    f = initial.defined() ? turn(near, matrices[l]).add_(turn(far, others[l])).relu_()
                          : turn(near.add_(far), matrices[l]).relu_();
    record(states, f);
  }
  return closing->forward(drop(f, draw, ++site));
}

std::vector<ParameterGroup> GcniiImpl::parameter_groups() const {
  std::vector<ParameterGroup> groups{{"convolution", parameters(false)}, {"dense", {}}};
  for (const auto& layer : children())
    for (const auto& parameter : layer->parameters()) groups[1].parameters.push_back(parameter);
  return groups;
}

}  // namespace pdegcn::nn
