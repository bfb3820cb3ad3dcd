#include "pdegcn/data/clouds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

using kernels::Random;

double norm(std::span<const float> positions, std::size_t point) {
  return std::hypot(positions[3 * point], positions[3 * point + 1], positions[3 * point + 2]);
}

// Two squares in the planes z = 0 and z = 1, the second with four times the area, and faces
// without area before, between and after.
Mesh two_squares() {
  return {{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1},
          {{5, 5, 5}, {0, 1, 2}, {0, 2, 3}, {0, 1, 1}, {4, 5, 6}, {4, 6, 7}, {0, 0, 7}}};
}

TEST(SampleSurface, IsUniformByArea) {
  Random random(1);
  const int n = 100000;
  const std::vector<float> points = sample_surface(two_squares(), n, random);
  ASSERT_EQ(points.size(), 3u * n);
  int low = 0;
  double sum_x = 0;
  double sum_xx = 0;
  int beyond_diagonal = 0;
  for (int p = 0; p < n; ++p) {
    const float x = points[3 * p];
    const float y = points[3 * p + 1];
    const float z = points[3 * p + 2];
    const float side = z == 0 ? 1 : 2;
    ASSERT_TRUE(z == 0 || z == 1);
    ASSERT_TRUE(x >= 0 && x <= side && y >= 0 && y <= side);
    if (z == 0) {
      ++low;
    } else {
      sum_x += x;
      sum_xx += x * x;
      beyond_diagonal += x + y > 2;
    }
  }
  // Within five standard deviations.
  const int high = n - low;
  EXPECT_NEAR(low, 0.2 * n, 5 * std::sqrt(0.16 * n));
  EXPECT_NEAR(sum_x / high, 1, 5 * std::sqrt(1.0 / 3 / high));
  EXPECT_NEAR(sum_xx / high, 4.0 / 3, 5 * std::sqrt(64.0 / 45 / high));
  EXPECT_NEAR(beyond_diagonal, 0.5 * high, 5 * std::sqrt(0.25 * high));
}

TEST(SampleSurface, RepeatsWithTheSeed) {
  Random a(3), b(3), c(4);
  EXPECT_EQ(sample_surface(two_squares(), 50, a), sample_surface(two_squares(), 50, b));
  EXPECT_NE(sample_surface(two_squares(), 50, a), sample_surface(two_squares(), 50, c));
}

TEST(SampleSurface, TakesHugeAndTinyMeshes) {
  for (const float size : {1e-15f, 1e18f, 3e38f}) {
    Random random(1);
    for (const float x :
         sample_surface({{0, 0, 0, size, 0, 0, 0, size, 0}, {{0, 1, 2}}}, 100, random))
      EXPECT_TRUE(std::isfinite(x) && x >= 0 && x <= size);
  }
}

TEST(SampleSurface, NeedsArea) {
  Random random(1);
  PDEGCN_EXPECT_ERROR(sample_surface({{0, 0, 0, 1, 1, 1, 2, 2, 2}, {{0, 1, 2}}}, 5, random),
                      "the surface has no area");
  PDEGCN_EXPECT_ERROR(sample_surface({{0, 0, 0}, {}}, 5, random), "the surface has no area");
}

RC_GTEST_PROP(Normalize, PutsPointsIntoTheUnitSphere, ()) {
  const int n = *rc::gen::inRange(2, 40);
  const double unit = std::pow(10, *rc::gen::inRange(-20, 20));
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<float> points(3 * n);
  for (float& x : points) x = static_cast<float>(unit * random.uniform(-1, 3));
  normalize_to_unit_sphere(points);
  double farthest = 0;
  double centre[3] = {0, 0, 0};
  for (int p = 0; p < n; ++p) {
    farthest = std::max(farthest, norm(points, p));
    for (int d = 0; d < 3; ++d) centre[d] += points[3 * p + d];
  }
  RC_ASSERT(std::abs(farthest - 1) < 1e-6);
  for (const double c : centre) RC_ASSERT(std::abs(c) < 1e-6 * n);
}

TEST(Normalize, PointsOnOneSpotGoToTheOrigin) {
  std::vector<float> points{5, 6, 7, 5, 6, 7};
  normalize_to_unit_sphere(points);
  EXPECT_EQ(points, std::vector<float>(6, 0.0f));
  std::vector<float> none;
  normalize_to_unit_sphere(none);
  EXPECT_TRUE(none.empty());
}

