#include "pdegcn/train/diagnose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pdegcn/data/inductive_generator.h"
#include "pdegcn/data/karate.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {
namespace {

RunConfig config_for(const data::Dataset& data, const std::string& model, std::int64_t layers) {
  RunConfig config;
  config.model = model;
  config.layers = layers;
  config.channels = 8;
  return settle(config, data);
}

// Pair by pair and edge by edge.
LayerReading slow_reading(const torch::Tensor& state, const Graph& graph) {
  const auto f = state.to(torch::kFloat64);
  LayerReading reading;
  double cosines = 0, pairs = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i)
    for (NodeId j = 0; j < graph.num_nodes(); ++j) {
      const double norms = (f[i].norm() * f[j].norm()).item<double>();
      if (i == j || norms == 0) continue;
      cosines += f[i].dot(f[j]).item<double>() / norms;
      ++pairs;
    }
  double energy = 0;
  const auto scaled = [&](NodeId v) { return f[v] / std::sqrt(graph.degree(v) + 1.0); };
  for (const Edge& e : graph.edges())
    energy += (scaled(e.i) - scaled(e.j)).square().sum().item<double>();
  const double square = f.square().sum().item<double>();
  return {energy / square, std::sqrt(square), cosines / pairs};
}

TEST(Diagnose, AgreesWithAllPairsAndEdges) {
  const data::Dataset data = data::karate_club();
  for (const char* model : {"d", "h", "m", "gcn", "jknet", "gcnii", "gat", "appnp", "mlp"}) {
    const RunConfig config = config_for(data, model, 3);
    const Problem problem(data, data.splits.front(), config);
    const auto network = problem.make_network();
    const auto readings = diagnose(problem, *network);
    std::vector<torch::Tensor> states;
    const torch::NoGradGuard no_grad;
    problem.for_each_input([&](const nn::Input& input) { network->forward(input, {}, &states); });
    ASSERT_EQ(readings.size(), states.size()) << model;
    EXPECT_GE(readings.size(), 3) << model;
    for (std::size_t l = 0; l < states.size(); ++l) {
      const LayerReading expected = slow_reading(states[l], data.samples.front().graph);
      EXPECT_NEAR(readings[l].energy, expected.energy, 1e-10) << model << " layer " << l;
      EXPECT_NEAR(readings[l].norm, expected.norm, 1e-8 * expected.norm) << model;
      EXPECT_NEAR(readings[l].similarity, expected.similarity, 1e-10) << model;
    }
  }
}

// The over-smoothing that the paper speaks of: untrained GCN loses all differences, a wave does
// not.
TEST(Diagnose, SeesOverSmoothing) {
  const data::Dataset data = data::karate_club();
  const auto last = [&](const char* model) {
    RunConfig config = config_for(data, model, 32);
    config.step = 0.3;
    const Problem problem(data, data.splits.front(), config);
    return diagnose(problem, *problem.make_network()).back();
  };
  EXPECT_LT(last("gcn").energy, 1e-3);
  EXPECT_GT(last("gcn").similarity, 0.99);
  EXPECT_GT(last("h").energy, 0.05);
  EXPECT_LT(last("h").similarity, 0.9);
}

TEST(Diagnose, ManyGraphsCountTogether) {
  data::InductiveSet set;
  set.train_graphs = 4;
  set.nodes = 40;
  set.degree = 6;
  const data::Dataset data = data::inductive_graphs(set);
  RunConfig config = config_for(data, "gcn", 2);
  const auto together = [&](std::int64_t batch) {
    config.batch = batch;
    const Problem problem(data, data.splits.front(), config);
    return diagnose(problem, *problem.make_network());
  };
  const auto one = together(1), three = together(3);
  for (std::size_t l = 0; l < one.size(); ++l) {
    EXPECT_NEAR(one[l].energy, three[l].energy, 1e-6);
    EXPECT_NEAR(one[l].norm, three[l].norm, 1e-4 * one[l].norm);
    EXPECT_NEAR(one[l].similarity, three[l].similarity, 1e-6);
  }
}

TEST(Diagnose, WhatCannotBeMeasuredIsEmpty) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(layers_csv({{0.5, 2, 0.25}, {nothing, 0, nothing}}),
            "layer,energy,norm,similarity\n0,0.5,2,0.25\n1,,0,\n");
}

}  // namespace
}  // namespace pdegcn::train
