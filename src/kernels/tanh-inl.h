// tanh for vectors, compiled once per target; the coefficients are fitted by tools/fit_tanh.py.
#if defined(PDEGCN_KERNELS_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PDEGCN_KERNELS_TANH_INL_H_
#undef PDEGCN_KERNELS_TANH_INL_H_
#else
#define PDEGCN_KERNELS_TANH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// By the half-angle formula: tanh x = 2s / (1 + s²) with s = tanh(x/2) ≈ (x/2) P / Q, where P and Q
// are of degree two and three in (x/2)², which makes
//
//   tanh x = x PQ / (Q² + (x/2)² P²).
//
// Errors of s fade out where tanh levels off, so that only the rounding of this last formula is
// left there, and values hardly ever fall. The coefficients of P are below those of Q, so that P ≤
// Q after rounding too, and |tanh x| ≤ |x|. A comparison with a NaN is false: a NaN goes through.
template <class D>
HWY_INLINE hn::Vec<D> TanhOf(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Tanh(d, x);
  } else {
    const auto one = hn::Set(d, 1.0f);
    const auto half = hn::Mul(x, hn::Set(d, 0.5f));
    const auto u = hn::Mul(half, half);
    auto p = hn::Set(d, 0.0018465059f);
    p = hn::MulAdd(p, u, hn::Set(d, 0.1193045f));
    p = hn::MulAdd(p, u, one);
    auto q = hn::Set(d, 8.0249192e-05f);
    q = hn::MulAdd(q, u, hn::Set(d, 0.0193929f));
    q = hn::MulAdd(q, u, hn::Set(d, 0.45263771f));
    q = hn::MulAdd(q, u, one);
    const auto ratio = hn::Div(hn::Mul(p, q), hn::MulAdd(hn::Mul(u, p), p, hn::Mul(q, q)));
    const auto beyond = hn::Gt(u, hn::Set(d, 16.0f));
    return hn::IfThenElse(beyond, hn::CopySign(one, x), hn::Mul(x, ratio));
  }
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
