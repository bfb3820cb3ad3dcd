#include <algorithm>
#include <set>

#include "pdegcn/data/open.h"
#include "pdegcn/data/splits.h"
#include "pdegcn/data/text.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/graph/order.h"
#include "pdegcn/train/footprint.h"
#include "pdegcn/train/run.h"
#include "pdegcn/train/scaling.h"
#include "pdegcn/train/shapes.h"

namespace pdegcn::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRandom = "random:";

Task natural_task(const data::Dataset& data) {
  if (std::holds_alternative<data::GraphLabels>(data.targets)) return kGraph;
  // Labels on the vertices of many meshes are those of a template.
  const bool meshes = data.samples.size() > 1 && !data.samples.front().triangles.empty();
  return meshes && std::holds_alternative<data::NodeLabels>(data.targets) ? kCorrespondence : kNode;
}

// What a random split divides: nodes of the only graph by their labels, else graphs.
std::vector<std::int32_t> labels_to_split(const data::Dataset& data) {
  if (const auto* graphs = std::get_if<data::GraphLabels>(&data.targets)) return graphs->label;
  const auto* nodes = std::get_if<data::NodeLabels>(&data.targets);
  if (data.samples.size() == 1 && nodes != nullptr) return nodes->label;
  const std::int64_t count =
      data.samples.size() == 1 ? data.num_nodes() : static_cast<std::int64_t>(data.samples.size());
  return std::vector<std::int32_t>(count, 0);
}

bool has_labels(const data::Dataset& data) {
  const auto any = [](const std::vector<std::int32_t>& labels) {
    return std::ranges::any_of(labels, [](std::int32_t k) { return k != data::kUnlabelled; });
  };
  if (const auto* nodes = std::get_if<data::NodeLabels>(&data.targets)) return any(nodes->label);
  if (const auto* graphs = std::get_if<data::GraphLabels>(&data.targets)) return any(graphs->label);
  return std::holds_alternative<data::NodeMultiLabels>(data.targets);
}

}  // namespace

std::string opened_by(const RunConfig& config) {
  return fmt::format("{}\n{}\n{} {} {} {}", config.data, config.data_dir, config.features,
                     config.knn, config.points, config.augment);
}

data::Dataset open_data(const RunConfig& config, bool unrelated) {
  data::OpenOptions options;
  options.data_dir = config.data_dir;
  options.features = config.features == "raw" || config.features == "standardized"
                         ? data::FeatureScaling::kRaw
                     : config.features == "row-normalized" ? data::FeatureScaling::kRowNormalized
                                                           : data::FeatureScaling::kUsual;
  options.cloud.k = config.augment == "none" ? static_cast<int>(config.knn) : 0;
  options.whole = config.points > 0;
  options.unrelated = unrelated;
  data::Dataset data = data::open(config.data, options);
  if (!data::is_utf8(data.name) || !data::is_utf8(config.data))
    throw Error("--data: the name or path is not text in UTF-8");
  return data;
}

data::Split find_split(const data::Dataset& data, const std::string& name) {
  if (!name.starts_with(kRandom)) return data.split(name);
  const std::string digits = name.substr(kRandom.size());
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    throw Error("split {}: after 'random:' comes a seed, a whole number", name);
  data::RandomSplits options;
  options.count = 1;
  options.seed = std::stoull(digits);
  data::Split split = data::random_splits(labels_to_split(data), options).front();
  split.name = fmt::format("{}{}", kRandom, options.seed);
  return split;
}

RunConfig settle(RunConfig config, const data::Dataset& data) {
  const auto sets = data::named_sets();
  const bool named = std::ranges::find(sets, config.data, &data::NamedSet::name) != sets.end();
  // A path means the same from every folder.
  if (!named && fs::exists(config.data)) config.data = fs::canonical(config.data).string();
  if (!config.data_dir.empty()) config.data_dir = fs::weakly_canonical(config.data_dir).string();
  for (const std::string* path : {&config.data, &config.data_dir})
    if (!data::is_utf8(*path)) throw Error("{}: this path is not text in UTF-8", *path);

  if (!has_labels(data))
    throw Error("data set {} has no labels, so there is nothing to learn or to measure", data.name);
  if (config.task.empty()) config.task = to_string(natural_task(data));
  if (config.split.empty()) {
    if (data.splits.empty())
      throw Error("data set {} has no splits: draw one with --split random:0", data.name);
    config.split = data.splits.front().name;
  }
  const Task task = parse_task(config.task);
  // The splits of a single graph are splits of its nodes.
  if (data.samples.size() == 1 && task != kNode)
    throw Error("data set {} has one graph: that is not the task {}", data.name, config.task);
  if (config.features == "usual" && !named && task == kNode && has_dense_features(data))
    config.features = "standardized";
  if (config.input.empty() && task != kNode) config.input = usual_input(data, task);
  if (config.batch == 0) config.batch = config.task == "graph" ? 32 : 1;
  const bool has_equation = (parse_models(config.model) & kPde) != 0;
  if (has_equation && config.reorder == "auto") {
    const bool one_graph = data.samples.size() == 1 && config.task == "node";
    config.reorder = one_graph && reordering_pays(data.samples.front().graph) ? "rcm" : "none";
  }
  if (parts_of(config.model).size() == 1) config.memory = memory_mode(config, data);
  return config;
}

std::vector<RunConfig> single_runs(const RunConfig& config, const data::Dataset& data) {
  if (data.samples.size() == 1 && config.batch > 1)
    throw Error("batch {}: data set {} has one graph, which is always taken whole", config.batch,
                data.name);
  std::vector<std::string> splits;
  for (const std::string& name : parts_of(config.split)) {
    if (name == "all") {
      // All ten; the public split is another setting, not an eleventh.
      for (const data::Split& split : data.splits)
        if (split.name != "public" || data.splits.size() == 1) splits.push_back(split.name);
    } else {
      splits.push_back(find_split(data, name).name);
    }
  }
  std::vector<RunConfig> runs;
  std::set<std::string> names;
  for (const std::string& model : parts_of(config.model)) {
    for (const std::string& split : splits) {
      for (std::int64_t k = 0; k < config.seeds; ++k) {
        RunConfig run = config;
        run.model = model;
        run.split = split;
        run.seed = config.seed + k;
        run.seeds = 1;
        run.memory = memory_mode(run, data);
        if (!names.insert(run_name(run)).second)
          throw Error("--split {}: two runs would be called {}", config.split, run_name(run));
        runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

std::string run_name(const RunConfig& run) {
  std::string name = fmt::format("{}-{}-{}", run.model, run.split, run.seed);
  for (char& c : name)
    if (c == ':' || c == '/') c = '-';
  return name;
}

}  // namespace pdegcn::train
