#include "pdegcn/data/sparse.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace pdegcn::data {
namespace {

void sort_row(SparseMatrix& m, std::int64_t row, const std::string& name) {
  const std::int64_t begin = m.offsets[row], end = m.offsets[row + 1];
  if (std::is_sorted(m.columns.begin() + begin, m.columns.begin() + end, std::less_equal<>()))
    return;
  std::vector<std::pair<std::int32_t, float>> entries;
  for (std::int64_t k = begin; k < end; ++k) entries.emplace_back(m.columns[k], m.values[k]);
  std::sort(entries.begin(), entries.end());
  for (std::int64_t k = begin; k < end; ++k)
    std::tie(m.columns[k], m.values[k]) = entries[k - begin];
  for (std::int64_t k = begin + 1; k < end; ++k)
    if (m.columns[k - 1] == m.columns[k])
      throw Error("{}: column {} is twice in row {}", name, m.columns[k], row);
}

}  // namespace

SparseMatrix sparse_matrix(std::int64_t rows, std::int64_t cols, const ArrayView& offsets,
                           const ArrayView& columns, const ArrayView& values) {
  const auto limit = std::numeric_limits<std::int32_t>::max();
  if (rows < 0 || rows > limit || cols < 0 || cols > limit)
    throw Error("{}: a matrix of {} x {} is not possible", values.name, rows, cols);
  offsets.expect_shape({rows + 1});
  columns.expect_shape({-1});
  values.expect_shape({columns.count()});

  SparseMatrix m;
  m.rows = rows;
  m.cols = cols;
  m.offsets = offsets.as<std::int64_t>();
  m.columns = columns.as<std::int32_t>();
  m.values = values.as<float>();
  if (m.offsets.front() != 0 || m.offsets.back() != columns.count())
    throw Error("{}: the row offsets run from {} to {}, not from 0 to {}", offsets.name,
                m.offsets.front(), m.offsets.back(), columns.count());
  for (std::int64_t r = 0; r < rows; ++r)
    if (m.offsets[r] > m.offsets[r + 1])
      throw Error("{}: the row offsets fall at row {}", offsets.name, r);
  const auto outside = [cols](std::int32_t column) {
    return static_cast<std::uint32_t>(column) >= static_cast<std::uint32_t>(cols);
  };
  bool fine = true;
  for (const std::int32_t column : m.columns) fine &= !outside(column);
  if (!fine)
    throw Error("{}: column {} is outside 0..{}", columns.name,
                *std::find_if(m.columns.begin(), m.columns.end(), outside), cols - 1);
  for (std::int64_t r = 0; r < rows; ++r) sort_row(m, r, columns.name);
  return m;
}

SparseMatrix identity_features(std::int64_t nodes) {
  SparseMatrix m;
  m.rows = m.cols = nodes;
  for (std::int64_t k = 0; k < nodes; ++k) {
    m.columns.push_back(static_cast<std::int32_t>(k));
    m.offsets.push_back(k + 1);
  }
  m.values.assign(static_cast<std::size_t>(nodes), 1.0f);
  return m;
}

void row_normalize(Dataset& data) {
  const auto normalize = [](std::span<float> row) {
    double sum = 0;
    for (const float value : row) sum += std::abs(value);
    if (sum > 0)
      for (float& value : row) value = static_cast<float>(value / sum);
  };
  for (Sample& sample : data.samples) {
    if (auto* dense = std::get_if<DenseMatrix>(&sample.features)) {
      for (std::int64_t r = 0; r < dense->rows; ++r)
        normalize(std::span(dense->values).subspan(r * dense->cols, dense->cols));
    } else {
      auto& sparse = std::get<SparseMatrix>(sample.features);
      for (std::int64_t r = 0; r < sparse.rows; ++r)
        normalize(std::span(sparse.values)
                      .subspan(sparse.offsets[r], sparse.offsets[r + 1] - sparse.offsets[r]));
    }
  }
}

}  // namespace pdegcn::data
