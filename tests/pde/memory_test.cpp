// Ways of keeping states: the same results, less memory.
#include "setting.h"
#include "tests/support/allocations.h"
#include "tests/support/expect_error.h"
#include "tests/support/sanitized.h"

namespace pdegcn::tests {
namespace {

using pde::Memory;
using pde::Options;

std::vector<torch::Tensor> results(Setting s, const Options& options) {
  for (torch::Tensor* t : {&s.f0, &s.K, &s.beta}) *t = t->detach().clone().requires_grad_();
  s.domain = s.domain.with_gamma(s.domain.gamma().detach().clone().requires_grad_());
  const auto last = s.run(options).last;
  std::vector<torch::Tensor> inputs{s.f0, s.K, s.domain.gamma()};
  if (s.kind == Kind::m || s.kind == Kind::m_per_layer) inputs.push_back(s.beta);
  const auto weights = normal(last.sizes(), 6, last.scalar_type());
  auto all = torch::autograd::grad({last}, inputs, {weights}, true);
  // A second time from the same graph.
  const auto again = torch::autograd::grad({last}, inputs, {weights}, true);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_TRUE(all[k].equal(again[k]));
  all.push_back(last.detach());
  return all;
}

void expect_same(const Setting& s, Options options, Memory memory) {
  options.memory = Memory::store;
  const auto stored = results(s, options);
  options.memory = memory;
  const auto other = results(s, options);
  for (std::size_t k = 0; k < stored.size(); ++k)
    EXPECT_TRUE(stored[k].equal(other[k])) << "result " << k;
}

TEST(Memory, CheckpointsGiveTheBitsOfStore) {
  for (const Kind kind : kKinds)
    for (const auto type : {torch::kFloat32, torch::kFloat64})
      for (const std::int64_t layers : {1, 2, 3, 7, 16, 50}) {
        Options options;
        options.dropout = {0.2, 4, 1, 0};
        expect_same(Setting(mixed_graph(), 5, layers, kind, type), options, Memory::checkpoint);
        options.symmetric = false;
        expect_same(Setting(mixed_graph(), 5, layers, kind, type), options, Memory::checkpoint);
      }
}

TEST(Memory, AReversedWaveGivesTheBitsOfStoreOnTheSameGrid) {
  for (const auto& [type, grid] :
       {std::pair(torch::kFloat32, 0x1p-18), std::pair(torch::kFloat32, 0x1p-20),
        std::pair(torch::kFloat64, 0x1p-40)})
    for (const std::int64_t layers : {1, 2, 3, 16, 1000}) {
      Options options;
      options.dropout.p = layers > 16 ? 0 : 0.2;  // masks that change pump energy into the wave
      options.grid = grid;
      Setting s(mixed_graph(), 5, layers, Kind::h, type, 1, 0.1);
      s.f0 = 0.25 * s.f0;  // a wave may pile up; it has to stay below 8 on the finest grid
      if (layers > 16) s.K = s.K.slice(0, 0, 1);
      expect_same(s, options, Memory::reverse);
      if (layers > 16) continue;  // without the outer Kᵀ nothing keeps the energy bounded
      options.symmetric = false;
      expect_same(s, options, Memory::reverse);
    }
}

// As wide as the matrix unit takes them, where there is one.
TEST(Memory, AWideReversedWaveGivesTheBitsOfStore) {
  Options options;
  options.grid = 0x1p-18;
  Setting s(clique_and_isolated().build(), 128, 5, Kind::h, torch::kFloat32, 1, 0.1);
  s.f0 = 0.25 * s.f0;
  expect_same(s, options, Memory::reverse);
  expect_same(s, options, Memory::checkpoint);
}

TEST(Memory, TheDefaultGridHardlyMovesAResult) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const Setting s(mixed_graph(), 5, 20, Kind::h, type, 1, 0.2);
    Options options;
    options.memory = Memory::store;
    const auto plain = s.run(options).last;
    options.memory = Memory::reverse;
    const auto reversed = results(s, options).back();
    EXPECT_FALSE(plain.equal(reversed));
    EXPECT_LT(distance(reversed, plain), type == torch::kFloat32 ? 1e-3 : 1e-9);
  }
}

