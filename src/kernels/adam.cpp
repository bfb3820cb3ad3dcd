#include "pdegcn/kernels/adam.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double SumOfSquares(const float* values, std::int64_t count) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::int64_t lanes = hn::Lanes(d);
  constexpr int kSums = 4;  // enough to not wait for each other
  hn::Vec<decltype(d)> sum[kSums];
  for (auto& s : sum) s = hn::Zero(d);
  std::int64_t at = 0;
  for (; at + kSums * lanes <= count; at += kSums * lanes)
    for (int k = 0; k < kSums; ++k) {
      const auto x = hn::PromoteTo(d, hn::LoadU(narrow, values + at + k * lanes));
      sum[k] = hn::MulAdd(x, x, sum[k]);
    }
  const auto all = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  double total = hn::GetLane(hn::SumOfLanes(d, all));
  for (; at < count; ++at) total += static_cast<double>(values[at]) * values[at];
  return total;
}

template <class D>
HWY_INLINE void Step(D d, const AdamStep& a, std::int64_t at, const float* g, float* p, float* m,
                     float* v) {
  const auto parameter = hn::LoadU(d, p + at);
  const auto gradient = g == nullptr ? hn::Zero(d) : hn::LoadU(d, g + at);
  const auto slope =
      hn::MulAdd(hn::Set(d, a.scale), gradient, hn::Mul(hn::Set(d, a.decay), parameter));
  const auto mean = hn::MulAdd(hn::Set(d, 1 - a.beta1), slope,
                               hn::Mul(hn::Set(d, a.beta1), hn::LoadU(d, m + at)));
  const auto square = hn::MulAdd(hn::Mul(hn::Set(d, 1 - a.beta2), slope), slope,
                                 hn::Mul(hn::Set(d, a.beta2), hn::LoadU(d, v + at)));
  const auto below = hn::MulAdd(hn::Sqrt(square), hn::Set(d, a.root), hn::Set(d, a.epsilon));
  const auto change = hn::Div(hn::Mul(hn::Set(d, a.rate), mean), below);
  hn::StoreU(mean, d, m + at);
  hn::StoreU(square, d, v + at);
  hn::StoreU(hn::Sub(parameter, change), d, p + at);
}

void AdamValues(const AdamStep& step, std::int64_t first, std::int64_t last, const float* g,
                float* p, float* m, float* v) {
  const hn::ScalableTag<float> d;
  const std::int64_t lanes = hn::Lanes(d);
  std::int64_t at = first;
  for (; at + lanes <= last; at += lanes) Step(d, step, at, g, p, m, v);
  for (; at < last; ++at) Step(hn::CappedTag<float, 1>(), step, at, g, p, m, v);
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {
namespace {

HWY_EXPORT(SumOfSquares);
HWY_EXPORT(AdamValues);

// Values that a thread takes at a time; fewer are not worth waking others for.
constexpr std::int64_t kBlock = 16384;

}  // namespace

double sum_of_squares(const float* values, std::int64_t count) {
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<double> sums(blocks);
#pragma omp parallel for if (blocks > 1)
  for (std::int64_t b = 0; b < blocks; ++b)
    sums[b] = HWY_DYNAMIC_DISPATCH(SumOfSquares)(values + b * kBlock,
                                                 std::min(kBlock, count - b * kBlock));
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void adam_step(const AdamStep& step, std::int64_t count, const float* gradient, float* parameter,
               float* mean, float* square) {
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
#pragma omp parallel for if (blocks > 1)
  for (std::int64_t b = 0; b < blocks; ++b) HWY_DYNAMIC_DISPATCH(AdamValues)
  (step, b * kBlock, std::min((b + 1) * kBlock, count), gradient, parameter, mean, square);
}

}  // namespace pdegcn::kernels
#endif
