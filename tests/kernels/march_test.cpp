#include "pdegcn/kernels/march.h"

#include <omp.h>

#include <limits>

#include "tests/kernels/each_target.h"
#include "tests/kernels/stack.h"
#include "tests/support/random_graph.h"

namespace pdegcn::kernels {
namespace {

using tests::RandomGraph;
using tests::Stack;
using tests::StackOptions;
using Order = tests::StackOptions::Order;

constexpr Activation kActivations[] = {Activation::tanh, Activation::relu, Activation::identity};

template <class T>
std::vector<T> last_state(const Stack<T>& stack, bool keep) {
  March<T> march(stack.problem());
  std::vector<T> last(stack.f0.size());
  march.forward(stack.f0.data(), last.data(), keep);
  return last;
}

// Relative to the largest value of a state: rounding errors travel along edges.
template <class T>
void expect_near(const std::vector<T>& values, const tests::Field<double>& truth,
                 double tolerance) {
  ASSERT_EQ(values.size(), truth.size());
  double size = 1e-3;
  for (const double value : truth) size = std::max(size, std::abs(value));
  for (std::size_t at = 0; at < truth.size(); ++at)
    ASSERT_NEAR(values[at], truth[at], tolerance * size) << at;
}

template <class T>
void expect_forward_right(const Graph& graph, const StackOptions& options) {
  // The matrix unit, which takes wide states, loses more of every term than floats do.
  const bool tiles = target() == "AMX" && options.channels >= 128;
  const double tolerance = sizeof(T) == 8 ? 1e-13 : tiles ? 0x1p-15 : 1e-5;
  SCOPED_TRACE(testing::Message() << options);
  const Stack<T> stack(graph, options);
  const auto truth = stack.template naive<double>().march();
  March<T> march(stack.problem());
  std::vector<T> kept(stack.f0.size()), state(stack.f0.size());
  march.forward(stack.f0.data(), kept.data(), true);
  ASSERT_EQ(march.layers(), options.layers);
  for (std::int64_t l = 0; l <= options.layers; ++l) {
    march.state(l, state.data());
    expect_near(state, truth[l], tolerance);
  }
  ASSERT_EQ(state, kept);
  ASSERT_EQ(last_state(stack, false), kept) << "without keeping the states";
  // And once more, over what the last run left behind.
  march.forward(stack.f0.data(), state.data(), true);
  ASSERT_EQ(state, kept);
}

template <class T>
class MarchForward : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MarchForward, Types);

TYPED_TEST(MarchForward, MatchesTheRecurrenceOnSpecialGraphs) {
  tests::each_target([] {
    for (const auto& [name, given] : tests::special_graphs())
      for (const Order order : {Order::first, Order::second, Order::mixed})
        for (const Activation activation : kActivations)
          for (const bool symmetric : {true, false})
            for (const std::int64_t layers : {1, 2, 5}) {
              const Graph graph = given.build();
              StackOptions options{7, layers, activation, symmetric};
              options.order = order;
              options.dropout = layers == 2 ? 0.3 : 0;
              options.shared = layers == 5;
              expect_forward_right<TypeParam>(graph, options);
              if (testing::Test::HasFatalFailure()) return;
            }
  });
}

TYPED_TEST(MarchForward, MatchesTheRecurrenceForAnyNumberOfChannels) {
  tests::each_target([] {
    const Graph graph = tests::star(9).build();
    for (const std::int64_t c : {1, 16, 31, 63, 64, 65, 128, 192}) {
      StackOptions options{c, 3};
      options.order = Order::second;
      options.dropout = 0.2;
      expect_forward_right<TypeParam>(graph, options);
    }
  });
}

RC_GTEST_PROP(MarchForward, MatchesTheRecurrenceOnRandomGraphs, (const RandomGraph& given)) {
  const Graph graph = given.build();
  StackOptions options;
  options.channels = *rc::gen::element<std::int64_t>(1, 2, 16, 17);
  options.layers = *rc::gen::inRange<std::int64_t>(1, 5);
  options.activation = *rc::gen::elementOf(std::vector(kActivations, kActivations + 3));
  options.symmetric = *rc::gen::arbitrary<bool>();
  options.shared = *rc::gen::arbitrary<bool>();
  options.dropout = *rc::gen::element(0.0, 0.5);
  options.order = *rc::gen::element(Order::first, Order::second, Order::mixed);
  expect_forward_right<float>(graph, options);
  expect_forward_right<double>(graph, options);
  RC_ASSERT(!testing::Test::HasFailure());
}

// A graph of several parts and strips, large enough to keep four threads busy.
Graph many_parts() {
  RandomGraph given = tests::path(700);
  for (NodeId j = 0; j < 60; ++j)
    for (NodeId i = 0; i < j; ++i) given.edges.push_back({11 * i, 11 * j});
  return given.build();
}

// One node of more neighbours than a thread takes at once, and another next to it.
Graph two_hubs() {
  RandomGraph given = tests::star(static_cast<NodeId>(2 * RowPlan::longest) + 100);
  for (NodeId j = 0; j < given.nodes; ++j)
    if (j % 3 != 0) given.edges.push_back({77, j});
  return given.build();
}

template <class T>
struct Everything {
  std::vector<T> last, f0, gamma, K;
  std::vector<double> steps;
  bool operator==(const Everything&) const = default;
};

// A forward and a backward run with all gradients.
template <class T>
Everything<T> run(const Stack<T>& stack) {
  March<T> march(stack.problem());
  const std::int64_t c = stack.options.channels;
  const auto layers = static_cast<std::size_t>(stack.options.layers);
  Everything<T> out;
  out.last.resize(stack.f0.size());
  march.forward(stack.f0.data(), out.last.data(), true);
  out.f0.resize(stack.f0.size());
  out.gamma.resize(stack.gamma.size());
  out.K.resize(layers * c * c);
  MarchGradients<T> gradients;
  gradients.f0 = out.f0.data();
  gradients.gamma = out.gamma.data();
  for (std::size_t l = 0; l < layers; ++l) gradients.K.push_back(out.K.data() + l * c * c);
  std::vector<StepCoefficients> steps(layers, StepCoefficients{0, 0, 0});
  gradients.steps = &steps;
  const auto last_bar = tests::random_values<T>(stack.f0.size(), 5);
  const auto states_bar = tests::random_values<T>(stack.f0.size() * (layers + 1), 6);
  march.backward(last_bar.data(), states_bar.data(), gradients);
  for (const auto& step : steps) out.steps.insert(out.steps.end(), {step.a, step.b, step.s});
  return out;
}

TYPED_TEST(MarchForward, MatchesTheRecurrenceInManyParts) {
  const Graph graph = many_parts();
  StackOptions options{20, 3};
  options.order = Order::second;
  tests::each_target([&] { expect_forward_right<TypeParam>(graph, options); });
}

TYPED_TEST(MarchForward, MatchesTheRecurrenceInLongParts) {
  const Graph graph = tests::clique_and_isolated().build();
  const auto begin = RowPlan(graph).part_begin;
  ASSERT_GT(begin[begin.size() - 1] - begin[begin.size() - 2], 128);
  StackOptions options{256, 2};
  options.order = Order::second;
  tests::each_target([&] { expect_forward_right<TypeParam>(graph, options); });
}

TYPED_TEST(MarchForward, LongRowsAreSummedFromTheirPieces) {
  const Graph graph = two_hubs();
  StackOptions options{3, 2};
  tests::each_target([&] {
    Stack<TypeParam> stack(graph, options);
    ASSERT_GE(stack.plan.pieces.size(), 5u);
    for (auto& value : stack.gamma) value /= 100;  // a hub sums over 33,000 neighbours
    const auto truth = stack.template naive<double>().march();
    expect_near(last_state(stack, true), truth[2], sizeof(TypeParam) == 4 ? 1e-4 : 1e-12);
    ASSERT_EQ(last_state(stack, true), last_state(stack, false));
  });
}

TYPED_TEST(MarchForward, BitsDoNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  const Graph parts = many_parts(), hubs = two_hubs();
  const Graph isolated = tests::clique_and_isolated().build();
  for (const Order order : {Order::first, Order::second}) {
    StackOptions options{17, 3};
    options.order = order;
    options.dropout = 0.2;
    const Stack<TypeParam> in_parts(parts, options);
    options.channels = 128;  // on the matrix unit, where there is one
    const Stack<TypeParam> wide(isolated, options);
    const Stack<TypeParam> in_pieces(hubs, {2, 2, Activation::tanh, true, false, 0, order});
    tests::each_target([&] {
      for (const auto* stack : {&in_parts, &wide, &in_pieces}) {
        omp_set_num_threads(1);
        const auto alone = run(*stack);
        for (const int threads : {1, 2, 4, 4}) {
          omp_set_num_threads(threads);
          EXPECT_TRUE(run(*stack) == alone) << threads << " threads";
        }
      }
    });
  }
  omp_set_num_threads(before);
}

TYPED_TEST(MarchForward, TargetsAgree) {
  const Graph graph = many_parts();
  StackOptions options{33, 3};
  options.dropout = 0.2;
  options.order = Order::second;
  const Stack<TypeParam> stack(graph, options);
  Everything<TypeParam> first;
  tests::each_target([&] {
    const auto all = run(stack);
    if (first.last.empty()) first = all;
    const double tolerance = 20 * std::numeric_limits<TypeParam>::epsilon();
    const auto compare = [&](const auto& values, const auto& others) {
      expect_near(values, tests::Field<double>(others.begin(), others.end()), tolerance);
    };
    compare(all.last, first.last);
    compare(all.f0, first.f0);
    compare(all.gamma, first.gamma);
    compare(all.K, first.K);
    compare(all.steps, first.steps);
  });
}

}  // namespace
}  // namespace pdegcn::kernels
