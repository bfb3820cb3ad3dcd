#include "pdegcn/kernels/edge_flux.h"

#include <algorithm>
#include <limits>

#include "tests/kernels/each_target.h"
#include "tests/kernels/naive.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

using tests::Field;
using tests::RandomGraph;

constexpr Activation kActivations[] = {Activation::tanh, Activation::relu, Activation::identity};

// A graph with fields in the layout of the kernels, and room for the results.
template <class T>
struct Case {
  Case(const Graph& of, std::int64_t channels, Activation activation, const EdgeDropout& dropout,
       double reach = 1)
      : graph(of),
        c(channels),
        gamma(tests::random_values<T>(graph.num_edges(), 1)),
        g(field(2, reach)),
        y_bar(field(3, 1)),
        y(field(4, 1)),
        g_bar(field(5, 1)),
        gamma_grad(graph.num_edges(), T{0.25}) {
    for (T& value : gamma) value = std::abs(value) + T{0.1};
    for (const EdgeId e : graph.edge_ids()) entry_gamma.push_back(gamma[e]);
    pass.rows = {graph.offsets().data(), graph.neighbors().data(), graph.edge_ids().data(),
                 entry_gamma.data()};
    pass.activation = activation;
    pass.dropout = dropout;
    pass.g = view(g);
    pass.y_bar = view(y_bar);
    pass.gamma_grad = gamma_grad.data();
    pass.gamma_scale = T{-0.5};
  }

  Buffer<T> field(std::uint64_t seed, double reach) const {
    const auto values = tests::random_values<T>(graph.num_nodes() * c, seed);
    Buffer<T> buffer(graph.num_nodes() * padded(c));
    copy_rows<T>({values.data(), graph.num_nodes(), c, c}, view(buffer), 0, graph.num_nodes());
    for (T& value : buffer.values()) value = static_cast<T>(value * reach);
    return buffer;
  }
  Matrix<T> view(const Buffer<T>& buffer) const {
    return {buffer.data(), graph.num_nodes(), c, padded(c)};
  }
  Field<double> plain(const Buffer<T>& buffer) const {
    Field<double> out;
    for (std::int64_t i = 0; i < graph.num_nodes(); ++i)
      out.insert(out.end(), view(buffer).row(i), view(buffer).row(i) + c);
    return out;
  }

  // Runs the pass over all rows; afterwards the padding must still be zero.
  void run(bool adjoint) {
    edge_flux_rows<T>(pass, 0, graph.num_nodes(), std::numeric_limits<EdgeId>::max(), view(y),
                      adjoint ? view(g_bar) : Matrix<T>{});
    for (std::int64_t i = 0; i < graph.num_nodes(); ++i)
      for (std::int64_t k = c; k < padded(c); ++k) {
        ASSERT_EQ(view(y).row(i)[k], 0);
        if (adjoint) {
          ASSERT_EQ(view(g_bar).row(i)[k], 0);
        }
      }
  }

  const Graph& graph;
  std::int64_t c;
  std::vector<T> gamma, entry_gamma;
  Buffer<T> g, y_bar, y, g_bar;
  std::vector<T> gamma_grad;
  EdgePass<T> pass;
};

// y, ḡ and the gradient of γ in double, edge by edge, each with the size of its terms.
struct Expected {
  Field<double> y, y_size, g_bar, g_bar_size, gamma_grad, gamma_size;
};

