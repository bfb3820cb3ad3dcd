#pragma once

#include <cstdint>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn::kernels {

// How the rows of a graph are shared out among threads. It follows from the graph alone, never from
// the number of threads: what is summed together is the same for one thread and for sixty.
struct RowPlan {
  explicit RowPlan(const Graph& graph);

  // Part p takes rows part_begin[p] to part_begin[p + 1]; parts cost about the same, counting
  // edges.
  std::vector<std::int64_t> part_begin{0};
  std::int64_t parts() const { return static_cast<std::int64_t>(part_begin.size()) - 1; }

  // How many parts there will be, or one or two fewer where rows differ much.
  static std::int64_t parts_of(std::int64_t rows);

  // Rows with more entries than `longest` would keep one thread busy while the others wait: they
  // are cut into pieces that are summed apart and then added up in order.
  static constexpr EdgeId longest = 16384;
  struct Piece {
    NodeId row;
    EdgeId first, last;
  };
  std::vector<Piece> pieces;  // by row, then by entry

  // The first piece of a long row.
  std::int64_t first_piece(NodeId row) const;
};

}  // namespace pdegcn::kernels
