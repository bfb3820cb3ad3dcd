#include "pdegcn/kernels/edge_flux.h"

#include "pdegcn/kernels/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "edge_flux.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tanh-inl.h"

#ifndef PDEGCN_KERNELS_EDGE_FLUX_ONCE
#define PDEGCN_KERNELS_EDGE_FLUX_ONCE
namespace pdegcn::kernels {

// Where a mask value comes from: channel 64 g + 16 w + s is word w of the Philox block with slot
// 16 g + s, so that four vectors come out of one evaluation.
constexpr std::int64_t kWords = 4;
constexpr std::int64_t kGroup = kWords * kPadding;

inline std::uint32_t drop_threshold(double p) {
  return static_cast<std::uint32_t>(p * 4294967296.0);
}

// The part of the counter that edge, layer and step make; the slot is added to its first word.
inline std::array<std::uint32_t, 4> drop_counter(const EdgeDropout& dropout, EdgeId edge) {
  const auto id = static_cast<std::uint64_t>(edge);
  return {static_cast<std::uint32_t>(id >> 32 << 16), static_cast<std::uint32_t>(id), dropout.layer,
          dropout.step};
}

}  // namespace pdegcn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, kPadding>;

// σ and σ' for the odd parts; the slope of the linear ones is 1 or 1/2.
struct TanhSigma {
  static constexpr bool kLinear = false;
};
struct LinearSigma {
  static constexpr bool kLinear = true;
};

// High and low halves of the 32 x 32 bit products with a constant, from those of even and of odd
// lanes.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V MulHighLow(D d, std::uint32_t constant, V v, V& low) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{constant} * hn::GetLane(v);
  low = hn::Set(d, static_cast<std::uint32_t>(product));
  return hn::Set(d, static_cast<std::uint32_t>(product >> 32));
#else
  const hn::RepartitionToWide<D> wide;
  const auto factor = hn::Set(d, constant);
  const auto even = hn::MulEven(v, factor);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, v))), factor);
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
#endif
}

// Philox for as many consecutive slots as there are lanes; see random.h.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void PhiloxLanes(D d, const std::array<std::uint32_t, 4>& counter, std::uint32_t slot,
                            std::uint64_t seed, V (&word)[kWords]) {
  V c0 = hn::Iota(d, counter[0] + slot);
  V c1 = hn::Set(d, counter[1]);
  V c2 = hn::Set(d, counter[2]);
  V c3 = hn::Set(d, counter[3]);
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    V low_a, low_b;
    const V high_a = MulHighLow(d, 0xD2511F53u, c0, low_a);
    const V high_b = MulHighLow(d, 0xCD9E8D57u, c2, low_b);
    c0 = hn::Xor(hn::Xor(high_b, c1), hn::Set(d, k0));
    c1 = low_b;
    c2 = hn::Xor(hn::Xor(high_a, c3), hn::Set(d, k1));
    c3 = low_a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  word[0] = c0;
  word[1] = c1;
  word[2] = c2;
  word[3] = c3;
}

// The mask factors of `Words` vectors from channel `channel` on, 16 channels apart.
template <int Words, class T, class V>
HWY_INLINE void DropFactors(const EdgeDropout& dropout, EdgeId edge, std::int64_t channel,
                            V (&factor)[Words]) {
  const Lanes<T> d;
  const hn::Rebind<std::uint32_t, Lanes<T>> bits;
  const auto slot = static_cast<std::uint32_t>(channel / kGroup * kPadding + channel % kPadding);
  hn::Vec<decltype(bits)> word[kWords];
  PhiloxLanes(bits, drop_counter(dropout, edge), slot, dropout.seed, word);
  const std::uint32_t threshold = drop_threshold(dropout.p);
  const auto scale = hn::Set(d, static_cast<T>(1 / (1 - dropout.p)));
  for (int w = 0; w < Words; ++w) {
    const auto value = word[Words == 1 ? channel % kGroup / kPadding : w];
    if constexpr (sizeof(T) == 4) {
      const auto dropped = hn::Lt(value, hn::Set(bits, threshold));
      factor[w] = hn::IfThenZeroElse(hn::RebindMask(d, dropped), scale);
    } else {
      const hn::Rebind<std::uint64_t, Lanes<T>> wide;
      const auto dropped =
          hn::Lt(hn::PromoteTo(wide, value), hn::Set(wide, std::uint64_t{threshold}));
      factor[w] = hn::IfThenZeroElse(hn::RebindMask(d, dropped), scale);
    }
  }
}

