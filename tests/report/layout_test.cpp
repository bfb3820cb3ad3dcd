#include "pdegcn/report/layout.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pdegcn::report {
namespace {

double distance(const std::vector<float>& p, int i, int j) {
  return std::hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]);
}

TEST(Layout, APathIsALine) {
  std::vector<Edge> edges;
  for (int i = 0; i + 1 < 200; ++i) edges.push_back({i, i + 1});
  const std::vector<float> p = graph_layout(Graph::from_edges(200, edges));
  ASSERT_EQ(p.size(), 600U);
  EXPECT_NEAR(distance(p, 0, 199), 199, 4);  // hops, and the jitter
  EXPECT_NEAR(distance(p, 50, 60), 10, 2);
}

TEST(Layout, AGridKeepsItsCornersApart) {
  std::vector<Edge> edges;
  const int n = 12;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (c + 1 < n) edges.push_back({r * n + c, r * n + c + 1});
      if (r + 1 < n) edges.push_back({r * n + c, (r + 1) * n + c});
    }
  const std::vector<float> p = graph_layout(Graph::from_edges(n * n, edges));
  const int corner[] = {0, n - 1, n * n - 1, n * (n - 1)};
  for (int k = 0; k < 4; ++k) {
    EXPECT_GT(distance(p, corner[k], corner[(k + 1) % 4]), 7);
    EXPECT_GT(distance(p, corner[k], corner[(k + 2) % 4]), 12);
  }
}

TEST(Layout, WhatIsNotConnectedLiesApartAndAnyGraphHasAPlace) {
  const std::vector<float> p = graph_layout(Graph::from_edges(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
  EXPECT_GT(distance(p, 1, 4), distance(p, 0, 2) + 1);
  EXPECT_EQ(graph_layout(Graph::from_edges(1, {})).size(), 3U);
  EXPECT_TRUE(graph_layout(Graph()).empty());
  for (const float x : graph_layout(Graph::from_edges(3, {}))) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace pdegcn::report
