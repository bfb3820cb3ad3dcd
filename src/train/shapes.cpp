#include "pdegcn/train/shapes.h"

#include <algorithm>

#include "pdegcn/data/clouds.h"
#include "pdegcn/data/shapes.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/crc32c.h"

namespace pdegcn::train {
namespace {

// The streams of random numbers that belong to shapes; the order of batches and dropout have
// others.
std::uint64_t stream_of(std::int64_t epoch, const std::vector<float>& positions) {
  const std::string_view bytes(reinterpret_cast<const char*>(positions.data()),
                               positions.size() * sizeof(float));
  return std::uint64_t{1} << 62 | static_cast<std::uint64_t>(epoch) << 32 | report::crc32c(bytes);
}

bool has_part(const std::string& list, std::string_view name) {
  return std::ranges::count(parts_of(list), name) > 0;
}

data::Augmentation augmentation(const RunConfig& config) {
  data::Augmentation a;
  if (!has_part(config.augment, "turn")) a.max_turn = 0;
  if (!has_part(config.augment, "scale")) a.min_scale = a.max_scale = 1;
  if (!has_part(config.augment, "jitter")) a.jitter = 0;
  return a;
}

// Positions, triangles and graph of a shape to be classified.
void place(const data::Sample& sample, const RunConfig& config, kernels::Random& random,
           bool moving, data::Sample& out) {
  const bool draws =
      config.points > 0 && (!sample.triangles.empty() || sample.graph.num_nodes() > config.points);
  if (draws) {
    const data::Mesh shape{sample.positions, sample.triangles};
    out.positions =
        data::cloud_sample(sample.name, shape, {static_cast<NodeId>(config.points), 0}, random)
            .positions;
  } else {
    out.positions = sample.positions;
    out.triangles = sample.triangles;
  }
  if (moving) data::augment(out.positions, augmentation(config), random);
  const bool joined =
      !out.triangles.empty() || (!draws && !moving && sample.graph.report().k_wanted == config.knn);
  out.graph =
      joined ? sample.graph : Graph::from_points(out.positions, 3, static_cast<int>(config.knn));
}

}  // namespace

std::string usual_input(const data::Dataset& data, Task task) {
  if (task == kCorrespondence) return "cartesian";
  if (task == kNode) return "features";
  for (const data::Sample& sample : data.samples) {
    const auto* dense = std::get_if<data::DenseMatrix>(&sample.features);
    if (dense == nullptr || sample.positions.empty() || dense->values != sample.positions)
      return "features";
  }
  return "xyz";
}

std::shared_ptr<const data::Sample> prepare(const data::Sample& sample, const RunConfig& config,
                                            std::int64_t epoch) {
  // An owner of nothing: the sample itself.
  if (config.input == "features") return {std::shared_ptr<const data::Sample>(), &sample};
  if (sample.positions.empty())
    throw Error("'{}' has no positions, which the input {} is made of", sample.name, config.input);
  auto out = std::make_shared<data::Sample>();
  out->name = sample.name;
  if (config.task == "graph") {
    kernels::Random random(static_cast<std::uint64_t>(config.seed),
                           stream_of(epoch, sample.positions));
    place(sample, config, random, epoch > 0 && config.augment != "none", *out);
  } else {
    if (sample.graph.num_edges() == 0)
      throw Error("'{}' has no edges: a correspondence needs meshes with triangles", sample.name);
    out->graph = sample.graph;
    out->positions = sample.positions;
    data::normalize_to_unit_sphere(out->positions);
  }
  const std::int64_t n = out->graph.num_nodes();
  const bool xyz = config.input.starts_with("xyz");
  out->features = xyz ? data::DenseMatrix{n, 3, out->positions}
                      : data::DenseMatrix{n, 1, std::vector<float>(n, 1.0f)};
  if (config.input == "xyz") return out;
  out->edge_attributes = data::cartesian_attributes(out->graph, out->positions);
  if (config.input == "lengths") out->edge_attributes.odd = {};
  if (!config.input.ends_with("lengths")) out->edge_attributes.even = {};
  return out;
}

}  // namespace pdegcn::train
