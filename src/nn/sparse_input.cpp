#include "pdegcn/nn/sparse_input.h"

#include <numeric>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/sparse.h"

namespace pdegcn::nn {

// Where the non-zeros stand: by rows, and by columns with the place of each in the row order.
struct SparseInput::Pattern {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> column_offsets;
  std::vector<std::int32_t> rows;
  std::vector<std::int64_t> order;
};

namespace {

template <class Work>
auto with_type(const torch::Tensor& x, const Work& work) {
  return x.scalar_type() == torch::kFloat32 ? work(float{}) : work(double{});
}

template <class T>
kernels::Matrix<T> view(const torch::Tensor& m) {
  return {m.data_ptr<T>(), m.size(0), m.size(1), m.size(1)};
}

torch::Tensor transposed(const torch::Tensor& m) {
  const auto from = m.contiguous();
  auto to = torch::empty({m.size(1), m.size(0)}, m.options());
  with_type(m, [&](auto zero) {
    using T = decltype(zero);
    kernels::transpose<T>(view<T>(from), view<T>(to));
  });
  return to;
}

// What backward needs, kept by the autograd graph.
struct Kept : torch::CustomClassHolder {
  Kept(std::shared_ptr<const SparseInput::Pattern> p, torch::Tensor v, bool t)
      : pattern(std::move(p)), values(std::move(v)), turned(t) {}
  std::shared_ptr<const SparseInput::Pattern> pattern;
  torch::Tensor values;
  bool turned;
};

// S X, or S Wᵀ when the factor is `turned`.
class SparseProduct : public torch::autograd::Function<SparseProduct> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& factor, bool turned,
                               const std::shared_ptr<const SparseInput::Pattern>& pattern,
                               const torch::Tensor& values) {
    context->saved_data["kept"] =
        torch::IValue::make_capsule(c10::make_intrusive<Kept>(pattern, values, turned));
    const auto rows = static_cast<std::int64_t>(pattern->offsets.size()) - 1;
    const auto b = turned ? transposed(factor) : factor.contiguous();
    auto c = torch::empty({rows, b.size(1)}, b.options());
    with_type(b, [&](auto zero) {
      using T = decltype(zero);
      kernels::multiply_sparse<T>(
          {rows, b.size(0), pattern->offsets.data(), pattern->columns.data(), values.data_ptr<T>()},
          view<T>(b), view<T>(c));
    });
    return c;
  }

  // ∂/∂X = Sᵀ given, row by row over the columns of S.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list outputs) {
    const auto& kept = static_cast<Kept&>(*context->saved_data["kept"].toCapsule());
    const auto& pattern = *kept.pattern;
    const auto columns = static_cast<std::int64_t>(pattern.column_offsets.size()) - 1;
    const auto given = outputs[0].contiguous();
    auto result = torch::empty({columns, given.size(1)}, given.options());
    with_type(given, [&](auto zero) {
      using T = decltype(zero);
      kernels::multiply_sparse<T>(
          {columns, given.size(0), pattern.column_offsets.data(), pattern.rows.data(),
           kept.values.data_ptr<T>(), pattern.order.data()},
          view<T>(given), view<T>(result));
    });
    return {kept.turned ? transposed(result) : result, {}, {}, {}};
  }
};

}  // namespace

SparseInput::SparseInput(const data::SparseMatrix& matrix, torch::ScalarType type)
    : rows_(matrix.rows), cols_(matrix.cols) {
  const auto entries = static_cast<std::int64_t>(matrix.columns.size());
  if (static_cast<std::int64_t>(matrix.offsets.size()) != rows_ + 1 ||
      matrix.offsets.back() != entries ||
      static_cast<std::int64_t>(matrix.values.size()) != entries)
    throw Error("a sparse matrix of {} rows has {} offsets, {} columns and {} values", rows_,
                matrix.offsets.size(), matrix.columns.size(), matrix.values.size());
  auto pattern = std::make_shared<Pattern>();
  pattern->offsets = matrix.offsets;
  pattern->columns = matrix.columns;
  pattern->column_offsets.assign(cols_ + 1, 0);
  for (const std::int32_t column : matrix.columns) {
    if (column < 0 || column >= cols_) throw Error("column {} is outside 0..{}", column, cols_ - 1);
    ++pattern->column_offsets[column + 1];
  }
  std::partial_sum(pattern->column_offsets.begin(), pattern->column_offsets.end(),
                   pattern->column_offsets.begin());
  std::vector<std::int64_t> next(pattern->column_offsets.begin(),
                                 pattern->column_offsets.end() - 1);
  pattern->rows.resize(entries);
  pattern->order.resize(entries);
  for (std::int64_t i = 0; i < rows_; ++i)
    for (std::int64_t k = matrix.offsets[i]; k < matrix.offsets[i + 1]; ++k) {
      const std::int64_t at = next[matrix.columns[k]]++;
      pattern->rows[at] = static_cast<std::int32_t>(i);
      pattern->order[at] = k;
    }
  pattern_ = std::move(pattern);
  values_ = torch::tensor(matrix.values, torch::kFloat32).to(type);
}

SparseInput SparseInput::with_values(torch::Tensor values) const {
  if (values.sizes() != values_.sizes())
    throw Error("{} values for {} non-zeros", values.numel(), values_.numel());
  SparseInput result = *this;
  result.values_ = values.contiguous();
  return result;
}

torch::Tensor SparseInput::product(const torch::Tensor& weight) const {
  if (weight.dim() != 2 || weight.size(1) != cols_)
    throw Error("an input of {} x {} does not fit weights of {} (outputs x inputs)", rows_, cols_,
                fmt::join(weight.sizes(), " x "));
  return multiply(weight, true);
}

torch::Tensor SparseInput::times(const torch::Tensor& x) const {
  if (x.dim() != 2 || x.size(0) != cols_)
    throw Error("a matrix of {} x {} does not fit features of {}", rows_, cols_,
                fmt::join(x.sizes(), " x "));
  return multiply(x, false);
}

torch::Tensor SparseInput::multiply(const torch::Tensor& factor, bool turned) const {
  if (factor.scalar_type() != values_.scalar_type() || !factor.device().is_cpu())
    throw Error("sparse features are {} on the CPU, their factor {} on {}",
                toString(values_.scalar_type()), toString(factor.scalar_type()),
                factor.device().str());
  return SparseProduct::apply(factor, turned, pattern_, values_);
}

torch::Tensor SparseInput::dense() const {
  auto result = torch::zeros({rows_, cols_}, values_.options());
  std::vector<std::int64_t> row_of;
  row_of.reserve(pattern_->columns.size());
  for (std::int64_t i = 0; i < rows_; ++i)
    row_of.insert(row_of.end(), pattern_->offsets[i + 1] - pattern_->offsets[i], i);
  const auto columns = torch::tensor(pattern_->columns, torch::kInt64);
  return result.index_put_({torch::tensor(row_of, torch::kInt64), columns}, values_);
}

}  // namespace pdegcn::nn
