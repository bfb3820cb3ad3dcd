#include "pdegcn/data/block_model.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pdegcn/graph/error.h"
#include "tests/support/dataset_hash.h"

namespace pdegcn::data {
namespace {

const std::vector<std::int32_t>& labels(const Dataset& set) {
  return std::get<NodeLabels>(set.targets).label;
}

double homophily(const Dataset& set) {
  EdgeId inside = 0;
  for (const Edge e : set.samples[0].graph.edges()) inside += labels(set)[e.i] == labels(set)[e.j];
  return static_cast<double>(inside) / static_cast<double>(set.num_edges());
}

EdgeId largest_degree(const Graph& graph) {
  EdgeId most = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i) most = std::max(most, graph.degree(i));
  return most;
}

// What naive Bayes, trained on the training nodes, gets right of the test nodes, when it sees the
// words of a node itself and, if told to, those of its neighbours.
double bayes_accuracy(const Dataset& set, const Split& split, bool with_neighbors) {
  const auto& bags = std::get<SparseMatrix>(set.samples[0].features);
  const auto each_word = [&](NodeId node, auto&& use) {
    const auto use_bag = [&](NodeId k) {
      for (auto at = bags.offsets[k]; at < bags.offsets[k + 1]; ++at) use(bags.columns[at]);
    };
    use_bag(node);
    if (with_neighbors)
      for (const NodeId k : set.samples[0].graph.neighbors(node)) use_bag(k);
  };
  const auto classes = static_cast<std::size_t>(set.num_classes());
  std::vector<std::vector<double>> count(classes, std::vector<double>(bags.cols, 0.5));
  for (const NodeId i : split.train)
    each_word(i, [&](std::int32_t word) { ++count[labels(set)[i]][word]; });
  for (auto& of_class : count) {
    double sum = 0;
    for (const double c : of_class) sum += c;
    for (double& c : of_class) c = std::log(c / sum);
  }
  int right = 0;
  for (const NodeId i : split.test) {
    std::vector<double> score(classes, 0);
    for (std::size_t c = 0; c < classes; ++c)
      each_word(i, [&](std::int32_t word) { score[c] += count[c][word]; });
    right += std::max_element(score.begin(), score.end()) - score.begin() == labels(set)[i];
  }
  return static_cast<double>(right) / static_cast<double>(split.test.size());
}

TEST(BlockModel, IsTheSameForTheSameSeed) {
  const auto hash = [](std::uint64_t seed) {
    return tests::DatasetHash(block_model(block_model_preset("demo"), seed)).value();
  };
  EXPECT_EQ(hash(0), 7182910954349007326u);
  EXPECT_EQ(hash(7), 9061759574223688601u);
}

TEST(BlockModel, DemoNeedsItsGraph) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Dataset set = block_model(block_model_preset("demo"), seed);
    const double alone = bayes_accuracy(set, set.splits[0], false);
    const double together = bayes_accuracy(set, set.splits[0], true);
    EXPECT_GT(alone, 1.5 / 5);  // the features tell something too
    EXPECT_LT(alone, 0.7);
    EXPECT_GT(together, alone + 0.1);
  }
}

TEST(BlockModel, LooksLikeCora) {
  const Dataset set = block_model(block_model_preset("like-cora"));
  EXPECT_EQ(set.num_nodes(), 2708);
  EXPECT_EQ(set.num_edges(), 5278);
  EXPECT_EQ(set.num_features(), 1433);
  EXPECT_EQ(set.num_classes(), 7);
  EXPECT_EQ(std::count(labels(set).begin(), labels(set).end(), 3), 818);
  EXPECT_NEAR(std::get<SparseMatrix>(set.samples[0].features).values.size(), 49216, 1000);
  EXPECT_NEAR(homophily(set), 0.81, 1e-3);
  EXPECT_EQ(set.samples[0].graph.report().isolated, 0);
  EXPECT_GT(largest_degree(set.samples[0].graph), 60);
  const Split& split = set.splits.front();
  EXPECT_EQ(split.name, "public");
  EXPECT_EQ(split.train.size(), 140u);
  EXPECT_EQ(split.validation.size(), 500u);
  EXPECT_EQ(split.test.size(), 1000u);
  for (int c = 0; c < 7; ++c)
    EXPECT_EQ(std::ranges::count_if(split.train, [&](auto i) { return labels(set)[i] == c; }), 20);
  EXPECT_EQ(set.splits.size(), 11u);
  EXPECT_GT(bayes_accuracy(set, split, true), bayes_accuracy(set, split, false) + 0.1);
}

