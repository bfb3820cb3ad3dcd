#include "pdegcn/graph/operators.h"

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn {
namespace {

void check_gamma(const Graph& graph, std::span<const double> gamma) {
  if (gamma.size() != static_cast<std::size_t>(graph.num_edges()))
    throw Error("gamma has {} values for {} edges", gamma.size(), graph.num_edges());
  for (std::size_t e = 0; e < gamma.size(); ++e)
    if (!std::isfinite(gamma[e])) throw Error("gamma of edge {} is {}", e, gamma[e]);
}

void check(const Graph& graph, std::span<const double> gamma, const char* field, std::size_t size,
           std::int64_t rows, std::int64_t channels) {
  check_gamma(graph, gamma);
  if (channels < 0) throw Error("channels must not be negative, it is {}", channels);
  if (size != static_cast<std::size_t>(rows * channels))
    throw Error("the field {} has {} values, not {} rows of {}", field, size, rows, channels);
}

// Node field to edge field: out_e = scale γ_e (f_i + sign f_j).
template <class T>
std::vector<T> to_edges(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                        std::int64_t c, double scale, T sign) {
  check(graph, gamma, "f", f.size(), graph.num_nodes(), c);
  std::vector<T> out(graph.num_edges() * c);
  for (std::size_t e = 0; e < gamma.size(); ++e) {
    const auto [i, j] = graph.edges()[e];
    const T weight = static_cast<T>(scale * gamma[e]);
    for (std::int64_t k = 0; k < c; ++k)
      out[e * c + k] = weight * (f[i * c + k] + sign * f[j * c + k]);
  }
  return out;
}

// The adjoint of to_edges.
template <class T>
std::vector<T> to_nodes(const Graph& graph, std::span<const double> gamma, std::span<const T> q,
                        std::int64_t c, double scale, T sign) {
  check(graph, gamma, "q", q.size(), graph.num_edges(), c);
  std::vector<T> out(graph.num_nodes() * c);
  for (std::size_t e = 0; e < gamma.size(); ++e) {
    const auto [i, j] = graph.edges()[e];
    const T weight = static_cast<T>(scale * gamma[e]);
    for (std::int64_t k = 0; k < c; ++k) {
      out[i * c + k] += weight * q[e * c + k];
      out[j * c + k] += weight * sign * q[e * c + k];
    }
  }
  return out;
}

}  // namespace

template <class T>
std::vector<T> gradient(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                        std::int64_t channels) {
  return to_edges<T>(graph, gamma, f, channels, 1, -1);
}

template <class T>
std::vector<T> gradient_adjoint(const Graph& graph, std::span<const double> gamma,
                                std::span<const T> q, std::int64_t channels) {
  return to_nodes<T>(graph, gamma, q, channels, 1, -1);
}

template <class T>
std::vector<T> divergence(const Graph& graph, std::span<const double> gamma, std::span<const T> q,
                          std::int64_t channels) {
  return to_nodes<T>(graph, gamma, q, channels, -1, -1);
}

template <class T>
std::vector<T> average(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                       std::int64_t channels) {
  return to_edges<T>(graph, gamma, f, channels, 0.5, 1);
}

template <class T>
std::vector<T> average_adjoint(const Graph& graph, std::span<const double> gamma,
                               std::span<const T> q, std::int64_t channels) {
  return to_nodes<T>(graph, gamma, q, channels, 0.5, 1);
}

template <class T>
std::vector<T> laplacian(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                         std::int64_t channels) {
  check(graph, gamma, "f", f.size(), graph.num_nodes(), channels);
  const std::int64_t c = channels;
  std::vector<T> out(f.size());
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    for (EdgeId at = graph.offsets()[i]; at < graph.offsets()[i + 1]; ++at) {
      const NodeId j = graph.neighbors()[at];
      const double g = gamma[graph.edge_ids()[at]];
      for (std::int64_t k = 0; k < c; ++k)
        out[i * c + k] += static_cast<T>(g * g) * (f[i * c + k] - f[j * c + k]);
    }
  }
  return out;
}

double lambda_max(const Graph& graph, std::span<const double> gamma, double tolerance,
                  int iterations) {
  if (graph.num_edges() == 0) return 0;
  // A start with a part in every direction: a multiplicative hash of the node, the same on every
  // run.
  std::vector<double> v(graph.num_nodes());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto hash = static_cast<std::uint32_t>((i + 1) * 2654435761u);
    v[i] = static_cast<double>(hash) / 4294967296.0 - 0.5;
  }
  double lambda = 0;
  for (int k = 0; k < iterations; ++k) {
    double norm = 0;
    for (const double x : v) norm += x * x;
    norm = std::sqrt(norm);
    if (norm == 0) return lambda;
    for (double& x : v) x /= norm;
    auto next = laplacian<double>(graph, gamma, v, 1);
    double quotient = 0;
    for (std::size_t i = 0; i < v.size(); ++i) quotient += v[i] * next[i];
    v = std::move(next);
    const bool settled = quotient - lambda <= tolerance * quotient && k > 10;
    lambda = std::max(lambda, quotient);
    if (settled) break;
  }
  return lambda;
}

double lambda_bound(const Graph& graph, std::span<const double> gamma) {
  check_gamma(graph, gamma);
  double most = 0;
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    double sum = 0;
    for (EdgeId at = graph.offsets()[i]; at < graph.offsets()[i + 1]; ++at) {
      const double g = gamma[graph.edge_ids()[at]];
      sum += g * g;
    }
    most = std::max(most, sum);
  }
  return 2 * most;
}

#define PDEGCN_INSTANTIATE(T, name)                                                       \
  template std::vector<T> name(const Graph&, std::span<const double>, std::span<const T>, \
                               std::int64_t);
#define PDEGCN_INSTANTIATE_ALL(T)         \
  PDEGCN_INSTANTIATE(T, gradient)         \
  PDEGCN_INSTANTIATE(T, gradient_adjoint) \
  PDEGCN_INSTANTIATE(T, divergence)       \
  PDEGCN_INSTANTIATE(T, average)          \
  PDEGCN_INSTANTIATE(T, average_adjoint)  \
  PDEGCN_INSTANTIATE(T, laplacian)
PDEGCN_INSTANTIATE_ALL(float)
PDEGCN_INSTANTIATE_ALL(double)

}  // namespace pdegcn
