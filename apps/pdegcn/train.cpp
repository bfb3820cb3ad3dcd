#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/duration.h"
#include "pdegcn/report/mean_std.h"
#include "pdegcn/report/table.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;
using train::Result;
using train::RunConfig;
using train::Settings;

constexpr const char* kExamples = R"(Examples:
  pdegcn train
      the embedded data set with all three networks: a first look, within a minute
  pdegcn train --data cora --model d --layers 16 --out runs/cora
      Cora with the paper's values, 16 layers of diffusion
  pdegcn train --data texas --model d,h,m --split all
      ten splits for each network, mean and standard deviation
  pdegcn train --data cora --model d,gcn,gcnii --layers 16 --diagnose --out runs/deep
      against other methods, with their published values, and what depth does to the features
  pdegcn train --data cora --seeds 5 --seed 10
      seeds 10 to 14
  pdegcn train --resume --out runs/cora
      go on with a run that was stopped
  pdegcn train --config runs/cora/config.toml --out runs/again
      repeat a run, bit for bit)";

// Several runs of one call share a folder, which holds this file beside theirs.
constexpr const char* kSweepFile = "sweep.toml";
constexpr std::string_view kSweepMark = "# Several runs of pdegcn. ";

// A folder below runs/ that is not there yet, and is when this returns.
fs::path new_folder(const RunConfig& config) {
  std::string models;
  for (const std::string& model : train::parts_of(config.model)) {
    // Letters of equations stand together, names apart.
    if (!models.empty() && (model.size() > 1 || models.size() > 2)) models += '-';
    models += model;
  }
  const fs::path data = fs::path(config.data).stem();
  const std::string name = fmt::format("{}-{}", data.string(), models);
  try {
    fs::create_directories("runs");
    for (int k = 1;; ++k) {
      const fs::path folder = fs::path("runs") / (k == 1 ? name : fmt::format("{}-{}", name, k));
      if (fs::create_directory(folder)) return folder;
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("runs: {}: say with --out where the run should go", error.code().message());
  }
}

struct Plan {
  RunConfig config;             // settled; of several models, with the values of the first
  std::vector<RunConfig> each;  // one per model
  data::Dataset data;
  fs::path folder;
};

Settings file_settings(const std::string& path) {
  if (path.empty()) return {};
  return train::read_settings(data::File(path).content(), path);
}

Plan plan_new(const Settings& file, const Settings& flags) {
  RunConfig config = train::resolve(file, flags);
  use_threads(config.threads);
  data::Dataset data = train::open_data(config);
  config = train::settle(std::move(config), data);
  train::check_fit(file, config, train::parse_task(config.task), false);
  train::check_fit(flags, config, train::parse_task(config.task), true);
  std::vector<RunConfig> each;
  for (RunConfig& one : train::resolve_each(file, flags))
    each.push_back(train::settle(std::move(one), data));
  return {config, std::move(each), std::move(data), config.out};
}

// What sweep.toml says: the config, and in sections what other models than the first have
// otherwise.
std::string sweep_toml(const Plan& plan) {
  std::string text = train::to_toml(plan.config);
  for (const RunConfig& one : plan.each) {
    std::string section;
    for (const train::Field& f : train::fields())
      if (f.recorded && f.name != "model" && (f.models & train::parse_models(one.model)) != 0 &&
          train::text_of(one, f) != train::text_of(plan.config, f))
        section += train::toml_line(one, f) + '\n';
    if (!section.empty()) text += fmt::format("\n[{}]\n{}", one.model, section);
  }
  return text;
}

// The config of a run or of several, as it was settled; what is given besides must agree with it.
Plan plan_resumed(const Settings& file, const Settings& flags) {
  RunConfig given;
  train::apply_settings(given, file);
  train::apply_settings(given, flags);
  if (given.out.empty()) throw Error("--resume: say which run with --out");
  const fs::path sweep = fs::path(given.out) / kSweepFile;
  const fs::path path = fs::exists(sweep) ? sweep : report::find_run(given.out).config();
  const data::File content(path);
  std::vector<std::string_view> sections;
  for (const train::ModelInfo& info : train::models()) sections.push_back(info.name);
  const auto read = [&](std::span<const std::string_view> chosen) {
    RunConfig config;
    train::apply_settings(config,
                          train::read_settings(content.content(), path.string(), sections, chosen));
    return config;
  };
  const RunConfig config = read({});
  use_threads(given.threads);
  data::Dataset data = train::open_data(config);

  const auto agreed = [&](const RunConfig& stored) {
    RunConfig wanted = stored;
    train::apply_settings(wanted, file);
    train::apply_settings(wanted, flags);
    wanted = train::settle(std::move(wanted), data);
    for (const train::Field& f : train::fields())
      if (f.recorded && train::text_of(wanted, f) != train::text_of(stored, f))
        throw Error("--{}: the run in {} has '{}', not '{}': to change it, begin a new run", f.name,
                    given.out, train::text_of(stored, f), train::text_of(wanted, f));
    return wanted;
  };
  Plan plan{agreed(config), {}, std::move(data), given.out};
  for (const std::string& model : train::parts_of(config.model)) {
    const std::string_view section = model;
    RunConfig one = agreed(read({&section, 1}));
    one.model = model;
    plan.each.push_back(train::fitting(std::move(one)));
  }
  return plan;
}

// Several runs of a new call: their common folder and the file that describes them.
void claim_sweep(const Plan& plan) {
  try {
    if (fs::exists(plan.folder) && !fs::is_empty(plan.folder))
      throw Error("{}: the folder is not empty: resume what is there (--resume), or choose another",
                  plan.folder.string());
    fs::create_directories(plan.folder);
  } catch (const fs::filesystem_error& error) {
    throw Error("{}: {}", plan.folder.string(), error.code().message());
  }
  report::write_atomically(
      plan.folder / kSweepFile,
      fmt::format("{}'pdegcn train --resume --out' with this folder goes on with them.\n{}",
                  kSweepMark, sweep_toml(plan)));
}

std::vector<Result> perform(Plan& plan, bool& interrupted) {
  std::vector<RunConfig> runs;
  for (const RunConfig& one : plan.each)
    for (RunConfig& run : train::single_runs(one, plan.data)) runs.push_back(std::move(run));
  const bool several = runs.size() > 1;
  report::Progress progress(std::cerr,
                            report::Progress::options_for(STDERR_FILENO, plan.config.quiet));
  std::vector<Result> results;
  for (std::size_t k = 0; k < runs.size() && !interrupted; ++k) {
    const auto open_folder = [&] {
      if (plan.folder.empty()) plan.folder = new_folder(plan.config);
      if (several && k == 0 && !plan.config.resume) claim_sweep(plan);
      const fs::path folder = several ? plan.folder / train::run_name(runs[k]) : plan.folder;
      if (plan.config.resume && fs::exists(report::RunFiles{folder}.config()))
        return report::RunFolder::resume(folder);
      return report::RunFolder::create(folder, train::to_toml(runs[k]));
    };
    train::Audience audience;
    audience.progress = &progress;
    audience.quiet = plan.config.quiet || several;
    audience.stop = [](std::int64_t) { return stop_requested(); };
    if (several)
      audience.name = fmt::format("{} {}/{}", train::run_name(runs[k]), k + 1, runs.size());
    results.push_back(train::train(runs[k], plan.data, open_folder, audience));
    interrupted = results.back().interrupted || (stop_requested() && k + 1 < runs.size());
  }
  return results;
}

// The runs of one model.
struct Row {
  std::string model;
  std::int64_t layers = 0;
  std::vector<double> test, validation, alpha, epoch, milliseconds;
  std::int64_t parameters = 0;
  double seconds = 0;
};

std::vector<Row> rows_of(const std::vector<Result>& results) {
  std::vector<Row> rows;
  for (const Result& r : results) {
    if (rows.empty() || rows.back().model != r.config.model) {
      rows.emplace_back();
      rows.back().model = r.config.model;
      rows.back().layers = r.config.layers;
    }
    Row& row = rows.back();
    if (std::isfinite(r.test.score)) row.test.push_back(r.test.score);
    if (std::isfinite(r.validation.score)) row.validation.push_back(r.validation.score);
    for (const double alpha : r.alpha) row.alpha.push_back(alpha);
    row.epoch.push_back(static_cast<double>(r.best_epoch));
    if (std::isfinite(r.seconds_per_epoch)) row.milliseconds.push_back(1e3 * r.seconds_per_epoch);
    row.parameters = r.parameters;
    row.seconds += r.seconds;
  }
  return rows;
}

std::string spread(const std::vector<double>& values, int decimals, bool in_percent = false) {
  if (values.empty()) return "";
  const auto mean = report::mean_std(values);
  return in_percent ? report::format_percent(mean) : report::format_mean_std(mean, decimals);
}

void print_table(const Plan& plan, const std::vector<Result>& results) {
  const RunConfig& c = plan.config;
  const bool peeked = c.protocol == "test-peek";
  report::Table table(
      {"network", "layers",
       fmt::format("test {} %{}", results.front().metric, peeked ? " (PEEKED)" : ""),
       "validation %", "alpha", "epoch", "parameters", "ms/epoch", "time"});
  for (const Row& row : rows_of(results))
    table.add({std::string(train::model_info(row.model).title), fmt::format("{}", row.layers),
               spread(row.test, 1, true), spread(row.validation, 1, true), spread(row.alpha, 3),
               spread(row.epoch, 0), fmt::format("{}", row.parameters), spread(row.milliseconds, 1),
               report::format_duration(row.seconds)});
  fmt::print("\n{}\n", table.text());
  fmt::print("data {}, task {}, split {}, {}\n", plan.data.name, c.task, c.split,
             c.seeds == 1 ? fmt::format("seed {}", c.seed)
                          : fmt::format("seeds {} to {}", c.seed, c.seed + c.seeds - 1));
  if (peeked)
    fmt::print(
        "protocol test-peek: every test score here is the best of all epochs, chosen on the test "
        "part itself.\n  It tells nothing of new data; compare it only with numbers found the same "
        "way.\n");
  else if (results.front().validation.count == 0)
    fmt::print(
        "protocol validation, but the split has no validation part: the last epoch counts\n");
  else
    fmt::print("protocol validation: the epoch was chosen by {}, the test part looked at once\n",
               c.select);
  fmt::print("peak memory {:.0f} MB, run in {}\n", static_cast<double>(peak_memory()) / 1e6,
             plan.folder.string());
}

void print_json(const Plan& plan, const std::vector<Result>& results) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json runs = Json::array();
  for (const Result& r : results) {
    Json run{{"model", r.config.model},
             {"split", r.config.split},
             {"seed", r.config.seed},
             {"epochs", r.epochs},
             {"selected_epoch", r.best_epoch}};
    for (const auto& [name, score] :
         {std::pair("train", &r.train), std::pair("validation", &r.validation),
          std::pair("test", &r.test)})
      run[name] = {{"loss", number(score->loss)}, {"score", number(score->score)}};
    if (!r.alpha.empty()) run["alpha"] = r.alpha;
    run["parameters"] = r.parameters;
    run["seconds"] = r.seconds;
    run["seconds_per_epoch"] = number(r.seconds_per_epoch);
    runs.push_back(std::move(run));
  }
  Json summary = Json::array();
  for (const Row& row : rows_of(results)) {
    if (row.test.empty()) continue;
    const auto test = report::mean_std(row.test);
    summary.push_back({{"model", row.model},
                       {"test_mean", test.mean},
                       {"test_deviation", test.deviation},
                       {"runs", test.count}});
  }
  Json all{{"data", plan.data.name},
           {"task", plan.config.task},
           {"protocol", plan.config.protocol},
           {"metric", results.front().metric},
           {"config", Json::parse(train::to_json(plan.config))},
           {"runs", std::move(runs)},
           {"summary", std::move(summary)},
           {"peak_memory_bytes", peak_memory()},
           {"folder", plan.folder.string()}};
  if (plan.each.size() > 1)
    for (const RunConfig& one : plan.each)
      all["configs"][one.model] = Json::parse(train::to_json(one));
  fmt::print("{}\n", all.dump(2));
}

int run(const std::string& config_file, const Settings& flags) {
  const Settings file = file_settings(config_file);
  RunConfig first;
  train::apply_settings(first, file);
  train::apply_settings(first, flags);
  Plan plan = first.resume ? plan_resumed(file, flags) : plan_new(file, flags);
  if (plan.config.protocol == "test-peek")
    warn(
        "protocol test-peek chooses epochs by the test part; its scores are no measure of quality");

  listen_for_stop();
  bool interrupted = false;
  const auto results = perform(plan, interrupted);
  if (interrupted) {
    std::cerr << fmt::format(
        "stopped after epoch {}; go on with:\n  pdegcn train --resume --out {}\n",
        results.back().epochs, shell_word(plan.folder.string()));
    return kUserError;
  }
  if (plan.config.json)
    print_json(plan, results);
  else
    print_table(plan, results);
  return kOk;
}

}  // namespace

void add_train(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("train", "Train networks and choose the best epoch");
  auto config_file = std::make_shared<std::string>();
  command->add_option("--config", *config_file, "TOML file with any of the settings below")
      ->type_name("FILE");
  auto flags = add_settings(*command);
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*config_file, *flags); }; });
}

}  // namespace pdegcn::app