TEST(Augment, TurnsAboutTheVerticalAndScales) {
  const std::vector<float> original{1, 0, 0.5f, 0, 1, -0.5f, 0.3f, 0.4f, 0};
  double least = 9;
  double most = 0;
  bool turned_left = false;
  bool turned_right = false;
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<float> points = original;
    augment(points, {.jitter = 0}, random);
    const double scale = points[2] / 0.5;
    least = std::min(least, scale);
    most = std::max(most, scale);
    for (int p = 0; p < 3; ++p) {
      EXPECT_NEAR(norm(points, p), scale * norm(original, p), 1e-6);
      EXPECT_NEAR(points[3 * p + 2], scale * original[3 * p + 2], 1e-6);
    }
    // A rotation, no reflection: y is a quarter turn to the left of x.
    EXPECT_NEAR(points[3], -points[1], 1e-6);
    EXPECT_NEAR(points[4], points[0], 1e-6);
    turned_left |= points[1] > 0.5;
    turned_right |= points[1] < -0.5;
  }
  EXPECT_GE(least, 0.8 - 1e-6);
  EXPECT_LT(least, 0.82);
  EXPECT_LE(most, 1.25 + 1e-6);
  EXPECT_GT(most, 1.23);
  EXPECT_TRUE(turned_left && turned_right);
}

TEST(Augment, JittersWithinItsBound) {
  std::vector<float> points(30000);
  Random random(1);
  augment(points, {.jitter = 0.04, .max_jitter = 0.05}, random);
  double squares = 0;
  int cut = 0;
  for (const float x : points) {
    EXPECT_LE(std::abs(x), 0.05f);
    cut += std::abs(x) == 0.05f;
    squares += x * x;
  }
  // Beyond 1.25 standard deviations: 21.1 %.
  EXPECT_NEAR(cut / 30000.0, 0.2113, 0.02);
  EXPECT_GT(squares / 30000, 0.02 * 0.02);
}

TEST(Augment, NothingMayChangeNothing) {
  const std::vector<float> original{1, 2, 3, -4, 5, 6};
  std::vector<float> points = original;
  Random random(1);
  augment(points, {.min_scale = 1, .max_scale = 1, .max_turn = 0, .jitter = 0}, random);
  EXPECT_EQ(points, original);
}

TEST(CloudSample, SamplesAMesh) {
  Random random(1);
  const Sample sample = cloud_sample("squares", two_squares(), {.points = 200, .k = 5}, random);
  EXPECT_EQ(sample.name, "squares");
  EXPECT_EQ(sample.graph.num_nodes(), 200);
  for (NodeId v = 0; v < 200; ++v) EXPECT_GE(sample.graph.degree(v), 5);
  EXPECT_EQ(std::get<DenseMatrix>(sample.features).values, sample.positions);
  EXPECT_EQ(std::get<DenseMatrix>(sample.features).cols, 3);
}

TEST(CloudSample, DrawsFromACloudWithoutRepeating) {
  Mesh cloud;
  for (int p = 0; p < 100; ++p)
    cloud.positions.insert(cloud.positions.end(), {std::cos(0.05f * p), std::sin(0.05f * p), 0.0f});
  Random random(1);
  const Sample some = cloud_sample("", cloud, {.points = 60, .k = 0}, random);
  EXPECT_EQ(some.graph.num_nodes(), 60);
  EXPECT_EQ(some.graph.num_edges(), 0);
  std::set<std::pair<float, float>> distinct;
  for (int p = 0; p < 60; ++p) distinct.emplace(some.positions[3 * p], some.positions[3 * p + 1]);
  EXPECT_EQ(distinct.size(), 60u);
  EXPECT_EQ(cloud_sample("", cloud, {.points = 100}, random).graph.num_nodes(), 100);
  EXPECT_EQ(cloud_sample("", cloud, {.points = 1000}, random).graph.num_nodes(), 100);
}

TEST(CloudSample, TakesDegenerateShapes) {
  Random random(1);
  const Sample one = cloud_sample("one", {{7, 8, 9}, {}}, {}, random);
  EXPECT_EQ(one.graph.num_nodes(), 1);
  EXPECT_EQ(one.graph.num_edges(), 0);
  EXPECT_EQ(one.positions, std::vector<float>(3, 0.0f));
  const Sample equal = cloud_sample("equal", {std::vector<float>(3 * 50, 4.0f), {}}, {}, random);
  EXPECT_EQ(equal.graph.num_nodes(), 50);
  for (NodeId v = 0; v < 50; ++v) EXPECT_GE(equal.graph.degree(v), 10);
  PDEGCN_EXPECT_ERROR(cloud_sample("flat", {{0, 0, 0, 1, 0, 0}, {{0, 1, 1}}}, {}, random),
                      "flat: the surface has no area");
  PDEGCN_EXPECT_ERROR(cloud_sample("", two_squares(), {.points = 0}, random), "points must be at");
  PDEGCN_EXPECT_ERROR(cloud_sample("", two_squares(), {.k = -1}, random), "k must not be negative");
}

}  // namespace
}  // namespace pdegcn::data
