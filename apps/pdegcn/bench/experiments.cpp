#include "experiments.h"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>

#include "pdegcn/data/rmat.h"
#include "pdegcn/report/plot.h"
#include "side.h"

namespace pdegcn::bench {
namespace {

using Json = nlohmann::ordered_json;

Case cora(const char* model, std::int64_t channels, std::int64_t layers) {
  return {fmt::format("like-cora-{}-{}-{}", model, channels, layers), "like-cora", model, channels,
          layers};
}

Task step_of(Side& side) {
  Task task;
  task.run = [&side] {
    side.train();
    side.evaluate();
  };
  return task;
}

// Training steps of the stack alone on a graph.
class StackTask : public Task {
 public:
  StackTask(const Graph& graph, std::int64_t channels, std::int64_t layers)
      : domain_(graph, WeightKind::metropolis),
        stack_(options(channels, layers)),
        f0_(torch::randn({graph.num_nodes(), channels})) {
    run = [this] { stack_->forward(domain_, f0_).backward(f0_); };
    prepare = [this] { stack_->K.mutable_grad() = torch::Tensor(); };
  }
  StackTask(const StackTask&) = delete;  // `run` holds its address
  StackTask& operator=(const StackTask&) = delete;

 private:
  static nn::StackOptions options(std::int64_t channels, std::int64_t layers) {
    nn::StackOptions o;
    o.channels = channels;
    o.layers = layers;
    return o;
  }

  pde::Domain domain_;
  nn::PdeStack stack_;
  torch::Tensor f0_;
};

// The straight line with the least squares of relative distances.
struct Line {
  double start = 0, slope = 0;
  double at(double x) const { return start + slope * x; }
};

Line fitted(const std::vector<double>& x, const std::vector<double>& y) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = 1 / (y[k] * y[k]);
    w += weight;
    wx += weight * x[k];
    wy += weight * y[k];
    wxx += weight * x[k] * x[k];
    wxy += weight * x[k] * y[k];
  }
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return {(wy - slope * wx) / w, slope};
}

Graph large_graph(int scale, EdgeId edges) {
  data::Rmat model;
  model.scale = scale;
  model.edges = edges;
  return data::rmat(model);
}

// What a first step and evaluation hold at most beyond the parameters, their gradients and the two
// moments of Adam.
std::int64_t peak_beyond_parameters(const Workload& workload) {
  const PeakMemory memory;
  const auto side = ours(workload);
  side->train();
  side->evaluate();
  std::int64_t parameters = 0;
  for (const auto& w : {workload.weights.opening, workload.weights.K, workload.weights.closing})
    parameters += w.numel() * static_cast<std::int64_t>(sizeof(float));
  return memory.growth() - 4 * parameters;
}

}  // namespace

Finding threads(const Setting& setting) {
  const int all = train::set_threads(0);
  const Workload workload(cora("d", 64, 16), setting.quick);
  const auto side = ours(workload);
  Machine one(setting.product_size(), 1 << 20, 64), many(setting.product_size(), 1 << 20, 64);
  Task step_one = step_of(*side), step_many = step_of(*side);
  // Not by set_threads(): torch then makes a pool of its own anew, whose threads keep a core busy
  // for a while before they sleep.
  for (Task* task : {&one.openblas, &one.own, &step_one})
    task->prepare = [] { omp_set_num_threads(1); };
  for (Task* task : {&many.openblas, &many.own, &step_many})
    task->prepare = [all] { omp_set_num_threads(all); };
  measure({&one.openblas, &many.openblas, &one.own, &many.own, &step_one, &step_many},
          setting.rounds, "threads", setting.progress, setting.stop);

  const double product = many.flops() / one.flops();
  const double step = step_one.seconds / step_many.seconds;
  Finding finding{fmt::format("{} threads against one", all),
                  report::Table({"what", "1 thread ms", fmt::format("{} threads ms", all),
                                 "times faster", "against the product"}),
                  {}};
  const auto ms = [](double seconds) { return fmt::format("{:.2f}", 1e3 * seconds); };
  const auto flops = std::pow(static_cast<double>(setting.product_size()), 3) * 2;
  finding.table.add({fmt::format("product {0} × {0} × {0}", setting.product_size()),
                     ms(flops / one.flops()), ms(flops / many.flops()),
                     fmt::format("{:.2f}", product)});
  finding.table.add({workload.what.name, ms(step_one.seconds), ms(step_many.seconds),
                     fmt::format("{:.2f}", step), fmt::format("{:.2f}", step / product)});
  finding.json = {{"threads", all},
                  {"product_ratio", product},
                  {"step_seconds_one", step_one.seconds},
                  {"step_seconds_all", step_many.seconds},
                  {"step_ratio", step},
                  {"against_product", step / product}};
  return finding;
}

