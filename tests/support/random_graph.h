#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn::tests {

// A graph as a user may hand it over: edges unsorted, repeated, reversed and with self-loops.
//
//   RC_GTEST_PROP(Laplacian, KillsConstants, (const RandomGraph& given)) {
//     const Graph graph = given.build();
//     ...
struct RandomGraph {
  NodeId nodes = 0;
  std::vector<Edge> edges;

  Graph build() const { return Graph::from_edges(nodes, edges); }
};

inline void showValue(const RandomGraph& graph, std::ostream& out) {
  out << graph.nodes << " nodes, edges";
  for (const auto& [i, j] : graph.edges) out << ' ' << i << '-' << j;
}

inline RandomGraph path(NodeId nodes) {
  RandomGraph graph{nodes, {}};
  for (NodeId i = 1; i < nodes; ++i) graph.edges.push_back({i - 1, i});
  return graph;
}

inline RandomGraph star(NodeId nodes) {
  RandomGraph graph{nodes, {}};
  for (NodeId i = 1; i < nodes; ++i) graph.edges.push_back({0, i});
  return graph;
}

inline RandomGraph clique(NodeId nodes) {
  RandomGraph graph{nodes, {}};
  for (NodeId j = 1; j < nodes; ++j)
    for (NodeId i = 0; i < j; ++i) graph.edges.push_back({i, j});
  return graph;
}

// Nodes of many edges and many of none: the parts of a RowPlan then have 158 rows or more, which is
// more than the strips of the matrix unit.
inline RandomGraph clique_and_isolated() {
  RandomGraph graph = clique(60);
  graph.nodes = 700;
  return graph;
}

// The corner cases by name, for tests that walk through all of them.
inline std::vector<std::pair<std::string, RandomGraph>> special_graphs() {
  return {
      {"empty", {0, {}}},
      {"one node", {1, {}}},
      {"one node with a self-loop", {1, {{0, 0}}}},
      {"no edges", {5, {}}},
      {"one edge", {2, {{1, 0}}}},
      {"isolated nodes at both ends and between", {7, {{1, 2}, {2, 4}, {4, 5}}}},
      {"star", star(12)},
      {"path", path(10)},
      {"clique", clique(7)},
      {"repeated, reversed, self-loops", {4, {{2, 1}, {0, 3}, {1, 2}, {3, 3}, {0, 3}, {1, 0}}}},
  };
}

// Half of the draws are corner cases. The others hold up to `most_nodes` nodes, with a path, star
// or clique on some of them, any number of random edges, and everything an edge list may suffer.
inline rc::Gen<RandomGraph> random_graph(NodeId most_nodes = 24) {
  std::vector<RandomGraph> corners;
  for (auto& [name, graph] : special_graphs()) corners.push_back(std::move(graph));

  const auto messy = rc::gen::exec([most_nodes] {
    const auto below = [](NodeId n) {  // ends spread over all nodes, however small the test case
      return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<NodeId>(0, n));
    };
    const NodeId nodes = *rc::gen::inRange<NodeId>(1, most_nodes + 1);
    RandomGraph graph{nodes, {}};
    switch (below(4)) {
      case 0:
        graph = path(below(nodes) + 1);
        break;
      case 1:
        graph = star(below(nodes) + 1);
        break;
      case 2:
        graph = clique(below(std::min(nodes, 8)) + 1);
        break;
    }
    graph.nodes = nodes;
    const NodeId random = *rc::gen::inRange<NodeId>(0, 2 * nodes);
    for (NodeId k = 0; k < random; ++k) graph.edges.push_back({below(nodes), below(nodes)});
    const NodeId copies = graph.edges.empty() ? 0 : below(4);
    for (NodeId k = 0; k < copies; ++k) {
      const Edge e = graph.edges[below(static_cast<NodeId>(graph.edges.size()))];
      graph.edges.push_back({e.j, e.i});
    }
    for (std::size_t k = graph.edges.size(); k > 1; --k)
      std::swap(graph.edges[k - 1], graph.edges[below(static_cast<NodeId>(k))]);
    return graph;
  });
  return rc::gen::oneOf(rc::gen::elementOf(std::move(corners)), messy);
}

}  // namespace pdegcn::tests

template <>
struct rc::Arbitrary<pdegcn::tests::RandomGraph> {
  static Gen<pdegcn::tests::RandomGraph> arbitrary() { return pdegcn::tests::random_graph(); }
};
