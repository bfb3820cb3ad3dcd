// Ways of keeping states: the same results, less memory.
#include "setting.h"
#include "tests/support/expect_error.h"

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

TEST(Memory, TheDefaultGridHardlyMovesAResult) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const Setting s(mixed_graph(), 5, 20, Kind::h, type, 1, 0.2);
    Options options;
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

}  // namespace
}  // namespace pdegcn::tests
