#include "pdegcn/data/body_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"
#include "tests/support/dataset_hash.h"
#include "tests/support/mesh_topology.h"

namespace pdegcn::data {
namespace {

const BodySet kFew{2, 1, 1, 3, 0.04};

double distance(const Sample& s, NodeId a, NodeId b) {
  const float* p = &s.positions[3 * std::size_t(a)];
  const float* q = &s.positions[3 * std::size_t(b)];
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

TEST(BodyGenerator, IsTheSameForTheSameSeed) {
  EXPECT_EQ(tests::DatasetHash(bodies(kFew, 5)).value(), 11494856354625431522u);
  EXPECT_NE(tests::DatasetHash(bodies(kFew, 6)).value(),
            tests::DatasetHash(bodies(kFew, 5)).value());
}

TEST(BodyGenerator, IsOneClosedSurfaceAtAnySpacing) {
  for (const double spacing :
       {0.015, 0.02, 0.025, 0.03, 0.036, 0.04, 0.042, 0.045, 0.048, 0.05, 0.055, 0.06}) {
    const Dataset set = bodies({1, 0, 1, 1, spacing});
    const Sample& sample = set.samples[0];
    EXPECT_TRUE(tests::is_closed(sample)) << spacing;
    EXPECT_EQ(tests::euler_characteristic(sample), 2) << spacing;
    EXPECT_EQ(connected_components(sample.graph).count, 1) << spacing;
    EXPECT_GT(tests::volume(sample), 0.03) << spacing;
  }
}

TEST(BodyGenerator, SharesTheOrderOfVertices) {
  const Dataset set = bodies(kFew);
  ASSERT_EQ(set.samples.size(), 12u);
  const NodeId n = set.samples[0].graph.num_nodes();
  EXPECT_EQ(set.num_classes(), n);
  const auto& label = std::get<NodeLabels>(set.targets).label;
  for (std::size_t s = 0; s < set.samples.size(); ++s) {
    EXPECT_EQ(set.samples[s].triangles, set.samples[0].triangles);
    for (NodeId v = 0; v < n; ++v) ASSERT_EQ(label[s * n + v], v);
  }
  // Sides keep about their lengths: a pose bends the body, it does not tear it.
  for (const Sample& sample : set.samples) {
    double ratio_sum = 0;
    for (const Edge e : sample.graph.edges()) {
      const double ratio = distance(sample, e.i, e.j) / distance(set.samples[0], e.i, e.j);
      EXPECT_LT(ratio, 6) << sample.name;
      ratio_sum += ratio;
    }
    EXPECT_NEAR(ratio_sum / static_cast<double>(sample.graph.num_edges()), 1, 0.35);
  }
}

TEST(BodyGenerator, PosesAndSubjectsDiffer) {
  const Dataset set = bodies(kFew);
  const auto mean_shift = [&](int a, int b) {
    double sum = 0;
    const auto& p = set.samples[a].positions;
    const auto& q = set.samples[b].positions;
    for (std::size_t k = 0; k < p.size(); k += 3)
      sum += std::hypot(p[k] - q[k], p[k + 1] - q[k + 1], p[k + 2] - q[k + 2]);
    return 3 * sum / static_cast<double>(p.size());
  };
  EXPECT_GT(mean_shift(0, 1), 0.05);  // another pose
  EXPECT_GT(mean_shift(1, 2), 0.05);
  EXPECT_GT(mean_shift(0, 3), 0.01);  // another subject
  EXPECT_LT(mean_shift(0, 3), 0.2);
}

TEST(BodyGenerator, EdgeAttributesAreDifferences) {
  const Dataset set = bodies(kFew);
  const Sample& s = set.samples[4];
  const auto& odd = s.edge_attributes.odd;
  ASSERT_EQ(odd.rows, s.graph.num_edges());
  ASSERT_EQ(odd.cols, 3);
  // Up to one factor for the whole mesh.
  const Edge first = s.graph.edges()[0];
  const double factor =
      distance(s, first.i, first.j) / std::hypot(odd.values[0], odd.values[1], odd.values[2]);
  for (EdgeId e = 0; e < s.graph.num_edges(); ++e) {
    const auto [i, j] = s.graph.edges()[e];
    ASSERT_LT(i, j);
    for (int d = 0; d < 3; ++d)
      ASSERT_NEAR(factor * odd.values[3 * e + d],
                  s.positions[3 * std::size_t(i) + d] - s.positions[3 * std::size_t(j) + d], 1e-6);
  }
  EXPECT_EQ(set.num_features(), 1);
}

TEST(BodyGenerator, SplitsBySubject) {
  const Dataset set = bodies({3, 1, 2, 2, 0.045});
  const Split& split = set.split("default");
  EXPECT_EQ(split.train, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(split.validation, (std::vector<std::int32_t>{6, 7}));
  EXPECT_EQ(split.test, (std::vector<std::int32_t>{8, 9, 10, 11}));
}

TEST(BodyGenerator, SaysWhatIsWrong) {
  EXPECT_THROW(bodies({.poses = 0}), Error);
  EXPECT_THROW(bodies({.spacing = 0.1}), Error);
  EXPECT_THROW(bodies({.spacing = NAN}), Error);
  EXPECT_THROW(bodies({1, 0, 0, 5}), Error);
}

}  // namespace
}  // namespace pdegcn::data
