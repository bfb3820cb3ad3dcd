#pragma once

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// Σ x_ik y_ik over all rows, in double, on the calling thread. Both are padded.
template <class T>
double dot(Matrix<const T> x, Matrix<const T> y);

}  // namespace pdegcn::kernels
