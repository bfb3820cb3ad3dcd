#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// How the scale γ of an edge (i, j) follows from the graph; d is the degree plus one.
enum class WeightKind {
  metropolis,  // max(d_i, d_j)^(-1/2): λmax(GᵀG) ≤ 2 on every graph, the default
  normalized,  // (d_i d_j)^(-1/4): the Laplacian of the graph weighted by (d_i d_j)^(-1/2)
  degree,      // (d_i d_j)^(-1/2): what the paper's public code applies in G and again in Gᵀ
  unit,        // 1
  distance,    // 1 / |x_i - x_j|: G approximates the derivative along the edge
};

std::string_view to_string(WeightKind kind);
WeightKind parse_weight_kind(std::string_view name);  // throws Error listing the names

// γ by edge id. `distance` needs the positions of the nodes, rows of equal length; throws Error
// where two ends coincide.
std::vector<double> edge_weights(const Graph& graph, WeightKind kind,
                                 std::span<const float> positions = {});

// γ = 1 / distance, for distances given by edge id. Throws Error unless all are positive and
// finite.
std::vector<double> distance_weights(std::span<const double> distances);

// The lengths of the edges, by edge id.
std::vector<double> edge_lengths(const Graph& graph, std::span<const float> positions);

// Custom γ: values[k] belongs to given[k], edges in the order and direction that the user has them.
// Repetitions must agree, self-loops are passed over; throws Error for a value that is negative or
// not finite, for an edge that the graph lacks and for one that is left without a value.
std::vector<double> custom_weights(const Graph& graph, std::span<const Edge> given,
                                   std::span<const double> values);

}  // namespace pdegcn
