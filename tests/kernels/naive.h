#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "pdegcn/kernels/march.h"

namespace pdegcn::tests {

// The layers written out as in the mathematics, edge by edge, with nothing clever: the oracle of
// the kernels. S is double, or complex for derivatives: with a step i·ε in a parameter the
// imaginary part of a result, over ε, is the derivative by it, without any cancellation.
template <class S>
using Field = std::vector<S>;

template <class S>
S odd_part(kernels::Activation activation, S x) {
  if (activation == kernels::Activation::tanh) return std::tanh(x);
  return activation == kernels::Activation::relu ? 0.5 * x : x;
}

// Gᵀ σ(G g), rows of c channels, with the mask of the edge dropout behind K and before σ.
template <class S>
Field<S> naive_flux(const Graph& graph, const Field<S>& gamma, const Field<S>& g, std::int64_t c,
                    kernels::Activation activation, const kernels::EdgeDropout& dropout) {
  Field<S> y(g.size());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [i, j] = graph.edges()[e];
    for (std::int64_t k = 0; k < c; ++k) {
      const double mask = kernels::edge_dropout_factor(dropout, e, k);
      const S flux =
          gamma[e] * odd_part(activation, mask * gamma[e] * (g[i * c + k] - g[j * c + k]));
      y[i * c + k] += flux;
      y[j * c + k] -= flux;
    }
  }
  return y;
}

// A stack of layers and its parameters.
template <class S>
struct NaiveStack {
  const Graph* graph = nullptr;
  std::int64_t c = 0;
  kernels::Activation activation = kernels::Activation::tanh;
  bool symmetric = true;
  kernels::EdgeDropout dropout;
  Field<S> f0, gamma;
  std::vector<Field<S>> K;
  struct Step {
    S a, b, s;
  };
  std::vector<Step> steps;

  // All states, f^0 to f^L.
  std::vector<Field<S>> march() const {
    std::vector<Field<S>> f{f0};
    for (std::size_t l = 0; l < steps.size(); ++l) {
      auto masks = dropout;
      masks.layer = static_cast<std::uint32_t>(l);
      const Field<S> y = naive_flux(*graph, gamma, times(f[l], K[l], true), c, activation, masks);
      const Field<S> r = symmetric ? times(y, K[l], false) : y;
      const Field<S>& before = f[l == 0 ? 0 : l - 1];
      Field<S> next(f0.size());
      for (std::size_t at = 0; at < next.size(); ++at)
        next[at] = steps[l].a * f[l][at] + steps[l].b * before[at] + steps[l].s * r[at];
      f.push_back(std::move(next));
    }
    return f;
  }

 private:
  // F K, or F Kᵀ.
  Field<S> times(const Field<S>& F, const Field<S>& matrix, bool transposed) const {
    Field<S> out(F.size());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(F.size()) / c; ++i)
      for (std::int64_t k = 0; k < c; ++k)
        for (std::int64_t t = 0; t < c; ++t)
          out[i * c + k] += F[i * c + t] * (transposed ? matrix[k * c + t] : matrix[t * c + k]);
    return out;
  }
};

}  // namespace pdegcn::tests
