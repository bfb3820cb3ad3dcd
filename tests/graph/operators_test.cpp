#include "pdegcn/graph/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pdegcn/graph/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_values.h"
#include "tests/support/symmetric_eigen.h"

namespace pdegcn {
namespace {

using tests::RandomGraph;

// γ of any kind, custom ones among them.
std::vector<double> draw_weights(const Graph& graph, std::uint64_t seed) {
  const auto kind = *rc::gen::element(WeightKind::metropolis, WeightKind::normalized,
                                      WeightKind::degree, WeightKind::unit, WeightKind::distance);
  if (*rc::gen::arbitrary<bool>()) {
    auto custom = tests::random_values<double>(graph.num_edges(), seed);
    for (double& value : custom) value = std::abs(value);
    return custom;
  }
  return edge_weights(graph, kind, tests::random_values<float>(3 * graph.num_nodes(), seed));
}

std::int64_t draw_channels() {
  return *rc::gen::element<std::int64_t>(1, 2, 63, 65);
}

// G as a dense matrix, edges x nodes, straight from its definition; A with sign = 1, scale = ½.
std::vector<double> dense(const Graph& graph, std::span<const double> gamma, double scale = 1,
                          double sign = -1) {
  std::vector<double> matrix(graph.num_edges() * graph.num_nodes());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    double* row = matrix.data() + e * graph.num_nodes();
    row[graph.edges()[e].i] = scale * gamma[e];
    row[graph.edges()[e].j] = scale * sign * gamma[e];
  }
  return matrix;
}

// GᵀG entry by entry: Σ_k γ_ik² on the diagonal, -γ_ij² beside it.
std::vector<double> dense_laplacian(const Graph& graph, std::span<const double> gamma) {
  const std::int64_t n = graph.num_nodes();
  std::vector<double> matrix(n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const EdgeId e = graph.find_edge(static_cast<NodeId>(i), static_cast<NodeId>(j));
      if (e < 0) continue;
      matrix[i * n + j] = -gamma[e] * gamma[e];
      matrix[i * n + i] += gamma[e] * gamma[e];
    }
  }
  return matrix;
}

// What an operator is compared with: matrix times field, and the sum of the absolute values of the
// terms, which its rounding errors are measured by.
struct Product {
  std::vector<double> value;
  std::vector<double> scale;
};

template <class T>
Product multiply(const std::vector<double>& matrix, std::int64_t rows, std::int64_t columns,
                 const std::vector<T>& field, std::int64_t c, bool transposed = false) {
  Product out{std::vector<double>((transposed ? columns : rows) * c),
              std::vector<double>((transposed ? columns : rows) * c)};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < c; ++k) {
        const std::int64_t to = (transposed ? j : i) * c + k;
        const std::int64_t from = (transposed ? i : j) * c + k;
        const double term = matrix[i * columns + j] * field[from];
        out.value[to] += term;
        out.scale[to] += std::abs(term);
      }
    }
  }
  return out;
}

template <class T>
bool close(const std::vector<T>& result, const Product& expected) {
  if (result.size() != expected.value.size()) return false;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double tolerance = 64 * std::numeric_limits<T>::epsilon() * expected.scale[k];
    if (!(std::abs(result[k] - expected.value[k]) <= tolerance)) return false;
  }
  return true;
}

template <class T>
void operators_are_their_matrices(const RandomGraph& given, std::uint64_t seed) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const std::int64_t n = graph.num_nodes(), m = graph.num_edges(), c = draw_channels();
  const auto f = tests::random_values<T>(n * c, seed + 1);
  const auto q = tests::random_values<T>(m * c, seed + 2);
  const auto g = dense(graph, gamma);
  const auto a = dense(graph, gamma, 0.5, 1);
  const auto minus_g = dense(graph, gamma, -1, -1);

  RC_ASSERT(close(gradient<T>(graph, gamma, f, c), multiply(g, m, n, f, c)));
  RC_ASSERT(close(gradient_adjoint<T>(graph, gamma, q, c), multiply(g, m, n, q, c, true)));
  RC_ASSERT(close(divergence<T>(graph, gamma, q, c), multiply(minus_g, m, n, q, c, true)));
  RC_ASSERT(close(average<T>(graph, gamma, f, c), multiply(a, m, n, f, c)));
  RC_ASSERT(close(average_adjoint<T>(graph, gamma, q, c), multiply(a, m, n, q, c, true)));
  const auto l = dense_laplacian(graph, gamma);
  RC_ASSERT(close(laplacian<T>(graph, gamma, f, c), multiply(l, n, n, f, c)));
}
RC_GTEST_PROP(Operators, AreTheirMatricesInFloat, (const RandomGraph& given, std::uint64_t seed)) {
  operators_are_their_matrices<float>(given, seed);
}
RC_GTEST_PROP(Operators, AreTheirMatricesInDouble, (const RandomGraph& given, std::uint64_t seed)) {
  operators_are_their_matrices<double>(given, seed);
}

