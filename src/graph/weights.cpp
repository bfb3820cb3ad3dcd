#include "pdegcn/graph/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "pdegcn/graph/error.h"

namespace pdegcn {
namespace {

constexpr std::array<std::pair<WeightKind, std::string_view>, 5> kNames{{
    {WeightKind::metropolis, "metropolis"},
    {WeightKind::normalized, "normalized"},
    {WeightKind::degree, "degree"},
    {WeightKind::unit, "unit"},
    {WeightKind::distance, "distance"},
}};

}  // namespace

std::string_view to_string(WeightKind kind) {
  for (const auto& [k, name] : kNames)
    if (k == kind) return name;
  throw Error("there is no weight kind {}", static_cast<int>(kind));
}

WeightKind parse_weight_kind(std::string_view text) {
  std::string names;
  for (const auto& [kind, name] : kNames) {
    if (name == text) return kind;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw Error("weights '{}' are not known; there are {}", text, names);
}

std::vector<double> edge_weights(const Graph& graph, WeightKind kind,
                                 std::span<const float> positions) {
  if (kind == WeightKind::distance) return distance_weights(edge_lengths(graph, positions));
  std::vector<double> gamma;
  gamma.reserve(graph.num_edges());
  for (const Edge e : graph.edges()) {
    const double di = static_cast<double>(graph.degree(e.i) + 1);
    const double dj = static_cast<double>(graph.degree(e.j) + 1);
    switch (kind) {
      case WeightKind::metropolis:
        gamma.push_back(1 / std::sqrt(std::max(di, dj)));
        break;
      case WeightKind::normalized:
        gamma.push_back(1 / std::sqrt(std::sqrt(di * dj)));
        break;
      case WeightKind::degree:
        gamma.push_back(1 / std::sqrt(di * dj));
        break;
      default:
        gamma.push_back(1);
    }
  }
  return gamma;
}

std::vector<double> distance_weights(std::span<const double> distances) {
  std::vector<double> gamma;
  gamma.reserve(distances.size());
  for (std::size_t e = 0; e < distances.size(); ++e) {
    const double inverse = 1 / distances[e];
    if (!(inverse > 0) || !std::isfinite(inverse))
      throw Error(
          "the distance along edge {} is {}; it and its inverse must be positive and finite", e,
          distances[e]);
    gamma.push_back(inverse);
  }
  return gamma;
}

std::vector<double> edge_lengths(const Graph& graph, std::span<const float> positions) {
  const std::size_t nodes = graph.num_nodes();
  if (nodes == 0) return {};
  if (positions.empty() || positions.size() % nodes != 0)
    throw Error("positions has {} coordinates, not rows for {} nodes", positions.size(), nodes);
  const std::size_t dim = positions.size() / nodes;
  std::vector<double> lengths;
  lengths.reserve(graph.num_edges());
  for (const Edge e : graph.edges()) {
    double sum = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      const double difference =
          static_cast<double>(positions[e.i * dim + d]) - positions[e.j * dim + d];
      sum += difference * difference;
    }
    lengths.push_back(std::sqrt(sum));
  }
  return lengths;
}

std::vector<double> custom_weights(const Graph& graph, std::span<const Edge> given,
                                   std::span<const double> values) {
  if (given.size() != values.size())
    throw Error("values has {} weights for {} edges", values.size(), given.size());
  std::vector<double> gamma(graph.num_edges(), -1);
  for (std::size_t k = 0; k < given.size(); ++k) {
    const auto [i, j] = given[k];
    if (i == j) continue;
    if (!(values[k] >= 0) || !std::isfinite(values[k]))
      throw Error("the weight of edge {} ({}, {}) is {}; it must be finite and not negative", k, i,
                  j, values[k]);
    const EdgeId e = graph.find_edge(i, j);
    if (e < 0) throw Error("edge {} ({}, {}) is not in the graph", k, i, j);
    if (gamma[e] >= 0 && gamma[e] != values[k])
      throw Error("edge ({}, {}) has two weights, {} and {}", i, j, gamma[e], values[k]);
    gamma[e] = values[k];
  }
  for (std::size_t e = 0; e < gamma.size(); ++e)
    if (gamma[e] < 0)
      throw Error("edge ({}, {}) has no weight", graph.edges()[e].i, graph.edges()[e].j);
  return gamma;
}

}  // namespace pdegcn
