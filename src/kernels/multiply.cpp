#include <omp.h>

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/product.h"
#include "row_sums.h"
#include "strips.h"

namespace pdegcn::kernels {
namespace {

// C = A B of floats on the matrix unit.
void multiply_on_tiles(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  TilePanels panels(b.rows, b.cols);
#pragma omp parallel
  {
#pragma omp for
    for (std::int64_t p = 0; p < panels.count(); ++p)
      panels.fill(p, b.rows, [&](std::int64_t k, std::int64_t j) { return b.row(k)[j]; });
#pragma omp for schedule(dynamic)
    for (std::int64_t first = 0; first < a.rows; first += kTileStrip) {
      const std::int64_t last = std::min(first + kTileStrip, a.rows);
      product_strip(rows_of(a, first, last), panels, rows_of(c, first, last), {});
    }
  }
}

}  // namespace

template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols)
    throw Error("a product of {} x {} and {} x {} does not make {} x {}", a.rows, a.cols, b.rows,
                b.cols, c.rows, c.cols);
  if constexpr (std::is_same_v<T, float>)
    if (on_tiles<T>(b.rows, b.cols)) return multiply_on_tiles(a, b, c);
  const Padded<T> right(b);
  const bool in_place = c.is_padded();
  const std::int64_t strips = (a.rows + kStrip - 1) / kStrip;
  const std::int64_t strip_size = in_place ? 0 : kStrip * padded(c.cols);
  const Buffer<T> buffer(omp_get_max_threads() * strip_size);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t s = 0; s < strips; ++s) {
    const std::int64_t first = s * kStrip;
    const std::int64_t last = std::min(a.rows, first + kStrip);
    if (in_place) {
      product_rows<T>(a, right.view, c, first, last);
      continue;
    }
    const Matrix<T> strip{buffer.data() + omp_get_thread_num() * strip_size, last - first, c.cols,
                          padded(c.cols)};
    product_rows<T>({a.row(first), strip.rows, a.cols, a.stride}, right.view, strip, 0, strip.rows);
    for (std::int64_t i = 0; i < strip.rows; ++i)
      std::copy_n(strip.row(i), c.cols, c.row(first + i));
  }
}

template <class T>
void multiply_transposed(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  if (a.rows != b.rows || c.rows != a.cols || c.cols != b.cols)
    throw Error("a product of {} x {}, transposed, and {} x {} does not make {} x {}", a.rows,
                a.cols, b.rows, b.cols, c.rows, c.cols);
  const Padded<T> right(b);
  sum_rows<T>(on_tiles<T>(c.rows, c.cols), a, c, 0,
              [&](std::int64_t first, std::int64_t last, std::int64_t column, std::int64_t columns,
                  T*) -> Matrix<const T> {
                return {right.view.row(first) + column, last - first, columns, right.view.stride};
              });
}

template <class T>
void transpose(Matrix<const T> a, Matrix<T> b) {
  if (a.rows != b.cols || a.cols != b.rows)
    throw Error("the transpose of {} x {} is not {} x {}", a.rows, a.cols, b.rows, b.cols);
  constexpr std::int64_t kBlock = 32;  // two blocks fit into the nearest cache
  const std::int64_t blocks = (a.rows + kBlock - 1) / kBlock;
#pragma omp parallel for if (a.rows * a.cols > 32 * kBlock * kBlock)
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t first = block * kBlock;
    const std::int64_t last = std::min(first + kBlock, a.rows);
    for (std::int64_t begin = 0; begin < a.cols; begin += kBlock)
      for (std::int64_t k = begin; k < std::min(begin + kBlock, a.cols); ++k)
        for (std::int64_t i = first; i < last; ++i) b.row(k)[i] = a.row(i)[k];
  }
}

template void transpose(Matrix<const float>, Matrix<float>);
template void transpose(Matrix<const double>, Matrix<double>);
template void multiply(Matrix<const float>, Matrix<const float>, Matrix<float>);
template void multiply(Matrix<const double>, Matrix<const double>, Matrix<double>);
template void multiply_transposed(Matrix<const float>, Matrix<const float>, Matrix<float>);
template void multiply_transposed(Matrix<const double>, Matrix<const double>, Matrix<double>);

}  // namespace pdegcn::kernels
