// Strips of rows, and products with them on the vector units or on the matrix unit.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pdegcn/kernels/product.h"
#include "tiles.h"

namespace pdegcn::kernels {

// Rows that are worked on together: enough to fill the tiles of the products, few enough to stay in
// the cache from one operation to the next. The matrix unit wants more of them.
inline constexpr std::int64_t kStrip = 48;
inline constexpr std::int64_t kTileStrip = 128;

// A square matrix by which strips of rows are multiplied: its padded rows or, for the matrix unit,
// the same memory cut into panels.
template <class T>
struct Factor {
  Matrix<T> rows;
  bool tiles = false;

  TilePanels panels() const { return {rows.rows, rows.cols, rows.data}; }
};

// All rows of C = A B and its epilogue.
template <class T>
void product_strip(Matrix<const T> a, const Factor<T>& b, Matrix<T> c,
                   const Epilogue<T>& epilogue = {}) {
  if constexpr (std::is_same_v<T, float>)
    if (b.tiles) return product_strip(a, b.panels(), c, epilogue);
  product_rows<T>(a, b.rows, c, 0, a.rows, epilogue);
}

// C += Aᵀ B.
template <class T>
void gram_strip(bool tiles, Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  if constexpr (std::is_same_v<T, float>)
    if (tiles) return gram_strip(a, b, c);
  gram_rows<T>(a, b, c, 0, a.rows);
}

// A matrix in the layout of the kernels: itself when it has it already, a copy otherwise.
template <class T>
struct Padded {
  explicit Padded(Matrix<const T> m) : view(m) {
    if (m.is_padded()) return;
    copy = Buffer<T>(m.rows * padded(m.cols));
    const Matrix<T> target{copy.data(), m.rows, m.cols, padded(m.cols)};
    copy_rows(m, target, 0, m.rows);
    view = target;
  }
  Matrix<const T> view;
  Buffer<T> copy;
};

// Rows first..last of a matrix.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, std::int64_t first, std::int64_t last) {
  return {m.row(first), last - first, m.cols, m.stride};
}

}  // namespace pdegcn::kernels
