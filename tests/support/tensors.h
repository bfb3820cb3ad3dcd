#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "pdegcn/kernels/random.h"

namespace pdegcn::tests {

// Normal random numbers, the same on every run, whatever else draws random numbers.
inline torch::Tensor normal(at::IntArrayRef shape, std::uint64_t seed,
                            torch::ScalarType type = torch::kFloat64) {
  auto values = torch::empty(shape, torch::kFloat64);
  kernels::Random random(seed);
  for (std::int64_t k = 0; k < values.numel(); ++k) values.data_ptr<double>()[k] = random.normal();
  return values.to(type);
}

// The largest difference, over the larger of 1 and the largest value.
inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  if (a.numel() == 0) return 0;
  const auto x = a.detach().to(torch::kFloat64);
  const auto y = b.detach().to(torch::kFloat64);
  const double size = std::max(1.0, y.abs().max().item<double>());
  return (x - y).abs().max().item<double>() / size;
}

// Compares the gradient that autograd gives for a scalar function with central differences, entry
// by entry; returns the largest difference relative to the largest entry.
inline double gradient_error(const std::function<torch::Tensor()>& scalar, torch::Tensor variable) {
  variable.mutable_grad() = torch::Tensor();
  scalar().backward();
  const auto exact = variable.grad().clone().contiguous();
  const torch::NoGradGuard no_grad;
  const double step = 1e-6;
  double worst = 0;
  double size = exact.numel() > 0 ? exact.abs().max().item<double>() : 0;
  auto flat = variable.data().view(-1);
  for (std::int64_t k = 0; k < flat.numel(); ++k) {
    const double value = flat[k].item<double>();
    flat[k] = value + step;
    const double above = scalar().item<double>();
    flat[k] = value - step;
    const double below = scalar().item<double>();
    flat[k] = value;
    const double numeric = (above - below) / (2 * step);
    worst = std::max(worst, std::abs(numeric - exact.view(-1)[k].item<double>()));
    size = std::max(size, std::abs(numeric));
  }
  return size == 0 ? worst : worst / std::max(size, 1e-3);
}

}  // namespace pdegcn::tests