template <class T>
Expected expected(const Case<T>& test) {
  const std::int64_t c = test.c;
  const Field<double> g = test.plain(test.g), y_bar = test.plain(test.y_bar);
  Expected out;
  for (auto* field : {&out.y, &out.y_size, &out.g_bar, &out.g_bar_size}) field->resize(g.size());
  for (EdgeId e = 0; e < test.graph.num_edges(); ++e) {
    const auto [i, j] = test.graph.edges()[e];
    const double gamma = test.gamma[e];
    double gradient = 0, size = 0;
    for (std::int64_t k = 0; k < c; ++k) {
      const double mask = edge_dropout_factor(test.pass.dropout, e, k);
      const double difference = g[i * c + k] - g[j * c + k];
      const double x = mask * gamma * difference;
      const double sigma = tests::odd_part(test.pass.activation, x);
      const double slope = test.pass.activation == Activation::tanh       ? 1 - sigma * sigma
                           : test.pass.activation == Activation::identity ? 1
                                                                          : 0.5;
      const double push = y_bar[i * c + k] - y_bar[j * c + k];
      const double pull = gamma * mask * gamma * slope * push;
      for (const auto& [node, sign] : {std::pair(i, 1.0), std::pair(j, -1.0)}) {
        out.y[node * c + k] += sign * gamma * sigma;
        out.y_size[node * c + k] += gamma * (1 + std::abs(x));
        out.g_bar[node * c + k] += sign * pull;
        out.g_bar_size[node * c + k] += gamma * gamma * (1 + mask) * 4;
      }
      gradient += push * sigma + mask * gamma * slope * difference * push;
      size += 4 * (1 + mask * gamma) * (1 + std::abs(difference));
    }
    out.gamma_grad.push_back(0.25 - 0.5 * gradient);
    out.gamma_size.push_back(1 + size);
  }
  return out;
}

// 5e-7 of the tanh, and rounding.
template <class T>
constexpr double kTolerance = sizeof(T) == 4 ? 6e-7 : 2e-15;

template <class T, class Value>
void expect_near(const std::vector<Value>& values, const Field<double>& truth,
                 const Field<double>& size, const char* what) {
  ASSERT_EQ(values.size(), truth.size());
  for (std::size_t at = 0; at < truth.size(); ++at)
    ASSERT_NEAR(values[at], truth[at], kTolerance<T> * size[at]) << what << " at " << at;
}

template <class T>
void expect_right(Case<T>&& test) {
  const Expected truth = expected(test);
  test.run(false);
  expect_near<T>(test.plain(test.y), truth.y, truth.y_size, "y");
  test.run(true);
  expect_near<T>(test.plain(test.y), truth.y, truth.y_size, "y beside the adjoint");
  expect_near<T>(test.plain(test.g_bar), truth.g_bar, truth.g_bar_size, "g_bar");
  expect_near<T>(test.gamma_grad, truth.gamma_grad, truth.gamma_size, "gamma_grad");
  // The same without the gradient of γ, to the bit.
  const auto before = test.plain(test.g_bar);
  test.pass.gamma_grad = nullptr;
  test.run(true);
  ASSERT_EQ(test.plain(test.g_bar), before);
}

template <class T>
class EdgeFlux : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(EdgeFlux, Types);

TYPED_TEST(EdgeFlux, MatchesTheDefinitionOnSpecialGraphs) {
  tests::each_target([] {
    for (const auto& [name, given] : tests::special_graphs())
      for (const std::int64_t c : {1, 16, 63, 64, 65, 128, 200})
        for (const Activation activation : kActivations)
          for (const double p : {0.0, 0.3}) {
            SCOPED_TRACE(testing::Message() << name << ", " << c << " channels, activation "
                                            << static_cast<int>(activation) << ", p " << p);
            const Graph graph = given.build();
            expect_right(Case<TypeParam>(graph, c, activation, {p, 0x123456789abcdef, 3, 5}, 2));
            if (testing::Test::HasFatalFailure()) return;
          }
  });
}

RC_GTEST_PROP(EdgeFlux, MatchesTheDefinitionOnRandomGraphs, (const RandomGraph& given)) {
  const Graph graph = given.build();
  const auto c = *rc::gen::element<std::int64_t>(1, 2, 17, 63, 65, 96);
  const auto activation = *rc::gen::elementOf(std::vector(kActivations, kActivations + 3));
  const EdgeDropout dropout{*rc::gen::element(0.0, 0.5, 0.9), *rc::gen::arbitrary<std::uint64_t>(),
                            *rc::gen::arbitrary<std::uint32_t>(), 7};
  tests::each_target([&] {
    expect_right(Case<float>(graph, c, activation, dropout, 3));
    expect_right(Case<double>(graph, c, activation, dropout, 3));
  });
  RC_ASSERT(!testing::Test::HasFailure());
}

