#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn {

// The operators of the paper's section 3.2. Node fields are n x c, edge fields m x c, both row by
// row; γ has one value per edge and c is `channels`. Each throws Error when the sizes do not fit.
// For float and double.

// (G f)_e = γ_e (f_i - f_j), equation (3)
template <class T>
std::vector<T> gradient(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                        std::int64_t channels);

// (Gᵀ q)_i = Σ_e ±γ_e q_e, the adjoint of the gradient
template <class T>
std::vector<T> gradient_adjoint(const Graph& graph, std::span<const double> gamma,
                                std::span<const T> q, std::int64_t channels);

// ∇· ≈ -Gᵀ
template <class T>
std::vector<T> divergence(const Graph& graph, std::span<const double> gamma, std::span<const T> q,
                          std::int64_t channels);

// (A f)_e = ½ γ_e (f_i + f_j), equation (5)
template <class T>
std::vector<T> average(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                       std::int64_t channels);

// (Aᵀ q)_i = Σ_e ½ γ_e q_e
template <class T>
std::vector<T> average_adjoint(const Graph& graph, std::span<const double> gamma,
                               std::span<const T> q, std::int64_t channels);

// GᵀG f, without the edge field between
template <class T>
std::vector<T> laplacian(const Graph& graph, std::span<const double> gamma, std::span<const T> f,
                         std::int64_t channels);

// The largest eigenvalue of GᵀG, from below, by Lanczos' method: a power iteration that makes the
// best of all its iterates, so that tens of passes do where the last iterate alone needs thousands.
// It stops when ten passes add less than `tolerance` of the value, or after `iterations` passes.
double lambda_max(const Graph& graph, std::span<const double> gamma, double tolerance = 1e-6,
                  int iterations = 1000);

// An upper bound on it that costs one pass: 2 max_i Σ_j γ_ij².
double lambda_bound(const Graph& graph, std::span<const double> gamma);

}  // namespace pdegcn
