#include "pdegcn/nn/pde_stack.h"

#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::nn {
namespace {

// Sites of random draws count from 1 upwards in the networks; edges have a site that none of them
// uses.
constexpr std::uint64_t kEdgeSite = 1000;

}  // namespace

std::string_view to_string(Equation equation) {
  switch (equation) {
    case Equation::diffusion:
      return "d";
    case Equation::hyperbolic:
      return "h";
    default:
      return "m";
  }
}

Equation parse_equation(std::string_view name) {
  for (const Equation e : {Equation::diffusion, Equation::hyperbolic, Equation::mixture})
    if (to_string(e) == name) return e;
  throw Error("there is no equation '{}'; there are d (diffusion), h (hyperbolic), m (mixture)",
              name);
}

PdeStackImpl::PdeStackImpl(const StackOptions& options) : options_(options) {
  if (options.layers < 1) throw Error("layers must be at least 1, they are {}", options.layers);
  if (options.channels < 1)
    throw Error("channels must be at least 1, they are {}", options.channels);
  if (!(options.edge_dropout >= 0) || options.edge_dropout >= 1)
    throw Error("edge_dropout must be in [0, 1), it is {}", options.edge_dropout);
  if (!(options.alpha > 0) || !(options.alpha < 1))
    throw Error("alpha must lie strictly between 0 and 1, it is {}", options.alpha);
  const std::int64_t matrices = options.shared_K ? 1 : options.layers;
  K = register_parameter("K", torch::eye(options.channels).repeat({matrices, 1, 1}));
  if (options.equation == Equation::mixture) {
    const double logit = std::log(options.alpha / (1 - options.alpha));
    beta = register_parameter("beta",
                              torch::full({options.alpha_per_layer ? options.layers : 1}, logit));
  }
  dynamics();  // refuses a bad step now, not at the first forward
}

std::unique_ptr<pde::Dynamics> PdeStackImpl::dynamics() const {
  switch (options_.equation) {
    case Equation::diffusion:
      return std::make_unique<pde::Diffusion>(options_.step);
    case Equation::hyperbolic:
      return std::make_unique<pde::Hyperbolic>(options_.step);
    default:
      return std::make_unique<pde::Mixture>(options_.step, beta);
  }
}

torch::Tensor PdeStackImpl::forward(const pde::Domain& domain, const torch::Tensor& f,
                                    const Draw& draw) {
  return solve(domain, f, draw, false).last;
}

pde::Solution PdeStackImpl::solve(const pde::Domain& domain, const torch::Tensor& f,
                                  const Draw& draw, bool trajectory, bool energies) {
  pde::Options how;
  how.activation = options_.activation;
  how.symmetric = options_.symmetric;
  how.path = options_.path;
  how.memory = options_.memory;
  how.trajectory = trajectory;
  how.energies = energies;
  how.workspace = workspace_;
  if (is_training()) {
    how.dropout.p = options_.edge_dropout;
    how.dropout.seed = draw.seed_of(kEdgeSite);
    how.dropout.step = static_cast<std::uint32_t>(draw.step);
  }
  return pde::integrate(effective(domain), f, K, *dynamics(), options_.layers, how);
}

void PdeStackImpl::learn_weights(const pde::Domain& domain) {
  const auto gamma = domain.gamma().detach();
  if (gamma.numel() > 0 && gamma.min().item<double>() <= 0)
    throw Error("learnt weights must start above 0, the smallest is {}",
                gamma.min().item<double>());
  log_gamma = register_parameter("log_gamma", gamma.log());
}

pde::Domain PdeStackImpl::effective(const pde::Domain& domain) const {
  return log_gamma.defined() ? domain.with_gamma(log_gamma.exp()) : domain;
}

torch::Tensor PdeStackImpl::alpha() const {
  return beta.defined() ? torch::sigmoid(beta.detach()) : torch::Tensor();
}

double PdeStackImpl::stability_ratio(const pde::Domain& domain) const {
  const torch::NoGradGuard no_grad;
  // ‖K‖₂² is the largest eigenvalue of KᵀK.
  const auto wide = K.to(torch::kCPU, torch::kFloat64);
  const auto spectral = torch::linalg_eigvalsh(wide.transpose(1, 2).matmul(wide)).max();
  return spectral.item<double>() * effective(domain).lambda_max() / dynamics()->stability_limit();
}

}  // namespace pdegcn::nn
