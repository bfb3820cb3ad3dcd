#include "pdegcn/kernels/neighbors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A value that at least k of the others reach: the k-th of the largest ones of some groups, or the
// least there is when there are too few groups.
float FloorOfLargest(const float* values, std::int64_t count, int k) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int kVectors = 2;
  float top[kVectors * hn::MaxLanes(d)];
  constexpr float kLeast = -std::numeric_limits<float>::infinity();
  if (k > kVectors * lanes || count < kVectors * lanes) return kLeast;
  hn::Vec<decltype(d)> largest[kVectors];
  for (auto& one : largest) one = hn::Set(d, kLeast);
  for (std::int64_t j = 0; j + kVectors * lanes <= count; j += kVectors * lanes)
    for (int v = 0; v < kVectors; ++v)
      largest[v] = hn::Max(largest[v], hn::LoadU(d, values + j + v * lanes));
  for (int v = 0; v < kVectors; ++v) hn::StoreU(largest[v], d, top + v * lanes);
  std::nth_element(top, top + k - 1, top + kVectors * lanes, std::greater<>());
  return top[k - 1];
}

// The k largest of some values, largest first, the first of equals; returns how many there are.
// Most are too small, and are passed over a vector at a time.
int Largest(const float* values, std::int64_t count, int k, std::int32_t* index, float* best) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const float floor = FloorOfLargest(values, count, k);
  int kept = 0;
  const auto consider = [&](std::int64_t j) {
    const float value = values[j];
    if (kept == k ? !(value > best[k - 1]) : value < floor) return;
    int at = kept < k ? kept++ : k - 1;
    for (; at > 0 && value > best[at - 1]; --at) {
      best[at] = best[at - 1];
      index[at] = index[at - 1];
    }
    best[at] = value;
    index[at] = static_cast<std::int32_t>(j);
  };
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto some = hn::LoadU(d, values + j);
    const auto large = kept == k ? hn::Gt(some, hn::Set(d, best[k - 1]))
                                 : hn::Not(hn::Lt(some, hn::Set(d, floor)));
    if (hn::AllFalse(d, large)) continue;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, large, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    for (; bits != 0; bits &= bits - 1) consider(j + std::countr_zero(bits));
  }
  for (; j < count; ++j) consider(j);
  return kept;
}

// The largest of some rows of x, channel by channel, and the row that each comes from.
void MaxOfRows(const Matrix<const float>& x, std::span<const std::int32_t> rows, float* out,
               std::int32_t* from) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + lanes <= x.cols; c += lanes) {
    auto best = hn::LoadU(d, x.row(rows[0]) + c);
    auto source = hn::Set(whole, rows[0]);
    for (const std::int32_t j : rows.subspan(1)) {
      const auto value = hn::LoadU(d, x.row(j) + c);
      const auto larger = hn::Gt(value, best);
      best = hn::IfThenElse(larger, value, best);
      source = hn::IfThenElse(hn::RebindMask(whole, larger), hn::Set(whole, j), source);
    }
    hn::StoreU(best, d, out + c);
    hn::StoreU(source, whole, from + c);
  }
  for (; c < x.cols; ++c) {
    from[c] = rows[0];
    for (const std::int32_t j : rows)
      if (x.row(j)[c] > x.row(from[c])[c]) from[c] = j;
    out[c] = x.row(from[c])[c];
  }
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {
namespace {

HWY_EXPORT(Largest);
HWY_EXPORT(MaxOfRows);

constexpr std::int64_t kStrip = 48;     // rows that one thread takes at a time
constexpr std::int64_t kChannels = 16;  // a cache line

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
      for (std::int64_t c = 0; c < x.cols; ++c) sum += row[c] * row[c];
      half_square.data()[j] = sum / 2;
    }
    // Transposed a cache line at a time: the columns lie powers of two apart, where few lines fit.
    for (std::int64_t j = 0; j < size; j += kChannels)
      for (std::int64_t c = 0; c < x.cols; ++c)
        for (std::int64_t n = j; n < std::min(j + kChannels, size); ++n)
          columns.data()[c * wide + n] = x.row(first + n)[c];
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
          const int kept = HWY_DYNAMIC_DISPATCH(Largest)(row, size, k, places, best.data());
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
  for (std::int64_t i = 0; i < out.rows; ++i) HWY_DYNAMIC_DISPATCH(MaxOfRows)
  (x, index.subspan(i * k, k), out.row(i), from.data() + i * out.cols);
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
#endif  // HWY_ONCE
