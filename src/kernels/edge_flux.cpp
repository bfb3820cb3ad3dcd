#include "pdegcn/kernels/edge_flux.h"

#include <algorithm>

#include "pdegcn/kernels/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "edge_flux.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tanh-inl.h"

#ifndef PDEGCN_KERNELS_EDGE_FLUX_ONCE
#define PDEGCN_KERNELS_EDGE_FLUX_ONCE
namespace pdegcn::kernels {

// Where a mask value comes from. 16 bits decide on a channel: channel 64 g + 16 w + s looks at word
// 2 (w / 2) + s % 2 of the Philox block with slot 8 g + s / 2, at its lower half when w is even. So
// 64 channels take eight blocks, and vectors of 64-bit lanes hold them in the order of channels.
constexpr std::int64_t kWords = 4;
constexpr std::int64_t kGroup = kWords * kPadding;
constexpr int kRounds = 7;

// A channel is dropped when its 16 bits, as the upper half of a word, are below this.
inline std::uint32_t drop_threshold(double p) {
  return static_cast<std::uint32_t>(p * 65536) << 16;
}

// The part of the counter that edge, layer and step make; the slot is added to its first word.
inline std::array<std::uint32_t, 4> drop_counter(const EdgeDropout& dropout, EdgeId edge) {
  const auto id = static_cast<std::uint64_t>(edge);
  return {static_cast<std::uint32_t>(id >> 32 << 16), static_cast<std::uint32_t>(id), dropout.layer,
          dropout.step};
}

inline std::uint32_t drop_slot(std::int64_t channel) {
  return static_cast<std::uint32_t>(channel / kGroup * (kPadding / 2) + channel % kPadding / 2);
}

inline bool drops(const EdgeDropout& dropout, EdgeId edge, std::int64_t channel) {
  auto counter = drop_counter(dropout, edge);
  counter[0] += drop_slot(channel);
  const auto block = philox<kRounds>(counter, {static_cast<std::uint32_t>(dropout.seed),
                                               static_cast<std::uint32_t>(dropout.seed >> 32)});
  const std::int64_t w = channel % kGroup / kPadding;
  const std::uint32_t word = block[w / 2 * 2 + channel % 2];
  return (w % 2 == 0 ? word << 16 : word) < drop_threshold(dropout.p);
}

}  // namespace pdegcn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, kPadding>;

// How many entries of rows a neighbour is fetched ahead of its use.
constexpr EdgeId kAhead = 8;

// σ and σ' for the odd parts; the slope of the linear ones is 1 or 1/2.
struct TanhSigma {
  static constexpr bool kLinear = false;
};
struct LinearSigma {
  static constexpr bool kLinear = true;
};

#if HWY_TARGET == HWY_SCALAR

template <class T>
struct DropMask {
  explicit DropMask(const EdgeDropout& edge_dropout) : dropout(edge_dropout) {}

  template <int Words>
  HWY_INLINE void Factors(EdgeId edge, std::int64_t channel,
                          hn::Vec<Lanes<T>> (&factor)[Words]) const {
    for (int w = 0; w < Words; ++w)
      factor[w] = hn::Set(Lanes<T>(), drops(dropout, edge, channel + w * kPadding)
                                          ? T{0}
                                          : static_cast<T>(1 / (1 - dropout.p)));
  }

  const EdgeDropout& dropout;
};

#else

