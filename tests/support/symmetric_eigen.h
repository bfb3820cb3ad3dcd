#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace pdegcn::tests {

// Eigenvalues in ascending order; vectors[k] belongs to values[k] and has length one.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};

// All eigenvalues and eigenvectors of a small dense symmetric matrix (n x n, row by row), by cyclic
// Jacobi rotations: slow, simple and accurate, an oracle for what iterates.
inline SymmetricEigen symmetric_eigen(std::vector<double> a, std::size_t n) {
  std::vector<double> v(n * n);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;

  const double total = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += 2 * a[p * n + q] * a[p * n + q];
    if (off <= 1e-30 * total) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0) continue;
        // The rotation that annuls a_pq; t = tan of its angle, the smaller root of t² + 2θt = 1.
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
        const double c = 1 / std::hypot(t, 1.0);
        const double s = t * c;
        const auto rotate = [c, s](double& x, double& y) {
          const double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(a[k * n + p], a[k * n + q]);
        for (std::size_t k = 0; k < n; ++k) rotate(a[p * n + k], a[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) rotate(v[k * n + p], v[k * n + q]);
      }
    }
  }

  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return a[x * n + x] < a[y * n + y]; });
  SymmetricEigen result;
  for (const std::size_t k : order) {
    result.values.push_back(a[k * n + k]);
    result.vectors.emplace_back();
    for (std::size_t i = 0; i < n; ++i) result.vectors.back().push_back(v[i * n + k]);
  }
  return result;
}

}  // namespace pdegcn::tests
