#include "pdegcn/report/layout.h"

#include <algorithm>
#include <cmath>

#include "pdegcn/kernels/random.h"

namespace pdegcn::report {
namespace {

constexpr std::size_t kPivots = 50;
constexpr double kJitter = 0.25;  // hops
constexpr int kIterations = 200;  // of the power method: a picture needs no more digits

// The hops from a node to all others; -1 where there is no way.
std::vector<int> hops_from(const Graph& graph, NodeId start) {
  std::vector<int> hops(static_cast<std::size_t>(graph.num_nodes()), -1);
  std::vector<NodeId> queue{start};
  hops[start] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const NodeId j : graph.neighbors(queue[k]))
      if (hops[j] < 0) {
        hops[j] = hops[queue[k]] + 1;
        queue.push_back(j);
      }
  return hops;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

std::vector<float> graph_layout(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  if (n == 0) return {};
  // The next pivot is the node farthest from those before.
  std::vector<std::vector<int>> hops;
  std::vector<int> nearest(n, 1 << 30);
  NodeId pivot = 0;
  int longest = 1;
  while (hops.size() < std::min(kPivots, n)) {
    hops.push_back(hops_from(graph, pivot));
    for (std::size_t i = 0; i < n; ++i) {
      longest = std::max(longest, hops.back()[i]);
      if (hops.back()[i] >= 0) nearest[i] = std::min(nearest[i], hops.back()[i]);
    }
    pivot = static_cast<NodeId>(std::ranges::max_element(nearest) - nearest.begin());
  }

  // Squared distances, with rows and columns centred, one column per pivot.
  const std::size_t p = hops.size();
  std::vector<std::vector<double>> columns(p, std::vector<double>(n));
  std::vector<double> row_mean(n);
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const double d = hops[k][i] < 0 ? longest + 2 : hops[k][i];
      columns[k][i] = -0.5 * d * d;
      row_mean[i] += columns[k][i] / static_cast<double>(p);
    }
  for (std::vector<double>& column : columns) {
    for (std::size_t i = 0; i < n; ++i) column[i] -= row_mean[i];
    double mean = 0;
    for (const double x : column) mean += x / static_cast<double>(n);
    for (double& x : column) x -= mean;
  }
  std::vector<std::vector<double>> product(p, std::vector<double>(p));
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t l = 0; l < p; ++l) product[k][l] = dot(columns[k], columns[l]);

  // The three strongest eigenvectors, one after the other; each gives a coordinate.
  std::vector<float> positions(3 * n);
  std::vector<std::vector<double>> found;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> v(p);
    for (std::size_t k = 0; k < p; ++k) v[k] = std::cos(static_cast<double>((axis + 1) * (k + 1)));
    double length = 0;
    for (int step = 0; step < kIterations; ++step) {
      std::vector<double> next(p);
      for (std::size_t k = 0; k < p; ++k) next[k] = dot(product[k], v);
      for (const std::vector<double>& before : found) {
        const double share = dot(next, before);
        for (std::size_t k = 0; k < p; ++k) next[k] -= share * before[k];
      }
      length = std::sqrt(dot(next, next));
      if (!(length > 1e-12)) break;
      for (std::size_t k = 0; k < p; ++k) v[k] = next[k] / length;
    }
    if (!(length > 1e-12)) break;  // the rest is flat
    // The eigenvalue is that of CᵀC: dividing by its fourth root gives distances in hops.
    const double scale = 1 / std::sqrt(std::sqrt(length));
    const double pivots_to_nodes =
        std::sqrt(std::sqrt(static_cast<double>(p) / static_cast<double>(n)));
    for (std::size_t i = 0; i < n; ++i) {
      double x = 0;
      for (std::size_t k = 0; k < p; ++k) x += columns[k][i] * v[k];
      positions[3 * i + axis] = static_cast<float>(x * scale / pivots_to_nodes);
    }
    found.push_back(std::move(v));
  }
  // Nodes with the same neighbours would lie on the same spot.
  kernels::Random random(0);
  for (float& x : positions) x += static_cast<float>(random.uniform(-kJitter, kJitter));
  return positions;
}

}  // namespace pdegcn::report
