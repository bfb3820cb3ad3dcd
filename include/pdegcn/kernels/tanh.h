#pragma once

#include <cstdint>

namespace pdegcn::kernels {

// out[k] = tanh(x[k]) as the edge passes compute it, on the calling thread; the two may be the
// same.
//
// For float a rational function of our own: within 5e-7 of tanh, odd, |t| ≤ min(|x|, 1), exact at
// zero and at infinity, and a NaN stays one. For double it is accurate to a few units in the last
// place.
template <class T>
void tanh_values(const T* x, std::int64_t count, T* out);

}  // namespace pdegcn::kernels