// Saturation and beyond: values far outside of what tanh tells apart, and NaN where it belongs.
TYPED_TEST(EdgeFlux, LargeDifferencesAndNansStayWhereTheyAre) {
  tests::each_target([] {
    const Graph graph = tests::path(5).build();
    expect_right(Case<TypeParam>(graph, 33, Activation::tanh, {}, 1000));
    Case<TypeParam> test(graph, 20, Activation::tanh, {});
    test.view(test.g).row(0)[3] = std::numeric_limits<TypeParam>::quiet_NaN();
    test.run(true);
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t k = 0; k < 20; ++k)
        EXPECT_EQ(std::isnan(test.view(test.y).row(i)[k]), k == 3 && i < 2) << i << ", " << k;
  });
}

// Parts of a row, and rows that are passed over.
TYPED_TEST(EdgeFlux, EntriesAndRangesOfRowsMakeTheWhole) {
  using T = TypeParam;
  tests::each_target([] {
    const Graph graph = tests::star(40).build();
    Case<T> whole(graph, 70, Activation::tanh, {0.2, 1, 2, 3});
    whole.run(true);
    Case<T> test(graph, 70, Activation::tanh, {0.2, 1, 2, 3});
    const auto untouched = test.plain(test.y);
    edge_flux_rows<T>(test.pass, 0, 30, 38, test.view(test.y), test.view(test.g_bar));
    for (std::int64_t i = 0; i < 40; ++i)
      for (std::int64_t k = 0; k < 70; ++k) {
        const bool left_out = i == 0 || i >= 30;
        EXPECT_EQ(test.view(test.y).row(i)[k],
                  left_out ? untouched[i * 70 + k] : whole.view(whole.y).row(i)[k]);
      }
    // Row 20 goes to row 0 of the result.
    edge_flux_rows<T>(test.pass, 20, 22, 38, test.view(test.y));
    for (std::int64_t k = 0; k < 70; ++k)
      EXPECT_EQ(test.view(test.y).row(1)[k], whole.view(whole.y).row(21)[k]);

    const auto sum = test.field(0, 0), sum_bar = test.field(0, 0);
    const Buffer<T> y(padded(70)), g_bar(padded(70));
    for (EdgeId first = 0; first < 39; first += 10) {
      edge_flux_entries<T>(test.pass, 0, first, std::min<EdgeId>(39, first + 10), y.data(),
                           g_bar.data());
      for (std::int64_t k = 0; k < 70; ++k) {
        sum.data()[k] += y.data()[k];
        sum_bar.data()[k] += g_bar.data()[k];
      }
    }
    for (std::int64_t k = 0; k < 70; ++k) {
      EXPECT_NEAR(sum.data()[k], whole.y.data()[k], 40 * kTolerance<T>);
      EXPECT_NEAR(sum_bar.data()[k], whole.g_bar.data()[k], 80 * kTolerance<T>);
    }
  });
}

// The targets round differently, and no more than that.
TYPED_TEST(EdgeFlux, TargetsAgree) {
  using T = TypeParam;
  const Graph graph = tests::clique(30).build();
  Field<double> y, g_bar;
  std::vector<T> gamma_grad;
  tests::each_target([&] {
    Case<T> test(graph, 65, Activation::tanh, {0.4, 9, 8, 7});
    test.run(true);
    if (y.empty())
      y = test.plain(test.y), g_bar = test.plain(test.g_bar), gamma_grad = test.gamma_grad;
    const double tolerance = 100 * std::numeric_limits<T>::epsilon();
    for (std::size_t at = 0; at < y.size(); ++at) {
      ASSERT_NEAR(test.plain(test.y)[at], y[at], tolerance);
      ASSERT_NEAR(test.plain(test.g_bar)[at], g_bar[at], tolerance);
    }
    for (std::size_t e = 0; e < gamma_grad.size(); ++e)
      ASSERT_NEAR(test.gamma_grad[e], gamma_grad[e], tolerance);
  });
}

