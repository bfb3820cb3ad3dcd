#pragma once

#include <cstdint>
#include <span>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// The k nearest rows of every row of x, itself among them, by all distances: for features of many
// dimensions, where trees do not help. Only rows of the same group are neighbours; `groups` holds
// their sizes, one after the other. Of equally near rows the first counts. `index` has k places for
// every row, nearest first; where a group has fewer than k rows its nearest fill what is left. By
// all threads, with the same bits for every number of them. Throws Error when sizes do not fit.
void nearest_rows(Matrix<const float> x, std::span<const std::int64_t> groups, int k,
                  std::span<std::int32_t> index);

// out_i = max over the k rows j in index_i of x_j, channel by channel; `from` says which row it was
// taken from, the first of equals.
void neighbor_max(Matrix<const float> x, std::span<const std::int32_t> index, int k,
                  Matrix<float> out, std::span<std::int32_t> from);

// The way back: out_j is the sum of the rows of x that were taken from j.
void neighbor_max_adjoint(Matrix<const float> x, std::span<const std::int32_t> from,
                          Matrix<float> out);

}  // namespace pdegcn::kernels
