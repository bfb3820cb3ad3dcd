#include "pdegcn/graph/operators.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

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
  // By division, since the product of any two numbers may overflow.
  const auto c = static_cast<std::size_t>(channels);
  const bool fits =
      c == 0 ? size == 0 : size % c == 0 && size / c == static_cast<std::size_t>(rows);
  if (!fits)
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

// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection above a lower bound of it.
double top_eigenvalue(std::span<const double> diagonal, std::span<const double> beside,
                      double low) {
  // x exceeds all eigenvalues when all pivots of T - x are negative.
  const auto exceeds_all = [&](double x) {
    double pivot = diagonal[0] - x;
    for (std::size_t k = 0; k < beside.size() && pivot < 0; ++k)
      pivot = diagonal[k + 1] - x - beside[k] * beside[k] / pivot;
    return pivot < 0;
  };
  double high = 0;  // Gershgorin's bound
  for (std::size_t k = 0; k < diagonal.size(); ++k)
    high = std::max(
        high, diagonal[k] + (k > 0 ? beside[k - 1] : 0) + (k < beside.size() ? beside[k] : 0));
  while (high - low > 1e-15 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (exceeds_all(middle) ? high : low) = middle;
  }
  return low;
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
  check_gamma(graph, gamma);
  // A start with a part in every direction, the same on every run and machine.
  std::mt19937 random;
  std::vector<double> v(graph.num_nodes());
  for (double& x : v) x = static_cast<double>(random()) / 4294967296.0 - 0.5;

  // In the basis of the normalised iterates, each made orthogonal to the two before it, GᵀG is
  // tridiagonal.
  std::vector<double> before(v.size()), diagonal, beside, history;
  double lambda = 0;
  for (int k = 0; k < iterations; ++k) {
    const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (norm <= 1e-14 * lambda) break;  // nothing new: the iterates span all that they can
    for (double& x : v) x /= norm;
    if (k > 0) beside.push_back(norm);
    auto next = laplacian<double>(graph, gamma, v, 1);
    diagonal.push_back(std::inner_product(v.begin(), v.end(), next.begin(), 0.0));
    for (std::size_t i = 0; i < v.size(); ++i)
      next[i] -= diagonal.back() * v[i] + (k > 0 ? norm * before[i] : 0);
    before = std::exchange(v, std::move(next));

    lambda = top_eigenvalue(diagonal, beside, lambda);
    history.push_back(lambda);
    // One pass without gain may be a rest at the second eigenvalue; ten are not.
    if (k >= 10 && lambda - history[k - 10] <= tolerance * lambda) break;
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
