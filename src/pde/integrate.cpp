#include "pdegcn/pde/integrate.h"

#include "implementations.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::pde {
namespace {

void check(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
           const torch::Tensor& coefficients, const Options& options) {
  const auto shape = [](const torch::Tensor& t) {
    return fmt::format("{}", fmt::join(t.sizes(), " x "));
  };
  if (!f0.defined() || f0.dim() != 2 || !f0.is_floating_point())
    throw Error("f0 must be a matrix of floating-point numbers, nodes x channels");
  if (f0.size(0) != domain.graph().num_nodes())
    throw Error("f0 has {} rows, the graph has {} nodes", f0.size(0), domain.graph().num_nodes());
  if (f0.size(1) < 1) throw Error("f0 has no channels");
  if (coefficients.dim() != 2 || coefficients.size(1) != 3)
    throw Error("coefficients must be layers x 3, they are {}", shape(coefficients));
  const std::int64_t layers = coefficients.size(0);
  if (layers < 1) throw Error("layers must be at least 1, there are {}", layers);
  const std::int64_t c = f0.size(1);
  if (K.dim() != 3 || (K.size(0) != layers && K.size(0) != 1) || K.size(1) != c || K.size(2) != c)
    throw Error("K must be {} x {} x {}, or 1 x {} x {} when it is shared; it is {}", layers, c, c,
                c, c, shape(K));
  for (const auto& [name, tensor] : {std::pair("K", K), std::pair("gamma", domain.gamma())})
    if (tensor.scalar_type() != f0.scalar_type() || tensor.device() != f0.device())
      throw Error("{} is {} on {}, f0 is {} on {}", name, toString(tensor.scalar_type()),
                  tensor.device().str(), toString(f0.scalar_type()), f0.device().str());
  if (!(options.dropout.p >= 0) || options.dropout.p >= 1)
    throw Error("the edge dropout p must be in [0, 1), it is {}", options.dropout.p);
}

bool use_kernels(const torch::Tensor& f0, Path path) {
  const bool possible = f0.device().is_cpu() && (f0.scalar_type() == torch::kFloat32 ||
                                                 f0.scalar_type() == torch::kFloat64);
  if (path == Path::kernels && !possible)
    throw Error("the kernels are for float and double on the CPU; f0 is {} on {}",
                toString(f0.scalar_type()), f0.device().str());
  return possible && path != Path::aten;
}

}  // namespace

Solution integrate(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                   const torch::Tensor& coefficients, const Options& options) {
  check(domain, f0, K, coefficients, options);
  const auto march = use_kernels(f0, options.path) ? march_kernels : march_aten;
  const torch::Tensor result = march(domain, f0, K, coefficients, options);
  Solution solution;
  solution.last = options.trajectory ? result[-1] : result;
  if (options.trajectory) solution.trajectory = result;
  return solution;
}

Solution integrate(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                   const Dynamics& dynamics, std::int64_t layers, const Options& options) {
  if (layers < 1) throw Error("layers must be at least 1, there are {}", layers);
  Options with_states = options;
  with_states.trajectory |= options.energies;
  Solution solution = integrate(domain, f0, K, dynamics.coefficients(layers), with_states);
  if (options.energies)
    solution.energies =
        energies(domain, solution.trajectory, K, dynamics.step(), options.activation);
  if (!options.trajectory) solution.trajectory = torch::Tensor();
  return solution;
}

Energies energies(const Domain& domain, const torch::Tensor& trajectory, const torch::Tensor& K,
                  double step, Activation activation) {
  const torch::NoGradGuard no_grad;
  const std::int64_t layers = trajectory.size(0) - 1;
  std::vector<torch::Tensor> norm, energy, conserved;
  for (std::int64_t l = 0; l <= layers; ++l)
    norm.push_back(trajectory[l].to(torch::kFloat64).square().sum());
  for (std::int64_t l = 0; l < layers; ++l) {
    const auto g = trajectory[l].matmul(K[K.size(0) == 1 ? 0 : l].t());
    const auto x = (domain.gamma().unsqueeze(1) * (g.index_select(0, domain.first_ends()) -
                                                   g.index_select(0, domain.second_ends())))
                       .to(torch::kFloat64);
    // log cosh x = |x| + log(1 + e^{-2|x|}) - log 2, which does not overflow.
    const auto potential = activation == Activation::tanh
                               ? x.abs() + (-2 * x.abs()).exp().log1p() - std::log(2.0)
                               : odd_part(x, activation) * x / 2;
    const auto velocity =
        (trajectory[l + 1] - trajectory[std::max<std::int64_t>(l - 1, 0)]).to(torch::kFloat64) /
        (2 * step);
    energy.push_back(velocity.square().sum() + (x * odd_part(x, activation)).sum());
    conserved.push_back(velocity.square().sum() + 2 * potential.sum());
  }
  return {torch::stack(norm), torch::stack(energy), torch::stack(conserved)};
}

}  // namespace pdegcn::pde
