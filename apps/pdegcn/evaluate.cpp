#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "pdegcn/report/table.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn evaluate runs/cora
      loss and score of the chosen epoch on the train, validation and test part
  pdegcn evaluate runs/cora --split 3 --json
      the same network on another split of its data set
  pdegcn evaluate runs/mine --data new-graph
      on other data with the same features and classes)";

int run(const std::string& folder, const train::Settings& flags) {
  const report::RunFiles files = report::find_run(folder);
  train::RunConfig config = train::config_of_run(files);
  // Another data set has its own splits.
  if (flags.contains("data")) config.split.clear();
  train::apply_settings(config, flags);
  use_threads(config.threads);
  const data::Dataset data = train::open_data(config);
  config = train::settle(std::move(config), data);
  const train::Result r = train::evaluate(config, data, files);

  const std::pair<const char*, const train::Score*> parts[] = {
      {"train", &r.train}, {"validation", &r.validation}, {"test", &r.test}};
  if (config.json) {
    nlohmann::ordered_json json{{"data", data.name},
                                {"split", config.split},
                                {"protocol", config.protocol},
                                {"metric", r.metric},
                                {"selected_epoch", r.best_epoch}};
    for (const auto& [name, score] : parts)
      if (score->count > 0)
        json[name] = {{"loss", score->loss}, {"score", score->score}, {"count", score->count}};
    fmt::print("{}\n", json.dump(2));
    return kOk;
  }
  report::Table table({"part", r.metric + " %", "loss", "answers"});
  for (const auto& [name, score] : parts)
    if (score->count > 0)
      table.add({name, percent(score->score), fmt::format("{:.4f}", score->loss),
                 fmt::format("{}", score->count)});
  fmt::print("{}\ndata {}, split {}, epoch {} of {}\n", table.text(), data.name, config.split,
             r.best_epoch, folder);
  if (config.protocol == "test-peek")
    fmt::print(
        "protocol test-peek: this epoch was chosen by its test score, which is no measure of "
        "quality\n");
  return kOk;
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("evaluate", "Measure the chosen network of a run");
  auto folder = std::make_shared<std::string>();
  command->add_option("run", *folder, "Folder of the run")->required()->type_name("RUN");
  auto flags = add_settings(*command, {"data", "data-dir", "split", "threads", "json"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folder, *flags); }; });
}

}  // namespace pdegcn::app
