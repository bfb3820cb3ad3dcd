#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// The k nearest other points of each point, row by row, nearest first.
struct Neighbors {
  NodeId points = 0;
  int k = 0;                  // as asked for, or points - 1 when there are fewer
  std::vector<NodeId> index;  // points x k
};

// Nearest neighbours by a k-d tree; `points` holds rows of `dim` coordinates. Throws Error when a
// coordinate is not finite, dim or k is below 1, or the rows do not come out even.
Neighbors nearest_neighbors(std::span<const float> points, int dim, int k);

}  // namespace pdegcn
