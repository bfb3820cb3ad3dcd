// What the forward and the backward march do with strips of rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/row_plan.h"

namespace pdegcn::kernels {

// Rows that go through a layer together: enough to fill the tiles of the products, few enough to
// stay in the cache from one operation to the next.
inline constexpr std::int64_t kStrip = 48;

// Rows first..last of a matrix.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, std::int64_t first, std::int64_t last) {
  return {m.row(first), last - first, m.cols, m.stride};
}

// Calls work(first, last) for the rows of every part, by all threads.
template <class Work>
void each_part(const RowPlan& plan, int threads, const Work& work) {
  const std::int64_t parts = plan.parts();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t part = 0; part < parts; ++part)
    work(plan.part_begin[part], plan.part_begin[part + 1]);
}

template <class T>
T to_grid(T value, T grid) {
  return grid > 0 ? std::nearbyint(value / grid) * grid : value;
}

// next = scale y K + the rest of the step, or without the K.
template <class T>
void step_rows(bool with_weight, Matrix<const T> y, Matrix<const T> K, Matrix<T> next,
               const Epilogue<T>& rest) {
  if (with_weight) return product_rows<T>(y, K, next, 0, y.rows, rest);
  for (std::int64_t i = 0; i < y.rows; ++i)
    for (std::int64_t k = 0; k < padded(y.cols); ++k) {
      const std::int64_t at = i * next.stride + k;
      T value = to_grid(rest.scale * y.row(i)[k], rest.grid) + rest.x * rest.X[at];
      if (rest.Z != nullptr) value += rest.z * rest.Z[at];
      next.data[at] = value;
    }
}

}  // namespace pdegcn::kernels
