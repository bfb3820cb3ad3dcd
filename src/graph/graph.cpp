#include "pdegcn/graph/graph.h"

#include <algorithm>
#include <numeric>

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/knn.h"

namespace pdegcn {
namespace {

// Both ends in one number whose order is the order of edges.
std::uint64_t key(Edge e) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(e.i)) << 32 |
         static_cast<std::uint32_t>(e.j);
}

// Sorts by both ends: by counting, first by the second end, then by the first, as either is below
// num_nodes. Takes a copy of the edges, a quarter of the graph that is to be built.
void sort_by_ends(NodeId num_nodes, std::vector<Edge>& edges) {
  std::vector<Edge> sorted(edges.size());
  for (NodeId Edge::*end : {&Edge::j, &Edge::i}) {
    std::vector<EdgeId> next(static_cast<std::size_t>(num_nodes) + 1);
    for (const Edge& e : edges) ++next[e.*end + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const Edge& e : edges) sorted[next[e.*end]++] = e;
    edges.swap(sorted);
  }
}

}  // namespace

std::string BuildReport::summary() const {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (k_used < k_wanted)
    add(fmt::format("{} neighbours were asked for, only {} other points exist", k_wanted, k_used));
  if (self_loops > 0) add(fmt::format("{} self-loops dropped", self_loops));
  if (merged > 0) add(fmt::format("{} repeated or reversed edges merged", merged));
  if (isolated > 0) add(fmt::format("{} isolated nodes", isolated));
  return text;
}

Graph Graph::from_edges(NodeId num_nodes, std::vector<Edge> edges) {
  if (num_nodes < 0) throw Error("num_nodes must not be negative, it is {}", num_nodes);

  Graph graph;
  graph.report_.given = static_cast<EdgeId>(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    Edge& e = edges[k];
    if (e.i < 0 || e.i >= num_nodes || e.j < 0 || e.j >= num_nodes)
      throw Error("edge {} joins nodes {} and {}, but there are {} nodes, from 0", k, e.i, e.j,
                  num_nodes);
    if (e.i > e.j) std::swap(e.i, e.j);
  }
  graph.report_.self_loops = std::erase_if(edges, [](Edge e) { return e.i == e.j; });
  const auto before = [](Edge a, Edge b) { return key(a) < key(b); };
  if (!std::is_sorted(edges.begin(), edges.end(), before)) sort_by_ends(num_nodes, edges);
  const auto last = std::unique(edges.begin(), edges.end());
  graph.report_.merged = edges.end() - last;
  edges.erase(last, edges.end());
  // A list given in both directions would keep twice the memory it needs.
  if (edges.capacity() > edges.size() + edges.size() / 4) edges.shrink_to_fit();

  graph.offsets_.assign(static_cast<std::size_t>(num_nodes) + 1, 0);
  for (const Edge e : edges) {
    ++graph.offsets_[e.i + 1];
    ++graph.offsets_[e.j + 1];
  }
  graph.report_.isolated =
      static_cast<NodeId>(std::count(graph.offsets_.begin() + 1, graph.offsets_.end(), EdgeId{0}));
  std::partial_sum(graph.offsets_.begin(), graph.offsets_.end(), graph.offsets_.begin());

  // In the order of edges every row receives first its smaller neighbours, then its larger ones,
  // each ascending: the rows come out sorted.
  graph.neighbors_.resize(2 * edges.size());
  graph.edge_ids_.resize(2 * edges.size());
  std::vector<EdgeId> next(graph.offsets_.begin(), graph.offsets_.end() - 1);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [i, j] = edges[e];
    const EdgeId at_i = next[i]++;
    const EdgeId at_j = next[j]++;
    graph.neighbors_[at_i] = j;
    graph.neighbors_[at_j] = i;
    graph.edge_ids_[at_i] = graph.edge_ids_[at_j] = static_cast<EdgeId>(e);
  }
  graph.edges_ = std::move(edges);
  return graph;
}

Graph Graph::from_triangles(NodeId num_nodes, std::span<const Triangle> triangles) {
  if (num_nodes < 0) throw Error("num_nodes must not be negative, it is {}", num_nodes);
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const NodeId v : triangles[t])
      if (v < 0 || v >= num_nodes)
        throw Error("triangle {} names node {}, but there are {} nodes, from 0", t, v, num_nodes);
    const auto [a, b, c] = triangles[t];
    edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
  }
  return from_edges(num_nodes, std::move(edges));
}

Graph Graph::from_points(std::span<const float> points, int dim, int k) {
  const Neighbors nearest = nearest_neighbors(points, dim, k);
  std::vector<Edge> edges;
  edges.reserve(nearest.index.size());
  for (std::size_t at = 0; at < nearest.index.size(); ++at)
    edges.push_back({static_cast<NodeId>(at / nearest.k), nearest.index[at]});
  Graph graph = from_edges(nearest.points, std::move(edges));
  graph.report_.merged = 0;  // two points that choose each other are the rule, not news
  graph.report_.k_wanted = k;
  graph.report_.k_used = nearest.k;
  return graph;
}

std::span<const NodeId> Graph::neighbors(NodeId i) const {
  return std::span(neighbors_).subspan(offsets_[i], degree(i));
}

EdgeId Graph::find_edge(NodeId i, NodeId j) const {
  if (i < 0 || j < 0 || i >= num_nodes() || j >= num_nodes()) return -1;
  if (degree(i) > degree(j)) std::swap(i, j);
  const auto row = neighbors(i);
  const auto at = std::lower_bound(row.begin(), row.end(), j);
  if (at == row.end() || *at != j) return -1;
  return edge_ids_[offsets_[i] + (at - row.begin())];
}

}  // namespace pdegcn
