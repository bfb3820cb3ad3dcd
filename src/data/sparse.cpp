#include "pdegcn/data/sparse.h"

#include <algorithm>
#include <limits>
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
  for (std::size_t k = 0; k < m.columns.size(); ++k)
    if (m.columns[k] < 0 || m.columns[k] >= cols)
      throw Error("{}: column {} is outside 0..{}", columns.name, m.columns[k], cols - 1);
  for (std::int64_t r = 0; r < rows; ++r) sort_row(m, r, columns.name);
  return m;
}

}  // namespace pdegcn::data
