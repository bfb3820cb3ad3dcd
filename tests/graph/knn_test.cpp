#include "pdegcn/graph/knn.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn {
namespace {

double squared_distance(std::span<const float> points, int dim, std::size_t i, std::size_t j) {
  double sum = 0;
  for (int d = 0; d < dim; ++d) {
    const double difference = static_cast<double>(points[i * dim + d]) - points[j * dim + d];
    sum += difference * difference;
  }
  return sum;
}

// Whether every row names k different others, nearest first, at the distances that a search through
// all pairs finds. (Which of several at the same distance are named is left open.)
bool nearest(std::span<const float> points, int dim, const Neighbors& found) {
  for (NodeId i = 0; i < found.points; ++i) {
    std::vector<double> all;
    for (NodeId j = 0; j < found.points; ++j)
      if (j != i) all.push_back(squared_distance(points, dim, i, j));
    std::ranges::sort(all);
    std::set<NodeId> seen{i};
    for (int n = 0; n < found.k; ++n) {
      const NodeId j = found.index[static_cast<std::size_t>(i) * found.k + n];
      if (j < 0 || j >= found.points || !seen.insert(j).second) return false;
      const double distance = squared_distance(points, dim, i, j);
      if (std::abs(distance - all[n]) > 1e-12 * all[n]) return false;
    }
  }
  return true;
}

RC_GTEST_PROP(NearestNeighbors, AgreeWithAllPairs, (std::uint64_t seed)) {
  const int dim = *rc::gen::element(1, 2, 3, 5);
  const auto count = *rc::gen::inRange<std::size_t>(0, 200);
  const int k = *rc::gen::inRange(1, 20);
  const auto points = tests::random_values<float>(count * dim, seed);
  const Neighbors found = nearest_neighbors(points, dim, k);
  RC_ASSERT(found.points == static_cast<NodeId>(count));
  RC_ASSERT(found.k == (count == 0 ? 0 : std::min(k, static_cast<int>(count) - 1)));
  RC_ASSERT(found.index.size() == count * found.k);
  RC_ASSERT(nearest(points, dim, found));
}

RC_GTEST_PROP(NearestNeighbors, AgreeWithAllPairsWhereManyCoincide, (std::uint64_t seed)) {
  const int dim = *rc::gen::element(1, 2, 3);
  const auto count = *rc::gen::inRange<std::size_t>(2, 150);
  auto points = tests::random_values<float>(count * dim, seed);
  for (float& x : points) x = std::round(x);  // -1, 0 or 1
  RC_ASSERT(nearest(points, dim, nearest_neighbors(points, dim, 5)));
}

TEST(NearestNeighbors, NeedNoRoomBetweenPoints) {
  const std::vector<float> points(3 * 100, 0.25f);
  EXPECT_TRUE(nearest(points, 3, nearest_neighbors(points, 3, 10)));
}

TEST(NearestNeighbors, HoldAtEveryScaleOfAFloat) {
  for (const float scale : {1e-38f, 1e-30f, 1e-10f, 1e10f, 1e19f, 1e30f, 3e38f}) {
    SCOPED_TRACE(scale);
    auto points = tests::random_values<float>(3 * 100, 7);
    for (float& x : points) x *= scale;
    EXPECT_TRUE(nearest(points, 3, nearest_neighbors(points, 3, 5)));
  }
}

TEST(NearestNeighbors, RefuseWhatTheyCannotSearch) {
  const std::vector<float> points{0, 1, 2, 3, 4, 5};
  PDEGCN_EXPECT_ERROR(nearest_neighbors(points, 0, 1), "dim", "0");
  PDEGCN_EXPECT_ERROR(nearest_neighbors(points, 3, 0), "k must", "0");
  PDEGCN_EXPECT_ERROR(nearest_neighbors(points, 3, -4), "k must", "-4");
  PDEGCN_EXPECT_ERROR(nearest_neighbors(points, 4, 1), "points", "6 coordinates", "rows of 4");
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    auto spoilt = points;
    spoilt[4] = bad;
    PDEGCN_EXPECT_ERROR(nearest_neighbors(spoilt, 3, 1), "coordinate 1 of point 1",
                        std::isnan(bad) ? "nan" : "inf");
  }
}

}  // namespace
}  // namespace pdegcn
