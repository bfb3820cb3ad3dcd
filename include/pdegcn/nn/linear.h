#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "pdegcn/nn/dropout.h"
#include "pdegcn/nn/sparse_input.h"

namespace pdegcn::nn {

// x Wᵀ, the 1 x 1 convolution of the paper, for x (n x in) and W (out x in). For float and double
// on the CPU the bits do not depend on the number of threads, in forward and in backward.
torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight);

// product(dropout([x₁ x₂ …]), W), with the same bits where that runs on the vector units, but
// without ever storing what stands side by side: several times all that the parts take themselves.
torch::Tensor joined_product(const std::vector<torch::Tensor>& parts, const torch::Tensor& weight,
                             double p, const Draw& draw, std::uint64_t site);

// A 1 x 1 convolution with weights from Glorot's uniform distribution and, where asked for, a bias
// from 0.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(std::int64_t inputs, std::int64_t outputs, bool bias = false);

  torch::Tensor forward(const torch::Tensor& x);
  torch::Tensor forward(const SparseInput& x);

  std::int64_t inputs() const { return weight.size(1); }
  std::int64_t outputs() const { return weight.size(0); }

  torch::Tensor weight;  // outputs x inputs
  torch::Tensor bias;    // outputs, or undefined
};
TORCH_MODULE(Linear);

}  // namespace pdegcn::nn
