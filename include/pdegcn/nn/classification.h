#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pdegcn/kernels/classify.h"
#include "pdegcn/nn/linear.h"

namespace pdegcn::nn {

// What a layer with many outputs makes of the rows of x, and the cross-entropy of each against its
// label (negative: none), without ever holding all logits, see kernels/classify.h. For floats on
// the CPU; throws Error for others.
std::vector<kernels::RowVerdict> classify(const torch::Tensor& x, const Linear& layer,
                                          std::span<const std::int32_t> labels);

// The same, and the way back: the derivatives of the mean loss over the rows with labels are added
// to the gradients of the layer and of all that x comes from. Rows without a label are passed over.
std::vector<kernels::RowVerdict> classify_and_learn(const torch::Tensor& x, const Linear& layer,
                                                    std::span<const std::int32_t> labels);

}  // namespace pdegcn::nn
