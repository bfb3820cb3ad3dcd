#include "pdegcn/kernels/joined.h"

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/sparse.h"
#include "row_sums.h"

namespace pdegcn::kernels {
namespace {

// Values of a strip of X: what stays in the second cache beside a factor.
constexpr std::int64_t kStripValues = 1 << 15;

// Rows to a strip: whole tiles of the products, at least one.
std::int64_t rows_per_strip(std::int64_t stride) {
  return std::clamp<std::int64_t>(kStripValues / std::max<std::int64_t>(1, stride) / 6 * 6, 6,
                                  kStrip);
}

// Calls work(part, from, to, at) for the pieces of the parts that columns first..last of X consist
// of: columns from..to of a part, the first of which is column `at` of X.
template <class T, class Work>
void each_piece(const Joined<T>& x, std::int64_t first, std::int64_t last, const Work& work) {
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < x.parts.size(); ++part) {
    const std::int64_t end = begin + x.parts[part].cols;
    const std::int64_t from = std::max(first, begin), to = std::min(last, end);
    if (from < to) work(part, from - begin, to - begin, from);
    begin = end;
  }
}

// Dropout of rows from `first` on and columns from `column` on of X, which has `all` columns. The
// parts of a row are short, and a mask takes its time to begin: rows are drawn whole, and all at
// once where nothing stands between them.
template <class T>
void drop(const Joined<T>& x, std::int64_t all, std::int64_t first, std::int64_t column,
          const Matrix<T>& strip) {
  if (x.p == 0) return;
  const bool whole = strip.cols == all && strip.stride == all;
  const std::int64_t count = whole ? strip.rows * all : strip.cols;
  for (std::int64_t i = 0; i < (whole ? 1 : strip.rows); ++i)
    dropout<T>(strip.row(i), count, x.p, x.seed, x.step, strip.row(i), (first + i) * all + column);
}

// Rows first..last and columns column..column + columns of X, padded.
template <class T>
Matrix<T> read(const Joined<T>& x, std::int64_t all, std::int64_t first, std::int64_t last,
               std::int64_t column, std::int64_t columns, T* out) {
  const Matrix<T> strip{out, last - first, columns, padded(columns)};
  each_piece(x, column, column + columns,
             [&](std::size_t part, std::int64_t from, std::int64_t to, std::int64_t at) {
               for (std::int64_t i = first; i < last; ++i)
                 std::copy_n(x.parts[part].row(i) + from, to - from,
                             strip.row(i - first) + at - column);
             });
  drop(x, all, first, column, strip);
  for (std::int64_t i = 0; i < strip.rows; ++i)
    std::fill(strip.row(i) + columns, strip.row(i) + strip.stride, T{0});
  return strip;
}

template <class T>
void check(const Joined<T>& x) {
  if (x.parts.empty()) throw Error("there are no matrices to be joined");
  for (const auto& part : x.parts)
    if (part.rows != x.rows())
      throw Error("matrices of {} and of {} rows cannot stand side by side", x.rows(), part.rows);
}

}  // namespace

template <class T>
void multiply(const Joined<T>& x, Matrix<const T> b, Matrix<T> c) {
  check(x);
  const std::int64_t columns = x.cols();
  if (b.rows != columns || c.rows != x.rows() || c.cols != b.cols)
    throw Error("a product of {} x {} and {} x {} does not make {} x {}", x.rows(), columns, b.rows,
                b.cols, c.rows, c.cols);
  const Padded<T> right(b);
  const std::int64_t size = rows_per_strip(padded(columns));
  const std::int64_t strips = (c.rows + size - 1) / size;
#pragma omp parallel
  {
    const Buffer<T> scratch(size * padded(columns)), sums(size * padded(c.cols));
#pragma omp for schedule(dynamic)
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t first = s * size, last = std::min(first + size, c.rows);
      const Matrix<T> left = read(x, columns, first, last, 0, columns, scratch.data());
      const Matrix<T> strip{sums.data(), last - first, c.cols, padded(c.cols)};
      product_rows<T>(left, right.view, strip, 0, strip.rows);
      for (std::int64_t i = first; i < last; ++i)
        std::copy_n(strip.row(i - first), c.cols, c.row(i));
    }
  }
}

template <class T>
void multiply_transposed(Matrix<const T> a, const Joined<T>& x, Matrix<T> c) {
  check(x);
  const std::int64_t columns = x.cols();
  if (a.rows != x.rows() || c.rows != a.cols || c.cols != columns)
    throw Error("a product of {} x {}, transposed, and {} x {} does not make {} x {}", a.rows,
                a.cols, x.rows(), columns, c.rows, c.cols);
  sum_rows<T>(false, a, c, kScratch,
              [&](std::int64_t first, std::int64_t last, std::int64_t column, std::int64_t width,
                  T* scratch) -> Matrix<const T> {
                return read(x, columns, first, last, column, width, scratch);
              });
}

template <class T>
void multiply_into(const Joined<T>& x, Matrix<const T> a, Matrix<const T> b,
                   const std::vector<Matrix<T>>& y) {
  check(x);
  const std::int64_t columns = x.cols();
  if (a.rows != x.rows() || a.cols != b.rows || b.cols != columns)
    throw Error("a product of {} x {} and {} x {} does not make {} x {}", a.rows, a.cols, b.rows,
                b.cols, x.rows(), columns);
  if (y.size() != x.parts.size())
    throw Error("what is given back for {} matrices is to go into {}", x.parts.size(), y.size());
  for (std::size_t k = 0; k < y.size(); ++k)
    if (y[k].data != nullptr && (y[k].rows != x.rows() || y[k].cols != x.parts[k].cols))
      throw Error("part {} is of {} x {}, not of {} x {}", k, y[k].rows, y[k].cols, x.rows(),
                  x.parts[k].cols);
  const Padded<T> right(b);
  const std::int64_t size = rows_per_strip(right.view.stride);
  const std::int64_t strips = (a.rows + size - 1) / size;
#pragma omp parallel
  {
    const Buffer<T> scratch(size * right.view.stride);
#pragma omp for schedule(dynamic)
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t first = s * size, last = std::min(first + size, a.rows);
      const Matrix<T> strip{scratch.data(), last - first, columns, right.view.stride};
      product_rows<T>(rows_of(a, first, last), right.view, strip, 0, strip.rows);
      drop(x, columns, first, 0, strip);
      each_piece(x, 0, columns,
                 [&](std::size_t part, std::int64_t, std::int64_t to, std::int64_t at) {
                   if (y[part].data == nullptr) return;
                   for (std::int64_t i = first; i < last; ++i)
                     std::copy_n(strip.row(i - first) + at, to, y[part].row(i));
                 });
    }
  }
}

template void multiply(const Joined<float>&, Matrix<const float>, Matrix<float>);
template void multiply(const Joined<double>&, Matrix<const double>, Matrix<double>);
template void multiply_transposed(Matrix<const float>, const Joined<float>&, Matrix<float>);
template void multiply_transposed(Matrix<const double>, const Joined<double>&, Matrix<double>);
template void multiply_into(const Joined<float>&, Matrix<const float>, Matrix<const float>,
                            const std::vector<Matrix<float>>&);
template void multiply_into(const Joined<double>&, Matrix<const double>, Matrix<const double>,
                            const std::vector<Matrix<double>>&);

}  // namespace pdegcn::kernels
