#include "pdegcn/graph/weights.h"

#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_values.h"

namespace pdegcn {
namespace {

using tests::RandomGraph;

constexpr WeightKind kKinds[] = {WeightKind::metropolis, WeightKind::normalized, WeightKind::degree,
                                 WeightKind::unit, WeightKind::distance};

TEST(WeightKind, NamesAreReadBack) {
  for (const WeightKind kind : kKinds) EXPECT_EQ(parse_weight_kind(to_string(kind)), kind);
  EXPECT_EQ(to_string(WeightKind::metropolis), "metropolis");
}

TEST(WeightKind, RefusesOtherNamesAndListsTheRightOnes) {
  PDEGCN_EXPECT_ERROR(parse_weight_kind("Metropolis"), "'Metropolis'", "metropolis", "normalized",
                      "degree", "unit", "distance");
  PDEGCN_EXPECT_ERROR(parse_weight_kind(""), "''");
  PDEGCN_EXPECT_ERROR(to_string(static_cast<WeightKind>(99)), "99");
}

TEST(EdgeWeights, FollowTheirFormulasOnAStar) {
  // The hub has degree 3, so d = 4 there and d = 2 at the tips.
  const Graph star = tests::star(4).build();
  const std::vector<float> positions{0, 0, 2, 0, 0, 4, 3, 4};
  const auto first = [&](WeightKind kind) { return edge_weights(star, kind, positions).at(0); };
  EXPECT_DOUBLE_EQ(first(WeightKind::metropolis), 0.5);
  EXPECT_DOUBLE_EQ(first(WeightKind::normalized), std::pow(8, -0.25));
  EXPECT_DOUBLE_EQ(first(WeightKind::degree), std::pow(8, -0.5));
  EXPECT_EQ(first(WeightKind::unit), 1);
  EXPECT_EQ(edge_weights(star, WeightKind::distance, positions),
            (std::vector<double>{0.5, 0.25, 0.2}));
}

RC_GTEST_PROP(EdgeWeights, FollowTheirFormulas, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  const auto positions = tests::random_values<float>(3 * graph.num_nodes(), seed);
  for (const WeightKind kind : kKinds) {
    const auto gamma = edge_weights(graph, kind, positions);
    RC_ASSERT(gamma.size() == static_cast<std::size_t>(graph.num_edges()));
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto [i, j] = graph.edges()[e];
      const double di = static_cast<double>(graph.degree(i)) + 1;
      const double dj = static_cast<double>(graph.degree(j)) + 1;
      const double length =
          std::hypot(static_cast<double>(positions[3 * i]) - positions[3 * j],
                     static_cast<double>(positions[3 * i + 1]) - positions[3 * j + 1],
                     static_cast<double>(positions[3 * i + 2]) - positions[3 * j + 2]);
      const double expected = kind == WeightKind::metropolis   ? std::pow(std::max(di, dj), -0.5)
                              : kind == WeightKind::normalized ? std::pow(di * dj, -0.25)
                              : kind == WeightKind::degree     ? std::pow(di * dj, -0.5)
                              : kind == WeightKind::unit       ? 1
                                                               : 1 / length;
      RC_ASSERT(std::abs(gamma[e] - expected) <= 1e-14 * expected);
    }
  }
}

TEST(EdgeWeights, OfNoEdgesAreNone) {
  for (const WeightKind kind : kKinds) {
    EXPECT_TRUE(edge_weights(Graph(), kind).empty());
    EXPECT_TRUE(edge_weights(Graph::from_edges(2, {}), kind, std::vector<float>(4)).empty());
  }
}

TEST(DistanceWeights, RefuseBadPositions) {
  const Graph graph = tests::path(3).build();
  const auto of = [&](std::vector<float> positions) {
    return edge_weights(graph, WeightKind::distance, positions);
  };
  PDEGCN_EXPECT_ERROR(of({}), "positions", "0 coordinates", "3 nodes");
  PDEGCN_EXPECT_ERROR(of({0, 1, 2, 3}), "positions", "4 coordinates", "3 nodes");
  PDEGCN_EXPECT_ERROR(of({0, 1, 1}), "distance along edge 1 is 0", "positive");
  PDEGCN_EXPECT_ERROR(of({std::nanf(""), 1, 2}), "distance along edge 0 is nan");
  PDEGCN_EXPECT_ERROR(of({0, 1, INFINITY}), "distance along edge 1 is inf");
}

TEST(DistanceWeights, InvertPositiveDistances) {
  EXPECT_EQ(distance_weights(std::vector<double>{0.5, 4}), (std::vector<double>{2, 0.25}));
  EXPECT_TRUE(distance_weights({}).empty());
  const auto of = [](double bad) { return distance_weights(std::vector<double>{1, bad}); };
  PDEGCN_EXPECT_ERROR(of(-2.5), "distance along edge 1 is -2.5", "positive");
  PDEGCN_EXPECT_ERROR(of(0), "distance along edge 1 is 0");
  PDEGCN_EXPECT_ERROR(of(-0.0), "distance along edge 1 is -0");
  PDEGCN_EXPECT_ERROR(of(std::nan("")), "distance along edge 1 is nan");
  PDEGCN_EXPECT_ERROR(of(INFINITY), "distance along edge 1 is inf");
  PDEGCN_EXPECT_ERROR(of(std::numeric_limits<double>::denorm_min()), "distance along edge 1");
}

TEST(EdgeLengths, AreExactWhereFloatsWouldOverflow) {
  const Graph graph = tests::path(2).build();
  const float far = std::numeric_limits<float>::max();
  EXPECT_EQ(edge_lengths(graph, std::vector<float>{far, -far}), std::vector<double>{2.0 * far});
  EXPECT_EQ(edge_lengths(graph, std::vector<float>{0, 0, 3, 4}), std::vector<double>{5});
}

RC_GTEST_PROP(CustomWeights, FindTheirEdges, (const RandomGraph& given, std::uint64_t seed)) {
  const Graph graph = given.build();
  auto expected = tests::random_values<double>(graph.num_edges(), seed);
  for (double& value : expected) value = std::abs(value);
  std::vector<double> values;  // in the order and direction given, loops with nonsense
  for (const auto& [i, j] : given.edges)
    values.push_back(i == j ? -1 : expected[graph.find_edge(i, j)]);
  RC_ASSERT(custom_weights(graph, given.edges, values) == expected);
}

TEST(CustomWeights, MayBeZero) {
  const Graph graph = tests::path(2).build();
  EXPECT_EQ(custom_weights(graph, std::vector<Edge>{{1, 0}}, std::vector<double>{0}),
            std::vector<double>{0});
}

TEST(CustomWeights, RefuseWhatDoesNotFit) {
  const Graph graph = tests::path(3).build();
  const auto of = [&](std::vector<Edge> given, std::vector<double> values) {
    return custom_weights(graph, given, values);
  };
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {1, 2}}, {1}), "values", "1 weights", "2 edges");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {2, 1}}, {1, -3}), "edge 1 (2, 1)", "-3", "not negative");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {1, 2}}, {std::nan(""), 1}), "edge 0 (0, 1)", "nan");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {1, 2}}, {1, INFINITY}), "edge 1 (1, 2)", "inf");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {0, 2}}, {1, 1}), "edge 1 (0, 2)", "not in the graph");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {5, -2}}, {1, 1}), "edge 1 (5, -2)", "not in the graph");
  PDEGCN_EXPECT_ERROR(of({{0, 1}, {1, 0}, {1, 2}}, {1, 2, 1}), "edge (1, 0)", "1 and 2");
  PDEGCN_EXPECT_ERROR(of({{0, 1}}, {1}), "edge (1, 2)", "no weight");
}

}  // namespace
}  // namespace pdegcn
