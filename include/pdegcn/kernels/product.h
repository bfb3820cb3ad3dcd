#pragma once

#include <cstdint>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// What a product is joined with while it is still in registers: C = scale A B + x X + z Z, where
// scale A B is rounded to a multiple of `grid`, a power of two, unless that is 0. X and Z
// have the layout of C and may be C itself; null means that the term is absent.
template <class T>
struct Epilogue {
  T scale = 1;
  T x = 0;
  const T* X = nullptr;
  T z = 0;
  const T* Z = nullptr;
  T grid = 0;
};

// Rows first..last of C = A B and its epilogue, on the calling thread. B and C are padded; A may
// have any stride. Every row is summed in the same order wherever it stands, so that the bits of a
// result do not depend on how its rows are shared out.
template <class T>
void product_rows(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::int64_t first,
                  std::int64_t last, const Epilogue<T>& epilogue = {});

// C += Aᵀ B over rows first..last, on the calling thread. B and C are padded.
template <class T>
void gram_rows(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, std::int64_t first,
               std::int64_t last);

// C = A B and C = Aᵀ B for whole matrices in any layout, by all threads, with the same bits for
// every number of them: rows are shared out in the one, fixed groups of rows are summed in order in
// the other.
template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c);
template <class T>
void multiply_transposed(Matrix<const T> a, Matrix<const T> b, Matrix<T> c);

// B = Aᵀ, by all threads.
template <class T>
void transpose(Matrix<const T> a, Matrix<T> b);

}  // namespace pdegcn::kernels
