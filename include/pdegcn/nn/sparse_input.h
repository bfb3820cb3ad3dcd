#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "pdegcn/data/dataset.h"

namespace pdegcn::nn {

// Node features that are mostly zeros, such as bags of words: CSR by rows and by columns. Cheap to
// copy.
class SparseInput {
 public:
  // Throws Error when rows, offsets and columns do not fit together.
  explicit SparseInput(const data::SparseMatrix& matrix, torch::ScalarType type = torch::kFloat32);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  const torch::Tensor& values() const { return values_; }  // of the non-zeros, row by row

  // The same non-zeros with other values.
  SparseInput with_values(torch::Tensor values) const;

  // S Wᵀ for W (out x cols), and S X for X (cols x out); gradients reach W and X, not the values.
  torch::Tensor product(const torch::Tensor& weight) const;
  torch::Tensor times(const torch::Tensor& x) const;

  torch::Tensor dense() const;

  struct Pattern;

 private:
  torch::Tensor multiply(const torch::Tensor& factor, bool turned) const;

  std::shared_ptr<const Pattern> pattern_;
  std::int64_t rows_;
  std::int64_t cols_;
  torch::Tensor values_;
};

}  // namespace pdegcn::nn
