#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// Lengths of the shortest paths along edges from a node to some others, by Dijkstra's method, which
// stops when it has met them all: near targets are found quickly on the largest graph. `lengths`
// has one value per edge. Infinite where no path leads. Throws Error when a node is out of range or
// a length is negative or not a number.
std::vector<double> path_lengths(const Graph& graph, std::span<const double> lengths, NodeId source,
                                 std::span<const NodeId> targets);

}  // namespace pdegcn
