// What must not matter: the order of nodes and edges, company in a union, the type, the threads.
#include "pdegcn/graph/transform.h"
#include "setting.h"

namespace pdegcn::tests {
namespace {

using pde::Options;
using pde::Path;

RC_GTEST_PROP(Invariance, ANewOrderOfNodesReordersTheResult, (const RandomGraph& given)) {
  const Graph graph = given.build();
  std::vector<NodeId> order(graph.num_nodes());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<NodeId>(i);
  kernels::Random random(*rc::gen::arbitrary<std::uint64_t>());
  random.shuffle<NodeId>(order);
  const Setting s(graph, 3, 4, *rc::gen::elementOf(kKinds));
  const auto index =
      torch::tensor(std::vector<std::int64_t>(order.begin(), order.end()), torch::kInt64);
  Setting moved = s;
  moved.domain =
      pde::Domain(reorder(graph, order).graph, WeightKind::metropolis, {}, torch::kFloat64);
  moved.f0 = s.f0.index_select(0, index);
  RC_ASSERT(distance(moved.run().last, s.run().last.index_select(0, index)) < 1e-12);
}

RC_GTEST_PROP(Invariance, TheOrderAndDirectionOfEdgesLeaveNoTrace, (const RandomGraph& given)) {
  auto edges = given.edges;
  kernels::Random random(*rc::gen::arbitrary<std::uint64_t>());
  random.shuffle<Edge>(edges);
  for (Edge& e : edges)
    if (random.below(2) == 1) std::swap(e.i, e.j);
  Options options;
  options.dropout.p = 0.3;
  const Setting a(given.build(), 3, 4, Kind::m);
  const Setting b(Graph::from_edges(given.nodes, edges), 3, 4, Kind::m);
  RC_ASSERT(a.run(options).last.equal(b.run(options).last));
}

RC_GTEST_PROP(Invariance, AUnionIsItsPartsSideBySide,
              (const RandomGraph& first, const RandomGraph& second)) {
  const auto kind = *rc::gen::elementOf(kKinds);
  const Setting a(first.build(), 3, 4, kind);
  Setting b(second.build(), 3, 4, kind, torch::kFloat64, 1);
  const Graph* parts[] = {&a.domain.graph(), &b.domain.graph()};
  Setting both(disjoint_union(parts).graph, 3, 4, kind);
  both.f0 = torch::cat({a.f0, b.f0});
  RC_ASSERT(distance(both.run().last, torch::cat({a.run().last, b.run().last})) < 1e-13);
}

// The kernels may walk the nodes in an order of their own: nobody sees it, in no mask and gradient.
RC_GTEST_PROP(Invariance, NobodySeesTheOrderOfTheKernels, (const RandomGraph& given)) {
  Setting s(given.build(), 3, 4, *rc::gen::elementOf(kKinds));
  RC_PRE(s.domain.graph().num_nodes() > 0);
  Options options;
  options.dropout = {0.4, 5, 2, 0};
  options.trajectory = *rc::gen::arbitrary<bool>();
  const auto results = [&](bool reordered) {
    Setting t = s;
    for (torch::Tensor* x : {&t.f0, &t.K, &t.beta}) *x = x->detach().clone().requires_grad_();
    t.domain = t.domain.with_gamma(t.domain.gamma().detach().clone().requires_grad_());
    const auto gamma = t.domain.gamma();
    if (reordered) t.domain = t.domain.reordered();
    const auto solution = t.run(options);
    const auto result = options.trajectory ? solution.trajectory : solution.last;
    auto all = torch::autograd::grad({(result * normal(result.sizes(), 7)).sum()},
                                     {t.f0, t.K, gamma}, {}, false, false, true);
    all.push_back(result.detach());
    return all;
  };
  const auto plain = results(false), moved = results(true);
  for (std::size_t k = 0; k < plain.size(); ++k) RC_ASSERT(distance(plain[k], moved[k]) < 1e-11);
}

TEST(Invariance, FloatFollowsDouble) {
  for (const Kind kind : kKinds) {
    const Setting wide(mixed_graph(), 8, 16, kind);
    const Setting narrow(mixed_graph(), 8, 16, kind, torch::kFloat32);
    EXPECT_LT(distance(narrow.run().last, wide.run().last), 2e-5);
  }
}

// A graph of a few thousand edges, so that all threads have work.
Graph large_graph() {
  kernels::Random random(5);
  std::vector<Edge> edges;
  for (int k = 0; k < 6000; ++k)
    edges.push_back({NodeId(random.below(2000)), NodeId(random.below(2000))});
  for (NodeId i = 1; i < 700; ++i) edges.push_back({0, i});
  return Graph::from_edges(2000, edges);
}

TEST(Invariance, TheBitsDoNotDependOnTheThreads) {
  const int before = at::get_num_threads();
  for (const Kind kind : kKinds)
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
      std::vector<torch::Tensor> first;
      for (const int threads : {1, 2, 4, 2, 1}) {
        at::set_num_threads(threads);
        Setting s(large_graph(), 20, 5, kind, type);
        s.f0.requires_grad_();
        s.K.requires_grad_();
        s.beta.requires_grad_();
        s.domain = s.domain.with_gamma(s.domain.gamma().clone().requires_grad_());
        Options options;
        options.dropout.p = 0.2;
        const auto last = s.run(options).last;
        std::vector<torch::Tensor> inputs{s.f0, s.K, s.domain.gamma()};
        if (kind == Kind::m || kind == Kind::m_per_layer) inputs.push_back(s.beta);
        auto all = torch::autograd::grad({last}, inputs, {normal(last.sizes(), 4, type)});
        all.push_back(last.detach());
        if (first.empty()) first = all;
        for (std::size_t k = 0; k < all.size(); ++k) EXPECT_TRUE(all[k].equal(first[k]));
      }
    }
  at::set_num_threads(before);
}

TEST(Invariance, EdgeDropoutIsDrawnFromSeedStepAndLayer) {
  const Setting s(mixed_graph(), 4, 3, Kind::d);
  const auto run = [&](std::uint64_t seed, std::uint32_t step) {
    Options options;
    options.dropout = {0.5, seed, step, 0};
    return s.run(options).last;
  };
  EXPECT_TRUE(run(1, 1).equal(run(1, 1)));
  EXPECT_FALSE(run(1, 1).equal(run(2, 1)));
  EXPECT_FALSE(run(1, 1).equal(run(1, 2)));
}

}  // namespace
}  // namespace pdegcn::tests
