#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/splits.h"
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
  pdegcn train --data cora --model h --layers 64 --dry-run
      all settings, the number of parameters and the memory, without training
  pdegcn train --config runs/cora/config.toml --out runs/again
      repeat a run, bit for bit)";

// Several runs of one call share a folder, which holds these files beside theirs.
constexpr const char* kSweepFile = "sweep.toml";
constexpr const char* kResultsFile = "results.csv";
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
  std::vector<std::string> sources;  // where the settings come from, one line per model
};

Settings file_settings(const std::string& path) {
  if (path.empty()) return {};
  return train::read_settings(data::File(path).content(), path);
}

// The values that come from experiments/, for people.
std::string source_of(const RunConfig& config, const Settings& built_in) {
  std::string values;
  for (const train::Field& f : train::fields())
    if (built_in.contains(std::string(f.name)) &&
        (f.models & train::parse_models(config.model)) != 0)
      values +=
          fmt::format("{}{} {}", values.empty() ? "" : ", ", f.name, train::text_of(config, f));
  if (values.empty()) return "settings: the defaults of 'pdegcn train --help'";
  return fmt::format("settings: built-in values for {} on {}: {}",
                     train::model_info(config.model).title, config.data, values);
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
  Plan plan{config, std::move(each), std::move(data), config.out, {}};
  for (const RunConfig& one : plan.each) {
    Settings with_model = flags;
    with_model["model"] = {one.model, "--model"};
    plan.sources.push_back(source_of(one, train::built_in(file, with_model)));
  }
  return plan;
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
  Plan plan{agreed(config), {}, {}, given.out, {}};
  for (const std::string& model : train::parts_of(config.model)) {
    const std::string_view section = model;
    RunConfig one = agreed(read({&section, 1}));
    one.model = model;
    plan.each.push_back(train::fitting(std::move(one)));
    plan.sources.push_back("settings: " + path.string());
  }
  plan.data = std::move(data);
  return plan;
}

// Several runs of a new call: their common folder and the file that describes them.
void claim_sweep(const Plan& plan) {
  if (fs::exists(plan.folder) && !fs::is_empty(plan.folder))
    throw Error("{}: the folder is not empty: resume what is there (--resume), or choose another",
                plan.folder.string());
  fs::create_directories(plan.folder);
  report::write_atomically(
      plan.folder / kSweepFile,
      fmt::format("{}'pdegcn train --resume --out' with this folder goes on with them.\n{}",
                  kSweepMark, sweep_toml(plan)));
}

std::vector<RunConfig> runs_of(const Plan& plan) {
  std::vector<RunConfig> runs;
  for (const RunConfig& one : plan.each)
    for (RunConfig& run : train::single_runs(one, plan.data)) runs.push_back(std::move(run));
  return runs;
}

// The first lines: what there is to learn from, and how many runs will.
void introduce(const Plan& plan, const std::vector<RunConfig>& runs, report::Progress& progress) {
  using report::with_commas;
  const data::Dataset& data = plan.data;
  progress.message(fmt::format(
      "{}: {}{} nodes, {} edges, {} features, {} classes", data.name,
      data.samples.size() > 1 ? fmt::format("{} graphs, ", with_commas(data.samples.size())) : "",
      with_commas(data.num_nodes()), with_commas(data.num_edges()),
      with_commas(data.num_features()), with_commas(data.num_classes())));
  if (runs.size() == 1) return;
  std::string product;
  const auto seeds = static_cast<std::size_t>(plan.config.seeds);
  for (const auto& [count, what] : {std::pair(plan.each.size(), "networks"),
                                    {runs.size() / plan.each.size() / seeds, "splits"},
                                    {seeds, "seeds"}})
    if (count > 1) product += fmt::format("{}{} {}", product.empty() ? "" : " × ", count, what);
  progress.message(product.find("×") == std::string::npos
                       ? product
                       : fmt::format("{} = {} runs", product, runs.size()));
}

// What the networks will learn nothing of, without a failure.
void warn_of_data(const data::Dataset& data, const std::vector<RunConfig>& runs) {
  if (data.samples.size() == 1 && data.num_edges() == 0)
    warn(fmt::format("{} has no edges: every node is on its own", data.name));
  for (const RunConfig& run : runs) {
    const auto found = data::shortcomings(data, train::find_split(data, run.split));
    for (const std::string& sentence : found)
      warn(fmt::format("split {}: {}", run.split, sentence));
    if (!found.empty()) return;  // that of others is much the same
  }
}

