#include "pdegcn/kernels/row_plan.h"

#include <numeric>

#include "tests/support/random_graph.h"

namespace pdegcn::kernels {
namespace {

using tests::RandomGraph;

EdgeId cost(const Graph& graph, std::int64_t first, std::int64_t last) {
  return graph.offsets()[last] - graph.offsets()[first] + 4 * (last - first);
}

// Every row is in one part, and the entries of every long row are in its pieces, in order.
void expect_covers(const Graph& graph, const RowPlan& plan) {
  ASSERT_GE(plan.parts(), 1);
  EXPECT_EQ(plan.part_begin.front(), 0);
  EXPECT_EQ(plan.part_begin.back(), graph.num_nodes());
  for (std::int64_t p = 0; p < plan.parts(); ++p) {
    if (graph.num_nodes() > 0) {
      EXPECT_LT(plan.part_begin[p], plan.part_begin[p + 1]);
    }
  }

  std::size_t next = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    EXPECT_EQ(plan.first_piece(i), static_cast<std::int64_t>(next));
    if (graph.degree(i) <= RowPlan::longest) continue;
    for (EdgeId at = graph.offsets()[i]; at < graph.offsets()[i + 1]; ++next) {
      ASSERT_LT(next, plan.pieces.size());
      EXPECT_EQ(plan.pieces[next].row, i);
      EXPECT_EQ(plan.pieces[next].first, at);
      EXPECT_GT(plan.pieces[next].last, at);
      EXPECT_LE(plan.pieces[next].last - at, RowPlan::longest);
      at = plan.pieces[next].last;
    }
  }
  EXPECT_EQ(next, plan.pieces.size());
}

RC_GTEST_PROP(RowPlan, CoversEveryRowOnce, (const RandomGraph& given)) {
  const Graph graph = given.build();
  expect_covers(graph, RowPlan(graph));
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(RowPlan, BalancesEdgesNotRows) {
  // A clique of 300 among 6,000 nodes on a path: nearly all edges are at the end.
  RandomGraph given = tests::path(6000);
  for (NodeId j = 5700; j < 6000; ++j)
    for (NodeId i = 5700; i < j; ++i) given.edges.push_back({i, j});
  const Graph graph = given.build();
  const RowPlan plan(graph);
  expect_covers(graph, plan);
  EXPECT_GE(plan.parts(), 24);
  EXPECT_LE(plan.parts(), 32);
  const EdgeId total = cost(graph, 0, graph.num_nodes());
  for (std::int64_t p = 0; p < plan.parts(); ++p)
    EXPECT_LE(cost(graph, plan.part_begin[p], plan.part_begin[p + 1]), total / 32 + 320) << p;
}

TEST(RowPlan, CutsLongRows) {
  const NodeId leaves = 3 * RowPlan::longest + 5;
  const Graph graph = tests::star(leaves + 1).build();
  const RowPlan plan(graph);
  expect_covers(graph, plan);
  EXPECT_EQ(plan.pieces.size(), 4u);
  // The hub is nobody's burden: the leaves are spread as if it were not there.
  for (std::int64_t p = 0; p < plan.parts(); ++p)
    EXPECT_LE(plan.part_begin[p + 1] - plan.part_begin[p], leaves / 32 + 10) << p;
}

TEST(RowPlan, ARowOfTheLargestLengthIsNotCut) {
  const Graph graph = tests::star(static_cast<NodeId>(RowPlan::longest) + 1).build();
  const RowPlan plan(graph);
  expect_covers(graph, plan);
  EXPECT_TRUE(plan.pieces.empty());
}

}  // namespace
}  // namespace pdegcn::kernels
