#include "pdegcn/data/statistics.h"

#include <gtest/gtest.h>

#include "pdegcn/data/block_model.h"
#include "pdegcn/data/karate.h"

namespace pdegcn::data {
namespace {

TEST(Statistics, OfTheKarateClub) {
  const DatasetStatistics s = statistics(karate_club());
  EXPECT_EQ(s.name, "karate");
  EXPECT_EQ(s.samples, 1);
  EXPECT_EQ(s.nodes, 34);
  EXPECT_EQ(s.edges, 78);
  EXPECT_EQ(s.edges_given, 78);
  EXPECT_EQ(s.features, 34);
  EXPECT_EQ(s.nonzeros, 34);
  EXPECT_DOUBLE_EQ(s.density, 1.0 / 34);
  EXPECT_EQ(s.task, DatasetStatistics::Task::kNodeLabels);
  EXPECT_EQ(s.class_counts, (std::vector<std::int64_t>{17, 17}));
  EXPECT_EQ(s.least_degree, 1);
  EXPECT_EQ(s.most_degree, 17);
  EXPECT_DOUBLE_EQ(s.mean_degree, 156.0 / 34);
  EXPECT_EQ(s.components, 1);
  EXPECT_EQ(s.largest_component, 34);
  EXPECT_EQ(s.isolated, 0);
  EXPECT_DOUBLE_EQ(s.homophily.value(), 67.0 / 78);
  ASSERT_EQ(s.splits.size(), 1u);
  EXPECT_EQ(s.splits[0].train, 2);
  // The degrees are 1; 11 times 2; 12 times 3 or 4; 6 times 5 to 8; 9, 10, 12, 16; 17.
  const std::int64_t nodes[] = {0, 1, 11, 12, 5, 4, 1};
  const std::int64_t most[] = {0, 1, 2, 4, 8, 16, 32};
  ASSERT_EQ(s.degrees.size(), 7u);
  for (int b = 0; b < 7; ++b) {
    EXPECT_EQ(s.degrees[b].nodes, nodes[b]) << b;
    EXPECT_EQ(s.degrees[b].most, most[b]) << b;
    EXPECT_EQ(s.degrees[b].least, b < 2 ? b : most[b - 1] + 1) << b;
  }
}

TEST(Statistics, CountsWhatAGraphMergedAndDropped) {
  Dataset set;
  set.name = "made by hand";
  Sample sample;
  sample.graph = Graph::from_edges(5, {{0, 1}, {1, 0}, {1, 2}, {2, 2}, {0, 1}});
  sample.features = DenseMatrix{5, 2, {1, 0, 0, 0, 2, 3, 0, 0, 0, 0}};
  set.samples.push_back(sample);
  set.targets = NodeLabels{{0, 0, kUnlabelled, 1, 1}};
  set.class_names = {"a", "b"};
  set.check();
  const DatasetStatistics s = statistics(set);
  EXPECT_EQ(s.edges_given, 5);
  EXPECT_EQ(s.self_loops, 1);
  EXPECT_EQ(s.merged, 2);
  EXPECT_EQ(s.edges, 2);
  EXPECT_EQ(s.isolated, 2);
  EXPECT_EQ(s.components, 3);
  EXPECT_EQ(s.largest_component, 3);
  EXPECT_EQ(s.nonzeros, 3);
  EXPECT_DOUBLE_EQ(s.density, 0.3);
  EXPECT_EQ(s.unlabelled, 1);
  EXPECT_EQ(s.class_counts, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(s.homophily, 1.0);  // the edge to the unlabelled node does not count
}

TEST(Statistics, AddsUpManyGraphs) {
  Dataset set;
  for (int g = 0; g < 3; ++g) {
    Sample sample;
    sample.graph = Graph::from_edges(4, {{0, 1}, {2, 3}});
    sample.features = DenseMatrix{4, 1, {1, 1, 1, 1}};
    set.samples.push_back(sample);
  }
  set.class_names = {"a", "b"};
  set.targets = GraphLabels{{0, 1, 1}};
  DatasetStatistics s = statistics(set);
  EXPECT_EQ(s.nodes, 12);
  EXPECT_EQ(s.edges, 6);
  EXPECT_EQ(s.components, 6);
  EXPECT_EQ(s.task, DatasetStatistics::Task::kGraphLabels);
  EXPECT_EQ(s.class_counts, (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(s.homophily.has_value());

  std::vector<std::uint8_t> ones(24, 0);
  ones[1] = ones[3] = ones[4] = 1;
  set.targets = NodeMultiLabels{2, ones};
  s = statistics(set);
  EXPECT_EQ(s.task, DatasetStatistics::Task::kNodeMultiLabels);
  EXPECT_EQ(s.class_counts, (std::vector<std::int64_t>{1, 2}));

  // Labels of nodes count over all samples, one after the other.
  set.targets = NodeLabels{{0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1}};
  EXPECT_EQ(statistics(set).homophily, 2.0 / 6);
}

TEST(Statistics, OfNothing) {
  const DatasetStatistics s = statistics({});
  EXPECT_EQ(s.nodes, 0);
  EXPECT_EQ(s.least_degree, 0);
  EXPECT_EQ(s.density, 0);
  EXPECT_TRUE(s.degrees.empty());
}

TEST(Statistics, AgreesWithTheBlockModel) {
  const DatasetStatistics s = statistics(block_model(block_model_preset("like-texas")));
  EXPECT_NEAR(s.homophily.value(), 0.06, 3e-3);
  EXPECT_EQ(s.class_counts, (std::vector<std::int64_t>{33, 1, 18, 101, 30}));
  EXPECT_EQ(s.splits.size(), 10u);
}

}  // namespace
}  // namespace pdegcn::data
