#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "pdegcn/nn/batch_norm.h"
#include "pdegcn/nn/dropout.h"
#include "pdegcn/nn/linear.h"

namespace pdegcn::nn {

// What table 9 has after its second ReLU: the largest value of each channel over a graph, then 128
// and 64 units with batch normalisation, ReLU and dropout 0.5, and a fully connected layer.
class ShapeHeadImpl : public torch::nn::Module {
 public:
  ShapeHeadImpl(std::int64_t width, std::int64_t classes);

  // A row per graph; without sizes all nodes are one. Throws Error when a graph has no nodes or the
  // sizes do not add up.
  torch::Tensor forward(const torch::Tensor& nodes, std::vector<std::int64_t> graph_sizes,
                        const Draw& draw);

  Linear hidden1{nullptr}, hidden2{nullptr}, output{nullptr};
  BatchNorm norm1{nullptr}, norm2{nullptr};
};
TORCH_MODULE(ShapeHead);

}  // namespace pdegcn::nn
