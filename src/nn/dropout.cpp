#include "pdegcn/nn/dropout.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/sparse.h"

namespace pdegcn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
torch::Tensor dropped(const torch::Tensor& x, double p, std::int64_t seed, std::int64_t step) {
  const auto values = x.contiguous();
  auto out = torch::empty_like(values);
  kernels::dropout<T>(values.data_ptr<T>(), values.numel(), p, static_cast<std::uint64_t>(seed),
                      static_cast<std::uint64_t>(step), out.data_ptr<T>());
  return out;
}

// The mask is drawn again on the way back, and never stored.
template <class T>
class DropoutFunction : public torch::autograd::Function<DropoutFunction<T>> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, double p,
                               std::int64_t seed, std::int64_t step) {
    context->saved_data["p"] = p;
    context->saved_data["seed"] = seed;
    context->saved_data["step"] = step;
    return dropped<T>(x, p, seed, step);
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto& data = context->saved_data;
    return {dropped<T>(outputs[0], data.at("p").toDouble(), data.at("seed").toInt(),
                       data.at("step").toInt()),
            {},
            {},
            {}};
  }
};

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, double p, const Draw& draw, std::uint64_t site) {
  if (!(p >= 0) || p >= 1) throw Error("the dropout p must be in [0, 1), it is {}", p);
  if (p == 0) return x;
  const auto seed = static_cast<std::int64_t>(draw.seed_of(site));
  const auto step = static_cast<std::int64_t>(draw.step);
  if (x.device().is_cpu() && x.scalar_type() == torch::kFloat32)
    return DropoutFunction<float>::apply(x, p, seed, step);
  if (x.device().is_cpu() && x.scalar_type() == torch::kFloat64)
    return DropoutFunction<double>::apply(x, p, seed, step);
  const auto mask = dropped<float>(torch::ones(x.sizes(), torch::kFloat32), p, seed, step);
  return x * mask.to(x.device(), x.scalar_type());
}

}  // namespace pdegcn::nn
