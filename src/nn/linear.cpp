#include "pdegcn/nn/linear.h"

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/joined.h"
#include "pdegcn/kernels/product.h"

namespace pdegcn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool has_kernels(const torch::Tensor& x) {
  return x.device().is_cpu() &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64);
}

template <class T>
kernels::Matrix<T> view(const torch::Tensor& m) {
  return {m.data_ptr<std::remove_const_t<T>>(), m.size(0), m.size(1), m.stride(0)};
}

template <class T>
torch::Tensor multiply(const torch::Tensor& a, const torch::Tensor& b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  kernels::multiply<T>(view<const T>(a), view<const T>(b), view<T>(c));
  return c;
}

template <class T>
torch::Tensor multiply_transposed(const torch::Tensor& a, const torch::Tensor& b) {
  auto c = torch::empty({a.size(1), b.size(1)}, a.options());
  kernels::multiply_transposed<T>(view<const T>(a), view<const T>(b), view<T>(c));
  return c;
}

template <class T>
class ProductFunction : public torch::autograd::Function<ProductFunction<T>> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight) {
    context->save_for_backward({x, weight});
    return multiply<T>(x.contiguous(), weight.t().contiguous());
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto saved = context->get_saved_variables();
    const auto given = outputs[0].contiguous();
    torch::Tensor x, weight;
    if (context->needs_input_grad(0)) x = multiply<T>(given, saved[1].contiguous());
    if (context->needs_input_grad(1)) weight = multiply_transposed<T>(given, saved[0].contiguous());
    return {x, weight};
  }
};

template <class T>
kernels::Joined<T> joined(at::TensorList parts, AutogradContext* context) {
  const auto& data = context->saved_data;
  kernels::Joined<T> x{{},
                       data.at("p").toDouble(),
                       static_cast<std::uint64_t>(data.at("seed").toInt()),
                       static_cast<std::uint64_t>(data.at("step").toInt())};
  for (const auto& part : parts) x.parts.push_back(view<const T>(part));
  return x;
}

template <class T>
class JoinedProductFunction : public torch::autograd::Function<JoinedProductFunction<T>> {
 public:
  static torch::Tensor forward(AutogradContext* context, at::TensorList parts,
                               const torch::Tensor& weight, double p, std::int64_t seed,
                               std::int64_t step) {
    context->saved_data["p"] = p;
    context->saved_data["seed"] = seed;
    context->saved_data["step"] = step;
    variable_list saved;
    for (const auto& part : parts) saved.push_back(part.contiguous());
    const auto right = weight.t().contiguous();
    auto out = torch::empty({saved[0].size(0), right.size(1)}, weight.options());
    kernels::multiply<T>(joined<T>(saved, context), view<const T>(right), view<T>(out));
    saved.push_back(weight);
    context->save_for_backward(saved);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    auto parts = context->get_saved_variables();
    const auto weight = parts.back().contiguous();
    parts.pop_back();
    const auto given = outputs[0].contiguous();
    const auto x = joined<T>(parts, context);
    variable_list gradients(parts.size() + 4);
    std::vector<kernels::Matrix<T>> y(parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!context->needs_input_grad(k)) continue;
      gradients[k] = torch::empty_like(parts[k]);
      y[k] = view<T>(gradients[k]);
    }
    if (std::ranges::any_of(y, [](const auto& part) { return part.data != nullptr; }))
      kernels::multiply_into<T>(x, view<const T>(given), view<const T>(weight), y);
    if (context->needs_input_grad(parts.size())) {
      auto& w = gradients[parts.size()] = torch::empty_like(weight);
      kernels::multiply_transposed<T>(view<const T>(given), x, view<T>(w));
    }
    return gradients;
  }
};

}  // namespace

torch::Tensor joined_product(const std::vector<torch::Tensor>& parts, const torch::Tensor& weight,
                             double p, const Draw& draw, std::uint64_t site) {
  if (parts.empty()) throw Error("there is nothing to be joined");
  const auto& x = parts.front();
  for (const auto& part : parts)
    if (part.dim() != 2 || part.scalar_type() != x.scalar_type() || part.device() != x.device())
      throw Error("what is joined must be matrices of one type on one device");
  // One matrix stands there already. Its rows would be read one by one, and a mask that is drawn
  // for a row of 16 takes ten times as long as one for all of them.
  if (parts.size() == 1) return product(dropout(x, p, draw, site), weight);
  if (!has_kernels(x)) return product(dropout(torch::cat(parts, 1), p, draw, site), weight);
  if (!(p >= 0) || p >= 1) throw Error("the dropout p must be in [0, 1), it is {}", p);
  const auto seed = static_cast<std::int64_t>(draw.seed_of(site));
  const auto step = static_cast<std::int64_t>(draw.step);
  const at::TensorList list = parts;
  return x.scalar_type() == torch::kFloat32
             ? JoinedProductFunction<float>::apply(list, weight, p, seed, step)
             : JoinedProductFunction<double>::apply(list, weight, p, seed, step);
}

torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) {
  if (x.dim() != 2 || weight.dim() != 2 || x.size(1) != weight.size(1))
    throw Error("an input of {} does not fit weights of {} (outputs x inputs)",
                fmt::join(x.sizes(), " x "), fmt::join(weight.sizes(), " x "));
  if (!has_kernels(x)) return x.matmul(weight.t());
  return x.scalar_type() == torch::kFloat32 ? ProductFunction<float>::apply(x, weight)
                                            : ProductFunction<double>::apply(x, weight);
}

LinearImpl::LinearImpl(std::int64_t inputs, std::int64_t outputs, bool with_bias) {
  if (inputs < 1 || outputs < 1)
    throw Error("a layer needs inputs and outputs, it has {} and {}", inputs, outputs);
  weight = register_parameter("weight", torch::empty({outputs, inputs}));
  torch::nn::init::xavier_uniform_(weight);
  if (with_bias) bias = register_parameter("bias", torch::zeros({outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  const auto y = product(x, weight);
  return bias.defined() ? y + bias : y;
}

torch::Tensor LinearImpl::forward(const SparseInput& x) {
  const auto y = x.product(weight);
  return bias.defined() ? y + bias : y;
}

}  // namespace pdegcn::nn
