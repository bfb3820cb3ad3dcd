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

// A rational function of degree 9 over 8. Every coefficient of P is below that of Q, so P ≤ Q after
// rounding too: |tanh x| ≤ |x|. A comparison with a NaN is false, so that a NaN goes through.
template <class D>
HWY_INLINE hn::Vec<D> TanhOf(D d, hn::Vec<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Tanh(d, x);
  } else {
    const auto u = hn::Mul(x, x);
    auto p = hn::Set(d, 1.43126169e-08f);
    p = hn::MulAdd(p, u, hn::Set(d, 2.12979121e-05f));
    p = hn::MulAdd(p, u, hn::Set(d, 0.00353748351f));
    p = hn::MulAdd(p, u, hn::Set(d, 0.134163246f));
    p = hn::MulAdd(p, u, hn::Set(d, 1.0f));
    auto q = hn::Set(d, 8.16758529e-07f);
    q = hn::MulAdd(q, u, hn::Set(d, 0.000335410499f));
    q = hn::MulAdd(q, u, hn::Set(d, 0.0260364562f));
    q = hn::MulAdd(q, u, hn::Set(d, 0.467496485f));
    q = hn::MulAdd(q, u, hn::Set(d, 1.0f));
    const auto beyond = hn::Gt(hn::Abs(x), hn::Set(d, 8.6f));
    return hn::IfThenElse(beyond, hn::CopySign(hn::Set(d, 1.0f), x), hn::Mul(x, hn::Div(p, q)));
  }
}

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
