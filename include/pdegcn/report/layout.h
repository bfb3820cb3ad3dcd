#pragma once

#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn::report {

// Positions for the nodes of a graph that has none, rows of three, such that their distances are
// about those along the edges: pivot MDS (Brandes and Pich, 2006), from the hops to up to 50 nodes
// that lie far from each other. What is not connected lies apart.
std::vector<float> graph_layout(const Graph& graph);

}  // namespace pdegcn::report
