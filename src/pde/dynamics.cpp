#include "pdegcn/pde/dynamics.h"

#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::pde {
namespace {

torch::Tensor same_for_all(std::int64_t layers, double a, double b, double s) {
  return torch::tensor({a, b, s}, torch::kFloat64).expand({layers, 3}).contiguous();
}

}  // namespace

Dynamics::Dynamics(double step) : step_(step) {
  if (!(step > 0) || !std::isfinite(step))
    throw Error("the step h must be positive and finite, it is {}", step);
}

torch::Tensor Diffusion::coefficients(std::int64_t layers) const {
  return same_for_all(layers, 1, 0, -step());
}

double Diffusion::stability_limit() const {
  return 2 / step();
}

torch::Tensor Hyperbolic::coefficients(std::int64_t layers) const {
  return same_for_all(layers, 2, -1, -step() * step());
}

double Hyperbolic::stability_limit() const {
  return 4 / (step() * step());
}

Mixture::Mixture(double step, torch::Tensor beta) : Dynamics(step), beta_(std::move(beta)) {
  if (!beta_.defined() || beta_.dim() > 1 || beta_.numel() == 0)
    throw Error("beta must be one number or one per layer");
}

torch::Tensor Mixture::coefficients(std::int64_t layers) const {
  if (beta_.numel() != 1 && beta_.numel() != layers)
    throw Error("beta has {} values for {} layers", beta_.numel(), layers);
  const double h = step();
  const auto alpha =
      torch::sigmoid(beta_.to(torch::kCPU, torch::kFloat64)).reshape({-1}).expand({layers});
  const auto inertia = alpha / (alpha + h * (1 - alpha));
  // 2α + h(1-α) over the same denominator is one more than the inertia: exact at both ends.
  return torch::stack({1 + inertia, -inertia, -h * h / (alpha + h * (1 - alpha))}, 1);
}

double Mixture::stability_limit() const {
  const torch::NoGradGuard no_grad;
  const double h = step();
  const auto alpha = torch::sigmoid(beta_.to(torch::kCPU, torch::kFloat64));
  return ((4 * alpha + 2 * h * (1 - alpha)) / (h * h)).min().item<double>();
}

}  // namespace pdegcn::pde
