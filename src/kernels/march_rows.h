// What the forward and the backward march do with strips of rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "pdegcn/kernels/row_plan.h"
#include "strips.h"

namespace pdegcn::kernels {

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
void step_rows(bool with_weight, Matrix<const T> y, const Factor<T>& K, Matrix<T> next,
               const Epilogue<T>& rest) {
  if (with_weight) return product_strip<T>(y, K, next, rest);
  for (std::int64_t i = 0; i < y.rows; ++i)
    for (std::int64_t k = 0; k < padded(y.cols); ++k) {
      const std::int64_t at = i * next.stride + k;
      T value = to_grid(rest.scale * y.row(i)[k], rest.grid) + rest.x * rest.X[at];
      if (rest.Z != nullptr) value += rest.z * rest.Z[at];
      next.data[at] = value;
    }
}

}  // namespace pdegcn::kernels
