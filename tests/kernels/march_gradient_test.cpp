#include <functional>

#include "pdegcn/kernels/march.h"
#include "tests/kernels/each_target.h"
#include "tests/kernels/stack.h"
#include "tests/support/random_graph.h"

namespace pdegcn::kernels {
namespace {

using tests::Field;
using tests::NaiveStack;
using tests::RandomGraph;
using tests::Stack;
using tests::StackOptions;
using Order = tests::StackOptions::Order;
using Complex = std::complex<double>;

// The loss is ⟨last_bar, f^L⟩ + Σ_l ⟨states_bar_l, f^l⟩; its derivative by one number, by a complex
// step in the oracle.
struct Loss {
  std::vector<double> last_bar, states_bar;

  double derivative(NaiveStack<Complex>& stack, const std::vector<Complex*>& number) const {
    constexpr double kStep = 1e-100;
    for (Complex* n : number) *n += Complex(0, kStep);
    const auto states = stack.march();
    for (Complex* n : number) *n = n->real();
    double sum = 0;
    for (std::size_t at = 0; at < last_bar.size(); ++at)
      sum += last_bar[at] * states.back()[at].imag();
    if (!states_bar.empty())
      for (std::size_t l = 0; l < states.size(); ++l)
        for (std::size_t at = 0; at < last_bar.size(); ++at)
          sum += states_bar[l * last_bar.size() + at] * states[l][at].imag();
    return sum / kStep;
  }
};

// Compares every gradient of backward, added to what was there, with the oracle's derivatives;
// where there are very many numbers, every `stride`-th.
void expect_gradients_right(const Graph& graph, const StackOptions& options, bool trajectory,
                            std::size_t stride = 1) {
  SCOPED_TRACE(testing::Message() << options << ", trajectory " << trajectory);
  const Stack<double> stack(graph, options);
  const std::size_t size = stack.f0.size();
  const auto layers = static_cast<std::size_t>(options.layers);
  Loss loss{tests::random_values<double>(size, 5), {}};
  if (trajectory) loss.states_bar = tests::random_values<double>(size * (layers + 1), 6);

  March<double> march(stack.problem());
  std::vector<double> last(size);
  march.forward(stack.f0.data(), last.data(), true);
  std::vector<double> f0(size, 0.5), gamma(stack.gamma.size(), -0.5);
  std::vector<std::vector<double>> K(stack.K.size(), std::vector<double>(stack.K[0].size(), 0.25));
  std::vector<StepCoefficients> steps(layers, StepCoefficients{1, 2, 3});
  MarchGradients<double> gradients;
  gradients.f0 = f0.data();
  gradients.gamma = gamma.data();
  for (std::size_t l = 0; l < layers; ++l) gradients.K.push_back(K[options.shared ? 0 : l].data());
  gradients.steps = &steps;
  const auto run = [&] {
    march.backward(loss.last_bar.data(), trajectory ? loss.states_bar.data() : nullptr, gradients);
  };
  run();

  auto oracle = stack.naive<Complex>();
  const auto expect = [&](double value, double before, const std::vector<Complex*>& number,
                          const std::string& what) {
    const double truth = loss.derivative(oracle, number);
    ASSERT_NEAR(value - before, truth, 1e-11 * (1 + std::abs(truth))) << what;
  };
  for (std::size_t at = 0; at < size; at += stride)
    expect(f0[at], 0.5, {&oracle.f0[at]}, "f0 at " + std::to_string(at));
  for (std::size_t e = 0; e < gamma.size(); e += stride)
    expect(gamma[e], -0.5, {&oracle.gamma[e]}, "gamma of edge " + std::to_string(e));
  for (std::size_t l = 0; l < K.size(); ++l)
    for (std::size_t at = 0; at < K[l].size(); at += stride) {
      std::vector<Complex*> number;
      for (std::size_t k = 0; k < layers; ++k)
        if (options.shared || k == l) number.push_back(&oracle.K[k][at]);
      expect(K[l][at], 0.25, number, "K of layer " + std::to_string(l));
    }
  for (std::size_t l = 0; l < layers; ++l) {
    expect(steps[l].a, 1, {&oracle.steps[l].a}, "a of layer " + std::to_string(l));
    expect(steps[l].b, 2, {&oracle.steps[l].b}, "b of layer " + std::to_string(l));
    expect(steps[l].s, 3, {&oracle.steps[l].s}, "s of layer " + std::to_string(l));
  }

  // Each gradient alone has the bits that it has among the others.
  const auto all_f0 = f0, all_gamma = gamma;
  const auto all_K = K;
  const auto all_steps = steps;
  const MarchGradients<double> all = gradients;
  const auto reset = [&] {
    f0.assign(size, 0.5);
    gamma.assign(gamma.size(), -0.5);
    for (auto& matrix : K) matrix.assign(matrix.size(), 0.25);
    steps.assign(layers, StepCoefficients{1, 2, 3});
    gradients = {};
  };
  reset(), gradients.f0 = all.f0, run();
  ASSERT_EQ(f0, all_f0);
  reset(), gradients.gamma = all.gamma, run();
  ASSERT_EQ(gamma, all_gamma);
  reset(), gradients.K = all.K, run();
  ASSERT_EQ(K, all_K);
  reset(), gradients.steps = &steps, run();
  for (std::size_t l = 0; l < layers; ++l) ASSERT_EQ(steps[l].s, all_steps[l].s);
}

constexpr Activation kActivations[] = {Activation::tanh, Activation::relu, Activation::identity};

TEST(MarchBackward, IsTheDerivativeForEveryOption) {
  const Graph graph = RandomGraph{6, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}, {3, 4}}}.build();
  tests::each_target([&] {
    for (const Order order : {Order::first, Order::second, Order::mixed})
      for (const Activation activation : kActivations)
        for (const bool symmetric : {true, false})
          for (const bool shared : {true, false})
            for (const double dropout : {0.0, 0.4})
              for (const bool trajectory : {true, false}) {
                StackOptions options{3, 3, activation, symmetric, shared, dropout, order};
                expect_gradients_right(graph, options, trajectory);
                if (testing::Test::HasFatalFailure()) return;
              }
  });
}

