#include "pdegcn/graph/transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "pdegcn/graph/operators.h"
#include "pdegcn/graph/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_values.h"

namespace pdegcn {
namespace {

using tests::RandomGraph;

std::vector<NodeId> shuffled(NodeId nodes, std::uint64_t seed) {
  std::vector<NodeId> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

TEST(ConnectedComponents, AreNumberedByTheirFirstNodes) {
  const Graph graph = Graph::from_edges(7, {{5, 1}, {6, 5}, {2, 4}});
  const Components components = connected_components(graph);
  EXPECT_EQ(components.count, 4);
  EXPECT_EQ(components.of_node, (std::vector<NodeId>{0, 1, 2, 3, 2, 1, 1}));
  EXPECT_EQ(connected_components(Graph()).count, 0);
}

RC_GTEST_PROP(ConnectedComponents, AreWhatPathsCanReach, (const RandomGraph& given)) {
  const Graph graph = given.build();
  const Components components = connected_components(graph);
  // The reachable pairs, by Warshall's closure.
  const std::size_t n = given.nodes;
  std::vector<char> reach(n * n);
  for (std::size_t i = 0; i < n; ++i) reach[i * n + i] = 1;
  for (const auto& [i, j] : given.edges) reach[i * n + j] = reach[j * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reach[i * n + k] && reach[k * n + j]) reach[i * n + j] = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      RC_ASSERT((components.of_node[i] == components.of_node[j]) == (reach[i * n + j] != 0));
  const std::set<NodeId> labels(components.of_node.begin(), components.of_node.end());
  RC_ASSERT(components.count == static_cast<NodeId>(labels.size()));
}

TEST(ConnectedComponents, NeedNoDeepRecursion) {
  EXPECT_EQ(connected_components(tests::path(1'000'000).build()).count, 1);
}

RC_GTEST_PROP(DisjointUnion, KeepsEveryPartAsItIs, (const std::vector<RandomGraph>& given)) {
  std::vector<Graph> parts;
  for (const RandomGraph& part : given) parts.push_back(part.build());
  std::vector<const Graph*> pointers;
  for (const Graph& part : parts) pointers.push_back(&part);
  const DisjointUnion all = disjoint_union(pointers);

  RC_ASSERT(all.node_offsets.size() == parts.size() + 1);
  RC_ASSERT(all.edge_offsets.size() == parts.size() + 1);
  RC_ASSERT(all.graph.num_nodes() == all.node_offsets.back());
  RC_ASSERT(all.graph.num_edges() == all.edge_offsets.back());
  NodeId components = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const NodeId first = all.node_offsets[p];
    RC_ASSERT(all.node_offsets[p + 1] - first == parts[p].num_nodes());
    RC_ASSERT(all.edge_offsets[p + 1] - all.edge_offsets[p] == parts[p].num_edges());
    for (EdgeId e = 0; e < parts[p].num_edges(); ++e) {
      const auto [i, j] = parts[p].edges()[e];
      RC_ASSERT(all.graph.edges()[all.edge_offsets[p] + e] == (Edge{i + first, j + first}));
    }
    components += connected_components(parts[p]).count;
  }
  RC_ASSERT(connected_components(all.graph).count == components);
}

RC_GTEST_PROP(DisjointUnion, OperatorsActOnEachPartAlone,
              (const RandomGraph& a, const RandomGraph& b, std::uint64_t seed)) {
  const Graph parts[] = {a.build(), b.build()};
  const Graph* pointers[] = {&parts[0], &parts[1]};
  const Graph all = disjoint_union(pointers).graph;
  const std::int64_t c = 3;
  const auto f = tests::random_values<double>(all.num_nodes() * c, seed);
  const auto together = laplacian<double>(all, edge_weights(all, WeightKind::metropolis), f, c);
  std::vector<double> apart;
  std::size_t from = 0;
  for (const Graph& part : parts) {
    const auto gamma = edge_weights(part, WeightKind::metropolis);
    const std::size_t size = part.num_nodes() * c;
    const auto own = laplacian<double>(part, gamma, std::span(f).subspan(from, size), c);
    apart.insert(apart.end(), own.begin(), own.end());
    from += size;
  }
  RC_ASSERT(together == apart);
}

TEST(DisjointUnion, OfNothingIsEmpty) {
  const DisjointUnion none = disjoint_union({});
  EXPECT_EQ(none.graph.num_nodes(), 0);
  EXPECT_EQ(none.node_offsets, std::vector<NodeId>{0});
  EXPECT_EQ(none.edge_offsets, std::vector<EdgeId>{0});
}

TEST(DisjointUnion, RefusesMoreNodesThanIdsExist) {
  const Graph million = Graph::from_edges(1'000'000, {});
  const std::vector<const Graph*> parts(2'148, &million);
  PDEGCN_EXPECT_ERROR(disjoint_union(parts), "2148000000 nodes");
}

RC_GTEST_PROP(InducedSubgraph, HoldsTheEdgesBetweenItsNodes,
              (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  std::vector<NodeId> nodes = shuffled(given.nodes, seed);
  nodes.resize(seed % (given.nodes + 1));
  const auto [part, edge_ids] = induced_subgraph(graph, nodes);

  RC_ASSERT(part.num_nodes() == static_cast<NodeId>(nodes.size()));
  RC_ASSERT(edge_ids.size() == static_cast<std::size_t>(part.num_edges()));
  for (NodeId i = 0; i < part.num_nodes(); ++i) {
    for (NodeId j = 0; j < part.num_nodes(); ++j) {
      const EdgeId here = part.find_edge(i, j);
      RC_ASSERT((here < 0 ? -1 : edge_ids[here]) == graph.find_edge(nodes[i], nodes[j]));
    }
  }
}

TEST(InducedSubgraph, OfNoNodesIsEmpty) {
  const auto [part, edge_ids] = induced_subgraph(tests::clique(4).build(), {});
  EXPECT_EQ(part.num_nodes(), 0);
  EXPECT_TRUE(edge_ids.empty());
}

TEST(InducedSubgraph, RefusesWrongNodes) {
  const Graph graph = tests::path(5).build();
  const auto of = [&](std::vector<NodeId> nodes) { return induced_subgraph(graph, nodes); };
  PDEGCN_EXPECT_ERROR(of({0, 5}), "nodes[1]", "is 5", "5 nodes");
  PDEGCN_EXPECT_ERROR(of({-1}), "nodes[0]", "is -1");
  PDEGCN_EXPECT_ERROR(of({3, 1, 0, 1}), "nodes[1]", "nodes[3]", "both 1");
}

RC_GTEST_PROP(Reorder, CommutesWithTheLaplacian, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto order = shuffled(given.nodes, seed);
  const auto [moved, edge_ids] = reorder(graph, order);
  const std::int64_t c = 2;
  const auto f = tests::random_values<double>(given.nodes * c, seed);
  const auto gamma = edge_weights(graph, WeightKind::normalized);
  std::vector<double> moved_f, moved_gamma;
  for (const NodeId node : order)
    for (std::int64_t k = 0; k < c; ++k) moved_f.push_back(f[node * c + k]);
  for (const EdgeId e : edge_ids) moved_gamma.push_back(gamma[e]);

  const auto expected = laplacian<double>(graph, gamma, f, c);
  const auto result = laplacian<double>(moved, moved_gamma, moved_f, c);
  for (NodeId i = 0; i < given.nodes; ++i)
    for (std::int64_t k = 0; k < c; ++k)
      RC_ASSERT(std::abs(result[i * c + k] - expected[order[i] * c + k]) <= 1e-13);
  RC_ASSERT(edge_weights(moved, WeightKind::normalized) == moved_gamma);
}

RC_GTEST_PROP(Reorder, CanBeUndone, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto order = shuffled(given.nodes, seed);
  std::vector<NodeId> back(order.size());
  for (NodeId k = 0; k < given.nodes; ++k) back[order[k]] = k;
  const auto [moved, there] = reorder(graph, order);
  const auto [returned, here] = reorder(moved, back);
  RC_ASSERT(std::ranges::equal(returned.edges(), graph.edges()));
  for (EdgeId e = 0; e < graph.num_edges(); ++e) RC_ASSERT(there[here[e]] == e);
}

TEST(Reorder, RefusesWhatIsNoPermutation) {
  const Graph graph = tests::path(3).build();
  const auto by = [&](std::vector<NodeId> order) { return reorder(graph, order); };
  PDEGCN_EXPECT_ERROR(by({0, 1}), "order", "2 nodes", "has 3");
  PDEGCN_EXPECT_ERROR(by({0, 1, 3}), "order[2]", "is 3");
  PDEGCN_EXPECT_ERROR(by({0, 1, 0}), "order[0]", "order[2]", "both 0");
}

}  // namespace
}  // namespace pdegcn
