// Loss and optimiser against libtorch's own, and the tasks through one epoch.
#include <gtest/gtest.h>
#include <omp.h>
#include <torch/torch.h>

#include "pdegcn/data/block_model.h"
#include "pdegcn/data/karate.h"
#include "pdegcn/train/adam.h"
#include "pdegcn/train/checkpoint.h"
#include "pdegcn/train/loss.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensors.h"

namespace pdegcn::train {
namespace {

using tests::distance;
using tests::normal;

TEST(Loss, CrossEntropyIsThatOfLibtorch) {
  auto logits = (3 * normal({50, 7}, 1, torch::kFloat32)).requires_grad_();
  Answers answers;
  for (int k = 0; k < 50; k += 3) {
    answers.rows.push_back(k);
    answers.labels.push_back(k % 5 == 0 ? -1 : k % 7);
  }
  torch::Tensor gradient;
  const Outcome outcome = judge(logits, answers, &gradient);
  const auto rows = torch::tensor(answers.rows);
  const auto labels =
      torch::tensor(std::vector<std::int64_t>(answers.labels.begin(), answers.labels.end()));
  const auto loss = torch::nn::functional::cross_entropy(
      logits.index_select(0, rows), labels,
      torch::nn::functional::CrossEntropyFuncOptions().ignore_index(-1));
  loss.backward();
  EXPECT_NEAR(outcome.loss(), loss.item<double>(), 1e-5);
  EXPECT_LT(distance(gradient, logits.grad()), 1e-6);
  const auto right = logits.index_select(0, rows).argmax(1).eq(labels).sum().item<std::int64_t>();
  EXPECT_EQ(outcome.hits, right);
  EXPECT_EQ(outcome.count, labels.ge(0).sum().item<std::int64_t>());
}

TEST(Loss, BinaryCrossEntropyAndMicroF1) {
  auto logits = (20 * normal({30, 9}, 2, torch::kFloat32)).requires_grad_();
  const auto truth = normal({30, 9}, 3).gt(0.3);
  Answers answers;
  for (int k = 0; k < 30; ++k) {
    answers.rows.push_back(k);
    for (int j = 0; j < 9; ++j) answers.multi.push_back(truth[k][j].item<bool>());
  }
  torch::Tensor gradient;
  const Outcome outcome = judge(logits, answers, &gradient);
  const auto loss = torch::binary_cross_entropy_with_logits(logits, truth.to(torch::kFloat32));
  loss.backward();
  EXPECT_NEAR(outcome.loss(), loss.item<double>(), 1e-5);
  EXPECT_LT(distance(gradient, logits.grad()), 1e-6);
  const auto said = logits.gt(0);
  const double tp = said.logical_and(truth).sum().item<double>();
  const double fp = said.logical_and(~truth).sum().item<double>();
  const double fn = (~said).logical_and(truth).sum().item<double>();
  EXPECT_DOUBLE_EQ(outcome.score(), 2 * tp / (2 * tp + fp + fn));
}

TEST(Loss, TheSameBitsForAnyNumberOfThreads) {
  const auto logits = normal({5000, 40}, 4, torch::kFloat32);
  Answers answers;
  for (int k = 0; k < 5000; ++k) {
    answers.rows.push_back(k);
    answers.labels.push_back(k % 40);
  }
  const int before = omp_get_max_threads();
  std::vector<double> losses;
  for (const int threads : {1, 2, 4, 7}) {
    omp_set_num_threads(threads);
    losses.push_back(judge(logits, answers).loss());
  }
  omp_set_num_threads(before);
  for (const double loss : losses) EXPECT_EQ(loss, losses.front());
}

TEST(Adam, IsThatOfLibtorchWithCoupledDecay) {
  nn::StackOptions stack;
  stack.equation = nn::Equation::mixture;
  stack.channels = 5;
  torch::manual_seed(1);
  nn::NodeClassifier ours(4, 3, 0.0, stack), theirs(4, 3, 0.0, stack);
  load_weights(*theirs, weights_of(*ours), "a copy");

  Adam adam(*ours, {0.05, 0.01, 0.1, 0.02});
  const auto groups = theirs->parameter_groups();
  using Options = torch::optim::AdamOptions;
  const auto options = [](double rate, double decay) {
    return std::make_unique<Options>(Options(rate).weight_decay(decay));
  };
  torch::optim::Adam reference(
      std::vector<torch::optim::OptimizerParamGroup>{{groups[0].parameters, options(0.05, 0.02)},
                                                     {groups[1].parameters, options(0.01, 0)},
                                                     {groups[2].parameters, options(0.1, 0)}});
  for (int step = 0; step < 20; ++step) {
    std::uint64_t seed = 100 * step;
    for (auto* network : {&*ours, &*theirs}) {
      seed = 100 * step;
      for (auto& p : network->parameters())
        p.mutable_grad() = normal(p.sizes(), ++seed, torch::kFloat32);
    }
    EXPECT_EQ(adam.step(), "");
    reference.step();
  }
  for (const auto& item : ours->named_parameters())
    EXPECT_LT(distance(item.value(), theirs->named_parameters()[item.key()]), 1e-5) << item.key();
}

TEST(Adam, ClipsAndRefusesWhatIsNotFinite) {
  nn::NodeClassifier network(4, 3, 0.0, nn::StackOptions{});
  Adam adam(*network, {});
  for (auto& p : network->parameters()) p.mutable_grad() = torch::zeros_like(p);
  network->closing->weight.mutable_grad().fill_(std::numeric_limits<float>::infinity());
  const Weights before = weights_of(*network);
  EXPECT_EQ(adam.step(), "closing.weight");
  for (const auto& [name, tensor] : weights_of(*network))
    EXPECT_TRUE(torch::equal(tensor, before.at(name)));
  EXPECT_EQ(adam.steps, 0);

  network->closing->weight.mutable_grad().fill_(100);
  adam.step(1, 1);
  // The clipped gradient has norm 1 over 192 equal entries, plus the decay term.
  const auto expected = 0.1 * (1 / std::sqrt(192.0) + 5e-4 * before.at("closing.weight"));
  for (const auto& slot : adam.slots) {
    if (slot.name == "closing.weight") {
      EXPECT_LT(distance(slot.mean, expected), 1e-5);
    }
  }
}

TEST(Checkpoint, ReturnsWhatItWasGiven) {
  const tests::TemporaryFolder folder;
  Checkpoint c;
  c.config.layers = 3;
  c.fingerprint = "0123abcd";
  c.standing = {7, {5, -0.1 / 3, 6}, {4, -0.7 / 3, 0}};
  c.steps = 70;
  c.weights = {{"opening.weight", normal({3, 4}, 1, torch::kFloat32)},
               {"pde.beta", normal({1}, 2, torch::kFloat32)}};
  c.best = {{"opening.weight", normal({3, 4}, 3, torch::kFloat32)}};
  c.mean = {{"opening.weight", normal({3, 4}, 4, torch::kFloat32)}};
  c.square = {{"opening.weight", normal({3, 4}, 5, torch::kFloat32)}};
  const auto path = folder.path() / "last.safetensors";
  write_checkpoint(path, c);
  const Checkpoint back = read_checkpoint(path);
  EXPECT_EQ(back.config, c.config);
  EXPECT_EQ(back.fingerprint, c.fingerprint);
  EXPECT_EQ(back.standing.epoch, 7);
  for (const auto member : {&Standing::chosen, &Standing::peeked}) {
    EXPECT_EQ((back.standing.*member).epoch, (c.standing.*member).epoch);
    EXPECT_EQ((back.standing.*member).value, (c.standing.*member).value);
    EXPECT_EQ((back.standing.*member).ended, (c.standing.*member).ended);
  }
  EXPECT_EQ(back.steps, 70);
  for (const auto member :
       {&Checkpoint::weights, &Checkpoint::best, &Checkpoint::mean, &Checkpoint::square}) {
    ASSERT_EQ((back.*member).size(), (c.*member).size());
    for (const auto& [name, tensor] : c.*member)
      EXPECT_TRUE(torch::equal(tensor, (back.*member).at(name))) << name;
  }
  PDEGCN_EXPECT_ERROR(read_trained(path), "classes");
}

RunConfig settled(const data::Dataset& data) {
  RunConfig config;
  config.layers = 2;
  config.channels = 6;
  return settle(config, data);
}

TEST(Problem, AnswersOfTheTestPartDoNotCountBeforeTheEnd) {
  data::Dataset data = data::karate_club();
  const RunConfig config = settled(data);
  const data::Split split = data.splits.front();
  const std::string fingerprint = Problem(data, split, config).fingerprint();
  auto& labels = std::get<data::NodeLabels>(data.targets).label;
  for (const auto v : split.test) labels[v] = 1 - labels[v];
  EXPECT_EQ(Problem(data, split, config).fingerprint(), fingerprint);
  labels[split.train[0]] = 1 - labels[split.train[0]];
  EXPECT_NE(Problem(data, split, config).fingerprint(), fingerprint);
}

TEST(Problem, BatchesShowEveryGraphOnceAndDependOnTheEpoch) {
  data::Dataset data;
  data.name = "paths";
  data.class_names = {"short", "long"};
  data::GraphLabels labels;
  data::Split split;
  for (int k = 0; k < 11; ++k) {
    data::Sample sample;
    std::vector<Edge> edges;
    for (NodeId v = 1; v < 3 + k; ++v) edges.push_back({v - 1, v});
    sample.graph = Graph::from_edges(3 + k, edges);
    sample.features = data::DenseMatrix{3 + k, 1, std::vector<float>(3 + k, 1.0f)};
    data.samples.push_back(std::move(sample));
    labels.label.push_back(k > 5);
    split.train.push_back(k);
  }
  split.name = "only";
  data.targets = labels;
  data.splits = {split};
  RunConfig config = settled(data);
  EXPECT_EQ(config.task, "graph");
  EXPECT_EQ(config.batch, 32);
  config.batch = 5;
  Problem problem(data, split, config);
  EXPECT_EQ(problem.batches_per_epoch(), 3);
  std::vector<std::vector<std::int64_t>> orders;
  for (const std::int64_t epoch : {1, 2, 1}) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t k = 0; k < 3; ++k) {
      const Batch batch = problem.training_batch(epoch, k);
      EXPECT_GE(batch.input.graph_sizes.size(), 3);
      for (std::size_t g = 0; g < batch.input.graph_sizes.size(); ++g) {
        sizes.push_back(batch.input.graph_sizes[g]);
        EXPECT_EQ(batch.answers.labels[g], batch.input.graph_sizes[g] > 8);
      }
    }
    orders.push_back(sizes);
    std::sort(sizes.begin(), sizes.end());
    for (int k = 0; k < 11; ++k) EXPECT_EQ(sizes[k], 3 + k);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_EQ(orders[0], orders[2]);
}

}  // namespace
}  // namespace pdegcn::train
