#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pdegcn {

using NodeId = std::int32_t;  // up to 2^31 - 1 nodes
using EdgeId = std::int64_t;  // also the type of every offset into edges: billions of them
using Triangle = std::array<NodeId, 3>;

// An undirected edge. A graph keeps i < j; what is given to it may come either way round.
struct Edge {
  NodeId i = 0;
  NodeId j = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// What became of the edges that a graph was built from.
struct BuildReport {
  EdgeId given = 0;       // edges in the input
  EdgeId self_loops = 0;  // dropped: a gradient along a loop is zero
  EdgeId merged = 0;      // repeated, or the reverse of another
  NodeId isolated = 0;    // nodes without any edge
  int k_wanted = 0;       // from_points: the neighbours asked for, and
  int k_used = 0;         // those there were; less when there are too few points

  // One line for people; empty when there is nothing to say.
  std::string summary() const;
};

// An undirected graph, stored as CSR rows in both directions.
//
// Every edge has one id, its place in edges(), which is sorted by (i, j) with i < j. The order in
// which edges were given, their direction, repetitions and self-loops leave no trace, so neither
// does any result depend on them.
class Graph {
 public:
  Graph() = default;

  // From edges in any state. Throws Error when an end is outside [0, num_nodes).
  static Graph from_edges(NodeId num_nodes, std::vector<Edge> edges);

  // From the sides of triangles.
  static Graph from_triangles(NodeId num_nodes, std::span<const Triangle> triangles);

  // From points, rows of `dim` coordinates: each is joined to its k nearest others, and an edge
  // stands when either end asks for it. k is clipped to the number of other points, see report().
  static Graph from_points(std::span<const float> points, int dim, int k);

  NodeId num_nodes() const { return static_cast<NodeId>(offsets_.size() - 1); }
  EdgeId num_edges() const { return static_cast<EdgeId>(edges_.size()); }

  // All edges, by id.
  std::span<const Edge> edges() const { return edges_; }

  // Row i holds entries offsets()[i] to offsets()[i + 1] of neighbors() and edge_ids(); neighbours
  // ascend.
  std::span<const EdgeId> offsets() const { return offsets_; }
  std::span<const NodeId> neighbors() const { return neighbors_; }
  std::span<const EdgeId> edge_ids() const { return edge_ids_; }

  std::span<const NodeId> neighbors(NodeId i) const;
  EdgeId degree(NodeId i) const { return offsets_[i + 1] - offsets_[i]; }

  // The id of the edge between two nodes, in either order, or -1.
  EdgeId find_edge(NodeId i, NodeId j) const;

  const BuildReport& report() const { return report_; }

 private:
  std::vector<Edge> edges_;
  std::vector<EdgeId> offsets_{0};
  std::vector<NodeId> neighbors_;
  std::vector<EdgeId> edge_ids_;
  BuildReport report_;
};

}  // namespace pdegcn
