// Shapes: what a step costs with all that belongs to it, and the same in tensor operations.
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "experiments.h"
#include "pdegcn/data/body_generator.h"
#include "pdegcn/data/shape_generator.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/train/adam.h"
#include "pdegcn/train/batch_stream.h"
#include "pdegcn/train/problem.h"
#include "side.h"

namespace pdegcn::bench {
namespace {

using Json = nlohmann::ordered_json;
using torch::Tensor;

constexpr std::int64_t kBatches = 2;  // in one sample, so that one is made while one is used

// A network of the paper in tensor operations, with weights of its own.
class PaperShapes {
 public:
  PaperShapes(const nn::PdeNetwork& network, const train::RunConfig& config)
      : config_(config), steps_(network.pde->dynamics()->coefficients(config.layers).contiguous()) {
    std::vector<Tensor> all;
    for (const auto& item : network.named_parameters()) {
      p_[item.key()] = item.value().detach().clone().requires_grad_();
      all.push_back(p_[item.key()]);
    }
    adam_ = std::make_unique<torch::optim::Adam>(all, torch::optim::AdamOptions(config.lr));
  }

  // The points in tensors, then the neighbours as the reference code of DGCNN finds them.
  static Graph neighbors(const Tensor& points, const std::vector<std::int64_t>& sizes, int k) {
    std::vector<Edge> edges;
    std::int64_t first = 0;
    for (const Tensor& x : points.split_with_sizes(sizes, 0)) {
      const auto square = x.square().sum(1, true);
      const auto near = 2 * x.mm(x.t()) - square - square.t();
      const auto index = std::get<1>(near.topk(k + 1, 1)).contiguous();
      const auto* j = index.data_ptr<std::int64_t>();
      for (std::int64_t i = 0; i < x.size(0); ++i)
        for (int n = 0; n <= k; ++n, ++j)
          edges.push_back({static_cast<NodeId>(first + i), static_cast<NodeId>(first + *j)});
      first += x.size(0);
    }
    return Graph::from_edges(static_cast<NodeId>(first), std::move(edges));
  }

  Tensor forward(const pde::Domain& domain, const Tensor& u,
                 const std::vector<std::int64_t>& sizes) {
    auto f = march_on_edges(domain, u.mm(p_["opening.weight"].t()).relu_(), p_["pde.K"], steps_);
    f = f.mm(p_["closing.weight"].t()).relu_();
    if (config_.task == "correspondence")
      return torch::addmm(p_["output.bias"], torch::elu(f.mm(p_["hidden.weight"].t())),
                          p_["output.weight"].t());
    std::vector<Tensor> pooled;
    for (const auto& part : f.split_with_sizes(sizes, 0)) pooled.push_back(part.amax(0));
    f = torch::stack(pooled);
    for (const std::string k : {"1", "2"}) {
      f = torch::batch_norm(f.mm(p_["head.hidden" + k + ".weight"].t()),
                            p_["head.norm" + k + ".weight"], p_["head.norm" + k + ".bias"], {}, {},
                            true, 0.1, 1e-5, false);
      f = torch::dropout(f.relu_(), 0.5, true);
    }
    return torch::addmm(p_["head.output.bias"], f, p_["head.output.weight"].t());
  }

  double learn(const pde::Domain& domain, const Tensor& u, const std::vector<std::int64_t>& sizes,
               const Tensor& labels) {
    adam_->zero_grad();
    const auto loss = torch::cross_entropy_loss(forward(domain, u, sizes), labels);
    loss.backward();
    adam_->step();
    return loss.item<double>();
  }

