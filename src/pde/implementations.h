// The two implementations of integrate; arguments are checked by then. Each returns the last state,
// or all of them when options.trajectory asks for it.
#pragma once

#include "pdegcn/pde/integrate.h"

namespace pdegcn::pde {

torch::Tensor march_aten(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                         const torch::Tensor& coefficients, const Options& options);

torch::Tensor march_kernels(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                            const torch::Tensor& coefficients, const Options& options);

// ½(σ(x) - σ(-x)), all that is left of σ when the two orientations of an edge are averaged.
torch::Tensor odd_part(const torch::Tensor& x, Activation activation);

}  // namespace pdegcn::pde
