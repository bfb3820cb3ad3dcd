#include "pdegcn/nn/linear.h"

#include "pdegcn/graph/error.h"
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

}  // namespace

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
