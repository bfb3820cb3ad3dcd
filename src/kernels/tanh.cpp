#include "pdegcn/kernels/tanh.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tanh.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void TanhValues(const T* x, std::int64_t count, T* out) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) hn::StoreU(TanhOf(d, hn::LoadU(d, x + k)), d, out + k);
  if (k == count) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
  std::copy(x + k, x + count, rest);
  hn::Store(TanhOf(d, hn::Load(d, rest)), d, rest);
  std::copy_n(rest, count - k, out + k);
}

void TanhF32(const float* x, std::int64_t count, float* out) {
  TanhValues(x, count, out);
}
void TanhF64(const double* x, std::int64_t count, double* out) {
  TanhValues(x, count, out);
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {

HWY_EXPORT(TanhF32);
HWY_EXPORT(TanhF64);

template <>
void tanh_values(const float* x, std::int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(TanhF32)(x, count, out);
}
template <>
void tanh_values(const double* x, std::int64_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(TanhF64)(x, count, out);
}

}  // namespace pdegcn::kernels
#endif
