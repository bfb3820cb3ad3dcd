#include "pdegcn/data/rmat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

std::uint64_t hash(const Graph& graph) {
  std::uint64_t h = 0;
  for (const Edge e : graph.edges()) h = (h + e.i) * 0x9E3779B97F4A7C15 + e.j;
  return h;
}

TEST(Rmat, IsTheSameForTheSameSeed) {
  EXPECT_EQ(hash(rmat({.scale = 10, .edges = 5000}, 1)), 846974516177070140u);
  EXPECT_EQ(hash(rmat({.scale = 10, .edges = 5000}, 2)), 14884937407157974638u);
}

TEST(Rmat, HasHubsAndManySmallNodes) {
  const Graph graph = rmat({});
  EXPECT_EQ(graph.num_nodes(), 65536);
  EXPECT_EQ(graph.report().given, 1 << 20);
  EXPECT_EQ(graph.num_edges() + graph.report().merged + graph.report().self_loops, 1 << 20);
  EXPECT_GT(graph.num_edges(), 850000);
  std::vector<EdgeId> degrees(65536);
  for (NodeId i = 0; i < 65536; ++i) degrees[i] = graph.degree(i);
  EXPECT_GT(std::ranges::max(degrees), 2000);  // 32 on average
  std::ranges::nth_element(degrees, degrees.begin() + 32768);
  EXPECT_LT(degrees[32768], 10);
}

// Equal chances make every pair of nodes as likely as any other.
TEST(Rmat, IsUniformWithEqualChances) {
  const Graph graph = rmat({.scale = 12, .edges = 1 << 17, .a = 0.25, .b = 0.25, .c = 0.25});
  double sum = 0;
  double squares = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    const auto degree = static_cast<double>(graph.degree(i));
    sum += degree;
    squares += degree * degree;
  }
  const double mean = sum / graph.num_nodes();
  EXPECT_NEAR(squares / graph.num_nodes() - mean * mean, mean, 0.1 * mean);  // as Poisson's
}

TEST(Rmat, ReachesEveryNodeOfSmallGraphs) {
  for (const int scale : {1, 2, 3, 5}) {
    const Graph graph = rmat({.scale = scale, .edges = 5000, .a = 0.25, .b = 0.25, .c = 0.25});
    EXPECT_EQ(graph.num_nodes(), 1 << scale);
    EXPECT_EQ(graph.num_edges(), (EdgeId{1} << scale) * ((EdgeId{1} << scale) - 1) / 2);
  }
}

TEST(Rmat, SaysWhatIsWrong) {
  EXPECT_THROW(rmat({.scale = 31}), Error);
  EXPECT_THROW(rmat({.scale = 0}), Error);
  EXPECT_THROW(rmat({.edges = -1}), Error);
  EXPECT_THROW(rmat({.a = 0.9, .b = 0.2}), Error);
  EXPECT_THROW(rmat({.a = NAN}), Error);
}

}  // namespace
}  // namespace pdegcn::data
