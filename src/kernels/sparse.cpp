#include "pdegcn/kernels/sparse.h"

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sparse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PDEGCN_KERNELS_SPARSE_ONCE
#define PDEGCN_KERNELS_SPARSE_ONCE
namespace pdegcn::kernels {

struct Drop {
  std::uint32_t threshold;
  double scale;
  std::uint64_t seed;
  std::uint64_t step;
};

// The four words that decide on values 4 b to 4 b + 3.
inline std::array<std::uint32_t, 4> words_of(const Drop& drop, std::int64_t b) {
  return philox(
      {static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32),
       static_cast<std::uint32_t>(drop.step), static_cast<std::uint32_t>(drop.step >> 32)},
      {static_cast<std::uint32_t>(drop.seed), static_cast<std::uint32_t>(drop.seed >> 32)});
}

}  // namespace pdegcn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Entries that are looked at together: those that are not 0 are picked out first, as half of them
// may have been dropped, at random, which no processor can foresee.
constexpr std::int64_t kEntries = 64;

// `Vectors` vectors of one row of C from column j on, which stay in registers while the entries go
// by.
template <int Vectors, class T, class D>
HWY_INLINE void AddEntries(D d, std::int64_t count, const std::int32_t* columns, const T* values,
                           const Matrix<const T>& b, std::int64_t j, T* out) {
  const std::int64_t lanes = hn::Lanes(d);
  hn::Vec<D> sum[Vectors];
  for (int v = 0; v < Vectors; ++v) sum[v] = hn::LoadU(d, out + j + v * lanes);
  for (std::int64_t k = 0; k < count; ++k) {
    const T* const in = b.row(columns[k]) + j;
    const auto value = hn::Set(d, values[k]);
    for (int v = 0; v < Vectors; ++v)
      sum[v] = hn::MulAdd(value, hn::LoadU(d, in + v * lanes), sum[v]);
  }
  for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[v], d, out + j + v * lanes);
}

template <class T>
void SparseRow(const SparseRows<T>& s, std::int64_t i, const Matrix<const T>& b, T* out,
               std::int64_t width) {
  const hn::CappedTag<T, kPadding> d;
  const hn::CappedTag<T, 1> one;
  const std::int64_t lanes = hn::Lanes(d);
  constexpr int kVectors = 4;
  std::fill_n(out, width, T{0});
  std::int32_t columns[kEntries];
  T values[kEntries];
  for (std::int64_t first = s.offsets[i]; first < s.offsets[i + 1]; first += kEntries) {
    const std::int64_t last = std::min(first + kEntries, s.offsets[i + 1]);
    std::int64_t count = 0;
    for (std::int64_t k = first; k < last; ++k) {
      columns[count] = s.columns[k];
      values[count] = s.values[s.order == nullptr ? k : s.order[k]];
      count += values[count] != 0;
    }
    std::int64_t j = 0;
    for (; j + kVectors * lanes <= width; j += kVectors * lanes)
      AddEntries<kVectors>(d, count, columns, values, b, j, out);
    for (; j + lanes <= width; j += lanes) AddEntries<1>(d, count, columns, values, b, j, out);
    for (; j < width; ++j) AddEntries<1>(one, count, columns, values, b, j, out);
  }
}

void SparseRowF32(const SparseRows<float>& s, std::int64_t i, const Matrix<const float>& b,
                  float* out, std::int64_t width) {
  SparseRow<float>(s, i, b, out, width);
}
void SparseRowF64(const SparseRows<double>& s, std::int64_t i, const Matrix<const double>& b,
                  double* out, std::int64_t width) {
  SparseRow<double>(s, i, b, out, width);
}

