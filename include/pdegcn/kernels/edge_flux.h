#pragma once

#include <cstdint>
#include <span>

#include "pdegcn/graph/graph.h"
#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// What acts on a gradient. The two orientations of an edge are averaged, so only the odd part of σ
// counts: tanh as it is, the identity as it is, and ReLU as x/2.
enum class Activation { tanh, relu, identity };

// Edge dropout: values of the gradient are zero with probability p and divided by 1 - p otherwise.
// The choice is a function of (seed, step, layer, edge, channel), the same for both ends of an
// edge, in forward and in backward; it is computed where it is needed and never stored.
struct EdgeDropout {
  double p = 0;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t layer = 0;
};

// The factor, 0 or 1 / (1 - p), of one edge and channel: the definition of the mask.
double edge_dropout_factor(const EdgeDropout& dropout, EdgeId edge, std::int64_t channel);

// The rows of a graph as the kernels walk them. γ is given per entry of a row, so that it is read
// in order.
template <class T>
struct EdgeRows {
  const EdgeId* offsets = nullptr;
  const NodeId* neighbors = nullptr;
  const EdgeId* edge_ids = nullptr;
  const T* gamma = nullptr;
};

// A fused pass over edges: what is read, and what is written. Node fields are padded.
//
//   y_i = Σ_j γ σ(γ (g_i - g_j))                    rows of Gᵀ σ(G g)
//   ḡ_i = Σ_j γ² σ'(γ (g_i - g_j)) (ȳ_i - ȳ_j)      its adjoint, where g_bar is not null
//
// and, where gamma_grad is not null, ∂⟨ȳ, y⟩/∂γ_e times gamma_scale is added to gamma_grad[e] for
// those edges of which i is the smaller end.
template <class T>
struct EdgePass {
  EdgeRows<T> rows;
  Activation activation = Activation::tanh;
  EdgeDropout dropout;
  Matrix<const T> g;
  Matrix<const T> y_bar;
  T* gamma_grad = nullptr;
  T gamma_scale = 1;
};

// Entries first..last of row i alone, on the calling thread. y and g_bar are overwritten.
template <class T>
void edge_flux_entries(const EdgePass<T>& pass, std::int64_t i, EdgeId first, EdgeId last, T* y,
                       T* g_bar = nullptr);

// Rows first..last, on the calling thread; those with more than `longest` entries are passed over.
// Row first goes to row 0 of y and of g_bar.
template <class T>
void edge_flux_rows(const EdgePass<T>& pass, std::int64_t first, std::int64_t last, EdgeId longest,
                    Matrix<T> y, Matrix<T> g_bar = {});

}  // namespace pdegcn::kernels
