#include "pdegcn/train/trained_run.h"

#include <fmt/ranges.h>

#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/train/checkpoint.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"
#include "scores.h"

namespace pdegcn::train {
namespace {

// The chosen network of a run, for what `problem` shows it.
std::shared_ptr<nn::Network> chosen_network(const Problem& problem, const Trained& trained,
                                            const report::RunFiles& run) {
  problem.check_edges(trained.graph, run.best().string());
  auto network = problem.make_network();
  load_weights(*network, trained.weights, run.best().string());
  return network;
}

}  // namespace

RunConfig config_of_run(const report::RunFiles& run) {
  if (!std::filesystem::exists(run.best()))
    throw Error(
        "{}: the run has no weights yet (best.safetensors): it was stopped before its first "
        "epoch ended",
        run.folder.string());
  const RunConfig stored = read_trained(run.best()).config;
  RunConfig config;
  const data::File file(run.config());
  apply_settings(config, read_settings(file.content(), file.name()));
  if (to_json(stored) != to_json(config))
    throw Error("{}: the weights belong to another configuration than {}", run.best().string(),
                run.config().string());
  return stored;
}

Result evaluate(const RunConfig& config, const data::Dataset& data, const report::RunFiles& run) {
  const Trained trained = read_trained(run.best());
  if (trained.classes != data.class_names)
    throw Error("data set {} has the classes {:.200}, the network {:.200}", data.name,
                fmt::format("{}", fmt::join(data.class_names, ", ")),
                fmt::format("{}", fmt::join(trained.classes, ", ")));
  Problem problem(data, find_split(data, config.split), config, trained.scaling);
  const auto network = chosen_network(problem, trained, run);
  Result result;
  result.config = config;
  result.best_epoch = trained.epoch;
  fill_scores(result, problem, *network, data, true, true);
  return result;
}

Prediction predict(const RunConfig& config, const data::Dataset& data, const report::RunFiles& run,
                   bool logits) {
  const Trained trained = read_trained(run.best());
  Problem problem(data, static_cast<std::int64_t>(trained.classes.size()), config, trained.scaling);
  const auto network = chosen_network(problem, trained, run);
  Prediction prediction;
  prediction.class_names = trained.classes;
  prediction.multi_label = trained.multi_label;
  Problem::Said said = problem.say(*network, logits || trained.multi_label);
  prediction.rows = static_cast<std::int64_t>(said.classes.size());
  prediction.columns = static_cast<std::int64_t>(trained.classes.size());
  prediction.classes = std::move(said.classes);
  prediction.logits = std::move(said.logits);
  return prediction;
}

}  // namespace pdegcn::train
