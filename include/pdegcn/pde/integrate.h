#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "pdegcn/kernels/edge_flux.h"
#include "pdegcn/kernels/march.h"
#include "pdegcn/kernels/workspace.h"
#include "pdegcn/pde/domain.h"
#include "pdegcn/pde/dynamics.h"

namespace pdegcn::pde {

using kernels::Activation;
using kernels::EdgeDropout;
using kernels::Memory;

// Which implementation marches. Both give the same results.
enum class Path {
  automatic,  // kernels for float and double on the CPU, aten elsewhere
  kernels,    // fused passes over the edges; differentiable once
  aten,  // plain tensor operations on every device and type; differentiable as often as one likes
};

struct Options {
  Activation activation = Activation::tanh;
  bool symmetric = true;    // the ablation without the outer Kᵀ is false
  EdgeDropout dropout;      // its layer is filled in
  bool trajectory = false;  // return all states
  bool energies = false;    // return the energies of every step
  Path path = Path::automatic;
  Memory memory = Memory::automatic;  // of the kernels, for the way back
  double grid = 0;  // a power of two: f0 and the increments are rounded to its multiples
  // Where the kernels take memory from and leave it for the next time; null: memory of their own.
  std::shared_ptr<kernels::Workspace> workspace = {};
};

// What the theorems speak of, for step l = 0 to L - 1, with the velocity f_t = (f^{l+1} - f^{l-1})
// / 2h.
struct Energies {
  torch::Tensor norm;    // ‖f‖² of states 0 to L: never grows along D (theorem 1)
  torch::Tensor energy;  // ‖f_t‖² + (KGf, σ(KGf)): bounded along H (theorem 2)
  torch::Tensor conserved;  // ‖f_t‖² + 2 Σ Φ(KGf), Φ' = σ: kept along H up to O(h²), for constant K
};

struct Solution {
  torch::Tensor last;        // n x c
  torch::Tensor trajectory;  // (L + 1) x n x c, or undefined
  Energies energies;         // or undefined
};

// Marches the node field f0 (n x c) through one layer for each row of `coefficients` (L x 3, see
// dynamics.h). K holds one c x c matrix per layer (L x c x c) or one for all (1 x c x c). Gradients
// reach f0, K, the coefficients and γ. Throws Error, naming the argument, when shapes or types do
// not fit. Options::energies needs the step size and is for the other overload.
Solution integrate(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                   const torch::Tensor& coefficients, const Options& options = {});

// The same for a dynamics and a number of layers.
Solution integrate(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                   const Dynamics& dynamics, std::int64_t layers, const Options& options = {});

// The energies along a trajectory.
Energies energies(const Domain& domain, const torch::Tensor& trajectory, const torch::Tensor& K,
                  double step, Activation activation = Activation::tanh);

}  // namespace pdegcn::pde
