// All formulations compute the same network: otherwise their times could not be compared.
#include <gtest/gtest.h>

#include "bench/side.h"

namespace pdegcn::bench {
namespace {

constexpr Formulation kAll[] = {Formulation::paper, Formulation::torch, Formulation::tuned};

class Formulations : public testing::TestWithParam<Case> {};

// K is not symmetric here, so that a K in the place of its transpose would show.
TEST_P(Formulations, HaveTheSameLossAndGradients) {
  const Workload workload(GetParam(), true);
  ASSERT_GT((workload.weights.K - workload.weights.K.transpose(1, 2)).norm().item<double>(), 0.1);
  const auto reference = ours(workload);
  const Derivatives expected = reference->derivatives();
  EXPECT_EQ(expected.gradients.size(), workload.f0.defined() ? 1 : 3);
  for (const Formulation formulation : kAll) {
    const auto side = formulated(formulation, workload);
    EXPECT_LT(difference(side->derivatives(), expected), 1e-5) << static_cast<int>(formulation);
    // A second time nothing may be left of the first.
    EXPECT_LT(difference(side->derivatives(), expected), 1e-5) << static_cast<int>(formulation);
    if (workload.f0.defined()) continue;
    side->train();
    side->evaluate();
    EXPECT_GT(difference(side->derivatives(), expected), 1e-3) << static_cast<int>(formulation);
  }
  const auto frugal = formulated(Formulation::tuned, workload, 0);
  EXPECT_LT(difference(frugal->derivatives(), expected), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, Formulations,
                         testing::Values(Case{"texas-d", "like-texas", "d", 16, 3},
                                         Case{"texas-h", "like-texas", "h", 16, 3},
                                         Case{"mesh-h", kMesh, "h", 16, 3},
                                         Case{"rmat-d", kRmat, "d", 16, 2}));

// Without dropout a step of training takes all of them to the same weights.
TEST(Formulations, TrainAlike) {
  train::RunConfig settings;
  settings.dropout = 0;
  const Workload workload({"texas-h", "like-texas", "h", 8, 3}, true, settings);
  const auto reference = ours(workload);
  for (int step = 0; step < 3; ++step) reference->train();
  const Derivatives expected = reference->derivatives();
  for (const Formulation formulation : kAll) {
    const auto side = formulated(formulation, workload);
    EXPECT_GT(difference(side->derivatives(), expected), 1e-2);
    for (int step = 0; step < 3; ++step) side->train();
    EXPECT_LT(difference(side->derivatives(), expected), 1e-3) << static_cast<int>(formulation);
  }
}

TEST(Difference, SeesLossesGradientsAndNaN) {
  const Derivatives a{2, {torch::ones({2, 2}), torch::ones({3})}};
  EXPECT_EQ(difference(a, a), 0);
  EXPECT_NEAR(difference({2.2, a.gradients}, a), 0.1, 1e-12);
  EXPECT_NEAR(difference({2, {a.gradients[0], 1.5 * a.gradients[1]}}, a), 0.5, 1e-6);
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(difference({nan, a.gradients}, a) < 1);
  EXPECT_FALSE(difference({2, {nan * a.gradients[0], a.gradients[1]}}, a) < 1);
}

TEST(EdgeBytes, GrowWithLayersAndEdges) {
  const Workload few({"", kRmat, "d", 8, 1}, true), many({"", kRmat, "d", 8, 3}, true);
  for (const Formulation formulation : kAll) {
    EXPECT_GT(edge_bytes(formulation, many), edge_bytes(formulation, few));
    EXPECT_GE(edge_bytes(formulation, few), few.edges() * 8 * 4);
  }
  EXPECT_GT(edge_bytes(Formulation::paper, many), 2 * edge_bytes(Formulation::torch, many));
  EXPECT_GT(available_memory(), 0);
}

}  // namespace
}  // namespace pdegcn::bench
