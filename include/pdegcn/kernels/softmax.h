#pragma once

#include <cstdint>

namespace pdegcn::kernels {

// What one row of logits says.
struct RowClass {
  double log_sum = 0;     // log Σ exp(x), NaN when a logit is not finite
  std::int64_t best = 0;  // the largest, the first of equals
};

// Adds the bias, where there is one, to a row of `count` logits and turns it into exp(x - max) when
// `scale` is zero, else into scale * softmax(x). The row and the bias begin on a cache line, and
// the row has room for padding up to a multiple of kPadding, which becomes zero. On the calling
// thread.
RowClass softmax_row(float* row, const float* bias, std::int64_t count, float scale);

}  // namespace pdegcn::kernels