// `Words` vectors of channels, 16 apart from `channel` on, of one row. They stay in registers while
// the neighbours go by.
template <class Sigma, bool Dropout, bool Adjoint, bool GammaGrad, int Words, class T>
HWY_INLINE void FluxChannels(const EdgePass<T>& a, std::int64_t i, EdgeId first, EdgeId last,
                             std::int64_t channel, T* y_out, T* g_bar_out) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  V g_i[Words], y[Words], y_bar_i[Words], g_bar[Words];
  for (int w = 0; w < Words; ++w) {
    g_i[w] = hn::Load(d, a.g.row(i) + channel + w * kPadding);
    y[w] = hn::Zero(d);
    if constexpr (Adjoint) {
      y_bar_i[w] = hn::Load(d, a.y_bar.row(i) + channel + w * kPadding);
      g_bar[w] = hn::Zero(d);
    }
  }
  const auto one = hn::Set(d, T{1});
  const auto slope = hn::Set(d, a.activation == Activation::relu ? T{0.5} : T{1});
  for (EdgeId k = first; k < last; ++k) {
    const std::int64_t j = a.rows.neighbors[k];
    const auto gamma = hn::Set(d, a.rows.gamma[k]);
    V factor[Words];
    if constexpr (Dropout) DropFactors<Words, T>(a.dropout, a.rows.edge_ids[k], channel, factor);
    V gamma_sum = hn::Zero(d);
    for (int w = 0; w < Words; ++w) {
      const std::int64_t at = channel + w * kPadding;
      const auto difference = hn::Sub(g_i[w], hn::Load(d, a.g.row(j) + at));
      auto scale = gamma;
      if constexpr (Dropout) scale = hn::Mul(gamma, factor[w]);
      V sigma, derivative;
      if constexpr (Sigma::kLinear) {
        sigma = hn::Mul(slope, hn::Mul(scale, difference));
        derivative = slope;
      } else {
        sigma = TanhOf(d, hn::Mul(scale, difference));
        if constexpr (Adjoint) derivative = hn::NegMulAdd(sigma, sigma, one);
      }
      y[w] = hn::MulAdd(gamma, sigma, y[w]);
      if constexpr (Adjoint) {
        const auto push = hn::Sub(y_bar_i[w], hn::Load(d, a.y_bar.row(j) + at));
        const auto pull =
            hn::Mul(hn::Mul(scale, derivative), push);  // the adjoint of g_i - g_j, over γ
        g_bar[w] = hn::MulAdd(gamma, pull, g_bar[w]);
        if constexpr (GammaGrad)
          gamma_sum = hn::Add(gamma_sum, hn::MulAdd(push, sigma, hn::Mul(difference, pull)));
      }
    }
    if constexpr (GammaGrad)
      if (i < j)
        a.gamma_grad[a.rows.edge_ids[k]] +=
            a.gamma_scale * hn::GetLane(hn::SumOfLanes(d, gamma_sum));
  }
  for (int w = 0; w < Words; ++w) {
    hn::Store(y[w], d, y_out + channel + w * kPadding);
    if constexpr (Adjoint) hn::Store(g_bar[w], d, g_bar_out + channel + w * kPadding);
  }
}

template <class Sigma, bool Dropout, bool Adjoint, bool GammaGrad, class T>
HWY_INLINE void FluxRow(const EdgePass<T>& a, std::int64_t i, EdgeId first, EdgeId last, T* y,
                        T* g_bar) {
  const std::int64_t lanes = hn::Lanes(Lanes<T>());
  const std::int64_t columns = padded(a.g.cols);
  std::int64_t group = 0;
  for (; group + kGroup <= columns; group += kGroup)
    for (std::int64_t s = 0; s < kPadding; s += lanes)
      FluxChannels<Sigma, Dropout, Adjoint, GammaGrad, kWords, T>(a, i, first, last, group + s, y,
                                                                  g_bar);
  for (std::int64_t at = group; at < columns; at += lanes)
    FluxChannels<Sigma, Dropout, Adjoint, GammaGrad, 1, T>(a, i, first, last, at, y, g_bar);
}

// Rows or a part of one row: `work` has the bounds of either.
template <class T>
struct Work {
  std::int64_t first_row, last_row;
  EdgeId longest;
  EdgeId first_entry, last_entry;  // of the only row, when first_entry is not negative
  Matrix<T> y, g_bar;
};