Finding memory(const Setting& setting) {
  Finding finding{"memory modes, a training step and an evaluation",
                  report::Table({"network", "layers", "mode", "ms", "against store",
                                 "peak MB beyond parameters", "against few layers"}),
                  Json::array()};
  const std::vector<std::int64_t> depths =
      setting.quick ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{10, 1000};
  for (const char* model : {"d", "h"}) {
    std::vector<std::string> modes{"store", "checkpoint"};
    if (*model == 'h') modes.push_back("reverse");
    std::vector<double> few;  // peaks with few layers
    for (const std::int64_t layers : depths) {
      const Case what = cora(model, 64, layers);
      std::vector<std::unique_ptr<Workload>> workloads;
      std::vector<std::unique_ptr<Side>> sides;
      std::vector<Task> tasks;
      std::vector<std::int64_t> peaks;
      for (const std::string& mode : modes) {
        train::RunConfig settings;
        settings.memory = mode;
        workloads.push_back(std::make_unique<Workload>(what, setting.quick, settings));
        ours(*workloads.back())->train();  // what libraries keep is there before the peak is taken
        peaks.push_back(peak_beyond_parameters(*workloads.back()));
      }
      for (const auto& workload : workloads) {
        sides.push_back(ours(*workload));
        tasks.push_back(step_of(*sides.back()));
      }
      std::vector<Task*> pointers;
      for (Task& task : tasks) pointers.push_back(&task);
      measure(pointers, setting.rounds, fmt::format("memory, {}", what.name), setting.progress,
              setting.stop);
      for (std::size_t k = 0; k < modes.size(); ++k) {
        const double peak = static_cast<double>(peaks[k]);
        if (few.size() < modes.size()) few.push_back(peak);
        finding.table.add({fmt::format("PDE-GCN_{}", *model == 'd' ? "D" : "H"),
                           fmt::format("{}", workloads[k]->what.layers), modes[k],
                           fmt::format("{:.1f}", 1e3 * tasks[k].seconds),
                           fmt::format("{:.2f}", tasks[k].seconds / tasks.front().seconds),
                           fmt::format("{:.1f}", peak / 1e6),
                           fmt::format("{:.2f}", peak / std::max(few[k], 1.0))});
        finding.json.push_back({{"model", model},
                                {"layers", workloads[k]->what.layers},
                                {"memory", modes[k]},
                                {"seconds", tasks[k].seconds},
                                {"against_store", tasks[k].seconds / tasks.front().seconds},
                                {"peak_bytes", peaks[k]}});
      }
    }
  }
  return finding;
}

Finding curves(const Setting& setting, const std::filesystem::path& plot) {
  Finding finding{"how the time of a training step grows",
                  report::Table({"with", "value", "ms", "against a straight line"}), Json::array()};
  report::Figure figure{"Time of a training step of the stack", {}};
  const int scale = setting.quick ? 8 : 15;
  const EdgeId nodes = EdgeId{1} << scale;
  const auto add = [&](const char* name, const std::string& label, const std::vector<double>& x,
                       const std::vector<double>& seconds) {
    const Line line = fitted(x, seconds);
    report::Curve measured{"measured", x, {}};
    for (std::size_t k = 0; k < x.size(); ++k) {
      measured.y.push_back(1e3 * seconds[k]);
      finding.table.add({name, fmt::format("{:.0f}", x[k]), fmt::format("{:.2f}", 1e3 * seconds[k]),
                         fmt::format("{:.2f}", seconds[k] / line.at(x[k]))});
      finding.json.push_back(
          {{"with", name}, {"value", x[k]}, {"seconds", seconds[k]}, {"line", line.at(x[k])}});
    }
    const report::Curve straight{
        "straight line", {0, x.back()}, {1e3 * line.at(0), 1e3 * line.at(x.back())}};
    figure.panels.push_back({label, "ms", {measured, straight}, false});
  };
  const auto times = [&](const std::string& name,
                         const std::vector<std::unique_ptr<StackTask>>& tasks) {
    std::vector<Task*> pointers;
    for (const auto& task : tasks) pointers.push_back(task.get());
    measure(pointers, setting.rounds, "curves, " + name, setting.progress, setting.stop);
    std::vector<double> seconds;
    for (const Task* task : pointers) seconds.push_back(task->seconds);
    return seconds;
  };

  const std::int64_t wide = setting.quick ? 16 : 64, deep = setting.quick ? 2 : 8;
  std::vector<double> x;
  std::vector<std::unique_ptr<StackTask>> tasks;
  for (const EdgeId edges : {nodes * 4, nodes * 8, nodes * 16, nodes * 24, nodes * 32}) {
    const Graph graph = large_graph(scale, edges);
    x.push_back(static_cast<double>(graph.num_edges()));
    tasks.push_back(std::make_unique<StackTask>(graph, wide, deep));
  }
  add("edges", fmt::format("edges ({} nodes, {} channels, {} layers)", nodes, wide, deep), x,
      times("edges", tasks));

  const Graph graph = large_graph(scale, nodes * 8);
  x.clear();
  tasks.clear();
  for (const std::int64_t layers : {1, 2, 4, 8, 16, 32}) {
    x.push_back(static_cast<double>(layers));
    tasks.push_back(std::make_unique<StackTask>(graph, wide, layers));
  }
  add("layers", fmt::format("layers ({} edges, {} channels)", graph.num_edges(), wide), x,
      times("layers", tasks));

  // The edge passes: what the same stack takes without any edges is the rest.
  const Graph bare = Graph::from_edges(graph.num_nodes(), {});
  x.clear();
  tasks.clear();
  for (const std::int64_t channels : {16, 32, 64, 128, 256}) {
    x.push_back(static_cast<double>(channels));
    tasks.push_back(std::make_unique<StackTask>(graph, channels, 2));
    tasks.push_back(std::make_unique<StackTask>(bare, channels, 2));
  }
  const auto both = times("channels", tasks);
  std::vector<double> passes;
  for (std::size_t k = 0; k < both.size(); k += 2) passes.push_back(both[k] - both[k + 1]);
  add("channels",
      fmt::format("channels ({} edges, 2 layers, edge passes alone)", graph.num_edges()), x,
      passes);

  if (!plot.empty()) report::write_plot(plot, figure);
  return finding;
}

}  // namespace pdegcn::bench
