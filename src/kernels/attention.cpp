#include "pdegcn/kernels/attention.h"

#include <algorithm>
#include <cmath>

namespace pdegcn::kernels {
namespace {

// Calls action(j, entry) for i itself and each of its neighbours j; `entry` is the row of what
// belongs to j as seen from i, or with `reversed` to i as seen from j.
template <class Action>
void for_each_seen(const Graph& graph, NodeId i, bool reversed, const Action& action) {
  action(i, 2 * graph.num_edges() + i);
  for (EdgeId k = graph.offsets()[i]; k < graph.offsets()[i + 1]; ++k) {
    const NodeId j = graph.neighbors()[k];
    action(j, 2 * graph.edge_ids()[k] + ((i > j) != reversed ? 1 : 0));
  }
}

template <class T>
T leaky(T x, T slope) {
  return x > 0 ? x : slope * x;
}

}  // namespace

template <class T>
void attend(const Attention<T>& attention, T* a, Matrix<T> y) {
  const Graph& graph = *attention.graph;
  const Matrix<const T> x = attention.x, own = attention.own, other = attention.other;
  const T* const factors = attention.factors;
  const std::int64_t heads = attention.heads;
  const std::int64_t units = x.cols / heads;
#pragma omp parallel for schedule(dynamic, 32)
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    std::fill_n(y.row(i), y.cols, T{0});
    for (std::int64_t h = 0; h < heads; ++h) {
      T largest = 0;
      bool first = true;
      for_each_seen(graph, i, false, [&](NodeId j, EdgeId entry) {
        const T score = leaky(own.row(i)[h] + other.row(j)[h], attention.slope);
        largest = first ? score : std::max(largest, score);
        first = false;
        a[entry * heads + h] = score;
      });
      T sum = 0;
      for_each_seen(graph, i, false, [&](NodeId, EdgeId entry) {
        T& value = a[entry * heads + h];
        value = std::exp(value - largest);
        sum += value;
      });
      T* const out = y.row(i) + h * units;
      for_each_seen(graph, i, false, [&](NodeId j, EdgeId entry) {
        T& value = a[entry * heads + h];
        value /= sum;
        const T weight = factors == nullptr ? value : factors[entry * heads + h] * value;
        const T* const in = x.row(j) + h * units;
#pragma omp simd
        for (std::int64_t k = 0; k < units; ++k) out[k] += weight * in[k];
      });
    }
  }
}

template <class T>
void attend_adjoint(const Attention<T>& attention, const T* a, Matrix<const T> y_bar, T* scores,
                    Matrix<T> x_bar, Matrix<T> own_bar, Matrix<T> other_bar) {
  const Graph& graph = *attention.graph;
  const Matrix<const T> x = attention.x, own = attention.own, other = attention.other;
  const T* const factors = attention.factors;
  const std::int64_t heads = attention.heads;
  const std::int64_t units = x.cols / heads;
  // Row by row: the derivatives by the scores.
#pragma omp parallel for schedule(dynamic, 32)
  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const T* const given = y_bar.row(i) + h * units;
      T mean = 0;
      for_each_seen(graph, i, false, [&](NodeId j, EdgeId entry) {
        const T* const in = x.row(j) + h * units;
        T sum = 0;
        for (std::int64_t k = 0; k < units; ++k) sum += given[k] * in[k];
        if (factors != nullptr) sum *= factors[entry * heads + h];
        scores[entry * heads + h] = sum;
        mean += a[entry * heads + h] * sum;
      });
      T own_sum = 0;
      for_each_seen(graph, i, false, [&](NodeId j, EdgeId entry) {
        T& value = scores[entry * heads + h];
        value = a[entry * heads + h] * (value - mean);
        if (own.row(i)[h] + other.row(j)[h] <= 0) value *= attention.slope;
        own_sum += value;
      });
      own_bar.row(i)[h] = own_sum;
    }
  }
  // Column by column: what node j gave to those that saw it.
#pragma omp parallel for schedule(dynamic, 32)
  for (NodeId j = 0; j < graph.num_nodes(); ++j) {
    std::fill_n(x_bar.row(j), x_bar.cols, T{0});
    std::fill_n(other_bar.row(j), heads, T{0});
    for_each_seen(graph, j, true, [&](NodeId i, EdgeId entry) {
      for (std::int64_t h = 0; h < heads; ++h) {
        other_bar.row(j)[h] += scores[entry * heads + h];
        T weight = a[entry * heads + h];
        if (factors != nullptr) weight *= factors[entry * heads + h];
        const T* const given = y_bar.row(i) + h * units;
        T* const out = x_bar.row(j) + h * units;
#pragma omp simd
        for (std::int64_t k = 0; k < units; ++k) out[k] += weight * given[k];
      }
    });
  }
}

template void attend(const Attention<float>&, float*, Matrix<float>);
template void attend(const Attention<double>&, double*, Matrix<double>);
template void attend_adjoint(const Attention<float>&, const float*, Matrix<const float>, float*,
                             Matrix<float>, Matrix<float>, Matrix<float>);
template void attend_adjoint(const Attention<double>&, const double*, Matrix<const double>, double*,
                             Matrix<double>, Matrix<double>, Matrix<double>);

}  // namespace pdegcn::kernels