// The masks of a pass: what does not change from edge to edge is prepared once.
template <class T>
struct DropMask {
  explicit DropMask(const EdgeDropout& edge_dropout)
      : dropout(edge_dropout),
        threshold(drop_threshold(dropout.p)),
        scale(static_cast<T>(1 / (1 - dropout.p))) {
    auto k0 = static_cast<std::uint32_t>(dropout.seed);
    auto k1 = static_cast<std::uint32_t>(dropout.seed >> 32);
    for (auto& key : keys) {
      key[0] = k0;
      key[1] = k1;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  }

  // The mask factors of `Words` vectors from channel `channel` on, 16 channels apart. Philox runs
  // in the lower halves of 64-bit lanes; what is in the upper ones never gets down.
  template <int Words>
  HWY_INLINE void Factors(EdgeId edge, std::int64_t channel,
                          hn::Vec<Lanes<T>> (&factor)[Words]) const {
    const Lanes<T> d;
    const hn::Rebind<std::uint32_t, Lanes<T>> narrow;
    const hn::Repartition<std::uint64_t, decltype(narrow)> wide;
    const auto counter = drop_counter(dropout, edge);
    auto c0 = hn::Add(hn::Iota(wide, 0), hn::Set(wide, counter[0] + drop_slot(channel)));
    auto c1 = hn::Set(wide, counter[1]);
    auto c2 = hn::Set(wide, counter[2]);
    auto c3 = hn::Set(wide, counter[3]);
    const auto m0 = hn::Set(narrow, 0xD2511F53u);
    const auto m1 = hn::Set(narrow, 0xCD9E8D57u);
    for (const auto& key : keys) {
      const auto a = hn::MulEven(hn::BitCast(narrow, c0), m0);
      const auto b = hn::MulEven(hn::BitCast(narrow, c2), m1);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(wide, key[0]));
      c1 = b;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(wide, key[1]));
      c3 = a;
    }
    const auto pair = [&](auto even, auto odd) HWY_ATTR {
      return hn::OddEven(hn::BitCast(narrow, hn::ShiftLeft<32>(odd)), hn::BitCast(narrow, even));
    };
    const auto first = pair(c0, c1);
    const auto second = pair(c2, c3);
    for (int k = 0; k < Words; ++k) {
      const std::int64_t w = Words == 1 ? channel % kGroup / kPadding : k;
      auto word = w < 2 ? first : second;
      if (w % 2 == 0) word = hn::ShiftLeft<16>(word);
      if constexpr (sizeof(T) == 4) {
        const auto dropped = hn::Lt(word, hn::Set(narrow, threshold));
        factor[k] = hn::IfThenZeroElse(hn::RebindMask(d, dropped), hn::Set(d, scale));
      } else {
        const hn::Rebind<std::uint64_t, Lanes<T>> lanes;
        const auto dropped =
            hn::Lt(hn::PromoteTo(lanes, word), hn::Set(lanes, std::uint64_t{threshold}));
        factor[k] = hn::IfThenZeroElse(hn::RebindMask(d, dropped), hn::Set(d, scale));
      }
    }
  }

  const EdgeDropout& dropout;
  std::uint32_t threshold;
  T scale;
  std::uint64_t keys[kRounds][2];
};

#endif

// `Words` vectors of channels, 16 apart from `channel` on, of one row. They stay in registers while
// the neighbours go by.
template <class Sigma, bool Dropout, bool Adjoint, bool GammaGrad, int Words, class T>
HWY_INLINE void FluxChannels(const EdgePass<T>& a, const DropMask<T>& mask, std::int64_t i,
                             EdgeId first, EdgeId last, std::int64_t channel, T* y_out,
                             T* g_bar_out) {
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
  const EdgeId entries = a.rows.offsets[a.g.rows];
  for (EdgeId k = first; k < last; ++k) {
    const std::int64_t j = a.rows.neighbors[k];
    // The rows of neighbours lie anywhere: ask in time for those to come, of later rows too.
    const std::int64_t ahead = a.rows.neighbors[std::min(k + kAhead, entries - 1)];
    for (int w = 0; w < Words; ++w) {
      hwy::Prefetch(a.g.row(ahead) + channel + w * kPadding);
      if constexpr (Adjoint) hwy::Prefetch(a.y_bar.row(ahead) + channel + w * kPadding);
    }
    const auto gamma = hn::Set(d, a.rows.gamma[k]);
    V factor[Words];
    if constexpr (Dropout) mask.template Factors<Words>(a.rows.edge_ids[k], channel, factor);
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
HWY_INLINE void FluxRow(const EdgePass<T>& a, const DropMask<T>& mask, std::int64_t i, EdgeId first,
                        EdgeId last, T* y, T* g_bar) {
  const std::int64_t lanes = hn::Lanes(Lanes<T>());
  const std::int64_t columns = padded(a.g.cols);
  std::int64_t group = 0;
  for (; group + kGroup <= columns; group += kGroup)
    for (std::int64_t s = 0; s < kPadding; s += lanes)
      FluxChannels<Sigma, Dropout, Adjoint, GammaGrad, kWords, T>(a, mask, i, first, last,
                                                                  group + s, y, g_bar);
  for (std::int64_t at = group; at < columns; at += lanes)
    FluxChannels<Sigma, Dropout, Adjoint, GammaGrad, 1, T>(a, mask, i, first, last, at, y, g_bar);
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
  const DropMask<T> mask(a.dropout);
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
    FluxRow<Sigma, Dropout, Adjoint, GammaGrad, T>(a, mask, i, first, last, work.y.row(row),
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
  const bool with_dropout = a.dropout.p > 0;
  if (a.activation == Activation::tanh)
    with_dropout ? FluxOf<TanhSigma, true, T>(a, work) : FluxOf<TanhSigma, false, T>(a, work);
  else
    with_dropout ? FluxOf<LinearSigma, true, T>(a, work) : FluxOf<LinearSigma, false, T>(a, work);
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
  return drops(dropout, edge, channel) ? 0 : 1 / (1 - dropout.p);
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
