#pragma once

#include <cstdint>
#include <vector>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// Matrices of equally many rows side by side, X = [X₁ X₂ …], with dropout over all of them: read
// strip by strip, neither X nor what dropout leaves of it is ever stored. The bits are those that
// products with X itself have on the vector units.
template <class T>
struct Joined {
  std::vector<Matrix<const T>> parts;
  double p = 0;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;

  std::int64_t rows() const { return parts.front().rows; }
  std::int64_t cols() const {
    std::int64_t sum = 0;
    for (const auto& part : parts) sum += part.cols;
    return sum;
  }
};

// C = X B by all threads.
template <class T>
void multiply(const Joined<T>& x, Matrix<const T> b, Matrix<T> c);

// C = Aᵀ X by all threads.
template <class T>
void multiply_transposed(Matrix<const T> a, const Joined<T>& x, Matrix<T> c);

// What multiply() gives back for X: [Y₁ Y₂ …] = A B / (1 - p) where dropout left something, else 0.
// Parts of Y without data are passed over.
template <class T>
void multiply_into(const Joined<T>& x, Matrix<const T> a, Matrix<const T> b,
                   const std::vector<Matrix<T>>& y);

}  // namespace pdegcn::kernels
