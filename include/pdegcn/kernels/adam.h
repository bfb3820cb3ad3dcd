#pragma once

#include <cstdint>

namespace pdegcn::kernels {

// Σ x², in blocks that do not depend on the number of threads.
double sum_of_squares(const float* values, std::int64_t count);

// One step of Adam for all values of a parameter:
//
//   d = scale g + decay p,   m ← β₁ m + (1 - β₁) d,   v ← β₂ v + (1 - β₂) d²,
//   p ← p - rate m / (√v root + ε).
struct AdamStep {
  float beta1 = 0;
  float beta2 = 0;
  float epsilon = 0;
  float scale = 1;  // of gradients, when they are clipped
  float decay = 0;
  float rate = 0;  // over 1 - β₁ᵗ
  float root = 1;  // 1 / √(1 - β₂ᵗ)
};

// In a single pass, by all threads. The gradient may be null, which is 0.
void adam_step(const AdamStep& step, std::int64_t count, const float* gradient, float* parameter,
               float* mean, float* square);

}  // namespace pdegcn::kernels
