#pragma once

#include <cstdint>

#include "pdegcn/graph/graph.h"

namespace pdegcn::data {

// R-MAT (Chakrabarti, Zhan and Faloutsos, 2004): random graphs of any size with few hubs and many
// small nodes. An edge falls into one quadrant of the adjacency matrix, then into a quadrant of
// that, and so on down to one entry.
struct Rmat {
  int scale = 16;                  // 2^scale nodes, at most 2^30
  EdgeId edges = EdgeId{1} << 20;  // drawn: loops are dropped and repetitions merged, see report()
  double a = 0.57;                 // chances of the quadrants; that of the last is what remains
  double b = 0.19;
  double c = 0.19;
};

// Draws the graph. Beside the graph itself it needs no memory that grows with the edges; nodes are
// numbered so that hubs lie anywhere.
Graph rmat(const Rmat& model, std::uint64_t seed = 0);

}  // namespace pdegcn::data
