#include "pdegcn/kernels/row_plan.h"

#include <algorithm>

namespace pdegcn::kernels {
namespace {

constexpr std::int64_t kParts = 32;
constexpr std::int64_t kRowsPerPart = 64;  // at least, so that a part's share of sums pays
constexpr EdgeId kCostOfRow = 4;           // the work on a row itself, in edges

}  // namespace

std::int64_t RowPlan::parts_of(std::int64_t rows) {
  return std::clamp<std::int64_t>(rows / kRowsPerPart, 1, kParts);
}

RowPlan::RowPlan(const Graph& graph) {
  const std::int64_t rows = graph.num_nodes();
  const std::int64_t wanted = parts_of(rows);
  EdgeId total = 0;
  const auto cost = [&](NodeId i) {
    // A long row costs its part only the sum over its pieces.
    return kCostOfRow + (graph.degree(i) > longest ? graph.degree(i) / longest : graph.degree(i));
  };
  for (NodeId i = 0; i < rows; ++i) total += cost(i);

  EdgeId sum = 0;
  for (NodeId i = 0; i < rows; ++i) {
    sum += cost(i);
    if (sum * wanted >= total * static_cast<EdgeId>(part_begin.size()) && i + 1 < rows)
      part_begin.push_back(i + 1);
    if (graph.degree(i) <= longest) continue;
    for (EdgeId first = graph.offsets()[i]; first < graph.offsets()[i + 1]; first += longest)
      pieces.push_back({i, first, std::min(first + longest, graph.offsets()[i + 1])});
  }
  part_begin.push_back(rows);
}

std::int64_t RowPlan::first_piece(NodeId row) const {
  const auto at = std::lower_bound(pieces.begin(), pieces.end(), row,
                                   [](const Piece& p, NodeId r) { return p.row < r; });
  return at - pieces.begin();
}

}  // namespace pdegcn::kernels
