#pragma once

#include <cstdint>
#include <span>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// A linear layer to many classes with softmax and cross-entropy, in blocks of rows: a block's
// logits are made, judged, turned into gradients and forgotten, so that no matrix of rows x classes
// is ever held. By all threads; the bits do not depend on how many there are.
struct Classifier {
  Matrix<const float> weight;   // classes x inputs
  const float* bias = nullptr;  // of every class, or null
};

// What a row of x was taken for.
struct RowVerdict {
  double loss = 0;        // -log softmax at the label, 0 without one
  std::int64_t best = 0;  // the class, the first of equals
};

// A label for every row of x, negative for none. Throws Error when sizes do not fit or a label is
// not a class.
void classify(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
              std::span<RowVerdict> verdicts);

// The same with the derivatives of the mean loss by x, the weight and the bias, which may be null;
// all rows need labels.
struct ClassifierGradient {
  Matrix<float> x;
  Matrix<float> weight;
  float* bias = nullptr;
};
void classify(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
              std::span<RowVerdict> verdicts, const ClassifierGradient& gradient);

}  // namespace pdegcn::kernels
