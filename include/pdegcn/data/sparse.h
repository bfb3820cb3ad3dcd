#pragma once

#include <cstdint>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/npy.h"

namespace pdegcn::data {

// A sparse matrix from the three arrays of a CSR matrix as scipy keeps them; the columns of a row
// may come in any order, but none twice. Throws Error naming the array at fault.
SparseMatrix sparse_matrix(std::int64_t rows, std::int64_t cols, const ArrayView& offsets,
                           const ArrayView& columns, const ArrayView& values);

}  // namespace pdegcn::data
