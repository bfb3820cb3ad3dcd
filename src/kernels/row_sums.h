// Sums over the rows of two matrices, C = Aᵀ B, whose bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "strips.h"

namespace pdegcn::kernels {

// The sum is cut into pieces of work that do not depend on the number of threads: blocks of
// columns of the result and, when these are few, groups of rows that are summed apart.
inline constexpr std::int64_t kColumnsPerBlock = 64;
inline constexpr std::int64_t kRowsPerGroup = 256;
inline constexpr std::int64_t kPieces = 32;

// What read() below may need to put rows and columns of B together, off the matrix unit.
inline constexpr std::int64_t kScratch = kRowsPerGroup * kColumnsPerBlock;

// read(first, last, column, columns, scratch) has those rows and columns of B, padded; `scratch` is
// a thread's own memory for as many values as one says.
template <class T, class Read>
void sum_rows(bool tiles, Matrix<const T> a, Matrix<T> c, std::int64_t scratch_size,
              const Read& read) {
  // The matrix unit cuts the left factor in two anew for each block, and wants them wider.
  const std::int64_t width = tiles ? 4 * kColumnsPerBlock : kColumnsPerBlock;
  const std::int64_t blocks = (c.cols + width - 1) / width;
  const std::int64_t groups = std::clamp<std::int64_t>(
      a.rows / kRowsPerGroup, 1,
      std::max<std::int64_t>(1, kPieces / std::max<std::int64_t>(1, blocks)));
  const std::int64_t stride = padded(c.cols);
  const std::int64_t size = c.rows * stride;
  const Buffer<T> sums(groups * size);
#pragma omp parallel
  {
    const Buffer<T> scratch(scratch_size);
#pragma omp for schedule(dynamic)
    for (std::int64_t piece = 0; piece < groups * blocks; ++piece) {
      const std::int64_t g = piece / blocks;
      const std::int64_t column = piece % blocks * width;
      const std::int64_t columns = std::min(width, c.cols - column);
      const Matrix<T> sum{sums.data() + g * size + column, c.rows, columns, stride};
      for (std::int64_t i = 0; i < sum.rows; ++i) std::fill_n(sum.row(i), padded(columns), T{0});
      const std::int64_t end = (g + 1) * a.rows / groups;
      for (std::int64_t first = g * a.rows / groups; first < end; first += kRowsPerGroup) {
        const std::int64_t last = std::min(end, first + kRowsPerGroup);
        gram_strip<T>(tiles, rows_of(a, first, last),
                      read(first, last, column, columns, scratch.data()), sum);
      }
    }
#pragma omp for
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t k = 0; k < c.cols; ++k) {
        T sum = 0;
        for (std::int64_t g = 0; g < groups; ++g) sum += sums.data()[g * size + i * stride + k];
        c.row(i)[k] = sum;
      }
  }
}

}  // namespace pdegcn::kernels
