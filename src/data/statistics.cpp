#include "pdegcn/data/statistics.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "pdegcn/graph/transform.h"

namespace pdegcn::data {
namespace {

// 0, 1, 2, 3 to 4, 5 to 8, ...
std::size_t bucket_of(std::int64_t degree) {
  return degree == 0 ? 0 : std::bit_width(static_cast<std::uint64_t>(degree - 1)) + 1;
}

std::int64_t most_of(std::size_t bucket) {
  return bucket == 0 ? 0 : std::int64_t{1} << (bucket - 1);
}

void count_graph(const Graph& graph, DatasetStatistics& out) {
  out.nodes += graph.num_nodes();
  out.edges += graph.num_edges();
  out.edges_given += graph.report().given;
  out.self_loops += graph.report().self_loops;
  out.merged += graph.report().merged;
  out.isolated += graph.report().isolated;

  for (NodeId i = 0; i < graph.num_nodes(); ++i) {
    const std::int64_t degree = graph.degree(i);
    out.most_degree = std::max(out.most_degree, degree);
    out.least_degree = std::min(out.least_degree, degree);
    const std::size_t bucket = bucket_of(degree);
    while (out.degrees.size() <= bucket) {
      const std::size_t next = out.degrees.size();
      out.degrees.push_back({next == 0 ? 0 : most_of(next - 1) + 1, most_of(next), 0});
    }
    ++out.degrees[bucket].nodes;
  }

  const Components components = connected_components(graph);
  std::vector<std::int64_t> sizes(components.count);
  for (const NodeId c : components.of_node) ++sizes[c];
  out.components += components.count;
  for (const std::int64_t size : sizes)
    out.largest_component = std::max(out.largest_component, size);
}

void count_features(const Features& features, DatasetStatistics& out) {
  out.nonzeros += std::visit(
      [](const auto& m) {
        return std::count_if(m.values.begin(), m.values.end(), [](float v) { return v != 0; });
      },
      features);
}

void count_labels(std::span<const std::int32_t> labels, DatasetStatistics& out) {
  for (const std::int32_t label : labels)
    ++(label == kUnlabelled ? out.unlabelled : out.class_counts[label]);
}

void count_targets(const Dataset& set, DatasetStatistics& out) {
  using Task = DatasetStatistics::Task;
  out.class_names = set.class_names;
  out.class_counts.assign(set.class_names.size(), 0);
  if (const auto* graphs = std::get_if<GraphLabels>(&set.targets)) {
    out.task = Task::kGraphLabels;
    count_labels(graphs->label, out);
  } else if (const auto* multi = std::get_if<NodeMultiLabels>(&set.targets)) {
    out.task = Task::kNodeMultiLabels;
    out.class_counts.resize(multi->labels);
    for (std::size_t k = 0; k < multi->values.size(); ++k)
      out.class_counts[k % multi->labels] += multi->values[k];
  } else if (const auto* nodes = std::get_if<NodeLabels>(&set.targets)) {
    out.task = Task::kNodeLabels;
    count_labels(nodes->label, out);
    std::int64_t same = 0;
    std::int64_t known = 0;
    std::int64_t first = 0;
    for (const Sample& sample : set.samples) {
      for (const Edge e : sample.graph.edges()) {
        const std::int32_t a = nodes->label[first + e.i];
        const std::int32_t b = nodes->label[first + e.j];
        known += a != kUnlabelled && b != kUnlabelled;
        same += a != kUnlabelled && a == b;
      }
      first += sample.graph.num_nodes();
    }
    if (known > 0) out.homophily = static_cast<double>(same) / static_cast<double>(known);
  }
}

}  // namespace

DatasetStatistics statistics(const Dataset& set) {
  DatasetStatistics out;
  out.name = set.name;
  out.source = set.source;
  out.samples = static_cast<std::int64_t>(set.samples.size());
  out.features = set.num_features();
  out.least_degree = std::numeric_limits<std::int64_t>::max();
  for (const Sample& sample : set.samples) {
    count_graph(sample.graph, out);
    count_features(sample.features, out);
    out.odd_attributes = sample.edge_attributes.odd.cols;
    out.even_attributes = sample.edge_attributes.even.cols;
    out.triangles += static_cast<std::int64_t>(sample.triangles.size());
  }
  if (out.nodes == 0) out.least_degree = 0;
  if (out.nodes > 0)
    out.mean_degree = 2 * static_cast<double>(out.edges) / static_cast<double>(out.nodes);
  if (out.nodes > 0 && out.features > 0)
    out.density = static_cast<double>(out.nonzeros) / static_cast<double>(out.nodes) /
                  static_cast<double>(out.features);
  count_targets(set, out);
  for (const Split& split : set.splits)
    out.splits.push_back({split.name, static_cast<std::int64_t>(split.train.size()),
                          static_cast<std::int64_t>(split.validation.size()),
                          static_cast<std::int64_t>(split.test.size())});
  return out;
}

}  // namespace pdegcn::data
