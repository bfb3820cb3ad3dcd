#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "pdegcn/nn/dropout.h"
#include "pdegcn/pde/integrate.h"

namespace pdegcn::nn {

// The three networks of the paper: PDE-GCN_D, PDE-GCN_H and PDE-GCN_M.
enum class Equation { diffusion, hyperbolic, mixture };

std::string_view to_string(Equation equation);   // "d", "h", "m"
Equation parse_equation(std::string_view name);  // throws Error

struct StackOptions {
  Equation equation = Equation::diffusion;
  std::int64_t layers = 2;
  std::int64_t channels = 64;
  double step = 0.5;
  pde::Activation activation = pde::Activation::tanh;
  bool symmetric = true;
  bool shared_K = false;  // one K for all layers
  double alpha = 0.5;     // where the mixture starts, strictly between 0 and 1
  bool alpha_per_layer = false;
  double edge_dropout = 0;
  pde::Path path = pde::Path::automatic;
  pde::Memory memory = pde::Memory::automatic;
};

// L PDE-GCN blocks. K starts as the identity, so that the network begins as the plain equation.
class PdeStackImpl : public torch::nn::Module {
 public:
  explicit PdeStackImpl(const StackOptions& options);

  // Marches f (n x c) over the domain; edges are dropped in training only.
  torch::Tensor forward(const pde::Domain& domain, const torch::Tensor& f, const Draw& draw = {});

  // The same with all that integrate can return.
  pde::Solution solve(const pde::Domain& domain, const torch::Tensor& f, const Draw& draw,
                      bool trajectory, bool energies = false);

  // Makes the edge weights parameters, starting from those of the domain; the stack then belongs to
  // its graph. They stay positive, being kept as logarithms.
  void learn_weights(const pde::Domain& domain);

  // The domain that the equation is solved on: the one given, with the learnt weights if there are
  // any.
  pde::Domain effective(const pde::Domain& domain) const;

  std::unique_ptr<pde::Dynamics> dynamics() const;

  // α as it is now: one value, or one per layer; undefined unless it is a mixture.
  torch::Tensor alpha() const;

  // ‖K‖₂² λmax(GᵀG) over what the dynamics allows, of the layer that is worst: stable up to 1.
  double stability_ratio(const pde::Domain& domain) const;

  const StackOptions& options() const { return options_; }

  torch::Tensor K;          // L x c x c, or 1 x c x c
  torch::Tensor beta;       // of the mixture: 1 or L values
  torch::Tensor log_gamma;  // of learnt weights: one per edge

 private:
  StackOptions options_;
  // What a step of training gives back, the next one takes.
  std::shared_ptr<kernels::Workspace> workspace_ = std::make_shared<kernels::Workspace>();
};
TORCH_MODULE(PdeStack);

}  // namespace pdegcn::nn
