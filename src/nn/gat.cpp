#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/attention.h"
#include "pdegcn/nn/baselines.h"

namespace pdegcn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
kernels::Matrix<T> view(const torch::Tensor& m) {
  return {m.data_ptr<std::remove_const_t<T>>(), m.size(0), m.size(1), m.size(1)};
}

// What backward needs besides tensors, kept by the autograd graph.
struct Kept : torch::CustomClassHolder {
  explicit Kept(std::shared_ptr<const Graph> g) : graph(std::move(g)) {}
  std::shared_ptr<const Graph> graph;
};

template <class T>
class AttentionFunction : public torch::autograd::Function<AttentionFunction<T>> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given_x,
                               const torch::Tensor& given_own, const torch::Tensor& given_other,
                               const std::shared_ptr<const Graph>& graph,
                               const torch::Tensor& factors) {
    const auto x = given_x.contiguous();
    const auto own = given_own.contiguous();
    const auto other = given_other.contiguous();
    auto a = torch::empty({kernels::attention_entries(*graph), own.size(1)}, x.options());
    auto y = torch::empty_like(x);
    kernels::attend<T>(pass(*graph, x, own, other, factors), a.data_ptr<T>(), view<T>(y));
    context->save_for_backward({x, own, other, factors, a});
    context->saved_data["kept"] = torch::IValue::make_capsule(c10::make_intrusive<Kept>(graph));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto saved = context->get_saved_variables();
    const auto& x = saved[0];
    const auto& own = saved[1];
    const auto& other = saved[2];
    const auto& a = saved[4];
    const auto& kept = static_cast<Kept&>(*context->saved_data["kept"].toCapsule());
    const auto given = outputs[0].contiguous();
    auto scores = torch::empty_like(a);
    auto x_bar = torch::empty_like(x);
    auto own_bar = torch::empty_like(own);
    auto other_bar = torch::empty_like(other);
    kernels::attend_adjoint<T>(pass(*kept.graph, x, own, other, saved[3]), a.data_ptr<T>(),
                               view<const T>(given), scores.data_ptr<T>(), view<T>(x_bar),
                               view<T>(own_bar), view<T>(other_bar));
    return {x_bar, own_bar, other_bar, {}, {}};
  }

 private:
  static kernels::Attention<T> pass(const Graph& graph, const torch::Tensor& x,
                                    const torch::Tensor& own, const torch::Tensor& other,
                                    const torch::Tensor& factors) {
    kernels::Attention<T> result;
    result.graph = &graph;
    result.heads = own.size(1);
    result.x = view<const T>(x);
    result.own = view<const T>(own);
    result.other = view<const T>(other);
    if (factors.numel() > 0) result.factors = factors.data_ptr<T>();
    return result;
  }
};

// <x_i, vector> per head, as a product with a block matrix: products are summed in a fixed order.
torch::Tensor per_head(const torch::Tensor& x, const torch::Tensor& vector) {
  const std::int64_t heads = vector.size(0);
  const auto blocks = torch::eye(heads, vector.options()).repeat_interleave(vector.size(1), 1);
  return product(x, vector.repeat({1, heads}) * blocks);
}

}  // namespace

GatImpl::GatImpl(const BaselineOptions& options) : Baseline(options) {
  if (options.channels % heads != 0)
    throw Error("channels must be a multiple of {}, the heads of GAT; they are {}", heads,
                options.channels);
  for (std::int64_t l = 1; l <= options.layers; ++l) {
    const bool last = l == options.layers;
    const std::int64_t units = last ? options.classes : options.channels / heads;
    const std::int64_t count = last ? 1 : heads;
    Layer layer;
    layer.features =
        register_module(fmt::format("features{}", l),
                        Linear(l == 1 ? options.inputs : options.channels, count * units));
    const auto vectors = [&](const char* name) {
      const double bound = std::sqrt(6.0 / static_cast<double>(units + 1));  // Glorot's
      return register_parameter(fmt::format("{}{}", name, l),
                                torch::empty({count, units}).uniform_(-bound, bound));
    };
    layer.own = vectors("own");
    layer.other = vectors("other");
    layer.bias = register_parameter(fmt::format("bias{}", l), torch::zeros({count * units}));
    layers_.push_back(layer);
  }
}

torch::Tensor GatImpl::forward(const Input& input, const Draw& draw,
                               std::vector<torch::Tensor>* states) {
  const double p = is_training() ? options_.dropout : 0;
  const auto graph = input.domain.graph_pointer();
  std::uint64_t site = 1;
  torch::Tensor f;
  for (Layer& layer : layers_) {
    const auto x = f.defined() ? layer.features->forward(drop(f, draw, ++site))
                               : enter(layer.features, input, p, draw);
    const auto own = per_head(x, layer.own);
    const auto other = per_head(x, layer.other);
    auto factors = torch::empty({0}, x.options());
    if (p > 0)
      factors = dropout(torch::ones({kernels::attention_entries(*graph), own.size(1)}, x.options()),
                        p, draw, ++site);
    // Neighbours are seen with dropout of their features, as in the authors' code.
    const auto seen = drop(x, draw, ++site);
    f = x.scalar_type() == torch::kFloat32
            ? AttentionFunction<float>::apply(seen, own, other, graph, factors)
            : AttentionFunction<double>::apply(seen, own, other, graph, factors);
    f = f + layer.bias;
    if (&layer != &layers_.back()) f = torch::elu(f);
    if (states != nullptr) states->push_back(f);
  }
  return f;
}

std::vector<ParameterGroup> GatImpl::parameter_groups() const {
  std::vector<ParameterGroup> groups{{"dense", {}}, {"plain", {}}};
  for (const auto& item : named_parameters())
    groups[item.key().rfind("bias", 0) == 0 ? 1 : 0].parameters.push_back(item.value());
  return groups;
}

}  // namespace pdegcn::nn