template <class Sigma, bool Dropout, bool Adjoint, bool GammaGrad, class T>
void FluxRows(const EdgePass<T>& a, const Work<T>& work) {
  for (std::int64_t i = work.first_row; i < work.last_row; ++i) {
    EdgeId first = a.rows.offsets[i];
    EdgeId last = a.rows.offsets[i + 1];
    if (work.first_entry >= 0) {
      first = work.first_entry;
      last = work.last_entry;
    } else if (last - first > work.longest) {
      continue;
    }
    const std::int64_t row = i - work.first_row;
    FluxRow<Sigma, Dropout, Adjoint, GammaGrad, T>(a, i, first, last, work.y.row(row),
                                                   Adjoint ? work.g_bar.row(row) : nullptr);
  }
}

template <class Sigma, bool Dropout, class T>
void FluxOf(const EdgePass<T>& a, const Work<T>& work) {
  if (work.g_bar.data == nullptr)
    FluxRows<Sigma, Dropout, false, false, T>(a, work);
  else if (a.gamma_grad == nullptr)
    FluxRows<Sigma, Dropout, true, false, T>(a, work);
  else
    FluxRows<Sigma, Dropout, true, true, T>(a, work);
}

template <class T>
void Flux(const EdgePass<T>& a, std::int64_t first_row, std::int64_t last_row, EdgeId longest,
          EdgeId first_entry, EdgeId last_entry, const Matrix<T>& y, const Matrix<T>& g_bar) {
  const Work<T> work{first_row, last_row, longest, first_entry, last_entry, y, g_bar};
  const bool drops = a.dropout.p > 0;
  if (a.activation == Activation::tanh)
    drops ? FluxOf<TanhSigma, true, T>(a, work) : FluxOf<TanhSigma, false, T>(a, work);
  else
    drops ? FluxOf<LinearSigma, true, T>(a, work) : FluxOf<LinearSigma, false, T>(a, work);
}

void FluxF32(const EdgePass<float>& a, std::int64_t first_row, std::int64_t last_row,
             EdgeId longest, EdgeId first_entry, EdgeId last_entry, const Matrix<float>& y,
             const Matrix<float>& g_bar) {
  Flux<float>(a, first_row, last_row, longest, first_entry, last_entry, y, g_bar);
}
void FluxF64(const EdgePass<double>& a, std::int64_t first_row, std::int64_t last_row,
             EdgeId longest, EdgeId first_entry, EdgeId last_entry, const Matrix<double>& y,
             const Matrix<double>& g_bar) {
  Flux<double>(a, first_row, last_row, longest, first_entry, last_entry, y, g_bar);
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {

HWY_EXPORT(FluxF32);
HWY_EXPORT(FluxF64);

double edge_dropout_factor(const EdgeDropout& dropout, EdgeId edge, std::int64_t channel) {
  if (dropout.p <= 0) return 1;
  auto counter = drop_counter(dropout, edge);
  counter[0] += static_cast<std::uint32_t>(channel / kGroup * kPadding + channel % kPadding);
  const auto word = philox(counter, {static_cast<std::uint32_t>(dropout.seed),
                                     static_cast<std::uint32_t>(dropout.seed >> 32)});
  const bool kept = word[channel % kGroup / kPadding] >= drop_threshold(dropout.p);
  return kept ? 1 / (1 - dropout.p) : 0;
}

template <>
void edge_flux_entries(const EdgePass<float>& pass, std::int64_t i, EdgeId first, EdgeId last,
                       float* y, float* g_bar) {
  HWY_DYNAMIC_DISPATCH(FluxF32)
  (pass, i, i + 1, 0, first, last, {y, 1, 0, 0}, {g_bar, 1, 0, 0});
}
template <>
void edge_flux_entries(const EdgePass<double>& pass, std::int64_t i, EdgeId first, EdgeId last,
                       double* y, double* g_bar) {
  HWY_DYNAMIC_DISPATCH(FluxF64)
  (pass, i, i + 1, 0, first, last, {y, 1, 0, 0}, {g_bar, 1, 0, 0});
}
template <>
void edge_flux_rows(const EdgePass<float>& pass, std::int64_t first, std::int64_t last,
                    EdgeId longest, Matrix<float> y, Matrix<float> g_bar) {
  HWY_DYNAMIC_DISPATCH(FluxF32)(pass, first, last, longest, -1, -1, y, g_bar);
}
template <>
void edge_flux_rows(const EdgePass<double>& pass, std::int64_t first, std::int64_t last,
                    EdgeId longest, Matrix<double> y, Matrix<double> g_bar) {
  HWY_DYNAMIC_DISPATCH(FluxF64)(pass, first, last, longest, -1, -1, y, g_bar);
}

}  // namespace pdegcn::kernels
#endif
