#include "pdegcn/graph/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pdegcn/graph/transform.h"
#include "tests/support/random_graph.h"

namespace pdegcn {
namespace {

// A grid whose nodes are numbered at random.
Graph scattered_grid(NodeId side) {
  std::vector<NodeId> name(side * side);
  std::iota(name.begin(), name.end(), 0);
  std::uint32_t state = 1;
  for (std::size_t k = name.size(); k > 1; --k)
    std::swap(name[k - 1], name[(state = state * 1664525u + 1013904223u) % k]);
  std::vector<Edge> edges;
  for (NodeId y = 0; y < side; ++y)
    for (NodeId x = 0; x < side; ++x) {
      const NodeId here = y * side + x;
      if (x + 1 < side) edges.push_back({name[here], name[here + 1]});
      if (y + 1 < side) edges.push_back({name[here], name[here + side]});
    }
  return Graph::from_edges(side * side, edges);
}

RC_GTEST_PROP(Order, IsAPermutationOfTheNodes, (const tests::RandomGraph& given)) {
  const Graph graph = given.build();
  auto order = reverse_cuthill_mckee(graph);
  std::sort(order.begin(), order.end());
  RC_ASSERT(static_cast<NodeId>(order.size()) == graph.num_nodes());
  for (NodeId k = 0; k < graph.num_nodes(); ++k) RC_ASSERT(order[k] == k);
}

TEST(Order, BringsNeighboursTogether) {
  const Graph path = Graph::from_edges(6, {{3, 0}, {0, 5}, {5, 1}, {1, 4}, {4, 2}});
  EXPECT_EQ(mean_span(path, reverse_cuthill_mckee(path)), 1);
  const Graph grid = scattered_grid(40);
  EXPECT_GT(mean_span(grid), 400);
  const auto order = reverse_cuthill_mckee(grid);
  EXPECT_LT(mean_span(grid, order), 41);
  EXPECT_EQ(mean_span(reorder(grid, order).graph), mean_span(grid, order));
  EXPECT_EQ(mean_span(Graph::from_edges(3, {})), 0);
}

TEST(Order, PaysOnLargeGraphsInABadOrder) {
  EXPECT_FALSE(reordering_pays(scattered_grid(40))) << "small";
  const Graph large = scattered_grid(130);
  EXPECT_TRUE(reordering_pays(large));
  EXPECT_FALSE(reordering_pays(reorder(large, reverse_cuthill_mckee(large)).graph)) << "once";
}

}  // namespace
}  // namespace pdegcn
