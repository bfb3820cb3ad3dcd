#include "pdegcn/kernels/neighbors.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/product.h"

namespace pdegcn::kernels {
namespace {

constexpr std::int64_t kStrip = 48;     // rows that one thread takes at a time
constexpr std::int64_t kChannels = 16;  // a cache line

// The k largest of some values, largest first, the first of equals; returns how many there are.
int largest(const float* values, std::int64_t count, int k, std::int32_t* index,
            std::vector<float>& best) {
  int kept = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const float value = values[j];
    if (kept == k && !(value > best[k - 1])) continue;
    int at = kept < k ? kept++ : k - 1;
    for (; at > 0 && value > best[at - 1]; --at) {
      best[at] = best[at - 1];
      index[at] = index[at - 1];
    }
    best[at] = value;
    index[at] = static_cast<std::int32_t>(j);
  }
  return kept;
}

}  // namespace

void nearest_rows(Matrix<const float> x, std::span<const std::int64_t> groups, int k,
                  std::span<std::int32_t> index) {
  if (k < 1) throw Error("k must be at least 1, it is {}", k);
  if (std::accumulate(groups.begin(), groups.end(), std::int64_t{0}) != x.rows ||
      static_cast<std::int64_t>(index.size()) != k * x.rows)
    throw Error("groups or places do not fit {} rows and {} neighbours", x.rows, k);
  std::int64_t first = 0;
  for (const std::int64_t size : groups) {
    // Of the squared distance |a|² - 2ab + |b|² the first term is the same for all b.
    const std::int64_t wide = padded(size);
    const Buffer<float> columns(x.cols * wide);
    const Buffer<float> half_square(size);
    std::fill_n(columns.data(), columns.count(), 0.0f);
    for (std::int64_t j = 0; j < size; ++j) {
      const float* const row = x.row(first + j);
      float sum = 0;
      for (std::int64_t c = 0; c < x.cols; ++c) {
        columns.data()[c * wide + j] = row[c];
        sum += row[c] * row[c];
      }
      half_square.data()[j] = sum / 2;
    }
    const Matrix<const float> right{columns.data(), x.cols, size, wide};
#pragma omp parallel
    {
      const Buffer<float> products(kStrip * wide);
      std::vector<float> best(k);
#pragma omp for schedule(dynamic)
      for (std::int64_t at = 0; at < size; at += kStrip) {
        const std::int64_t count = std::min(kStrip, size - at);
        const Matrix<float> strip{products.data(), count, size, wide};
        product_rows<float>({x.row(first + at), count, x.cols, x.stride}, right, strip, 0, count);
        for (std::int64_t r = 0; r < count; ++r) {
          float* const row = strip.row(r);
          for (std::int64_t j = 0; j < size; ++j) row[j] -= half_square.data()[j];
          std::int32_t* const places = index.data() + (first + at + r) * k;
          const int kept = largest(row, size, k, places, best);
          for (int n = 0; n < kept; ++n) places[n] += static_cast<std::int32_t>(first);
          std::fill(places + kept, places + k, places[0]);
        }
      }
    }
    first += size;
  }
}

void neighbor_max(Matrix<const float> x, std::span<const std::int32_t> index, int k,
                  Matrix<float> out, std::span<std::int32_t> from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < out.rows; ++i) {
    float* const best = out.row(i);
    std::int32_t* const source = from.data() + i * out.cols;
    std::fill_n(source, out.cols, index[i * k]);
    std::copy_n(x.row(index[i * k]), out.cols, best);
    for (int n = 1; n < k; ++n) {
      const std::int32_t j = index[i * k + n];
      const float* const row = x.row(j);
      for (std::int64_t c = 0; c < out.cols; ++c) {
        source[c] = row[c] > best[c] ? j : source[c];
        best[c] = row[c] > best[c] ? row[c] : best[c];
      }
    }
  }
}

void neighbor_max_adjoint(Matrix<const float> x, std::span<const std::int32_t> from,
                          Matrix<float> out) {
  // Each thread has channels of its own, in which it adds up the rows in their order.
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < x.cols; first += kChannels) {
    const std::int64_t last = std::min(first + kChannels, x.cols);
    for (std::int64_t j = 0; j < out.rows; ++j)
      std::fill(out.row(j) + first, out.row(j) + last, 0.0f);
    for (std::int64_t i = 0; i < x.rows; ++i)
      for (std::int64_t c = first; c < last; ++c) out.row(from[i * x.cols + c])[c] += x.row(i)[c];
  }
}

}  // namespace pdegcn::kernels
