#include "pdegcn/train/fingerprint.h"

#include <fmt/format.h>

#include <span>

#include "pdegcn/report/crc32c.h"

namespace pdegcn::train {
namespace {

// Of values below each other.
class Checksum {
 public:
  template <class Values>
  void add(const Values& values) {
    const auto bytes = std::as_bytes(std::span(values));
    sum_ = report::crc32c({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, sum_);
  }

  void add(const Graph& graph) {
    add(graph.offsets());
    add(graph.neighbors());
  }

  std::string digits() const { return fmt::format("{:08x}", sum_); }

 private:
  std::uint32_t sum_ = 0;
};

// The labels of some nodes of the only sample, or of some samples or of all nodes in them.
void add_labels(Checksum& sum, const data::Dataset& data, std::span<const std::int32_t> ids) {
  if (const auto* graphs = std::get_if<data::GraphLabels>(&data.targets))
    for (const std::int32_t id : ids) sum.add(std::span(&graphs->label[id], 1));
  const auto add_nodes = [&](std::int64_t first, std::int64_t count) {
    if (const auto* one = std::get_if<data::NodeLabels>(&data.targets))
      sum.add(std::span(one->label).subspan(first, count));
    if (const auto* many = std::get_if<data::NodeMultiLabels>(&data.targets))
      sum.add(std::span(many->values).subspan(first * many->labels, count * many->labels));
  };
  if (data.samples.size() == 1) {
    for (const std::int32_t v : ids) add_nodes(v, 1);
    return;
  }
  std::vector<std::int64_t> first{0};
  for (const data::Sample& sample : data.samples)
    first.push_back(first.back() + sample.graph.num_nodes());
  for (const std::int32_t id : ids) add_nodes(first[id], first[id + 1] - first[id]);
}

}  // namespace

std::string data_fingerprint(const data::Dataset& data, const data::Split& split,
                             bool test_labels) {
  Checksum sum;
  for (const data::Sample& sample : data.samples) {
    sum.add(sample.graph);
    if (const auto* sparse = std::get_if<data::SparseMatrix>(&sample.features)) {
      sum.add(sparse->offsets);
      sum.add(sparse->columns);
      sum.add(sparse->values);
    } else {
      sum.add(std::get<data::DenseMatrix>(sample.features).values);
    }
    sum.add(sample.edge_attributes.odd.values);
    sum.add(sample.edge_attributes.even.values);
    sum.add(sample.positions);
  }
  for (const auto* part : {&split.train, &split.validation, &split.test}) sum.add(*part);
  add_labels(sum, data, split.train);
  add_labels(sum, data, split.validation);
  if (test_labels) add_labels(sum, data, split.test);
  return sum.digits();
}

std::string graph_fingerprint(const Graph& graph) {
  Checksum sum;
  sum.add(graph);
  return sum.digits();
}

}  // namespace pdegcn::train
