#include "pdegcn/graph/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pdegcn {
namespace {

// Measured, see docs/performance.md.
constexpr NodeId kSmall = 16384;
constexpr double kGain = 2.0 / 3;

class BreadthFirst {
 public:
  explicit BreadthFirst(const Graph& graph) : graph_(graph), seen_(graph.num_nodes(), 0) {}

  // Appends the nodes that are reached from `start`, those of small degree first, to `order`. What
  // was seen in an earlier walk of this round is passed over.
  void walk(NodeId start, std::vector<NodeId>& order) {
    std::size_t at = order.size();
    order.push_back(start);
    seen_[start] = round_;
    for (; at < order.size(); ++at) {
      const auto before = static_cast<std::ptrdiff_t>(order.size());
      const NodeId node = order[at];
      for (EdgeId k = graph_.offsets()[node]; k < graph_.offsets()[node + 1]; ++k) {
        const NodeId other = graph_.neighbors()[k];
        if (seen_[other] == round_) continue;
        seen_[other] = round_;
        order.push_back(other);
      }
      std::stable_sort(order.begin() + before, order.end(),
                       [&](NodeId a, NodeId b) { return graph_.degree(a) < graph_.degree(b); });
    }
  }

  bool has_seen(NodeId node) const { return seen_[node] == round_; }
  void begin_round() { ++round_; }

 private:
  const Graph& graph_;
  std::vector<std::int32_t> seen_;  // the round in which a node was seen last
  std::int32_t round_ = 1;
};

}  // namespace

std::vector<NodeId> reverse_cuthill_mckee(const Graph& graph) {
  BreadthFirst search(graph), kept(graph);
  std::vector<NodeId> order, trial;
  order.reserve(graph.num_nodes());
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    if (kept.has_seen(node)) continue;
    // The last node of a walk is far from its start: two walks find an end of the component.
    NodeId start = node;
    for (int walk = 0; walk < 2; ++walk) {
      trial.clear();
      search.begin_round();
      search.walk(start, trial);
      start = trial.back();
    }
    kept.walk(start, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

double mean_span(const Graph& graph, std::span<const NodeId> order) {
  std::vector<NodeId> place(graph.num_nodes());
  std::iota(place.begin(), place.end(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<NodeId>(k);
  double sum = 0;
  for (const Edge e : graph.edges()) sum += std::abs(place[e.i] - place[e.j]);
  return sum / static_cast<double>(std::max<EdgeId>(graph.num_edges(), 1));
}

bool reordering_pays(const Graph& graph) {
  if (graph.num_nodes() < kSmall) return false;
  return mean_span(graph, reverse_cuthill_mckee(graph)) < kGain * mean_span(graph);
}

}  // namespace pdegcn