// <x, y> and the sum of the absolute values of its terms.
template <class T>
std::pair<double, double> inner(const std::vector<T>& x, const std::vector<T>& y) {
  double sum = 0, scale = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double term = static_cast<double>(x[k]) * y[k];
    sum += term;
    scale += std::abs(term);
  }
  return {sum, scale};
}

template <class T>
void adjoints_are_adjoint(const RandomGraph& given, std::uint64_t seed) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const std::int64_t c = draw_channels();
  const auto f = tests::random_values<T>(graph.num_nodes() * c, seed + 1);
  const auto q = tests::random_values<T>(graph.num_edges() * c, seed + 2);
  const auto agree = [](std::pair<double, double> a, std::pair<double, double> b) {
    const double tolerance = 64 * std::numeric_limits<T>::epsilon() * (a.second + b.second);
    return std::abs(a.first - b.first) <= tolerance;
  };
  RC_ASSERT(agree(inner<T>(gradient<T>(graph, gamma, f, c), q),
                  inner<T>(f, gradient_adjoint<T>(graph, gamma, q, c))));
  RC_ASSERT(agree(inner<T>(average<T>(graph, gamma, f, c), q),
                  inner<T>(f, average_adjoint<T>(graph, gamma, q, c))));
  // div = -Gᵀ to the last bit, and GᵀG in one pass is GᵀG in two.
  const auto gt = gradient_adjoint<T>(graph, gamma, q, c);
  const auto div = divergence<T>(graph, gamma, q, c);
  RC_ASSERT(std::ranges::equal(gt, div, [](T x, T y) { return x == -y; }));
  const auto once = laplacian<T>(graph, gamma, f, c);
  const auto twice = gradient_adjoint<T>(graph, gamma, gradient<T>(graph, gamma, f, c), c);
  const double bound = 64 * std::numeric_limits<T>::epsilon() * lambda_bound(graph, gamma);
  RC_ASSERT(std::ranges::equal(once, twice, [&](T x, T y) { return std::abs(x - y) <= bound; }));
}
RC_GTEST_PROP(Operators, AdjointsAreAdjointInFloat,
              (const RandomGraph& given, std::uint64_t seed)) {
  adjoints_are_adjoint<float>(given, seed);
}
RC_GTEST_PROP(Operators, AdjointsAreAdjointInDouble,
              (const RandomGraph& given, std::uint64_t seed)) {
  adjoints_are_adjoint<double>(given, seed);
}

RC_GTEST_PROP(Operators, ConstantsLieInTheKernel, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const std::int64_t c = draw_channels();
  std::vector<double> f(graph.num_nodes() * c);
  for (std::size_t at = 0; at < f.size(); ++at) f[at] = std::sin(static_cast<double>(at % c));
  for (const double x : gradient<double>(graph, gamma, f, c)) RC_ASSERT(x == 0);
  for (const double x : laplacian<double>(graph, gamma, f, c)) RC_ASSERT(x == 0);
  // Of constants the average is γ times the constant.
  const auto averages = average<double>(graph, gamma, f, c);
  for (std::size_t at = 0; at < averages.size(); ++at)
    RC_ASSERT(averages[at] == gamma[at / c] * f[at % c]);
}

RC_GTEST_PROP(Operators, ChannelsDoNotMix, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const std::int64_t c = draw_channels();
  const auto f = tests::random_values<double>(graph.num_nodes() * c, seed);
  const auto all = laplacian<double>(graph, gamma, f, c);
  for (std::int64_t k = 0; k < c; ++k) {
    std::vector<double> one(graph.num_nodes());
    for (NodeId i = 0; i < graph.num_nodes(); ++i) one[i] = f[i * c + k];
    const auto alone = laplacian<double>(graph, gamma, one, 1);
    for (NodeId i = 0; i < graph.num_nodes(); ++i) RC_ASSERT(alone[i] == all[i * c + k]);
  }
}

RC_GTEST_PROP(Laplacian, EigenvaluesLieBetweenZeroAndTheBound,
              (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const auto eigen = tests::symmetric_eigen(dense_laplacian(graph, gamma), graph.num_nodes());
  const double bound = lambda_bound(graph, gamma);
  const double rounding = 1e-13 * bound;
  for (const double value : eigen.values) {
    RC_ASSERT(value >= -rounding);
    RC_ASSERT(value <= bound + rounding);
  }
  // The bound is what it says: 2 max_i Σ_j γ_ij².
  double most = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    double sum = 0;
    for (const NodeId j : graph.neighbors(i)) sum += std::pow(gamma[graph.find_edge(i, j)], 2);
    most = std::max(most, sum);
  }
  RC_ASSERT(std::abs(bound - 2 * most) <= rounding);
}