 private:
  train::RunConfig config_;
  Tensor steps_;
  std::map<std::string, Tensor> p_;
  std::unique_ptr<torch::optim::Adam> adam_;
};

struct Line {
  std::string name;
  std::int64_t nodes = 0, edges = 0;
  double ours = 0, paper = 0;  // seconds of a step
};

// Steps of pdegcn and of the paper's formulation on the training batches of a data set.
Line measured(const std::string& name, const data::Dataset& data, const train::RunConfig& config,
              const Setting& setting) {
  train::Problem problem(data, data.splits.front(), config);
  const auto network = problem.make_network();
  const bool clouds = config.task == "graph";
  train::Adam adam(*network, {config.lr, config.lr_pde, config.lr_alpha, config.weight_decay});
  PaperShapes paper(dynamic_cast<const nn::PdeNetwork&>(*network), config);

  // A correspondence has the same loss either way. What clouds have is random: dropout in the head.
  const train::Batch first = problem.training_batch(1, 0);
  const auto labels_of = [](const train::Batch& batch) {
    return torch::tensor(batch.answers.labels, torch::kInt64);
  };
  network->train();
  const Tensor u = nn::node_input(first.input);
  if (!clouds) {
    const double own = train::teach(*network, first, {}).loss();
    const double other = PaperShapes(dynamic_cast<const nn::PdeNetwork&>(*network), config)
                             .learn(first.input.domain, u, {}, labels_of(first));
    if (!(std::abs(own - other) < 1e-3 * other))
      throw Error("{}: the losses are {} and {}", name, own, other);
  }

  std::int64_t epoch = 1;
  Task own, theirs;
  own.run = [&] {
    ++epoch;
    train::BatchStream stream(kBatches, at::get_num_threads(),
                              [&](std::int64_t k) { return problem.training_batch(epoch, k); });
    for (std::int64_t k = 0; k < kBatches; ++k) {
      adam.zero_grad();
      train::teach(*network, stream.next(), {0, static_cast<std::uint64_t>(epoch)});
      adam.step();
    }
  };
  theirs.run = [&] {
    for (std::int64_t k = 0; k < kBatches; ++k) {
      if (!clouds) {
        paper.learn(first.input.domain, u, {}, labels_of(first));
        continue;
      }
      const auto& sizes = first.input.graph_sizes;
      const pde::Domain domain(PaperShapes::neighbors(u, sizes, static_cast<int>(config.knn)),
                               WeightKind::metropolis);
      paper.learn(domain, u, sizes, labels_of(first));
    }
  };
  measure({&own, &theirs}, setting.rounds, name + setting.place, setting.progress, setting.stop);
  return {name, first.input.domain.graph().num_nodes(), first.input.domain.graph().num_edges(),
          own.seconds / kBatches, theirs.seconds / kBatches};
}

}  // namespace

Finding shapes(const Setting& setting) {
  data::ShapeSet clouds;
  clouds.train_per_class = setting.quick ? 1 : 7;
  clouds.validation_per_class = clouds.test_per_class = 0;
  clouds.points = setting.quick ? 64 : 1024;
  data::BodySet bodies;
  bodies.train_subjects = 1;
  bodies.validation_subjects = 0;
  bodies.poses = 2;
  // About the 6,890 vertices of FAUST's template.
  bodies.spacing = setting.quick ? 0.06 : 0.018;

  std::vector<Line> lines;
  for (const bool graph : {true, false}) {
    const data::Dataset data = graph ? data::shape_clouds(clouds) : data::bodies(bodies);
    train::RunConfig config;
    config.model = graph ? "d" : "h";
    config.layers = graph ? 4 : 8;
    config.channels = setting.quick ? 8 : graph ? 64 : 256;
    config.step = 0.1;
    config.weights = graph ? "metropolis" : "unit";
    config.weight_decay = 0;
    config.augment = graph ? "jitter" : "none";  // new neighbours in every epoch
    config.batch = graph ? (setting.quick ? 5 : 32) : 1;
    lines.push_back(
        measured(graph ? "clouds" : "correspondence", data, train::settle(config, data), setting));
  }

  Finding finding{
      "a training step on shapes: clouds with the search for 10 neighbours, a "
      "correspondence with its head",
      report::Table({"case", "nodes", "edges", "ours ms", "paper ms", "ours / paper"}),
      Json::array()};
  for (const Line& line : lines) {
    finding.table.add({line.name, fmt::format("{}", line.nodes), fmt::format("{}", line.edges),
                       fmt::format("{:.1f}", 1e3 * line.ours),
                       fmt::format("{:.1f}", 1e3 * line.paper),
                       fmt::format("{:.3f}", line.ours / line.paper)});
    finding.json.push_back({{"case", line.name},
                            {"nodes", line.nodes},
                            {"edges", line.edges},
                            {"ours_seconds", line.ours},
                            {"paper_seconds", line.paper}});
  }
  return finding;
}

}  // namespace pdegcn::bench
