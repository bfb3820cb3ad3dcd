#include "pdegcn/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pdegcn/kernels/matrix.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

RowClass SoftmaxRow(float* HWY_RESTRICT row, const float* HWY_RESTRICT bias, std::int64_t count,
                    float scale) {
  const hn::CappedTag<float, kPadding> d;
  const std::int64_t lanes = hn::Lanes(d);
  const std::int64_t end = padded(count);
  // The padding must win nothing and weigh nothing.
  std::fill(row + count, row + end, -std::numeric_limits<float>::infinity());
  auto largest = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (std::int64_t k = 0; k < end; k += lanes) {
    auto x = hn::Load(d, row + k);
    if (bias != nullptr) x = hn::Add(x, hn::Load(d, bias + k));
    largest = hn::Max(largest, x);
    hn::Store(x, d, row + k);
  }
  RowClass result;
  const float top = hn::GetLane(hn::MaxOfLanes(d, largest));
  const auto shift = hn::Set(d, top);
  auto sum = hn::Zero(d);
  // Highway's exp gives 0 for NaN, which must not pass unseen.
  bool odd = !std::isfinite(top);
  std::int64_t best = -1;
  for (std::int64_t k = 0; k < end; k += lanes) {
    const auto x = hn::Load(d, row + k);
    const auto e = hn::Exp(d, hn::Sub(x, shift));
    const auto is_top = hn::Eq(x, shift);
    if (best < 0 && !hn::AllFalse(d, is_top)) best = k + hn::FindFirstTrue(d, is_top);
    odd = odd || !hn::AllTrue(d, hn::Eq(x, x));
    sum = hn::Add(sum, e);
    hn::Store(e, d, row + k);
  }
  const double total = hn::GetLane(hn::SumOfLanes(d, sum));
  result.log_sum = odd ? std::numeric_limits<double>::quiet_NaN() : std::log(total) + top;
  result.best = std::clamp<std::int64_t>(best, 0, count - 1);
  if (scale != 0) {
    const auto factor = hn::Set(d, static_cast<float>(scale / total));
    for (std::int64_t k = 0; k < end; k += lanes)
      hn::Store(hn::Mul(hn::Load(d, row + k), factor), d, row + k);
  }
  return result;
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {

HWY_EXPORT(SoftmaxRow);

RowClass softmax_row(float* row, const float* bias, std::int64_t count, float scale) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxRow)(row, bias, count, scale);
}

}  // namespace pdegcn::kernels
#endif