// With σ = identity and a difference of one, y shows the mask itself, from both ends.
TYPED_TEST(EdgeFlux, MasksAreThoseOfTheDefinitionFromBothEnds) {
  using T = TypeParam;
  tests::each_target([] {
    // Edges 0-1 and, far apart in id, others: a mask must not depend on where its row stands.
    const Graph graph = tests::path(50).build();
    for (const std::int64_t c : {5, 16, 48, 64, 100, 192}) {
      Case<T> test(graph, c, Activation::identity, {0.37, 77, 1000, 12});
      std::fill(test.entry_gamma.begin(), test.entry_gamma.end(), T{1});
      for (std::int64_t i = 0; i < 50; ++i)
        for (std::int64_t k = 0; k < c; ++k) test.view(test.g).row(i)[k] = i % 2;
      test.pass.gamma_grad = nullptr;
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < 50; ++i) {
        const Buffer<T> y(padded(c));
        for (EdgeId at = graph.offsets()[i]; at < graph.offsets()[i + 1]; ++at) {
          edge_flux_entries<T>(test.pass, i, at, at + 1, y.data());
          for (std::int64_t k = 0; k < c; ++k) {
            const double factor = edge_dropout_factor(test.pass.dropout, graph.edge_ids()[at], k);
            ASSERT_EQ(y.data()[k], static_cast<T>((i % 2 ? 1 : -1) * static_cast<T>(factor)))
                << "edge " << graph.edge_ids()[at] << ", channel " << k << " of " << c;
            kept += factor != 0;
          }
        }
      }
      const double entries = 98.0 * c;
      EXPECT_NEAR(kept / entries, 0.63, 5 * std::sqrt(2 * 0.63 * 0.37 / entries)) << c;
    }
  });
}

TEST(EdgeDropout, FactorsAreZeroOrTheInverseKeepRate) {
  for (const double p : {0.1, 0.5, 0.9}) {
    const EdgeDropout dropout{p, 4, 5, 6};
    std::int64_t kept = 0;
    for (EdgeId e = 0; e < 2000; ++e)
      for (std::int64_t k = 0; k < 100; ++k) {
        const double factor = edge_dropout_factor(dropout, e, k);
        if (factor != 0) {
          ASSERT_EQ(factor, 1 / (1 - p));
          ++kept;
        }
      }
    EXPECT_NEAR(kept / 200000.0, 1 - p, 5 * std::sqrt(p * (1 - p) / 200000));
  }
  EXPECT_EQ(edge_dropout_factor({}, 1, 2), 1);
}

// Masks that differ in one of the things they depend on have nothing to do with each other, also
// for ids beyond 32 bits and for channels that share a block of random bits.
TEST(EdgeDropout, EveryArgumentMatters) {
  const EdgeDropout base{0.5, 1, 2, 3};
  const auto agreement = [&](const EdgeDropout& other, EdgeId edge_step,
                             std::int64_t channel_step) {
    int same = 0;
    for (EdgeId e = 0; e < 200; ++e)
      for (std::int64_t k = 0; k < 100; ++k)
        same += edge_dropout_factor(base, e, k) ==
                edge_dropout_factor(other, e + edge_step, k + channel_step);
    return same / 20000.0;
  };
  const double half = 5 * 0.5 / std::sqrt(20000.0);
  EXPECT_EQ(agreement(base, 0, 0), 1);
  EXPECT_NEAR(agreement({0.5, 2, 2, 3}, 0, 0), 0.5, half);
  EXPECT_NEAR(agreement({0.5, 1 | std::uint64_t{1} << 40, 2, 3}, 0, 0), 0.5, half);
  EXPECT_NEAR(agreement({0.5, 1, 3, 3}, 0, 0), 0.5, half);
  EXPECT_NEAR(agreement({0.5, 1, 2, 4}, 0, 0), 0.5, half);
  EXPECT_NEAR(agreement(base, 1, 0), 0.5, half);
  EXPECT_NEAR(agreement(base, EdgeId{1} << 32, 0), 0.5, half);
  for (const std::int64_t step : {1, 4, 16, 32, 64})
    EXPECT_NEAR(agreement(base, 0, step), 0.5, half);
}

}  // namespace
}  // namespace pdegcn::kernels
