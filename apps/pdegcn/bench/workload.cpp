#include "workload.h"

#include <cmath>
#include <numeric>

#include "pdegcn/data/body_generator.h"
#include "pdegcn/data/open.h"
#include "pdegcn/data/rmat.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::bench {
namespace {

// Edge lengths that give 6,890 vertices and 20,664 edges, as the bodies of FAUST have, and few.
constexpr double kMeshSpacing = 0.02036;
constexpr double kQuickSpacing = 0.06;

data::Dataset mesh(bool quick) {
  data::BodySet set;
  set.train_subjects = set.validation_subjects = set.test_subjects = set.poses = 1;
  set.spacing = quick ? kQuickSpacing : kMeshSpacing;
  data::Dataset bodies = data::bodies(set);
  bodies.samples.resize(1);
  return bodies;
}

// A large graph with eight words of a hundred on every node, and labels at random.
data::Dataset large(bool quick) {
  constexpr std::int32_t words = 8, language = 100, classes = 8;
  data::Rmat model;
  model.scale = quick ? 10 : 20;
  model.edges = EdgeId{10} << model.scale;
  data::Dataset set;
  set.name = kRmat;
  set.source = "generated: R-MAT";
  set.samples.resize(1);
  data::Sample& sample = set.samples.front();
  sample.name = kRmat;
  sample.graph = data::rmat(model);
  const NodeId nodes = sample.graph.num_nodes();

  kernels::Random random(3);
  data::SparseMatrix features;
  features.rows = nodes;
  features.cols = language;
  data::NodeLabels labels;
  data::Split split{"tenths", {}, {}, {}};
  for (NodeId v = 0; v < nodes; ++v) {
    const auto first = static_cast<std::int32_t>(random.below(language / words));
    for (std::int32_t w = 0; w < words; ++w) {
      features.columns.push_back(first + w * (language / words));
      features.values.push_back(1.0f / words);
    }
    features.offsets.push_back(static_cast<std::int64_t>(features.columns.size()));
    labels.label.push_back(static_cast<std::int32_t>(random.below(classes)));
    auto& part = v % 10 == 0 ? split.train : v % 10 == 1 ? split.validation : split.test;
    part.push_back(v);
  }
  sample.features = std::move(features);
  set.targets = std::move(labels);
  for (int k = 0; k < classes; ++k) set.class_names.push_back(fmt::format("{}", k));
  set.splits.push_back(std::move(split));
  set.check();
  return set;
}

data::Dataset open(const Case& what, bool quick) {
  if (what.data == kMesh) return mesh(quick);
  if (what.data == kRmat) return large(quick);
  return data::open(what.data);
}

}  // namespace

Workload::Workload(const Case& w, bool quick) : Workload(w, quick, train::RunConfig()) {}

Workload::Workload(const Case& w, bool quick, const train::RunConfig& settings)
    : what(quick ? made_quick(w) : w),
      config(settings),
      data(open(what, quick)),
      input{pde::Domain(Graph::from_edges(1, {}), WeightKind::unit), torch::Tensor()} {
  config.model = what.model;
  config.layers = what.layers;
  config.channels = what.channels;
  stack.equation = nn::parse_equation(config.model);
  stack.layers = config.layers;
  stack.channels = config.channels;
  stack.step = config.step;

  const std::int64_t c = config.channels;
  torch::manual_seed(1);
  if (what.data == kMesh) {
    input.domain = pde::Domain(data.samples.front().graph, WeightKind::metropolis);
    weights.K = nn::PdeStack(stack)->K.detach();
    f0 = torch::randn({nodes(), c});
    last_bar = torch::randn({nodes(), c});
  } else {
    config = train::settle(std::move(config), data);
    split = train::find_split(data, config.split);
    problem = std::make_unique<train::Problem>(data, split, config);
    input = problem->training_batch(1, 0).input;
    const auto network = std::dynamic_pointer_cast<nn::PdeNetwork>(problem->make_network());
    weights = {network->opening->weight.detach(), network->pde->K.detach(),
               network->closing->weight.detach()};
  }
  weights.K = weights.K + 0.1 / std::sqrt(static_cast<double>(c)) * torch::randn_like(weights.K);
}

const data::SparseMatrix* Workload::words() const {
  return what.data == kMesh ? nullptr
                            : std::get_if<data::SparseMatrix>(&data.samples.front().features);
}

}  // namespace pdegcn::bench
