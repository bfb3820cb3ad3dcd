#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// An order of the nodes in which neighbours lie close together: that of Cuthill and McKee,
// reversed. Each component is walked breadth first from a node at its far end, small degrees first.
// The result follows from the graph alone; node order[k] comes at place k, as in reorder() of
// transform.h.
std::vector<NodeId> reverse_cuthill_mckee(const Graph& graph);

// How far apart the two ends of an edge lie in an order, on average; in that of the graph itself
// when none is given.
double mean_span(const Graph& graph, std::span<const NodeId> order = {});

// Whether passes over the edges gain from that order: a rule on the graph alone. Small graphs stay
// in the caches in any order, and many large ones come in a good one.
bool reordering_pays(const Graph& graph);

}  // namespace pdegcn
