#include "pdegcn/graph/transform.h"

#include <limits>

#include "pdegcn/graph/error.h"

namespace pdegcn {
namespace {

// `argument` is what the caller calls the list, for the messages.
Subgraph select(const Graph& graph, std::span<const NodeId> nodes, const char* argument) {
  std::vector<NodeId> place(graph.num_nodes(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const NodeId node = nodes[k];
    if (node < 0 || node >= graph.num_nodes())
      throw Error("{}[{}] is {}, but there are {} nodes, from 0", argument, k, node,
                  graph.num_nodes());
    if (place[node] >= 0)
      throw Error("{}[{}] and {}[{}] are both {}", argument, place[node], argument, k, node);
    place[node] = static_cast<NodeId>(k);
  }
  std::vector<Edge> edges;
  for (const Edge e : graph.edges())
    if (place[e.i] >= 0 && place[e.j] >= 0) edges.push_back({place[e.i], place[e.j]});

  Subgraph result;
  result.graph = Graph::from_edges(static_cast<NodeId>(nodes.size()), std::move(edges));
  result.edge_ids.reserve(result.graph.num_edges());
  for (const Edge e : result.graph.edges())
    result.edge_ids.push_back(graph.find_edge(nodes[e.i], nodes[e.j]));
  return result;
}

}  // namespace

Components connected_components(const Graph& graph) {
  Components result;
  result.of_node.assign(graph.num_nodes(), -1);
  std::vector<NodeId> stack;
  for (NodeId start = 0; start < graph.num_nodes(); ++start) {
    if (result.of_node[start] >= 0) continue;
    const NodeId label = result.count++;
    result.of_node[start] = label;
    stack.push_back(start);
    while (!stack.empty()) {
      const NodeId i = stack.back();
      stack.pop_back();
      for (const NodeId j : graph.neighbors(i)) {
        if (result.of_node[j] >= 0) continue;
        result.of_node[j] = label;
        stack.push_back(j);
      }
    }
  }
  return result;
}

DisjointUnion disjoint_union(std::span<const Graph* const> parts) {
  DisjointUnion result;
  std::vector<Edge> edges;
  std::int64_t nodes = 0;
  for (const Graph* part : parts) {
    const NodeId shift = static_cast<NodeId>(nodes);
    nodes += part->num_nodes();
    if (nodes > std::numeric_limits<NodeId>::max())
      throw Error("the union has {} nodes, more than a graph can hold", nodes);
    for (const Edge e : part->edges()) edges.push_back({e.i + shift, e.j + shift});
    result.node_offsets.push_back(static_cast<NodeId>(nodes));
    result.edge_offsets.push_back(static_cast<EdgeId>(edges.size()));
  }
  result.graph = Graph::from_edges(static_cast<NodeId>(nodes), std::move(edges));
  return result;
}

Subgraph induced_subgraph(const Graph& graph, std::span<const NodeId> nodes) {
  return select(graph, nodes, "nodes");
}

Subgraph reorder(const Graph& graph, std::span<const NodeId> order) {
  if (order.size() != static_cast<std::size_t>(graph.num_nodes()))
    throw Error("order names {} nodes, the graph has {}", order.size(), graph.num_nodes());
  return select(graph, order, "order");
}

}  // namespace pdegcn