TEST(Memory, TheAtenPathRoundsTheSameWay) {
  for (const Kind kind : kKinds) {
    const Setting s(mixed_graph(), 5, 6, kind);
    Options options;
    options.grid = 0x1p-6;  // coarse enough to matter
    const auto a = results(s, options);
    options.path = pde::Path::aten;
    const auto b = results(s, options);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_LT(distance(a[k], b[k]), 1e-10);
  }
}

TEST(Memory, WhatCannotBeReversedIsRefused) {
  Options options;
  options.memory = Memory::reverse;
  for (const Kind kind : {Kind::d, Kind::m})
    PDEGCN_EXPECT_ERROR(Setting(mixed_graph(), 5, 3, kind).run(options), "wave", "checkpoint");
  options.grid = 0.3;
  PDEGCN_EXPECT_ERROR(Setting(mixed_graph(), 5, 3, Kind::h).run(options), "grid", "0.3");
  // Values beyond the grid: found out, not silently wrong.
  options.grid = 0x1p-20;
  Setting s(mixed_graph(), 5, 3, Kind::h, torch::kFloat32);
  s.f0 = (s.f0 * 1e4).requires_grad_();
  PDEGCN_EXPECT_ERROR(s.run(options), "grown to 8", "checkpoint");
}

#if !PDEGCN_SANITIZED

// A ring, large beside all that is not a state.
Graph ring() {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < 4000; ++i) edges.push_back({i, NodeId((i + 1) % 4000)});
  return Graph::from_edges(4000, edges);
}
constexpr double kRingState = 4000 * 16 * sizeof(float);

// The most memory that the kernels hold in a training step with one K for all layers, in states.
double states_of(Kind kind, std::int64_t layers, const Options& options) {
  Setting s(ring(), 16, layers, kind, torch::kFloat32, 1, 0.1);
  s.f0 = 0.1 * s.f0;
  s.K = s.K.slice(0, 0, 1).clone().requires_grad_();
  reset_peak_allocation();
  s.run(options).last.sum().backward();
  return static_cast<double>(peak_allocation()) / kRingState;
}

TEST(Memory, DoesNotGrowWithTheLayersOfAReversedWave) {
  Options options;
  options.memory = Memory::reverse;
  const double ten = states_of(Kind::h, 10, options);
  EXPECT_GT(ten, 8) << "nothing was counted";
  EXPECT_LE(states_of(Kind::h, 1000, options), 1.2 * ten);
}

TEST(Memory, GrowsWithTheRootOfTheLayersInCheckpoints) {
  Options options;
  options.memory = Memory::checkpoint;
  const double ten = states_of(Kind::d, 10, options);
  EXPECT_GT(ten, 8) << "nothing was counted";
  EXPECT_LE(states_of(Kind::d, 1000, options), 8 * ten);
}

TEST(Memory, AStepAfterTheFirstTakesNothingFresh) {
  Options options;
  options.workspace = std::make_shared<kernels::Workspace>();
  for (const Memory memory : {Memory::store, Memory::checkpoint, Memory::reverse}) {
    options.memory = memory;
    states_of(Kind::h, 6, options);
    EXPECT_LT(states_of(Kind::h, 6, options), 0.5);
  }
}

TEST(Memory, TwoGraphsAliveAtOnceDoNotShareABlock) {
  Options options;
  options.workspace = std::make_shared<kernels::Workspace>();
  const Setting s(mixed_graph(), 5, 4, Kind::m);
  const auto gradient = [&](const torch::Tensor& loss, const torch::Tensor& K) {
    return torch::autograd::grad({loss.sum()}, {K})[0];
  };
  Setting a = s, b = s;
  a.K = s.K.detach().clone().requires_grad_();
  b.K = (0.5 * s.K).detach().requires_grad_();
  const auto expected_a = gradient(a.run().last, a.K), expected_b = gradient(b.run().last, b.K);
  const auto first = a.run(options).last, second = b.run(options).last;
  {
    const torch::NoGradGuard no_grad;
    s.run(options);  // an evaluation in between
  }
  EXPECT_TRUE(gradient(first, a.K).equal(expected_a));
  EXPECT_TRUE(gradient(second, b.K).equal(expected_b));
}

#endif

}  // namespace
}  // namespace pdegcn::tests
