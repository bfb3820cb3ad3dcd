// What a training step does beside forward and backward, on one thread: the loss and the optimiser.
#include <benchmark/benchmark.h>

#include "pdegcn/train/adam.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {
namespace {

using Counter = benchmark::Counter;

// The network for Cora with 64 channels and that many layers.
void AdamStep(benchmark::State& state) {
  set_threads(1);
  nn::StackOptions stack;
  stack.layers = state.range(0);
  nn::NodeClassifier network(1433, 7, 0.5, stack);
  std::int64_t parameters = 0;
  for (torch::Tensor& parameter : network->parameters()) {
    parameter.mutable_grad() = torch::randn_like(parameter);
    parameters += parameter.numel();
  }
  Adam adam(*network, {});
  for (auto _ : state) benchmark::DoNotOptimize(adam.step());
  state.counters["parameters/s"] =
      Counter(static_cast<double>(parameters), Counter::kIsIterationInvariantRate);
}
BENCHMARK(AdamStep)->ArgName("layers")->Arg(16)->Arg(64);

// Cross-entropy of all nodes of PubMed, with its gradient.
void Loss(benchmark::State& state) {
  set_threads(1);
  const std::int64_t rows = 19717, classes = state.range(0);
  const auto logits = torch::randn({rows, classes});
  Answers answers;
  for (std::int64_t k = 0; k < rows; ++k) {
    answers.rows.push_back(k);
    answers.labels.push_back(static_cast<std::int32_t>(k % classes));
  }
  for (auto _ : state) {
    torch::Tensor gradient;
    benchmark::DoNotOptimize(judge(logits, answers, &gradient));
  }
  state.counters["rows/s"] = Counter(static_cast<double>(rows), Counter::kIsIterationInvariantRate);
}
BENCHMARK(Loss)->ArgName("classes")->Arg(3);

}  // namespace
}  // namespace pdegcn::train
