#include "pdegcn/data/feature_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "pdegcn/data/npy.h"
#include "pdegcn/data/sparse.h"
#include "pdegcn/data/table.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

// More columns are a mistake in an index: the first layer alone would take gigabytes.
constexpr std::int64_t kMostColumns = std::int64_t{1} << 26;

template <class Reader>
float finite(const Reader& reader, std::string_view field, const char* what) {
  const float value = reader.template parse<float>(field, what);
  if (!std::isfinite(value)) reader.fail("{} '{:.40}' is not finite", what, field);
  return value;
}

DenseMatrix dense_matrix(const ArrayView& array) {
  array.expect_shape({-1, -1});
  return {array.shape[0], array.shape[1], array.as<float>()};
}

Features read_npz(const File& file) {
  const Npz arrays(file);
  if (!arrays.has("indptr")) {
    if (arrays.names().size() != 1)
      throw Error("{}: neither one dense array nor a CSR matrix of scipy.sparse.save_npz",
                  file.name());
    return dense_matrix(arrays.at(arrays.names()[0]).view());
  }
  if (arrays.has("format")) {
    const NpyArray format = arrays.at("format");
    if (format.view().strings() != std::vector<std::string>{"csr"})
      throw Error("{}: the sparse matrix is {}, not csr", file.name(),
                  fmt::join(format.view().strings(), " "));
  }
  const NpyArray shape = arrays.at("shape");
  shape.view().expect_shape({2});
  const auto size = shape.view().as<std::int64_t>();
  const NpyArray offsets = arrays.at("indptr"), columns = arrays.at("indices"),
                 values = arrays.at("data");
  return sparse_matrix(size[0], size[1], offsets.view(), columns.view(), values.view());
}

FeatureTable read_svmlight(const File& file) {
  FeatureTable table;
  SparseMatrix m;
  std::vector<std::pair<std::int32_t, float>> row;
  TextReader reader(file);
  bool from_zero = false;
  while (reader.next_filled_line()) {
    std::string_view field;
    if (!reader.next_field(' ', field) || field.starts_with('#')) continue;
    if (!is_utf8(field)) reader.fail("the label is not text in UTF-8");
    table.labels.push_back(field);
    row.clear();
    while (reader.next_field(' ', field) && !field.starts_with('#')) {
      const std::size_t colon = field.find(':');
      if (colon == std::string_view::npos) reader.fail("'{:.40}' is no index:value", field);
      const auto index = reader.parse<std::int32_t>(field.substr(0, colon), "the index");
      if (index < 0) reader.fail("index {} is negative", index);
      from_zero |= index == 0;
      row.emplace_back(index, finite(reader, field.substr(colon + 1), "the value"));
    }
    std::sort(row.begin(), row.end());
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k - 1].first == row[k].first)
        reader.fail("index {} is there twice", row[k].first);
      m.columns.push_back(row[k].first);
      m.values.push_back(row[k].second);
    }
    m.offsets.push_back(static_cast<std::int64_t>(m.columns.size()));
    ++m.rows;
  }
  if (!m.columns.empty())
    m.cols = *std::max_element(m.columns.begin(), m.columns.end()) + std::int64_t{from_zero};
  if (!from_zero)
    for (std::int32_t& column : m.columns) --column;
  table.features = std::move(m);
  return table;
}

FeatureTable read_text(const File& file, std::optional<bool> heading) {
  FeatureTable table;
  DenseMatrix m;
  TableReader reader(file);
  if (heading) reader.set_heading(*heading);
  bool ids = !reader.heading().empty() && is_id_heading(reader.heading()[0]);
  for (; reader.next_row(); ++m.rows) {
    const auto row = reader.row();
    if (m.rows == 0) {
      double number;
      const auto [end, error] =
          std::from_chars(row[0].data(), row[0].data() + row[0].size(), number);
      ids |= error != std::errc{} || end != row[0].data() + row[0].size();
    }
    if (ids && row[0].empty()) reader.fail("the node is empty");
    if (ids) table.ids.push_back(row[0]);
    for (const std::string_view field : row.subspan(ids))
      m.values.push_back(finite(reader, field, "the feature"));
  }
  m.cols = static_cast<std::int64_t>(reader.columns()) - ids;
  table.features = std::move(m);
  return table;
}

}  // namespace

FeatureTable read_features(const File& file, std::optional<bool> heading) {
  const std::string_view name = file.name();
  const std::string_view ending = name.substr(std::min(name.rfind('.'), name.size()));
  if (std::ranges::find(kFeatureEndings, ending) == std::end(kFeatureEndings))
    throw Error("{}: features are one of {}, by the ending of the name", name,
                fmt::join(kFeatureEndings, " "));
  FeatureTable table;
  if (ending == ".npy")
    table.features = dense_matrix(NpyArray(file).view());
  else if (ending == ".npz")
    table.features = read_npz(file);
  else if (ending == ".csv" || ending == ".tsv" || ending == ".txt")
    table = read_text(file, heading);
  else
    table = read_svmlight(file);
  std::visit(
      [&](const auto& m) {
        if (m.rows == 0 || m.cols == 0 || m.rows > std::numeric_limits<NodeId>::max())
          throw Error("{}: {} rows and {} columns are no features", name, m.rows, m.cols);
        if (m.cols > kMostColumns)
          throw Error("{}: {} columns of features, more than {}", name, m.cols, kMostColumns);
        for (std::size_t k = 0; k < m.values.size(); ++k)
          if (!std::isfinite(m.values[k])) throw Error("{}: value {} is {}", name, k, m.values[k]);
      },
      table.features);
  return table;
}

}  // namespace pdegcn::data