// Drops among `count` values, of which the first stands at `place`.
template <class T>
void DropValues(const Drop& drop, std::int64_t place, const T* values, std::int64_t count, T* out) {
  std::int64_t at = 0;
  const auto decide = [&](std::int64_t k, std::uint32_t word) {
    out[k] = word < drop.threshold ? T{0} : static_cast<T>(drop.scale) * values[k];
  };
  // Up to where a block begins.
  for (; at < count && (place + at) % 4 != 0; ++at)
    decide(at, words_of(drop, (place + at) / 4)[(place + at) % 4]);
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint32_t, 16> narrow;
  const hn::Repartition<std::uint64_t, decltype(narrow)> wide;
  const std::int64_t blocks = hn::Lanes(wide);
  const auto scale = hn::Set(hn::CappedTag<T, kPadding>(), static_cast<T>(drop.scale));
  // Philox runs in the lower halves of 64-bit lanes, a block in each. Even lanes hold the first
  // half of the blocks and odd ones the second, so that what comes out below is in order.
  alignas(64) std::uint64_t places[8];
  for (std::int64_t k = 0; k < blocks; ++k) places[k] = k / 2 + k % 2 * (blocks / 2);
  for (; at + 4 * blocks <= count; at += 4 * blocks) {
    const auto block =
        hn::Add(hn::Load(wide, places), hn::Set(wide, std::uint64_t(place + at) / 4));
    auto c0 = block;
    auto c1 = hn::ShiftRight<32>(block);
    auto c2 = hn::Set(wide, drop.step & 0xFFFFFFFFu);
    auto c3 = hn::Set(wide, drop.step >> 32);
    auto k0 = static_cast<std::uint32_t>(drop.seed);
    auto k1 = static_cast<std::uint32_t>(drop.seed >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const auto a = hn::MulEven(hn::BitCast(narrow, c0), hn::Set(narrow, 0xD2511F53u));
      const auto b = hn::MulEven(hn::BitCast(narrow, c2), hn::Set(narrow, 0xCD9E8D57u));
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(wide, std::uint64_t{k0}));
      c1 = b;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(wide, std::uint64_t{k1}));
      c3 = a;
    }
    const auto pair = [&](auto even, auto odd) HWY_ATTR {
      const auto words =
          hn::OddEven(hn::BitCast(narrow, hn::ShiftLeft<32>(odd)), hn::BitCast(narrow, even));
      return hn::BitCast(wide, words);
    };
    const auto first_two = pair(c0, c1);
    const auto last_two = pair(c2, c3);
    const auto apply = [&](auto words, std::int64_t from) HWY_ATTR {
      const auto word = hn::BitCast(narrow, words);
      if constexpr (sizeof(T) == 4) {
        const hn::CappedTag<T, kPadding> d;
        const auto dropped = hn::Lt(word, hn::Set(narrow, drop.threshold));
        const auto kept = hn::Mul(scale, hn::LoadU(d, values + from));
        hn::StoreU(hn::IfThenZeroElse(hn::RebindMask(d, dropped), kept), d, out + from);
      } else {
        alignas(64) std::uint32_t stored[16];
        hn::Store(word, narrow, stored);
        for (std::int64_t k = 0; k < 2 * blocks; ++k) decide(from + k, stored[k]);
      }
    };
    apply(hn::InterleaveLower(wide, first_two, last_two), at);
    apply(hn::InterleaveUpper(wide, first_two, last_two), at + 2 * blocks);
  }
#endif
  for (; at < count; at += 4) {
    const auto words = words_of(drop, (place + at) / 4);
    for (std::int64_t k = at; k < std::min(at + 4, count); ++k) decide(k, words[k - at]);
  }
}

void DropValuesF32(const Drop& drop, std::int64_t place, const float* values, std::int64_t count,
                   float* out) {
  DropValues<float>(drop, place, values, count, out);
}
void DropValuesF64(const Drop& drop, std::int64_t place, const double* values, std::int64_t count,
                   double* out) {
  DropValues<double>(drop, place, values, count, out);
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {
namespace {

HWY_EXPORT(SparseRowF32);
HWY_EXPORT(SparseRowF64);
HWY_EXPORT(DropValuesF32);
HWY_EXPORT(DropValuesF64);

void sparse_row(const SparseRows<float>& s, std::int64_t i, const Matrix<const float>& b,
                const Matrix<float>& c) {
  HWY_DYNAMIC_DISPATCH(SparseRowF32)(s, i, b, c.row(i), c.cols);
}
void sparse_row(const SparseRows<double>& s, std::int64_t i, const Matrix<const double>& b,
                const Matrix<double>& c) {
  HWY_DYNAMIC_DISPATCH(SparseRowF64)(s, i, b, c.row(i), c.cols);
}
void drop_values(const Drop& drop, std::int64_t place, const float* values, std::int64_t count,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(DropValuesF32)(drop, place, values, count, out);
}
void drop_values(const Drop& drop, std::int64_t place, const double* values, std::int64_t count,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(DropValuesF64)(drop, place, values, count, out);
}

}  // namespace

template <class T>
void multiply_sparse(const SparseRows<T>& s, Matrix<const T> b, Matrix<T> c) {
  if (s.cols != b.rows || c.rows != s.rows || c.cols != b.cols)
    throw Error("a product of {} x {} and {} x {} does not make {} x {}", s.rows, s.cols, b.rows,
                b.cols, c.rows, c.cols);
#pragma omp parallel for schedule(dynamic, 32)
  for (std::int64_t i = 0; i < s.rows; ++i) sparse_row(s, i, b, c);
}

template <class T>
void dropout(const T* values, std::int64_t count, double p, std::uint64_t seed, std::uint64_t step,
             T* out, std::int64_t place) {
  const Drop drop{static_cast<std::uint32_t>(p * 4294967296.0), 1 / (1 - p), seed, step};
  constexpr std::int64_t kBlock = 8192;
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  // Even a region of one thread takes as long as a hundred values.
  if (blocks <= 1) return drop_values(drop, place, values, count, out);
#pragma omp parallel for
  for (std::int64_t b = 0; b < blocks; ++b)
    drop_values(drop, place + b * kBlock, values + b * kBlock, std::min(kBlock, count - b * kBlock),
                out + b * kBlock);
}

template void multiply_sparse(const SparseRows<float>&, Matrix<const float>, Matrix<float>);
template void multiply_sparse(const SparseRows<double>&, Matrix<const double>, Matrix<double>);
template void dropout(const float*, std::int64_t, double, std::uint64_t, std::uint64_t, float*,
                      std::int64_t);
template void dropout(const double*, std::int64_t, double, std::uint64_t, std::uint64_t, double*,
                      std::int64_t);

}  // namespace pdegcn::kernels
#endif
