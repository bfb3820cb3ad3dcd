// The theorems of the paper, and what DESIGN adds to them, along whole trajectories.
#include "pdegcn/graph/operators.h"
#include "setting.h"

namespace pdegcn::tests {
namespace {

using pde::Activation;

double spectral_norm_squared(const torch::Tensor& K) {
  return torch::linalg_eigvalsh(K.transpose(1, 2).matmul(K)).max().item<double>();
}

// Theorem 1: inside hλ ≤ 2 the norm never grows, for every σ with |σ(x)| ≤ |x| and any K.
RC_GTEST_PROP(Theorem1, TheNormNeverGrowsInsideTheBound, (const RandomGraph& given)) {
  Setting s(given.build(), 4, 12, Kind::d);
  s.K = s.K.slice(0, 0, 1);
  const double lambda = spectral_norm_squared(s.K) *
                        lambda_bound(s.domain.graph(), {s.domain.gamma().data_ptr<double>(),
                                                        std::size_t(s.domain.gamma().numel())});
  s.step = lambda > 0 ? 2 / lambda : 1;
  for (const Activation activation : kActivations) {
    pde::Options options;
    options.activation = activation;
    options.energies = true;
    const auto norm = s.run(options).energies.norm;
    for (std::int64_t l = 0; l < s.depth; ++l)
      RC_ASSERT(norm[l + 1].item<double>() <= norm[l].item<double>() * (1 + 1e-12));
  }
}

TEST(Theorem1, JustOutsideTheBoundTheTopEigenvectorGrows) {
  const Graph graph = mixed_graph();
  Setting s(graph, 1, 20, Kind::d);
  const auto gamma = edge_weights(graph, WeightKind::metropolis);
  // The dense Laplacian and its top eigenvector.
  const std::int64_t n = graph.num_nodes();
  auto laplacian_matrix = torch::zeros({n, n}, torch::kFloat64);
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> unit(n, 0);
    unit[i] = 1;
    laplacian_matrix[i] = torch::tensor(laplacian<double>(graph, gamma, unit, 1), torch::kFloat64);
  }
  const auto [values, vectors] = torch::linalg_eigh(laplacian_matrix);
  const double lambda = values[-1].item<double>();
  EXPECT_NEAR(s.domain.lambda_max(), lambda, 1e-4 * lambda);
  s.f0 = vectors.slice(1, n - 1, n).contiguous();
  s.K = torch::eye(1, torch::kFloat64).unsqueeze(0);
  pde::Options options;
  options.activation = Activation::identity;
  options.energies = true;

  s.step = 2.02 / lambda;
  EXPECT_GT(s.run(options).energies.norm[20].item<double>(), 1.5);
  s.step = 1.98 / lambda;
  EXPECT_LT(s.run(options).energies.norm[20].item<double>(), 0.7);
}

TEST(Theorem1, DiffusionConservesTheSumOfEveryChannel) {
  const Setting s(mixed_graph(), 5, 50, Kind::d);
  EXPECT_LT(distance(s.run().last.sum(0), s.f0.sum(0)), 1e-12);
}

// Theorem 2, in float through 10,000 steps, and what the tanh flow really conserves.
TEST(Theorem2, TheEnergyOfTheWaveStaysBounded) {
  Setting s(mixed_graph(), 3, 10000, Kind::h, torch::kFloat32);
  s.K = s.K.slice(0, 0, 1);
  s.step = 0.2;
  for (const Activation activation : kActivations) {
    pde::Options options;
    options.activation = activation;
    options.energies = true;
    const auto e = s.run(options).energies;
    EXPECT_TRUE(e.energy.isfinite().all().item<bool>());
    // E_net ≤ the conserved energy + its drift: x tanh x ≤ 2 log cosh x + ..., so twice is
    // generous.
    EXPECT_LT(e.energy.max().item<double>(), 2 * e.conserved[0].item<double>());
    EXPECT_LT((e.conserved - e.conserved[0]).abs().max().item<double>(),
              0.1 * e.conserved[0].item<double>());
  }
}

TEST(Theorem2, TheConservedEnergyDriftsWithTheSquareOfTheStep) {
  const auto drift = [](double h) {
    Setting s(mixed_graph(), 3, static_cast<std::int64_t>(40 / h), Kind::h);
    s.K = s.K.slice(0, 0, 1);
    s.step = h;
    pde::Options options;
    options.energies = true;
    const auto e = s.run(options).energies.conserved;
    return ((e - e[0]).abs().max() / e[0]).item<double>();
  };
  const double coarse = drift(0.2), fine = drift(0.1), finest = drift(0.05);
  EXPECT_NEAR(coarse / fine, 4, 1);
  EXPECT_NEAR(fine / finest, 4, 1);
}

TEST(Theorem2, TheWaveRunsBackwardsToWhereItCameFrom) {
  // From the last two states reversed, the same recurrence returns to the first ones.
  Setting s(mixed_graph(), 3, 30, Kind::h);
  s.K = s.K.slice(0, 0, 1);
  pde::Options options;
  options.trajectory = true;
  const auto states = s.run(options).trajectory;
  auto now = states[29], before = states[30];
  for (std::int64_t l = 29; l > 0; --l) {
    // One step with zero initial velocity is f - h² r, whence r; then f^{l-1} = 2 f^l - f^{l+1} -
    // h² r.
    const auto one = pde::integrate(s.domain, now, s.K, pde::Hyperbolic(s.step), 1).last;
    const auto next = 2 * now - before + (one - now);
    before = now;
    now = next;
  }
  EXPECT_LT(distance(now, s.f0), 1e-10);
}

TEST(Mixture, BehavesNearItsEnds) {
  for (const double beta : {-60.0, -20.0, 0.0, 20.0, 60.0}) {
    Setting s(mixed_graph(), 3, 200, Kind::m);
    s.K = torch::eye(3, torch::kFloat64).unsqueeze(0);
    s.step = 0.5;
    s.beta = torch::full({1}, beta, torch::kFloat64).requires_grad_();
    const pde::Mixture dynamics(s.step, s.beta);
    EXPECT_LT(s.domain.lambda_max(), dynamics.stability_limit());
    const auto last = s.run().last;
    EXPECT_TRUE(last.isfinite().all().item<bool>());
    EXPECT_LT(last.norm().item<double>(), 3 * s.f0.norm().item<double>());
    last.square().sum().backward();
    EXPECT_TRUE(s.beta.grad().isfinite().all().item<bool>());
  }
}

}  // namespace
}  // namespace pdegcn::tests
