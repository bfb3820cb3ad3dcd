#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

namespace pdegcn::pde {

// An equation of motion on a graph, discretised in time.
//
// One step is f^{l+1} = a f^l + b f^{l-1} + s r_l with f^{-1} = f^0 and r_l = Gᵀ K_lᵀ σ(K_l G f^l);
// a dynamics is a rule for a, b and s. That is all the integrator asks of it, and how to write one
// of your own: give the coefficients of each layer, as a differentiable function of whatever you
// want learnt.
class Dynamics {
 public:
  // `step` is the step size h; throws Error unless it is positive and finite.
  explicit Dynamics(double step);
  virtual ~Dynamics() = default;

  double step() const { return step_; }
  virtual std::string name() const = 0;

  // Rows (a, b, s), one per layer, as doubles.
  virtual torch::Tensor coefficients(std::int64_t layers) const = 0;

  // The largest ‖K‖² λmax(GᵀG) for which the linear equation (σ(x) = x) is stable. For diffusion
  // this is enough for every σ with |σ(x)| ≤ |x|; a wave with tanh can still grow when it is steep
  // and the step is close to the limit, see docs/mathematics.md.
  virtual double stability_limit() const = 0;

 private:
  double step_;
};

// PDE-GCN_D, f_t = ∇·Kᵀσ(K∇f) by forward Euler: f^{l+1} = f^l - h r_l, equation (6).
class Diffusion : public Dynamics {
 public:
  using Dynamics::Dynamics;
  std::string name() const override { return "diffusion"; }
  torch::Tensor coefficients(std::int64_t layers) const override;
  double stability_limit() const override;
};

// PDE-GCN_H, f_tt = ∇·Kᵀσ(K∇f) by leapfrog: f^{l+1} = 2 f^l - f^{l-1} - h² r_l, equation (7).
class Hyperbolic : public Dynamics {
 public:
  using Dynamics::Dynamics;
  std::string name() const override { return "hyperbolic"; }
  torch::Tensor coefficients(std::int64_t layers) const override;
  double stability_limit() const override;
};

// PDE-GCN_M, α f_tt + (1 - α) f_t = ∇·Kᵀσ(K∇f), equation (9):
//   f^{l+1} = [2α f^l - α f^{l-1} + h(1-α) f^l - h² r_l] / (α + h(1-α)),   α = sigmoid(β).
// It is D for α = 0 and H for α = 1.
class Mixture : public Dynamics {
 public:
  // β is one number, or one per layer; gradients reach it.
  Mixture(double step, torch::Tensor beta);
  std::string name() const override { return "mixture"; }
  torch::Tensor coefficients(std::int64_t layers) const override;
  double stability_limit() const override;  // of the layer that allows least

  torch::Tensor alpha() const { return torch::sigmoid(beta_); }

 private:
  torch::Tensor beta_;
};

}  // namespace pdegcn::pde
