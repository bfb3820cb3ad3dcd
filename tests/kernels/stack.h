#pragma once

#include <algorithm>
#include <cmath>

#include "tests/kernels/naive.h"
#include "tests/support/random_values.h"

namespace pdegcn::tests {

// What a stack may be, beside its graph.
struct StackOptions {
  std::int64_t channels = 1;
  std::int64_t layers = 1;
  kernels::Activation activation = kernels::Activation::tanh;
  bool symmetric = true;
  bool shared = false;  // one K for all layers
  double dropout = 0;
  enum class Order { first, second, mixed } order = Order::first;
};

inline std::ostream& operator<<(std::ostream& out, const StackOptions& o) {
  return out << o.channels << " channels, " << o.layers << " layers, activation "
             << static_cast<int>(o.activation) << ", symmetric " << o.symmetric << ", shared "
             << o.shared << ", dropout " << o.dropout << ", order " << static_cast<int>(o.order);
}

// A stack with random parameters for the kernels, and the same for the oracle.
template <class T>
struct Stack {
  Stack(const Graph& of, const StackOptions& o)
      : graph(of), options(o), plan(of), f0(random_values<T>(of.num_nodes() * o.channels, 1)) {
    const std::int64_t c = o.channels;
    gamma = random_values<T>(graph.num_edges(), 2);
    for (T& value : gamma) value = std::abs(value) * T{0.5} + T{0.1};
    for (std::int64_t l = 0; l < (o.shared ? 1 : o.layers); ++l) {
      K.push_back(random_values<T>(c * c, 10 + l));
      for (std::int64_t at = 0; at < c * c; ++at)
        K[l][at] = static_cast<T>(K[l][at] / std::sqrt(c) + (at % (c + 1) == 0 ? 1 : 0));
    }
    for (std::int64_t l = 0; l < o.layers; ++l) {
      const double turn = 0.1 * static_cast<double>(l % 3);
      const bool second = o.order == StackOptions::Order::second ||
                          (o.order == StackOptions::Order::mixed && l % 2 == 1);
      steps.push_back({1.1 - turn + second, second ? -0.9 - turn : 0, -0.3 + turn});
    }
  }

  kernels::MarchProblem<T> problem() const {
    kernels::MarchProblem<T> p;
    p.graph = &graph;
    p.plan = &plan;
    p.gamma = gamma.data();
    p.channels = options.channels;
    for (std::size_t l = 0; l < steps.size(); ++l) p.K.push_back(K[options.shared ? 0 : l].data());
    p.steps = steps;
    p.activation = options.activation;
    p.symmetric = options.symmetric;
    p.dropout = {options.dropout, 99, 7, 0};
    return p;
  }

  template <class S>
  NaiveStack<S> naive() const {
    NaiveStack<S> n;
    n.graph = &graph;
    n.c = options.channels;
    n.activation = options.activation;
    n.symmetric = options.symmetric;
    n.dropout = problem().dropout;
    n.f0.assign(f0.begin(), f0.end());
    n.gamma.assign(gamma.begin(), gamma.end());
    for (std::size_t l = 0; l < steps.size(); ++l) {
      const auto& matrix = K[options.shared ? 0 : l];
      n.K.emplace_back(matrix.begin(), matrix.end());
      n.steps.push_back({steps[l].a, steps[l].b, steps[l].s});
    }
    return n;
  }

  const Graph& graph;
  StackOptions options;
  kernels::RowPlan plan;
  std::vector<T> f0, gamma;
  std::vector<std::vector<T>> K;
  std::vector<kernels::StepCoefficients> steps;
};

}  // namespace pdegcn::tests
