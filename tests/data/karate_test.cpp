#include "pdegcn/data/karate.h"

#include <gtest/gtest.h>

#include "pdegcn/graph/transform.h"

namespace pdegcn::data {
namespace {

TEST(Karate, HasThePublishedDegrees) {
  const Dataset set = karate_club();
  ASSERT_EQ(set.samples.size(), 1u);
  const Graph& graph = set.samples[0].graph;
  EXPECT_EQ(graph.num_nodes(), 34);
  EXPECT_EQ(graph.num_edges(), 78);
  EXPECT_EQ(graph.report().merged, 0);
  EXPECT_EQ(connected_components(graph).count, 1);
  const EdgeId degrees[] = {16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2,  2,
                            2,  2, 3,  2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17};
  for (NodeId i = 0; i < 34; ++i) EXPECT_EQ(graph.degree(i), degrees[i]) << i;
}

TEST(Karate, HasTwoFactionsOfSeventeen) {
  const Dataset set = karate_club();
  const auto& label = std::get<NodeLabels>(set.targets).label;
  EXPECT_EQ(std::count(label.begin(), label.end(), 0), 17);
  EXPECT_EQ(std::count(label.begin(), label.end(), 1), 17);
  EXPECT_EQ(set.num_classes(), 2);
  // Eleven friendships broke with the club.
  EdgeId across = 0;
  for (const Edge e : set.samples[0].graph.edges()) across += label[e.i] != label[e.j];
  EXPECT_EQ(across, 11);
}

TEST(Karate, LearnsFromTheLeaders) {
  const Dataset set = karate_club();
  EXPECT_EQ(set.num_features(), 34);
  const Split& split = set.split("leaders");
  EXPECT_EQ(split.train, (std::vector<std::int32_t>{0, 33}));
  EXPECT_EQ(split.validation.size() + split.test.size(), 32u);
  EXPECT_EQ(split.validation.size(), 8u);
}

}  // namespace
}  // namespace pdegcn::data
