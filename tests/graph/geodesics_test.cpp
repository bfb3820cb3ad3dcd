#include "pdegcn/graph/geodesics.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"

namespace pdegcn {
namespace {

using tests::RandomGraph;

// All pairs, by the method of Floyd and Warshall.
std::vector<std::vector<double>> all_pairs(const Graph& graph, const std::vector<double>& lengths) {
  const NodeId n = graph.num_nodes();
  std::vector d(n, std::vector<double>(n, std::numeric_limits<double>::infinity()));
  for (NodeId i = 0; i < n; ++i) d[i][i] = 0;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [i, j] = graph.edges()[e];
    d[i][j] = d[j][i] = lengths[e];
  }
  for (NodeId k = 0; k < n; ++k)
    for (NodeId i = 0; i < n; ++i)
      for (NodeId j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
  return d;
}

RC_GTEST_PROP(PathLengths, AreThoseOfAllPairs, (const RandomGraph& given)) {
  const Graph graph = given.build();
  std::vector<double> lengths;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) lengths.push_back(1 + (7 * e) % 5);
  std::vector<NodeId> all(graph.num_nodes());
  std::iota(all.begin(), all.end(), 0);
  const auto expected = all_pairs(graph, lengths);
  for (NodeId source = 0; source < graph.num_nodes(); ++source) {
    RC_ASSERT(path_lengths(graph, lengths, source, all) == expected[source]);
    // Few targets stop it early, with the same lengths.
    const NodeId one = (source + 3) % graph.num_nodes();
    RC_ASSERT(path_lengths(graph, lengths, source, {{one}}).front() == expected[source][one]);
  }
}

TEST(PathLengths, RefuseWhatIsNoDistance) {
  const Graph graph = tests::path(3).build();
  const double bad[] = {1, std::nan("")};
  const double negative[] = {-1, 1};
  const double good[] = {1, 1};
  const NodeId last[] = {2}, beyond[] = {3};
  PDEGCN_EXPECT_ERROR(path_lengths(graph, bad, 0, last), "edge 1", "nan");
  PDEGCN_EXPECT_ERROR(path_lengths(graph, negative, 0, last), "edge 0", "-1");
  PDEGCN_EXPECT_ERROR(path_lengths(graph, good, 0, beyond), "node 3 of 3");
  PDEGCN_EXPECT_ERROR(path_lengths(graph, good, -1, last), "node -1 of 3");
  PDEGCN_EXPECT_ERROR(path_lengths(graph, std::span(good).first(1), 0, last), "1 values",
                      "2 edges");
}

}  // namespace
}  // namespace pdegcn