std::vector<Result> perform(Plan& plan, bool& interrupted) {
  const std::vector<RunConfig> runs = runs_of(plan);
  const bool several = runs.size() > 1;
  report::Progress progress(std::cerr,
                            report::Progress::options_for(STDERR_FILENO, plan.config.quiet));
  if (!plan.config.quiet) introduce(plan, runs, progress);
  warn_of_data(plan.data, runs);
  std::size_t model = 0;
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
    audience.quiet = plan.config.quiet;
    audience.introduce = k == 0 || runs[k].model != runs[k - 1].model;
    if (audience.introduce && !audience.quiet &&
        (model == 0 || plan.sources[model] != plan.sources[model - 1]))
      progress.message(plan.sources[model]);
    model += audience.introduce ? 1 : 0;
    audience.stop = stop_requested;
    if (several)
      audience.name = fmt::format("{} {}/{}", train::run_name(runs[k]), k + 1, runs.size());
    const Result& r = results.emplace_back(train::train(runs[k], plan.data, open_folder, audience));
    if (!r.interrupted && !audience.quiet)
      progress.message(fmt::format("{}{}; epoch {} was chosen",
                                   several ? train::run_name(runs[k]) + ": " : "",
                                   train::why_ended(r), r.best_epoch));
    if (several && !results.back().interrupted)
      report::write_atomically(plan.folder / kResultsFile,
                               train::results_table(results, peak_memory()).csv());
    interrupted = results.back().interrupted || (stop_requested() && k + 1 < runs.size());
  }
  return results;
}

// The runs of one model.
struct Row {
  std::string model;
  std::int64_t layers = 0;
  std::vector<double> test, peeked, validation, alpha, epoch, epochs, seconds_per_epoch;
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
    if (r.peeked && std::isfinite(r.peeked->score)) row.peeked.push_back(r.peeked->score);
    if (std::isfinite(r.validation.score)) row.validation.push_back(r.validation.score);
    for (const double alpha : r.alpha) row.alpha.push_back(alpha);
    row.epoch.push_back(static_cast<double>(r.best_epoch));
    row.epochs.push_back(static_cast<double>(r.epochs));
    if (std::isfinite(r.seconds_per_epoch)) row.seconds_per_epoch.push_back(r.seconds_per_epoch);
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
  const bool both = c.protocol == "both";
  report::Table table(
      {"network", "layers",
       fmt::format("test {} %{}", results.front().metric, peeked ? " (PEEKED)" : ""), "PEEKED %",
       "validation %", "alpha", "epoch", "of", "parameters", "per epoch", "time"});
  for (const Row& row : rows_of(results))
    table.add({std::string(train::model_info(row.model).title), fmt::format("{}", row.layers),
               spread(row.test, 1, true), spread(row.peeked, 1, true),
               spread(row.validation, 1, true), spread(row.alpha, 3), spread(row.epoch, 0),
               spread(row.epochs, 0), report::with_commas(row.parameters),
               row.seconds_per_epoch.empty()
                   ? ""
                   : report::format_duration(report::mean_std(row.seconds_per_epoch).mean),
               report::format_duration(row.seconds)});
  if (isatty(STDOUT_FILENO) == 1) fmt::print("\n");  // apart from the lines of progress
  fmt::print("{}\n", table.text());
  fmt::print("data {}, task {}, split {}, {}\n", plan.data.name, c.task, c.split,
             c.seeds == 1 ? fmt::format("seed {}", c.seed)
                          : fmt::format("seeds {} to {}", c.seed, c.seed + c.seeds - 1));
  if (!peeked && results.front().validation.count == 0)
    fmt::print(
        "protocol validation, but the split has no validation part: the last epoch counts\n");
  else if (!peeked)
    fmt::print("protocol validation: the epoch was chosen by {}, {}\n", c.select,
               both                              ? "the test part had no say"
               : results.front().test.count == 0 ? "the split has no test part"
                                                 : "the test part looked at once");
  if (peeked || both)
    fmt::print(
        "protocol test-peek: every {} score here is the best of all epochs{}, chosen on the test "
        "part itself.\n  It tells nothing of new data; compare it only with numbers found the same "
        "way.\n",
        both ? "PEEKED" : "test", both ? " up to its own end" : "");
  const bool several = results.size() > 1;
  if (several && results.size() > plan.each.size())
    fmt::print("± is the sample standard deviation\n");
  std::set<std::string> modes;
  for (const Result& r : results)
    if ((train::parse_models(r.config.model) & train::kPde) != 0) modes.insert(r.config.memory);
  fmt::print("peak memory {:.0f} MB{}, {} in {}\n", static_cast<double>(peak_memory()) / 1e6,
             modes.empty() ? "" : fmt::format(" (--memory {})", fmt::join(modes, ", ")),
             several ? "runs" : "run", plan.folder.string());
}

