// A random stack on a random graph, for the tests of this floor.
#pragma once

#include <cstdlib>
#include <string_view>

#include "pdegcn/pde/integrate.h"
#include "tests/support/random_graph.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {

enum class Kind { d, h, m, m_per_layer };

struct Setting {
  Setting(Graph graph, std::int64_t channels, std::int64_t layers, Kind k,
          torch::ScalarType type = torch::kFloat64, std::uint64_t seed = 1, double h = 0.3)
      : domain(std::move(graph), WeightKind::metropolis, {}, type),
        f0(normal({domain.graph().num_nodes(), channels}, seed, type)),
        K((torch::eye(channels, torch::kFloat64) +
           0.3 / std::sqrt(double(channels)) * normal({layers, channels, channels}, seed + 1))
              .to(type)),
        beta(0.5 * normal({k == Kind::m_per_layer ? layers : 1}, seed + 2)),
        kind(k),
        depth(layers),
        step(h) {}

  std::unique_ptr<pde::Dynamics> dynamics() const {
    if (kind == Kind::d) return std::make_unique<pde::Diffusion>(step);
    if (kind == Kind::h) return std::make_unique<pde::Hyperbolic>(step);
    return std::make_unique<pde::Mixture>(step, beta);
  }

  // Where a test leaves the memory mode open, the environment variable PDEGCN_TEST_MEMORY may
  // choose one: all tests hold for all of them. What cannot be run backwards is kept in
  // checkpoints, and a wave that can is rounded to the same grid on both paths.
  pde::Solution run(pde::Options options = {}) const {
    const char* const mode = std::getenv("PDEGCN_TEST_MEMORY");
    if (mode != nullptr && options.memory == pde::Memory::automatic) {
      const bool reverse = std::string_view(mode) == "reverse" && kind == Kind::h;
      options.memory = reverse ? pde::Memory::reverse : pde::Memory::checkpoint;
      if (reverse && options.grid == 0)
        options.grid = f0.scalar_type() == torch::kFloat32 ? 0x1p-20 : 0x1p-49;
    }
    return pde::integrate(domain, f0, K, *dynamics(), depth, options);
  }

  pde::Domain domain;
  torch::Tensor f0;
  torch::Tensor K;
  torch::Tensor beta;
  Kind kind;
  std::int64_t depth;
  double step;
};

inline const std::vector<Kind> kKinds{Kind::d, Kind::h, Kind::m, Kind::m_per_layer};
inline const std::vector<pde::Activation> kActivations{pde::Activation::tanh, pde::Activation::relu,
                                                       pde::Activation::identity};

// A connected graph with something of everything: a hub, a path, a clique and an isolated node.
inline Graph mixed_graph() {
  std::vector<Edge> edges;
  for (NodeId i = 1; i < 7; ++i) edges.push_back({0, i});
  for (NodeId i = 7; i < 11; ++i) edges.push_back({i - 1, i});
  for (NodeId i = 11; i < 14; ++i)
    for (NodeId j = 10; j < i; ++j) edges.push_back({j, i});
  return Graph::from_edges(15, edges);
}

}  // namespace pdegcn::tests