TEST(BlockModel, LooksLikeTexas) {
  const Dataset set = block_model(block_model_preset("like-texas"));
  EXPECT_EQ(set.num_nodes(), 183);
  EXPECT_EQ(set.num_edges(), 279);
  EXPECT_EQ(set.num_features(), 1703);
  EXPECT_EQ(set.num_classes(), 5);
  EXPECT_NEAR(std::get<SparseMatrix>(set.samples[0].features).values.size(), 15266, 800);
  EXPECT_NEAR(homophily(set), 0.06, 3e-3);
  EXPECT_EQ(set.samples[0].graph.report().isolated, 0);
  ASSERT_EQ(set.splits.size(), 10u);
  double alone = 0;
  double together = 0;
  for (const Split& split : set.splits) {
    EXPECT_EQ(split.train.size(), 87u);
    EXPECT_EQ(split.validation.size(), 59u);
    EXPECT_EQ(split.test.size(), 37u);
    alone += bayes_accuracy(set, split, false) / 10;
    together += bayes_accuracy(set, split, true) / 10;
  }
  EXPECT_NE(set.splits[0].train, set.splits[1].train);
  // Neighbours mislead whoever takes them for alike.
  EXPECT_GT(alone, 0.65);
  EXPECT_LT(together, 0.55);
}

TEST(BlockModel, LooksLikeCiteSeerAndPubMed) {
  const Dataset citeseer = block_model(block_model_preset("like-citeseer"));
  EXPECT_EQ(citeseer.num_nodes(), 3327);
  EXPECT_EQ(citeseer.num_edges(), 4552);
  EXPECT_EQ(citeseer.num_features(), 3703);
  EXPECT_NEAR(std::get<SparseMatrix>(citeseer.samples[0].features).values.size(), 105165, 3000);
  const Dataset pubmed = block_model(block_model_preset("like-pubmed"));
  EXPECT_EQ(pubmed.num_nodes(), 19717);
  EXPECT_EQ(pubmed.num_edges(), 44324);
  EXPECT_EQ(pubmed.num_features(), 500);
  EXPECT_NEAR(std::get<SparseMatrix>(pubmed.samples[0].features).values.size(), 988031, 10000);
  EXPECT_EQ(pubmed.splits[0].train.size(), 60u);
}

TEST(BlockModel, KeepsItsPromisesForAnyParameters) {
  rc::check([] {
    BlockModel model;
    model.class_sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<NodeId>>(rc::gen::inRange(30, 80)));
    const auto nodes = std::accumulate(model.class_sizes.begin(), model.class_sizes.end(), 0);
    model.edges = *rc::gen::inRange(0, 3 * nodes);
    model.homophily = model.class_sizes.size() == 1 ? 1 : *rc::gen::inRange(0, 11) / 10.0;
    model.ring = *rc::gen::inRange(0, 11) / 10.0;
    model.tail = *rc::gen::inRange(0, 9) / 10.0;
    model.topical = *rc::gen::inRange(0, 11) / 10.0;
    model.words_per_topic = *rc::gen::inRange(1, 100);
    model.train_per_class = 5;
    model.validation = model.test = 10;
    model.random_splits = 2;
    const Dataset set = block_model(model, *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(set.num_nodes() == nodes);
    RC_ASSERT(set.num_edges() == model.edges);
    if (model.edges > 0)
      RC_ASSERT(std::abs(homophily(set) - model.homophily) <=
                0.5 / static_cast<double>(model.edges) + 1e-12);
    RC_ASSERT(model.edges < nodes || set.samples[0].graph.report().isolated == 0);
    for (std::size_t c = 0; c < model.class_sizes.size(); ++c)
      RC_ASSERT(std::ranges::count(labels(set), static_cast<std::int32_t>(c)) ==
                model.class_sizes[c]);
  });
}

TEST(BlockModel, RingJoinsNeighbouringClasses) {
  BlockModel model;
  model.homophily = 0;
  model.ring = 1;
  const Dataset set = block_model(model);
  for (const Edge e : set.samples[0].graph.edges()) {
    const int apart = std::abs(labels(set)[e.i] - labels(set)[e.j]);
    EXPECT_TRUE(apart == 1 || apart == 4);
  }
}

TEST(BlockModel, SaysWhatIsWrong) {
  const auto message = [](auto&& change) -> std::string {
    BlockModel model;
    change(model);
    try {
      block_model(model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto& m) { m.homophily = 1.5; }),
            "homophily must be within 0 and 1, it is 1.5");
  EXPECT_EQ(message([](auto& m) { m.tail = NAN; }), "tail must be within 0 and 1, it is nan");
  EXPECT_EQ(message([](auto& m) { m.class_sizes = {}; }),
            "class_sizes must name at least one class");
  EXPECT_EQ(message([](auto& m) {
              m.class_sizes = {3, -1};
            }),
            "class_sizes must be positive, one is -1");
  EXPECT_EQ(message([](auto& m) {
              m.class_sizes = {3, 3}, m.edges = 16, m.train_per_class = 0;
            }),
            "edges is 16, too many for 6 nodes with homophily 0.75");
  EXPECT_EQ(message([](auto& m) { m.test = 5000; }),
            "2000 nodes are too few for 20 per class, 300 for validation and 5000 for the test");
  EXPECT_EQ(message([](auto& m) { m.words = 400; }),
            "words must be at least 1 and at most a third of the 500 features, it is 400");
  EXPECT_THROW(block_model_preset("like-karate"), Error);
}

TEST(BlockModel, EveryPresetCanBeMade) {
  for (const std::string& name : block_model_presets())
    EXPECT_EQ(block_model_preset(name).name, name);
}

}  // namespace
}  // namespace pdegcn::data
