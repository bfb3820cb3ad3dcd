#include "pdegcn/graph/geodesics.h"

#include <limits>
#include <queue>
#include <utility>

#include "pdegcn/graph/error.h"

namespace pdegcn {

std::vector<double> path_lengths(const Graph& graph, std::span<const double> lengths, NodeId source,
                                 std::span<const NodeId> targets) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const NodeId n = graph.num_nodes();
  const auto check = [n](NodeId node) {
    if (node < 0 || node >= n) throw Error("a path to node {} of {}", node, n);
  };
  check(source);
  for (const NodeId target : targets) check(target);
  if (static_cast<EdgeId>(lengths.size()) != graph.num_edges())
    throw Error("lengths has {} values for {} edges", lengths.size(), graph.num_edges());

  std::vector<char> wanted(n);
  std::int64_t missing = 0;
  for (const NodeId target : targets) missing += wanted[target] == 0, wanted[target] = 1;

  std::vector<double> distance(n, kFar);
  using Entry = std::pair<double, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  distance[source] = 0;
  open.push({0, source});
  while (!open.empty() && missing > 0) {
    const auto [length, node] = open.top();
    open.pop();
    if (length > distance[node]) continue;  // a longer way to a node that is done
    missing -= wanted[node];
    wanted[node] = 0;
    for (EdgeId k = graph.offsets()[node]; k < graph.offsets()[node + 1]; ++k) {
      const EdgeId edge = graph.edge_ids()[k];
      if (!(lengths[edge] >= 0)) throw Error("edge {} has the length {}", edge, lengths[edge]);
      const NodeId next = graph.neighbors()[k];
      if (length + lengths[edge] >= distance[next]) continue;
      distance[next] = length + lengths[edge];
      open.push({distance[next], next});
    }
  }
  std::vector<double> found;
  for (const NodeId target : targets) found.push_back(distance[target]);
  return found;
}

}  // namespace pdegcn
