#include "pdegcn/graph/knn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>

#include "pdegcn/graph/error.h"

namespace pdegcn {
namespace {

// The view of a span of rows that nanoflann asks for, under nanoflann's names. Distances are taken
// in double: in float the square of a difference beyond 1e19 is infinite, and below 1e-23 it is
// zero.
struct Rows {
  const float* data;
  std::size_t count;
  int dim;
  std::size_t kdtree_get_point_count() const { return count; }
  double kdtree_get_pt(std::size_t i, std::size_t d) const { return data[i * dim + d]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

// A dimension known at compile time (or -1) makes the tree about twice as fast.
template <int Dim>
void search(const Rows& rows, Neighbors& out) {
  using Metric = nanoflann::L2_Simple_Adaptor<double, Rows, double, std::uint32_t>;
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, Rows, Dim, std::uint32_t>;
  const Tree tree(rows.dim, rows, nanoflann::KDTreeSingleIndexAdaptorParams(12));

  const std::size_t k = out.k;
  std::vector<std::uint32_t> found(k + 1);
  std::vector<double> distance(k + 1);
  std::vector<double> point(rows.dim);
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::copy_n(rows.data + i * rows.dim, rows.dim, point.begin());
    tree.knnSearch(point.data(), k + 1, found.data(), distance.data());
    // The point itself is among its k + 1 nearest, unless that many others lie on the same spot.
    std::size_t kept = 0;
    for (std::size_t n = 0; n <= k && kept < k; ++n)
      if (found[n] != i) out.index[i * k + kept++] = static_cast<NodeId>(found[n]);
  }
}

}  // namespace

Neighbors nearest_neighbors(std::span<const float> points, int dim, int k) {
  if (dim < 1) throw Error("dim must be at least 1, it is {}", dim);
  if (k < 1) throw Error("k must be at least 1, it is {}", k);
  if (points.size() % dim != 0)
    throw Error("points has {} coordinates, not rows of {}", points.size(), dim);
  const std::size_t count = points.size() / dim;
  if (count > static_cast<std::size_t>(std::numeric_limits<NodeId>::max()))
    throw Error("{} points are more than a graph can hold", count);
  for (std::size_t at = 0; at < points.size(); ++at)
    if (!std::isfinite(points[at]))
      throw Error("coordinate {} of point {} is {}", at % dim, at / dim, points[at]);

  Neighbors out;
  out.points = static_cast<NodeId>(count);
  out.k = static_cast<int>(std::min<std::size_t>(k, count > 0 ? count - 1 : 0));
  out.index.resize(count * out.k);
  if (out.k == 0) return out;
  const Rows rows{points.data(), count, dim};
  switch (dim) {
    case 2:
      search<2>(rows, out);
      break;
    case 3:
      search<3>(rows, out);
      break;
    default:
      search<-1>(rows, out);
  }
  return out;
}

}  // namespace pdegcn
