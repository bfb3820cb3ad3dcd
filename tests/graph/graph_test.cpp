#include "pdegcn/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <type_traits>

#include "pdegcn/graph/knn.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_values.h"

namespace pdegcn {
namespace {

using tests::RandomGraph;

// Three billion edges are six billion CSR entries: whatever counts or numbers edges, or points into
// the rows, must hold that.
static_assert(std::numeric_limits<EdgeId>::max() > 6'000'000'000);
static_assert(std::is_same_v<decltype(Graph().num_edges()), EdgeId>);
static_assert(std::is_same_v<decltype(Graph().degree(0)), EdgeId>);
static_assert(std::is_same_v<decltype(Graph().find_edge(0, 0)), EdgeId>);
static_assert(std::is_same_v<decltype(Graph().offsets()), std::span<const EdgeId>>);
static_assert(std::is_same_v<decltype(Graph().edge_ids()), std::span<const EdgeId>>);
static_assert(std::is_same_v<decltype(BuildReport::given), EdgeId>);
static_assert(std::is_same_v<decltype(BuildReport::self_loops), EdgeId>);
static_assert(std::is_same_v<decltype(BuildReport::merged), EdgeId>);
static_assert(sizeof(Edge) == 8, "a billion edges are 8 GB");

std::set<std::pair<NodeId, NodeId>> distinct(std::span<const Edge> edges) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (const auto& [i, j] : edges)
    if (i != j) pairs.insert(std::minmax(i, j));
  return pairs;
}

bool same(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.edges(), b.edges()) && std::ranges::equal(a.offsets(), b.offsets()) &&
         std::ranges::equal(a.neighbors(), b.neighbors()) &&
         std::ranges::equal(a.edge_ids(), b.edge_ids());
}

TEST(Graph, IsEmptyByDefault) {
  const Graph graph;
  EXPECT_EQ(graph.num_nodes(), 0);
  EXPECT_EQ(graph.num_edges(), 0);
  EXPECT_EQ(graph.find_edge(0, 0), -1);
  EXPECT_TRUE(same(graph, Graph::from_edges(0, {})));
}

RC_GTEST_PROP(Graph, ListsEveryEdgeOnceInOrder, (const RandomGraph& given)) {
  const Graph graph = given.build();
  RC_ASSERT(graph.num_nodes() == given.nodes);
  const auto expected = distinct(given.edges);
  RC_ASSERT(graph.num_edges() == static_cast<EdgeId>(expected.size()));
  RC_ASSERT(std::ranges::equal(graph.edges(), expected, [](Edge e, std::pair<NodeId, NodeId> p) {
    return e.i == p.first && e.j == p.second;
  }));
}

RC_GTEST_PROP(Graph, RowsHoldBothDirectionsWithTheirIds, (const RandomGraph& given)) {
  const Graph graph = given.build();
  RC_ASSERT(graph.offsets().size() == static_cast<std::size_t>(given.nodes) + 1);
  RC_ASSERT(graph.offsets().front() == 0);
  RC_ASSERT(graph.offsets().back() == 2 * graph.num_edges());
  RC_ASSERT(graph.neighbors().size() == static_cast<std::size_t>(2 * graph.num_edges()));
  RC_ASSERT(graph.edge_ids().size() == graph.neighbors().size());
  EdgeId entries = 0;
  for (NodeId i = 0; i < given.nodes; ++i) {
    const auto row = graph.neighbors(i);
    RC_ASSERT(static_cast<EdgeId>(row.size()) == graph.degree(i));
    RC_ASSERT(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end());
    for (std::size_t k = 0; k < row.size(); ++k, ++entries) {
      const auto [low, high] = std::minmax(i, row[k]);
      RC_ASSERT(graph.edges()[graph.edge_ids()[graph.offsets()[i] + k]] == (Edge{low, high}));
    }
  }
  RC_ASSERT(entries == 2 * graph.num_edges());
}

RC_GTEST_PROP(Graph, FindsEdgesFromEitherEnd, (const RandomGraph& given)) {
  const Graph graph = given.build();
  const auto expected = distinct(given.edges);
  for (NodeId i = -1; i <= given.nodes; ++i) {
    for (NodeId j = -1; j <= given.nodes; ++j) {
      const EdgeId id = graph.find_edge(i, j);
      RC_ASSERT((id >= 0) == expected.contains(std::minmax(i, j)));
      if (id >= 0) RC_ASSERT(graph.edges()[id] == (Edge{std::min(i, j), std::max(i, j)}));
    }
  }
}

RC_GTEST_PROP(Graph, ReportsWhatBecameOfTheEdges, (const RandomGraph& given)) {
  const BuildReport report = given.build().report();
  const auto kept = distinct(given.edges);
  std::set<NodeId> touched;
  for (const auto& [i, j] : kept) touched.insert({i, j});
  const auto count = static_cast<EdgeId>(given.edges.size());
  RC_ASSERT(report.given == count);
  RC_ASSERT(report.self_loops ==
            std::ranges::count_if(given.edges, [](Edge e) { return e.i == e.j; }));
  RC_ASSERT(report.merged == count - report.self_loops - static_cast<EdgeId>(kept.size()));
  RC_ASSERT(report.isolated == given.nodes - static_cast<NodeId>(touched.size()));
  RC_ASSERT(report.k_wanted == 0);
  RC_ASSERT(report.k_used == 0);
}

RC_GTEST_PROP(Graph, LeavesNoTraceOfOrderDirectionCopiesAndLoops,
              (const RandomGraph& given, std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  std::vector<Edge> edges = given.edges;
  for (std::size_t k = given.edges.size(); k-- > 0;)
    if (random() % 2 == 0) edges.push_back({edges[k].j, edges[k].i});
  for (NodeId i = 0; i < given.nodes; ++i)
    if (random() % 4 == 0) edges.push_back({i, i});
  std::shuffle(edges.begin(), edges.end(), random);
  for (Edge& e : edges)
    if (random() % 2 == 0) std::swap(e.i, e.j);
  RC_ASSERT(same(given.build(), Graph::from_edges(given.nodes, edges)));
}

TEST(Graph, HoldsEverySpecialCase) {
  for (const auto& [name, given] : tests::special_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = given.build();
    EXPECT_EQ(graph.num_nodes(), given.nodes);
    EXPECT_EQ(graph.num_edges(), static_cast<EdgeId>(distinct(given.edges).size()));
  }
}

TEST(Graph, RefusesNodesOutOfRange) {
  PDEGCN_EXPECT_ERROR(Graph::from_edges(-3, {}), "num_nodes", "-3");
  PDEGCN_EXPECT_ERROR(Graph::from_edges(4, {{0, 1}, {2, 4}}), "edge 1", "2 and 4", "4 nodes");
  PDEGCN_EXPECT_ERROR(Graph::from_edges(4, {{-7, 1}}), "edge 0", "-7 and 1");
  PDEGCN_EXPECT_ERROR(Graph::from_edges(0, {{0, 0}}), "edge 0", "0 and 0", "0 nodes");
  const NodeId most = std::numeric_limits<NodeId>::max();
  PDEGCN_EXPECT_ERROR(Graph::from_edges(4, {{0, most}}), "2147483647");
}

TEST(Graph, SummaryIsForPeople) {
  EXPECT_EQ(BuildReport().summary(), "");
  EXPECT_EQ(Graph::from_edges(3, {{0, 1}, {1, 2}}).report().summary(), "");
  EXPECT_EQ(Graph::from_edges(3, {{0, 1}, {1, 0}, {1, 1}}).report().summary(),
            "1 self-loops dropped; 1 repeated or reversed edges merged; 1 isolated nodes");
  EXPECT_EQ((BuildReport{.given = 6'000'000'000, .merged = 3'000'000'000}.summary()),
            "3000000000 repeated or reversed edges merged");
}

TEST(GraphFromTriangles, TakesEverySideOnce) {
  const std::vector<Triangle> square{{0, 1, 2}, {2, 1, 3}};
  const Graph graph = Graph::from_triangles(5, square);
  const std::vector<Edge> expected{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_TRUE(std::ranges::equal(graph.edges(), expected));
  EXPECT_EQ(graph.report().merged, 1);
  EXPECT_EQ(graph.report().isolated, 1);

  const std::vector<Triangle> tetrahedron{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  EXPECT_TRUE(same(Graph::from_triangles(4, tetrahedron), tests::clique(4).build()));
}

TEST(GraphFromTriangles, SurvivesDegenerateOnes) {
  const std::vector<Triangle> triangles{{0, 0, 1}, {2, 2, 2}};
  const Graph graph = Graph::from_triangles(3, triangles);
  EXPECT_TRUE(std::ranges::equal(graph.edges(), std::vector<Edge>{{0, 1}}));
  EXPECT_EQ(graph.report().self_loops, 4);
  EXPECT_EQ(Graph::from_triangles(2, {}).num_edges(), 0);
}

TEST(GraphFromTriangles, RefusesNodesOutOfRange) {
  const std::vector<Triangle> triangles{{0, 1, 2}, {1, 2, 3}};
  PDEGCN_EXPECT_ERROR(Graph::from_triangles(3, triangles), "triangle 1", "node 3", "3 nodes");
  PDEGCN_EXPECT_ERROR(Graph::from_triangles(-1, triangles), "num_nodes", "-1");
  PDEGCN_EXPECT_ERROR(Graph::from_triangles(3, std::vector<Triangle>{{0, -2, 1}}), "triangle 0",
                      "-2");
}

TEST(GraphFromPoints, AnEdgeStandsWhenEitherEndAsks) {
  // On a line at 0, 1, 3 and 7 the nearest other of each is 1, 0, 1 and 3.
  const std::vector<float> line{0, 1, 3, 7};
  const Graph graph = Graph::from_points(line, 1, 1);
  EXPECT_TRUE(std::ranges::equal(graph.edges(), std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(graph.report().summary(), "");
}

RC_GTEST_PROP(GraphFromPoints, IsTheUnionOfNearestNeighbours, (std::uint64_t seed)) {
  const auto count = *rc::gen::inRange<NodeId>(2, 60);
  const auto k = *rc::gen::inRange(1, 8);
  const auto points = tests::random_values<float>(3 * static_cast<std::size_t>(count), seed);
  const auto distance = [&](NodeId i, NodeId j) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const double difference = static_cast<double>(points[3 * i + d]) - points[3 * j + d];
      sum += difference * difference;
    }
    return sum;
  };
  std::vector<Edge> edges;
  for (NodeId i = 0; i < count; ++i) {
    std::vector<NodeId> others;
    for (NodeId j = 0; j < count; ++j)
      if (j != i) others.push_back(j);
    std::ranges::sort(others, {}, [&](NodeId j) { return distance(i, j); });
    for (std::size_t n = 0; n < std::min<std::size_t>(k, others.size()); ++n)
      edges.push_back({i, others[n]});
  }
  const Graph graph = Graph::from_points(points, 3, k);
  RC_ASSERT(same(graph, Graph::from_edges(count, edges)));
  for (NodeId i = 0; i < count; ++i) RC_ASSERT(graph.degree(i) >= std::min(k, count - 1));
}

TEST(GraphFromPoints, ClipsKAndSaysSo) {
  const std::vector<float> points{0, 0, 1, 0, 0, 1};
  const Graph graph = Graph::from_points(points, 2, 10);
  EXPECT_TRUE(same(graph, tests::clique(3).build()));
  EXPECT_EQ(graph.report().k_wanted, 10);
  EXPECT_EQ(graph.report().k_used, 2);
  EXPECT_EQ(graph.report().summary(), "10 neighbours were asked for, only 2 other points exist");

  const Graph lonely = Graph::from_points(std::vector<float>{1, 2}, 2, 3);
  EXPECT_EQ(lonely.num_nodes(), 1);
  EXPECT_EQ(lonely.num_edges(), 0);
  EXPECT_EQ(lonely.report().k_used, 0);
  EXPECT_EQ(Graph::from_points({}, 3, 3).num_nodes(), 0);
}

TEST(GraphFromPoints, JoinsPointsThatCoincide) {
  const Graph graph = Graph::from_points(std::vector<float>(3 * 20, 0.5f), 3, 4);
  for (NodeId i = 0; i < 20; ++i) EXPECT_GE(graph.degree(i), 4);
  EXPECT_EQ(graph.report().self_loops, 0);
}

TEST(GraphFromPoints, RefusesWhatIsNotAPoint) {
  const std::vector<float> points{0, 1, 2, std::nanf(""), 4, 5};
  PDEGCN_EXPECT_ERROR(Graph::from_points(points, 3, 1), "coordinate 0 of point 1", "nan");
}

}  // namespace
}  // namespace pdegcn