RC_GTEST_PROP(Laplacian, MetropolisStaysBelowTwo, (const RandomGraph& given)) {
  const Graph graph = given.build();
  const auto gamma = edge_weights(graph, WeightKind::metropolis);
  RC_ASSERT(lambda_bound(graph, gamma) <= 2);
  const auto eigen = tests::symmetric_eigen(dense_laplacian(graph, gamma), graph.num_nodes());
  for (const double value : eigen.values) RC_ASSERT(value <= 2);
}

RC_GTEST_PROP(LambdaMax, AgreesWithTheDenseSolver, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto gamma = draw_weights(graph, seed);
  const auto eigen = tests::symmetric_eigen(dense_laplacian(graph, gamma), graph.num_nodes());
  const double top = eigen.values.empty() ? 0 : std::max(eigen.values.back(), 0.0);
  const double found = lambda_max(graph, gamma);
  RC_ASSERT(found <= top * (1 + 1e-12));  // from below
  RC_ASSERT(found >= top * (1 - 1e-6));
}

TEST(LambdaMax, IsKnownForStarPathAndClique) {
  const auto of = [](const RandomGraph& given) {
    const Graph graph = given.build();
    return lambda_max(graph, edge_weights(graph, WeightKind::unit));
  };
  EXPECT_NEAR(of(tests::star(50)), 50, 1e-9);
  EXPECT_NEAR(of(tests::clique(20)), 20, 1e-9);
  EXPECT_NEAR(of(tests::path(30)), 2 + 2 * std::cos(std::acos(-1.0) / 30), 1e-5);
  EXPECT_EQ(of({0, {}}), 0);
  EXPECT_EQ(of({3, {}}), 0);
}

