#include "pdegcn/data/shape_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pdegcn/graph/error.h"
#include "tests/support/dataset_hash.h"
#include "tests/support/mesh_topology.h"

namespace pdegcn::data {
namespace {

const ShapeSet kFew{2, 1, 1, 200, 8, 0.005};

double farthest(const Sample& sample) {
  double radius = 0;
  for (std::size_t k = 0; k < sample.positions.size(); k += 3)
    radius = std::max<double>(
        radius, std::hypot(sample.positions[k], sample.positions[k + 1], sample.positions[k + 2]));
  return radius;
}

TEST(ShapeGenerator, IsTheSameForTheSameSeed) {
  EXPECT_EQ(tests::DatasetHash(shape_meshes(kFew, 3)).value(), 14725559135241141125u);
  EXPECT_EQ(tests::DatasetHash(shape_clouds(kFew, 3)).value(), 3719842743365750516u);
  EXPECT_NE(tests::DatasetHash(shape_clouds(kFew, 4)).value(),
            tests::DatasetHash(shape_clouds(kFew, 3)).value());
}

TEST(ShapeGenerator, HasTheAskedForSizes) {
  const Dataset set = shape_clouds(kFew);
  ASSERT_EQ(set.samples.size(), 40u);
  EXPECT_EQ(set.num_classes(), 10);
  EXPECT_EQ(set.num_features(), 3);
  EXPECT_EQ(set.splits[0].train.size(), 20u);
  EXPECT_EQ(set.splits[0].validation.size(), 10u);
  EXPECT_EQ(set.splits[0].test.size(), 10u);
  const auto& label = std::get<GraphLabels>(set.targets).label;
  for (const auto& part : {set.splits[0].train, set.splits[0].validation, set.splits[0].test})
    for (int c = 0; c < 10; ++c)
      EXPECT_EQ(std::ranges::count_if(part, [&](auto k) { return label[k] == c; }),
                static_cast<std::ptrdiff_t>(part.size() / 10));
  for (const Sample& sample : set.samples) {
    EXPECT_EQ(sample.graph.num_nodes(), 200);
    for (NodeId i = 0; i < 200; ++i) EXPECT_GE(sample.graph.degree(i), 8);
  }
}

TEST(ShapeGenerator, MeshesAreClosedAndOrientedOutwards) {
  const Dataset set = shape_meshes({20, 1, 1});
  const auto& label = std::get<GraphLabels>(set.targets).label;
  for (std::size_t s = 0; s < set.samples.size(); ++s) {
    const Sample& sample = set.samples[s];
    const std::string& name = set.class_names[label[s]];
    EXPECT_TRUE(tests::is_closed(sample)) << sample.name;
    EXPECT_EQ(tests::euler_characteristic(sample), name == "torus" || name == "tube" ? 0 : 2)
        << sample.name;
    EXPECT_EQ(connected_components(sample.graph).count, 1) << sample.name;
    EXPECT_GT(tests::volume(sample), 0.02) << sample.name;
    EXPECT_NEAR(farthest(sample), 1, 1e-5) << sample.name;
  }
}

TEST(ShapeGenerator, NoTwoShapesAreAlike) {
  const Dataset set = shape_meshes({5, 0, 0});
  std::set<double> volumes;
  for (const Sample& sample : set.samples) volumes.insert(tests::volume(sample));
  EXPECT_EQ(volumes.size(), set.samples.size());
}

// On a cylinder of radius r and height h, the share of points on the two ends is that of their
// area, r / (r + h), and points on the side are uniform in height.
TEST(ShapeGenerator, PointsAreUniformByArea) {
  const ShapeSet set{1, 0, 0, 20000, 1, 0};
  const Sample mesh = shape_meshes(set).samples[2];
  const Sample cloud = shape_clouds(set).samples[2];
  ASSERT_EQ(cloud.name, "cylinder_0002");
  const auto heights = [](const Sample& s) {
    std::vector<double> z;
    for (std::size_t k = 2; k < s.positions.size(); k += 3) z.push_back(s.positions[k]);
    return z;
  };
  double radius = 0;
  for (std::size_t k = 0; k < mesh.positions.size(); k += 3)
    radius = std::max<double>(radius, std::hypot(mesh.positions[k], mesh.positions[k + 1]));
  const auto [mesh_bottom, mesh_top] = std::ranges::minmax(heights(mesh));
  // The cross-section is a polygon of 24 corners.
  const double ends = 2 * 12 * std::sin(M_PI / 12) * radius * radius;
  const double side = 48 * std::sin(M_PI / 24) * radius * (mesh_top - mesh_bottom);
  const double share = ends / (ends + side);

  const std::vector<double> z = heights(cloud);
  const auto range = std::ranges::minmax(z);
  const double middle = (range.min + range.max) / 2;
  const double half = (range.max - range.min) / 2;
  const auto at_ends =
      std::ranges::count_if(z, [&](double v) { return std::abs(v - middle) > half - 1e-5; });
  const auto below = std::ranges::count_if(z, [&](double v) { return v < middle; });
  EXPECT_NEAR(static_cast<double>(at_ends) / 20000, share, 4 * std::sqrt(share / 20000));
  EXPECT_NEAR(static_cast<double>(below) / 20000, 0.5, 0.015);
}

TEST(ShapeGenerator, SaysWhatIsWrong) {
  EXPECT_THROW(shape_clouds({.points = 0}), Error);
  EXPECT_THROW(shape_clouds({.neighbors = 0}), Error);
  EXPECT_THROW(shape_clouds({.noise = -1}), Error);
  EXPECT_THROW(shape_clouds({.train_per_class = -1}), Error);
  EXPECT_THROW(shape_clouds({0, 0, 0}), Error);
}

}  // namespace
}  // namespace pdegcn::data
