#include "pdegcn/kernels/sparse.h"

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::kernels {

template <class T>
void multiply_sparse(const SparseRows<T>& s, Matrix<const T> b, Matrix<T> c) {
  if (s.cols != b.rows || c.rows != s.rows || c.cols != b.cols)
    throw Error("a product of {} x {} and {} x {} does not make {} x {}", s.rows, s.cols, b.rows,
                b.cols, c.rows, c.cols);
#pragma omp parallel for schedule(dynamic, 32)
  for (std::int64_t i = 0; i < s.rows; ++i) {
    T* out = c.row(i);
    std::fill_n(out, c.cols, T{0});
    for (std::int64_t k = s.offsets[i]; k < s.offsets[i + 1]; ++k) {
      const T value = s.values[k];
      if (value == 0) continue;  // dropped
      const T* in = b.row(s.columns[k]);
#pragma omp simd
      for (std::int64_t j = 0; j < c.cols; ++j) out[j] += value * in[j];
    }
  }
}

template <class T>
void dropout(const T* values, std::int64_t count, double p, std::uint64_t seed, std::uint64_t step,
             T* out) {
  const T scale = static_cast<T>(1 / (1 - p));
  const auto threshold = static_cast<std::uint32_t>(p * 4294967296.0);
  const std::int64_t blocks = (count + 3) / 4;
#pragma omp parallel for
  for (std::int64_t b = 0; b < blocks; ++b) {
    const auto word =
        philox({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32),
                static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    for (std::int64_t k = 4 * b; k < std::min(4 * b + 4, count); ++k)
      out[k] = word[k % 4] < threshold ? T{0} : scale * values[k];
  }
}

template void multiply_sparse(const SparseRows<float>&, Matrix<const float>, Matrix<float>);
template void multiply_sparse(const SparseRows<double>&, Matrix<const double>, Matrix<double>);
template void dropout(const float*, std::int64_t, double, std::uint64_t, std::uint64_t, float*);
template void dropout(const double*, std::int64_t, double, std::uint64_t, std::uint64_t, double*);

}  // namespace pdegcn::kernels
