#pragma once

#include <cstdint>

#include "pdegcn/graph/graph.h"
#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// Attention of every node to its neighbours and to itself, per head:
//
//   a_ij = softmax_j(LeakyReLU(own_i + other_j)),   y_i = Σ_j m_ij a_ij x_j
//
// x and y are n x (heads c), own and other n x heads. The weights a and the factors m of dropout
// (null for none) have attention_entries() rows of one value per head: those of edge e in its two
// directions, then those of nodes to themselves. By all threads, with the same bits for every
// number of them.
inline std::int64_t attention_entries(const Graph& graph) {
  return 2 * graph.num_edges() + graph.num_nodes();
}

template <class T>
struct Attention {
  const Graph* graph = nullptr;
  std::int64_t heads = 1;
  T slope = T(0.2);  // of LeakyReLU below 0
  Matrix<const T> x, own, other;
  const T* factors = nullptr;
};

// Fills a and y.
template <class T>
void attend(const Attention<T>& attention, T* a, Matrix<T> y);

// The adjoint: from ȳ to the derivatives by x, own and other. `scores` is memory of the size of a.
template <class T>
void attend_adjoint(const Attention<T>& attention, const T* a, Matrix<const T> y_bar, T* scores,
                    Matrix<T> x_bar, Matrix<T> own_bar, Matrix<T> other_bar);

}  // namespace pdegcn::kernels
