#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// The connected component of every node; numbered from 0 in the order of their first nodes.
struct Components {
  NodeId count = 0;
  std::vector<NodeId> of_node;
};
Components connected_components(const Graph& graph);

// Many graphs side by side as one. Nodes of part p are node_offsets[p] to node_offsets[p + 1], and
// its edges edge_offsets[p] to edge_offsets[p + 1], in their own order.
struct DisjointUnion {
  Graph graph;
  std::vector<NodeId> node_offsets{0};
  std::vector<EdgeId> edge_offsets{0};
};
DisjointUnion disjoint_union(std::span<const Graph* const> parts);

// The graph on some of the nodes: nodes[k] becomes node k. Throws Error when a node is out of range
// or named twice. edge_ids holds, for every edge of the result, its id in the original.
struct Subgraph {
  Graph graph;
  std::vector<EdgeId> edge_ids;
};
Subgraph induced_subgraph(const Graph& graph, std::span<const NodeId> nodes);

// The same graph with its nodes in another order: node order[k] becomes node k. Throws Error when
// `order` is not a permutation of the nodes.
Subgraph reorder(const Graph& graph, std::span<const NodeId> order);

}  // namespace pdegcn
