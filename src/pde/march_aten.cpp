#include "implementations.h"

namespace pdegcn::pde {
namespace {

// The mask of a layer, by its definition.
torch::Tensor dropout_factors(const EdgeDropout& dropout, std::int64_t edges, std::int64_t channels,
                              const torch::TensorOptions& like) {
  auto factors = torch::empty({edges, channels}, torch::kFloat64);
  double* out = factors.data_ptr<double>();
  for (std::int64_t e = 0; e < edges; ++e)
    for (std::int64_t k = 0; k < channels; ++k)
      *out++ = kernels::edge_dropout_factor(dropout, e, k);
  return factors.to(like.device(), like.dtype().toScalarType());
}

// Rounded to multiples of the grid; for the gradient this counts as the identity.
torch::Tensor rounded(const torch::Tensor& x, double grid) {
  return grid > 0 ? x + ((x / grid).round() * grid - x).detach() : x;
}

}  // namespace

torch::Tensor odd_part(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::tanh:
      return torch::tanh(x);
    case Activation::relu:
      return x / 2;
    default:
      return x;
  }
}

torch::Tensor march_aten(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                         const torch::Tensor& coefficients, const Options& options) {
  const auto i = domain.first_ends();
  const auto j = domain.second_ends();
  const auto gamma = domain.gamma().unsqueeze(1);
  const auto steps = coefficients.to(f0.options());
  EdgeDropout dropout = options.dropout;

  torch::Tensor now = rounded(f0, options.grid);
  torch::Tensor before = now;
  std::vector<torch::Tensor> states{now};
  for (std::int64_t l = 0; l < coefficients.size(0); ++l) {
    const auto weight = K[K.size(0) == 1 ? 0 : l];
    const auto g = now.matmul(weight.t());
    auto x = gamma * (g.index_select(0, i) - g.index_select(0, j));
    if (dropout.p > 0) {
      dropout.layer = static_cast<std::uint32_t>(l);
      x = x * dropout_factors(dropout, x.size(0), x.size(1), x.options());
    }
    const auto flux = gamma * odd_part(x, options.activation);
    auto r = torch::zeros_like(g).index_add(0, i, flux).index_add(0, j, -flux);
    if (options.symmetric) r = r.matmul(weight);
    const auto next =
        steps[l][0] * now + steps[l][1] * before + rounded(steps[l][2] * r, options.grid);
    before = now;
    now = next;
    if (options.trajectory) states.push_back(now);
  }
  return options.trajectory ? torch::stack(states) : now;
}

}  // namespace pdegcn::pde
