#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace pdegcn::nn {

// Batch normalisation over rows, with the parameters, buffers and defaults of
// torch::nn::BatchNorm1d. The bits do not depend on the number of threads, which those of ATen do.
class BatchNormImpl : public torch::nn::Module {
 public:
  explicit BatchNormImpl(std::int64_t channels);

  // In training a batch of one row has no spread to divide by: throws Error.
  torch::Tensor forward(const torch::Tensor& x);

  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor running_mean;
  torch::Tensor running_var;
};
TORCH_MODULE(BatchNorm);

}  // namespace pdegcn::nn