TEST(MarchBackward, IsTheDerivativeForAnyDepth) {
  const Graph graph = tests::star(5).build();
  for (const std::int64_t layers : {1, 2, 4, 7})
    for (const Order order : {Order::first, Order::second, Order::mixed}) {
      StackOptions options{2, layers};
      options.order = order;
      expect_gradients_right(graph, options, true);
    }
}

TEST(MarchBackward, IsTheDerivativeOnSpecialGraphs) {
  for (const auto& [name, given] : tests::special_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = given.build();
    StackOptions options{4, 2};
    options.order = Order::second;
    expect_gradients_right(graph, options, true);
  }
}

TEST(MarchBackward, IsTheDerivativeForAnyNumberOfChannels) {
  const Graph graph = tests::path(4).build();
  tests::each_target([&] {
    for (const std::int64_t c : {1, 16, 63, 64, 65}) {
      StackOptions options{c, 2};
      options.dropout = 0.3;
      options.order = Order::second;
      expect_gradients_right(graph, options, false, c < 10 ? 1 : 397);
    }
  });
}

// Several parts: their sums are put together, and long rows are cut.
TEST(MarchBackward, IsTheDerivativeInManyPartsAndPieces) {
  RandomGraph given = tests::star(static_cast<NodeId>(RowPlan::longest) + 400);
  for (NodeId j = 20; j < given.nodes; j += 100) given.edges.push_back({j - 13, j});
  const Graph graph = given.build();
  StackOptions options{2, 2};
  options.order = Order::second;
  expect_gradients_right(graph, options, true, 5003);
}

RC_GTEST_PROP(MarchBackward, IsTheDerivativeOnRandomGraphs, (const RandomGraph& given)) {
  const Graph graph = given.build();
  StackOptions options;
  options.channels = *rc::gen::element<std::int64_t>(1, 3);
  options.layers = *rc::gen::inRange<std::int64_t>(1, 4);
  options.activation = *rc::gen::elementOf(std::vector(kActivations, kActivations + 3));
  options.symmetric = *rc::gen::arbitrary<bool>();
  options.shared = *rc::gen::arbitrary<bool>();
  options.dropout = *rc::gen::element(0.0, 0.5);
  options.order = *rc::gen::element(Order::first, Order::second, Order::mixed);
  expect_gradients_right(graph, options, *rc::gen::arbitrary<bool>(), 7);
  RC_ASSERT(!testing::Test::HasFailure());
}

// In float against double, with 16 layers; 128 and 192 channels are for the matrix unit, where
// there is one.
TEST(MarchBackward, FloatFollowsDouble) {
  RandomGraph given = tests::path(300);
  for (NodeId j = 0; j < 300; ++j) given.edges.push_back({j, (j * 37 + 11) % 300});
  const Graph graph = given.build();
  tests::each_target([&] {
    for (const std::int64_t c : {64, 128, 192}) {
      StackOptions options{c, 16};
      options.order = c == 64 ? Order::first : Order::second;
      options.symmetric = c != 192;
      const auto gradient = [&]<class T>(T) {
        const Stack<T> stack(graph, options);
        March<T> march(stack.problem());
        std::vector<T> last(stack.f0.size()), f0(stack.f0.size()), K(c * c);
        const auto bar = tests::random_values<T>(last.size(), 5);
        march.forward(stack.f0.data(), last.data(), true);
        MarchGradients<T> gradients;
        gradients.f0 = f0.data();
        gradients.K.assign(16, K.data());
        march.backward(bar.data(), nullptr, gradients);
        std::vector<double> all(f0.begin(), f0.end());
        all.insert(all.end(), K.begin(), K.end());
        return all;
      };
      const auto in_float = gradient(float{}), in_double = gradient(double{});
      double error = 0, size = 0;
      for (std::size_t at = 0; at < in_double.size(); ++at) {
        error += std::pow(in_float[at] - in_double[at], 2);
        size += std::pow(in_double[at], 2);
      }
      // The matrix unit loses up to 1/2¹⁵ of a term.
      const bool tiles = target() == "AMX" && c >= 128;
      EXPECT_LT(std::sqrt(error / size), tiles ? 0x1p-15 : 1e-5) << c;
    }
  });
}

}  // namespace
}  // namespace pdegcn::kernels