TEST(LambdaMax, FindsOneHubInACrowd) {
  // 100,000 single edges, whose eigenvalue is 2, and one path of three nodes, whose largest is 3.
  RandomGraph crowd{200'003, {{200'000, 200'001}, {200'001, 200'002}}};
  for (NodeId i = 0; i < 200'000; i += 2) crowd.edges.push_back({i, i + 1});
  const Graph graph = crowd.build();
  EXPECT_NEAR(lambda_max(graph, edge_weights(graph, WeightKind::unit)), 3, 1e-9);
}

TEST(LambdaMax, IsCloseOnALongPath) {
  // The eigenvalues crowd at the top: 4 - (πk/n)².
  const Graph graph = tests::path(20'000).build();
  EXPECT_NEAR(lambda_max(graph, edge_weights(graph, WeightKind::unit)), 4, 4e-3);
}

// The error of an approximation on grids of 16, 32, 64 and 128 steps must fall fourfold each time.
template <class ErrorOn>
void expect_second_order(ErrorOn error_on) {
  double before = error_on(16);
  for (const NodeId steps : {32, 64, 128}) {
    const double now = error_on(steps);
    EXPECT_NEAR(std::log2(before / now), 2, 0.1) << "from " << before << " to " << now;
    before = now;
  }
}

TEST(DistanceWeights, GradientConvergesToTheDerivativeAtTheMidpoint) {
  // A curved grid with diagonals in the plane, and f(x, y) = sin(2x + 1) cos(3y).
  const auto f = [](double x, double y) { return std::sin(2 * x + 1) * std::cos(3 * y); };
  const auto fx = [](double x, double y) { return 2 * std::cos(2 * x + 1) * std::cos(3 * y); };
  const auto fy = [](double x, double y) { return -3 * std::sin(2 * x + 1) * std::sin(3 * y); };
  expect_second_order([&](NodeId steps) {
    const NodeId side = steps + 1;
    std::vector<float> positions;
    std::vector<double> values;
    std::vector<Edge> edges;
    for (NodeId row = 0; row < side; ++row) {
      for (NodeId column = 0; column < side; ++column) {
        const double u = static_cast<double>(column) / steps, v = static_cast<double>(row) / steps;
        positions.push_back(static_cast<float>(u + 0.2 * std::sin(3 * v)));
        positions.push_back(static_cast<float>(v + 0.2 * u * u));
        values.push_back(f(positions.end()[-2], positions.back()));
        const NodeId node = row * side + column;
        if (column < steps) edges.push_back({node, node + 1});
        if (row < steps) edges.push_back({node, node + side});
        if (column < steps && row < steps) edges.push_back({node, node + side + 1});
      }
    }
    const Graph graph = Graph::from_edges(side * side, edges);
    const auto gamma = edge_weights(graph, WeightKind::distance, positions);
    const auto slope = gradient<double>(graph, gamma, values, 1);
    double worst = 0;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto [i, j] = graph.edges()[e];
      const double xi = positions[2 * i], yi = positions[2 * i + 1];
      const double xj = positions[2 * j], yj = positions[2 * j + 1];
      const double x = (xi + xj) / 2, y = (yi + yj) / 2;
      const double along =
          (fx(x, y) * (xi - xj) + fy(x, y) * (yi - yj)) / std::hypot(xi - xj, yi - yj);
      worst = std::max(worst, std::abs(slope[e] - along));
    }
    return worst;
  });
}

TEST(DistanceWeights, LaplacianConvergesToMinusTheSecondDerivative) {
  expect_second_order([](NodeId steps) {
    const Graph graph = tests::path(steps + 1).build();
    std::vector<float> positions;  // powers of two apart, exact in float
    std::vector<double> values;
    for (NodeId i = 0; i <= steps; ++i) {
      positions.push_back(static_cast<float>(i) / static_cast<float>(steps));
      values.push_back(std::exp(static_cast<double>(positions.back())));
    }
    const auto gamma = edge_weights(graph, WeightKind::distance, positions);
    const auto minus_second = laplacian<double>(graph, gamma, values, 1);
    double worst = 0;
    for (NodeId i = 1; i < steps; ++i)
      worst = std::max(worst, std::abs(minus_second[i] + values[i]));
    return worst;
  });
}

template <class T>
void refuses_wrong_shapes() {
  const Graph graph = tests::path(4).build();
  const std::vector<double> gamma(3, 1.0);
  const std::vector<T> f(8), q(6);
  for (const auto op : {gradient<T>, average<T>, laplacian<T>}) {
    PDEGCN_EXPECT_ERROR(op(graph, gamma, f, 3), "field f", "8 values", "4 rows of 3");
    PDEGCN_EXPECT_ERROR(op(graph, gamma, q, 2), "field f", "6 values", "4 rows of 2");
    PDEGCN_EXPECT_ERROR(op(graph, gamma, f, 0), "field f", "8 values", "4 rows of 0");
    PDEGCN_EXPECT_ERROR(op(graph, gamma, f, -2), "channels", "-2");
    // 4 · 2^62 is 2^64, which is 0 to a careless check.
    PDEGCN_EXPECT_ERROR(op(graph, gamma, {}, std::int64_t{1} << 62), "field f", "0 values");
    EXPECT_TRUE(op(graph, gamma, {}, 0).empty());
  }
  for (const auto op : {gradient_adjoint<T>, divergence<T>, average_adjoint<T>}) {
    PDEGCN_EXPECT_ERROR(op(graph, gamma, f, 2), "field q", "8 values", "3 rows of 2");
    PDEGCN_EXPECT_ERROR(op(graph, gamma, q, -1), "channels", "-1");
  }
  for (const auto op : {gradient<T>, gradient_adjoint<T>, divergence<T>, average<T>,
                        average_adjoint<T>, laplacian<T>})
    PDEGCN_EXPECT_ERROR(op(graph, std::vector<double>(4), f, 2), "gamma", "4 values", "3 edges");
}

TEST(Operators, RefuseWrongShapes) {
  refuses_wrong_shapes<float>();
  refuses_wrong_shapes<double>();
}

TEST(Operators, RefuseGammaThatIsNotFinite) {
  const Graph graph = tests::path(4).build();
  const std::vector<double> f(4), q(3);
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY)}) {
    const std::vector<double> gamma{1, bad, 1};
    const char* value = std::isnan(bad) ? "nan" : "inf";
    PDEGCN_EXPECT_ERROR(gradient<double>(graph, gamma, f, 1), "gamma of edge 1", value);
    PDEGCN_EXPECT_ERROR(divergence<double>(graph, gamma, q, 1), "gamma of edge 1", value);
    PDEGCN_EXPECT_ERROR(laplacian<double>(graph, gamma, f, 1), "gamma of edge 1", value);
    PDEGCN_EXPECT_ERROR(lambda_max(graph, gamma), "gamma of edge 1", value);
    PDEGCN_EXPECT_ERROR(lambda_bound(graph, gamma), "gamma of edge 1", value);
  }
  PDEGCN_EXPECT_ERROR(lambda_max(Graph(), f), "gamma", "4 values", "0 edges");
  PDEGCN_EXPECT_ERROR(lambda_bound(graph, f), "gamma", "4 values", "3 edges");
}

}  // namespace
}  // namespace pdegcn
