#include "pdegcn/data/dataset.h"

#include <cmath>
#include <limits>

#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

std::int64_t columns_of(const Features& features) {
  return std::visit([](const auto& m) { return m.cols; }, features);
}

void check_values(std::span<const float> values, const std::string& what) {
  // All at once first, which compiles to vector instructions; then, if need be, one by one.
  bool fine = true;
  for (const float value : values) fine &= std::abs(value) <= std::numeric_limits<float>::max();
  for (std::size_t k = 0; !fine && k < values.size(); ++k)
    if (!std::isfinite(values[k])) throw Error("{}: value {} is {}", what, k, values[k]);
}

void check_dense(const DenseMatrix& m, std::int64_t rows, const std::string& what) {
  if (m.cols == 0 && m.values.empty()) return;
  if (m.rows != rows) throw Error("{}: {} rows where {} are needed", what, m.rows, rows);
  if (static_cast<std::int64_t>(m.values.size()) != m.rows * m.cols)
    throw Error("{}: {} values do not make {} x {}", what, m.values.size(), m.rows, m.cols);
  check_values(m.values, what);
}

void check_sparse(const SparseMatrix& m, std::int64_t rows, const std::string& what) {
  if (m.rows != rows) throw Error("{}: {} rows where {} are needed", what, m.rows, rows);
  if (static_cast<std::int64_t>(m.offsets.size()) != m.rows + 1 || m.offsets.front() != 0 ||
      m.offsets.back() != static_cast<std::int64_t>(m.columns.size()) ||
      m.columns.size() != m.values.size())
    throw Error("{}: row offsets and entries do not fit together", what);
  // First all offsets: only when none falls are those in the middle inside the columns.
  for (std::int64_t r = 0; r < m.rows; ++r)
    if (m.offsets[r] > m.offsets[r + 1]) throw Error("{}: the offsets fall at row {}", what, r);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const auto row = std::span(m.columns).subspan(m.offsets[r], m.offsets[r + 1] - m.offsets[r]);
    bool ascending = true;
    for (std::size_t k = 1; k < row.size(); ++k) ascending &= row[k - 1] < row[k];
    if (!ascending) throw Error("{}: the columns of row {} do not ascend", what, r);
    if (!row.empty() && (row.front() < 0 || row.back() >= m.cols))
      throw Error("{}: column {} in row {} is outside 0..{}", what,
                  row.front() < 0 ? row.front() : row.back(), r, m.cols - 1);
  }
  check_values(m.values, what);
}

void check_labels(std::span<const std::int32_t> labels, std::int64_t wanted, std::int64_t classes,
                  const std::string& what) {
  if (static_cast<std::int64_t>(labels.size()) != wanted)
    throw Error("{}: {} labels where {} are needed", what, labels.size(), wanted);
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (labels[k] < kUnlabelled || labels[k] >= classes)
      throw Error("{}: label {} of item {} is outside 0..{}", what, labels[k], k, classes - 1);
}

}  // namespace

std::int64_t Dataset::num_nodes() const {
  std::int64_t sum = 0;
  for (const Sample& sample : samples) sum += sample.graph.num_nodes();
  return sum;
}

std::int64_t Dataset::num_edges() const {
  std::int64_t sum = 0;
  for (const Sample& sample : samples) sum += sample.graph.num_edges();
  return sum;
}

std::int64_t Dataset::num_features() const {
  return samples.empty() ? 0 : columns_of(samples.front().features);
}

const Split& Dataset::split(const std::string& split_name) const {
  std::string names;
  for (const Split& s : splits) {
    if (s.name == split_name) return s;
    names += (names.empty() ? "" : ", ") + s.name;
  }
  throw Error("data set {} has no split '{}'; it has {}", name, split_name,
              names.empty() ? "none" : names);
}

void Dataset::check() const {
  for (const Sample& s : samples) {
    const std::string what = name + (s.name.empty() ? "" : " " + s.name);
    const std::int64_t n = s.graph.num_nodes();
    if (columns_of(s.features) != num_features())
      throw Error("{}: {} features where the first sample has {}", what, columns_of(s.features),
                  num_features());
    if (const auto* dense = std::get_if<DenseMatrix>(&s.features))
      check_dense(*dense, n, what + ", features");
    else
      check_sparse(std::get<SparseMatrix>(s.features), n, what + ", features");
    check_dense(s.edge_attributes.odd, s.graph.num_edges(), what + ", odd edge attributes");
    check_dense(s.edge_attributes.even, s.graph.num_edges(), what + ", even edge attributes");
    if (!s.positions.empty()) {
      if (static_cast<std::int64_t>(s.positions.size()) != 3 * n)
        throw Error("{}: {} coordinates for {} nodes", what, s.positions.size(), n);
      check_values(s.positions, what + ", positions");
    }
    if (!s.node_names.empty() && static_cast<std::int64_t>(s.node_names.size()) != n)
      throw Error("{}: {} names for {} nodes", what, s.node_names.size(), n);
    for (const Triangle& t : s.triangles)
      for (const NodeId v : t)
        if (v < 0 || v >= n) throw Error("{}: a triangle names vertex {} of {}", what, v, n);
  }
  if (const auto* nodes = std::get_if<NodeLabels>(&targets))
    check_labels(nodes->label, num_nodes(), num_classes(), name);
  if (const auto* graphs = std::get_if<GraphLabels>(&targets))
    check_labels(graphs->label, static_cast<std::int64_t>(samples.size()), num_classes(), name);
  if (const auto* multi = std::get_if<NodeMultiLabels>(&targets)) {
    if (static_cast<std::int64_t>(multi->values.size()) != num_nodes() * multi->labels)
      throw Error("{}: {} label values for {} nodes and {} labels", name, multi->values.size(),
                  num_nodes(), multi->labels);
    for (const std::uint8_t v : multi->values)
      if (v > 1) throw Error("{}: a multi-label value is {}, not 0 or 1", name, v);
  }
  if (!template_vertex.empty()) {
    if (samples.empty() || static_cast<std::int64_t>(template_vertex.size()) != num_classes())
      throw Error("{}: a template of {} vertices for {} classes", name, template_vertex.size(),
                  num_classes());
    for (const NodeId v : template_vertex)
      if (v < -1 || v >= samples.front().graph.num_nodes())
        throw Error("{}: a class stands for vertex {} of {}", name, v,
                    samples.front().graph.num_nodes());
  }
  const std::int64_t items =
      samples.size() == 1 ? num_nodes() : static_cast<std::int64_t>(samples.size());
  const auto check_text = [&](const std::string& text) {
    if (!is_utf8(text)) throw Error("{}: a name in it is not text in UTF-8", name);
  };
  for (const std::string& text : class_names) check_text(text);
  for (const Sample& sample : samples) check_text(sample.name);
  for (const Split& s : splits) {
    check_text(s.name);
    std::vector<bool> used(items);
    for (const auto* part : {&s.train, &s.validation, &s.test})
      for (const std::int32_t k : *part) {
        if (k < 0 || k >= items)
          throw Error("{}: split '{}' names item {} of {}", name, s.name, k, items);
        if (used[k]) throw Error("{}: split '{}' names item {} twice", name, s.name, k);
        used[k] = true;
      }
  }
}

}  // namespace pdegcn::data
