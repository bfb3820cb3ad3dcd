#include "pdegcn/kernels/dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kPadding>;

HWY_INLINE hn::Vec<Doubles> LoadDoubles(const double* from) {
  return hn::Load(Doubles(), from);
}
HWY_INLINE hn::Vec<Doubles> LoadDoubles(const float* from) {
  return hn::PromoteTo(Doubles(), hn::Load(hn::Rebind<float, Doubles>(), from));
}

// One sum per vector of a padded row's sixteen columns: enough of them to not wait for each other.
template <class T>
double Dot(const Matrix<const T>& x, const Matrix<const T>& y) {
  const Doubles d;
  constexpr std::int64_t kLanes = hn::MaxLanes(d);
  constexpr std::int64_t kSums = kPadding / kLanes;
  hn::Vec<Doubles> sum[kSums];
  for (auto& s : sum) s = hn::Zero(d);
  const std::int64_t columns = padded(x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t k = 0; k < columns; k += kPadding)
      for (std::int64_t s = 0; s < kSums; ++s)
        sum[s] = hn::MulAdd(LoadDoubles(x.row(i) + k + s * kLanes),
                            LoadDoubles(y.row(i) + k + s * kLanes), sum[s]);
  for (std::int64_t s = 1; s < kSums; ++s) sum[0] = hn::Add(sum[0], sum[s]);
  return hn::GetLane(hn::SumOfLanes(d, sum[0]));
}

double DotF32(const Matrix<const float>& x, const Matrix<const float>& y) {
  return Dot(x, y);
}
double DotF64(const Matrix<const double>& x, const Matrix<const double>& y) {
  return Dot(x, y);
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {

HWY_EXPORT(DotF32);
HWY_EXPORT(DotF64);

template <>
double dot(Matrix<const float> x, Matrix<const float> y) {
  return HWY_DYNAMIC_DISPATCH(DotF32)(x, y);
}
template <>
double dot(Matrix<const double> x, Matrix<const double> y) {
  return HWY_DYNAMIC_DISPATCH(DotF64)(x, y);
}

}  // namespace pdegcn::kernels
#endif
