#include "pdegcn/nn/batch_norm.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/nn/linear.h"

namespace pdegcn::nn {
namespace {

constexpr double kMomentum = 0.1;
constexpr double kEpsilon = 1e-5;

// Sums of columns, and a row repeated, as products with ones: their adjoints are each other, and
// products are summed in a fixed order.
torch::Tensor column_means(const torch::Tensor& x) {
  const auto ones = torch::ones({1, x.size(0)}, x.options());
  return product(ones, x.t()) / x.size(0);
}

torch::Tensor repeated(const torch::Tensor& row, std::int64_t rows) {
  return product(torch::ones({rows, 1}, row.options()), row.reshape({-1, 1}));
}

}  // namespace

BatchNormImpl::BatchNormImpl(std::int64_t channels) {
  weight = register_parameter("weight", torch::ones({channels}));
  bias = register_parameter("bias", torch::zeros({channels}));
  running_mean = register_buffer("running_mean", torch::zeros({channels}));
  running_var = register_buffer("running_var", torch::ones({channels}));
}

torch::Tensor BatchNormImpl::forward(const torch::Tensor& x) {
  const std::int64_t rows = x.size(0);
  torch::Tensor mean = running_mean;
  torch::Tensor variance = running_var;
  torch::Tensor centred;
  if (is_training()) {
    if (rows < 2)
      throw Error("batch normalisation needs at least 2 rows in training, it has {}", rows);
    mean = column_means(x);
    centred = x - repeated(mean, rows);
    variance = column_means(centred.square());
    const torch::NoGradGuard no_grad;
    running_mean.mul_(1 - kMomentum).add_(mean.detach().view(-1), kMomentum);
    running_var.mul_(1 - kMomentum)
        .add_(variance.detach().view(-1), kMomentum * static_cast<double>(rows) / (rows - 1));
  } else {
    centred = x - repeated(mean, rows);
  }
  const auto scale = weight * torch::rsqrt(variance.reshape({-1}) + kEpsilon);
  return centred * repeated(scale, rows) + repeated(bias, rows);
}

}  // namespace pdegcn::nn