void print_json(const Plan& plan, const std::vector<Result>& results) {
  using Json = nlohmann::ordered_json;
  Json runs = Json::array();
  for (const Result& r : results) {
    Json run = Json::parse(train::to_json(r));
    run["seconds"] = r.seconds;
    run["seconds_per_epoch"] =
        std::isfinite(r.seconds_per_epoch) ? Json(r.seconds_per_epoch) : Json();
    runs.push_back(std::move(run));
  }
  Json summary = Json::array();
  for (const Row& row : rows_of(results)) {
    if (row.test.empty()) continue;
    const auto test = report::mean_std(row.test);
    summary.push_back({{"model", row.model},
                       {"test_mean", test.mean},
                       {"test_deviation", test.count > 1 ? Json(test.deviation) : Json()},
                       {"runs", test.count}});
    if (!row.peeked.empty()) summary.back()["test_peek_mean"] = report::mean_std(row.peeked).mean;
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

// Who answers with the largest class learns nothing from the data.
void warn_of_guessing(const std::vector<Result>& results) {
  const auto guesses = [](const Result& r) { return r.validation.score <= r.most_common; };
  const auto found = std::ranges::find_if(results, guesses);
  if (found == results.end()) return;
  const auto count = std::ranges::count_if(results, guesses);
  std::set<std::string_view> networks;
  for (const Result& r : results)
    if (guesses(r)) networks.insert(train::model_info(r.config.model).title);
  warn(fmt::format(
      "{}the chosen epoch is no better on the validation part than the most common class, which is "
      "right for {:.1f} %: try another --lr, --step or --features, or more epochs",
      results.size() > 1
          ? fmt::format("in {} of {} runs ({}) ", count, results.size(), fmt::join(networks, ", "))
          : "",
      100 * found->most_common));
}

// Known only now, as nothing reads the labels of the test part before.
void warn_of_unlabelled_test(const data::Dataset& data, const Result& r) {
  const auto count = static_cast<std::int64_t>(train::find_split(data, r.config.split).test.size());
  if (data.samples.size() == 1 && r.test.count < count)
    warn(fmt::format("split {}: {} of {} in the test part have no label and do not count",
                     r.config.split, count - r.test.count, count));
}

// What a call would do, on the error stream, and its complete config.
int foretell(const Plan& plan) {
  report::Progress progress(std::cerr, report::Progress::options_for(STDERR_FILENO, true));
  introduce(plan, runs_of(plan), progress);
  for (std::size_t k = 0; k < plan.each.size(); ++k) {
    progress.message(plan.sources[k]);
    train::forecast(train::single_runs(plan.each[k], plan.data).front(), plan.data, progress);
  }
  fmt::print("{}", sweep_toml(plan));
  return kOk;
}

int run(const std::string& config_file, const Settings& flags, bool dry) {
  const Settings file = file_settings(config_file);
  RunConfig first;
  train::apply_settings(first, file);
  train::apply_settings(first, flags);
  Plan plan = first.resume ? plan_resumed(file, flags) : plan_new(file, flags);
  if (plan.config.protocol == "test-peek")
    warn(
        "protocol test-peek chooses epochs by the test part; its scores are no measure of quality");

  if (dry) return foretell(plan);
  listen_for_stop();
  bool interrupted = false;
  const auto results = perform(plan, interrupted);
  if (interrupted) {
    std::cerr << fmt::format(
        "stopped after epoch {}; go on with:\n  pdegcn train --resume --out {}\n",
        results.back().epochs, shell_word(plan.folder.string()));
    return kUserError;
  }
  warn_of_guessing(results);
  warn_of_unlabelled_test(plan.data, results.front());
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
  auto dry = std::make_shared<bool>(false);
  command->add_flag("--dry-run", *dry, "Print what would be trained, with all settings, and end");
  auto flags = add_settings(*command);
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*config_file, *flags, *dry); }; });
}

}  // namespace pdegcn::app
