#pragma once

#include <cstdint>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// A sparse matrix by its rows, as a view.
template <class T>
struct SparseRows {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
  // Where the value of an entry stands, or null when they stand in order: a matrix and its
  // transpose can share their values.
  const std::int64_t* order = nullptr;
};

// C = S B by all threads; a row is summed in the order of its entries, whatever the number of
// threads, and entries with the value 0 are passed over. B and C have rows of any stride.
template <class T>
void multiply_sparse(const SparseRows<T>& s, Matrix<const T> b, Matrix<T> c);

// Dropout: out[k] is values[k] / (1 - p), or 0 with probability p, as the Philox block of
// (seed, step, place + k) says. `out` may be `values`; a part of many values has the place at which
// it stands among them.
template <class T>
void dropout(const T* values, std::int64_t count, double p, std::uint64_t seed, std::uint64_t step,
             T* out, std::int64_t place = 0);

}  // namespace pdegcn::kernels
