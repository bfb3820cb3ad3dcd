#include "pdegcn/data/inductive_generator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pdegcn/graph/error.h"
#include "tests/support/dataset_hash.h"

namespace pdegcn::data {
namespace {

TEST(InductiveGenerator, IsTheSameForTheSameSeed) {
  EXPECT_EQ(tests::DatasetHash(inductive_graphs({}, 1)).value(), 6548862108039546336u);
  EXPECT_EQ(tests::DatasetHash(inductive_graphs({}, 2)).value(), 4323913329802218131u);
}

TEST(InductiveGenerator, HasTheAskedForSizes) {
  const Dataset set = inductive_graphs();
  ASSERT_EQ(set.samples.size(), 24u);
  EXPECT_EQ(set.num_classes(), 20);
  EXPECT_EQ(set.num_features(), 50);
  EXPECT_EQ(set.splits[0].train.size(), 20u);
  EXPECT_EQ(set.splits[0].validation, (std::vector<std::int32_t>{20, 21}));
  EXPECT_EQ(set.splits[0].test, (std::vector<std::int32_t>{22, 23}));
  for (const Sample& s : set.samples) {
    EXPECT_GE(s.graph.num_nodes(), 100);
    EXPECT_LE(s.graph.num_nodes(), 300);
    const double degree =
        2.0 * static_cast<double>(s.graph.num_edges()) / static_cast<double>(s.graph.num_nodes());
    EXPECT_GT(degree, 10);
    EXPECT_LE(degree, 12.1);
  }
  const auto& targets = std::get<NodeMultiLabels>(set.targets);
  double ones = 0;
  for (const auto v : targets.values) ones += v;
  EXPECT_NEAR(ones / static_cast<double>(set.num_nodes()), 3, 0.1);
}

// Two ends of an edge share labels far more often than any two nodes, in training graphs as in
// those of the test, and features tell of labels.
TEST(InductiveGenerator, LabelsShowInEdgesAndFeatures) {
  const Dataset set = inductive_graphs();
  const auto& targets = std::get<NodeMultiLabels>(set.targets);
  std::int64_t first = 0;
  for (const Sample& s : set.samples) {
    const std::int64_t n = s.graph.num_nodes();
    const auto share = [&](std::int64_t i, std::int64_t j) {
      for (int l = 0; l < 20; ++l)
        if (targets.values[(first + i) * 20 + l] && targets.values[(first + j) * 20 + l])
          return true;
      return false;
    };
    double joined = 0;
    for (const Edge e : s.graph.edges()) joined += share(e.i, e.j);
    double any = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j) any += share(i, j);
    EXPECT_GT(joined / static_cast<double>(s.graph.num_edges()), 0.85);
    EXPECT_LT(2 * any / static_cast<double>(n * (n - 1)), 0.6);

    // Feature 3 is a mark of label 3.
    const auto& x = std::get<DenseMatrix>(s.features);
    double with = 0, with_count = 0, without = 0, without_count = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool member = targets.values[(first + i) * 20 + 3];
      (member ? with : without) += x.values[i * 50 + 3];
      (member ? with_count : without_count) += 1;
    }
    EXPECT_GT(with / with_count, without / without_count);
    first += n;
  }
}

TEST(InductiveGenerator, SaysWhatIsWrong) {
  EXPECT_THROW(inductive_graphs({.nodes = 1}), Error);
  EXPECT_THROW(inductive_graphs({.degree = 1000}), Error);
  EXPECT_THROW(inductive_graphs({.labels_per_node = 20}), Error);
  EXPECT_THROW(inductive_graphs({.clarity = NAN}), Error);
  EXPECT_THROW(inductive_graphs({.train_graphs = 0, .validation_graphs = 0, .test_graphs = 1}),
               Error);
}

}  // namespace
}  // namespace pdegcn::data
