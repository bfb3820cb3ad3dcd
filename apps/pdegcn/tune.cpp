#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/metrics_log.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/search.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;
using train::RunConfig;
using train::Settings;

constexpr const char* kExamples = R"(Examples:
  pdegcn tune --data cora --model d --layers 16 --out tuned
      27 trials; then: pdegcn train --config tuned/best.toml --seeds 5
  pdegcn tune --data cora --model m --space space.toml --trials 81 --budget 60 --out tuned-m
      a space of your own, one hour at most
  pdegcn tune --data cora --model d --layers 16 --out tuned --resume
      go on with a search that was stopped

A space is a TOML file of settings with lists of values or ranges:
  step = {low = 0.05, high = 1.0, log = true}
  layers = [4, 8, 16])";

struct Wishes {
  std::string config_file;
  std::string space_file;
  std::int64_t trials = 27;
  double budget = 0;  // minutes; 0: none
};

struct Trial {
  std::int64_t number = 0;
  Settings settings;
  RunConfig config;
  std::int64_t epochs = 0;                                 // run so far, at most
  double value = std::numeric_limits<double>::infinity();  // mean of what selects
  std::string note;
};

class Search {
 public:
  Search(const Wishes& wishes, const Settings& flags) : wishes_(wishes) {
    Settings file;
    if (!wishes.config_file.empty())
      file = train::read_settings(data::File(wishes.config_file).content(), wishes.config_file);
    base_ = train::resolve(file, flags);
    if (base_.out.empty()) throw Error("--out: say where the trials should go");
    if (base_.protocol == "test-peek")
      throw Error("--protocol: a search never looks at the test part");
    use_threads(base_.threads);
    data_ = train::open_data(base_);
    base_ = train::settle(std::move(base_), data_);
    const train::Task task = train::parse_task(base_.task);
    train::check_fit(file, base_, task, false);
    train::check_fit(flags, base_, task, true);
    if (base_.model.find(',') != std::string::npos) throw Error("--model: tune one at a time");
    for (const RunConfig& run : train::single_runs(base_, data_))
      if (train::find_split(data_, run.split).validation.empty())
        throw Error("split {} has no validation part to judge by", run.split);

    space_text_ = wishes.space_file.empty()
                      ? train::default_space(task, train::model_info(base_.model).model)
                      : std::string(data::File(wishes.space_file).content());
    space_ = train::read_space(space_text_,
                               wishes.space_file.empty() ? "default space" : wishes.space_file);
    for (std::int64_t k = 1; k <= wishes.trials; ++k) {
      Trial trial;
      trial.number = k;
      trial.settings = train::draw_trial(space_, static_cast<std::uint64_t>(base_.seed), k);
      trial.config = base_;
      train::apply_settings(trial.config, trial.settings);
      trials_.push_back(std::move(trial));
    }
    train::check_fit(trials_.front().settings, base_, task, true);
    claim_folder();
  }

  int run() {
    const double start = report::Progress::steady_seconds();
    report::Progress progress(std::cerr, report::Progress::options_for(STDERR_FILENO, base_.quiet));
    const auto over = [&] {
      return stop_requested() || (wishes_.budget > 0 &&
                                  report::Progress::steady_seconds() - start > 60 * wishes_.budget);
    };
    std::vector<Trial*> field;
    for (Trial& trial : trials_) field.push_back(&trial);
    for (const train::Rung& rung : train::halving(wishes_.trials, base_.epochs)) {
      field.resize(std::min(field.size(), static_cast<std::size_t>(rung.trials)));
      for (Trial* trial : field) {
        if (over()) break;
        advance(*trial, rung.epochs, progress);
        write_table();
      }
      if (over()) break;
      std::ranges::stable_sort(field, {}, [](const Trial* t) { return t->value; });
    }
    return finish();
  }

 private:
  std::string description() const {
    return fmt::format(
        "# A search of pdegcn: {} trials over this space\n{}\n# from this config\n{}",
        wishes_.trials, space_text_, train::to_toml(base_));
  }

  void claim_folder() {
    const fs::path folder = base_.out;
    const fs::path path = folder / "tune.toml";
    if (fs::exists(path)) {
      if (!base_.resume)
        throw Error(
            "{}: there is a search already: go on with it (--resume), or choose another "
            "folder (--out)",
            folder.string());
      if (data::File(path).content() != description())
        throw Error("{}: the search there has another space, config or number of trials",
                    folder.string());
      return;
    }
    if (base_.resume) throw Error("{}: there is no search to go on with", folder.string());
    if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder)))
      throw Error("{}: the folder is not empty: choose another (--out)", folder.string());
    std::error_code error;
    fs::create_directories(folder, error);
    report::write_atomically(path, description());
  }

  // What selects, smaller is better, among the first epochs of a run: one that an earlier call took
  // farther is judged as it stood then.
  double best_value(const report::RunFiles& files, std::int64_t epochs) const {
    const bool loss = base_.select == "val-loss";
    const report::Metrics metrics = report::read_metrics(files.metrics());
    const std::vector<double>& values = *metrics.find(loss ? "val_loss" : "val_score");
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < values.size() && metrics.epochs[k] <= epochs; ++k)
      best = std::min(best, loss ? values[k] : -values[k]);
    return best;
  }

  // Runs a trial up to an epoch, on every split and with every seed.
  void advance(Trial& trial, std::int64_t epochs, report::Progress& progress) {
    const auto runs = train::single_runs(trial.config, data_);
    double sum = 0;
    for (const RunConfig& run : runs) {
      const fs::path folder =
          fs::path(base_.out) / fmt::format("trial-{:03}", trial.number) / run_name(run);
      const auto open_folder = [&] {
        return fs::exists(report::RunFiles{folder}.config())
                   ? report::RunFolder::resume(folder)
                   : report::RunFolder::create(folder, train::to_toml(run));
      };
      train::Audience audience;
      audience.progress = &progress;
      audience.quiet = true;
      audience.test = false;
      audience.name = fmt::format("trial {}", trial.number);
      audience.stop = [&](std::int64_t epoch) { return epoch >= epochs || stop_requested(); };
      try {
        const train::Result result = train::train(run, data_, open_folder, audience);
        sum += best_value(report::RunFiles{folder}, epochs);
        trial.epochs = std::max(trial.epochs, std::min(result.epochs, epochs));
      } catch (const Error& error) {  // a bad draw, such as a step that does not stay finite
        sum = std::numeric_limits<double>::infinity();
        trial.note = error.what();
      }
    }
    trial.value = sum / static_cast<double>(runs.size());
  }

  std::string shown(const Trial& trial) const {
    if (!std::isfinite(trial.value)) return trial.note.empty() ? "" : "failed";
    return base_.select == "val-loss" ? fmt::format("{:.4f}", trial.value)
                                      : fmt::format("{:.4f}", -trial.value);
  }

  report::Table table(std::size_t most) const {
    std::vector<std::string> head{"trial", "epochs", base_.select};
    for (const auto& dimension : space_) head.push_back(dimension.name);
    report::Table table(head);
    auto order = ranking();
    order.resize(std::min(order.size(), most));
    for (const Trial* trial : order) {
      std::vector<std::string> row{fmt::format("{}", trial->number),
                                   fmt::format("{}", trial->epochs), shown(*trial)};
      for (const auto& dimension : space_) row.push_back(trial->settings.at(dimension.name).text);
      table.add(row);
    }
    return table;
  }

  // Those that got farthest first, the better of them before the others.
  std::vector<const Trial*> ranking() const {
    std::vector<const Trial*> order;
    for (const Trial& trial : trials_) order.push_back(&trial);
    std::ranges::stable_sort(order, [](const Trial* a, const Trial* b) {
      return a->value != b->value ? a->value < b->value : a->epochs > b->epochs;
    });
    return order;
  }

  void write_table() const {
    report::write_atomically(fs::path(base_.out) / "trials.csv", table(trials_.size()).csv());
    const Trial& best = *ranking().front();
    if (!std::isfinite(best.value)) return;
    report::write_atomically(
        fs::path(base_.out) / "best.toml",
        fmt::format("# The best of a search: trial {}, {} {}, chosen on the validation part.\n{}",
                    best.number, base_.select, shown(best), train::to_toml(best.config)));
  }

  int finish() const {
    fmt::print("\n{}\n", table(10).text());
    if (stop_requested()) {
      fmt::print(stderr, "stopped; go on with the same command and --resume\n");
      return kUserError;
    }
    if (!std::isfinite(ranking().front()->value)) throw Error("no trial came to an end");
    fmt::print(
        "judged on the validation part alone; the best config is {0}/best.toml:\n"
        "  pdegcn train --config {0}/best.toml\n",
        base_.out);
    return kOk;
  }

  Wishes wishes_;
  RunConfig base_;
  data::Dataset data_;
  std::string space_text_;
  train::Space space_;
  std::vector<Trial> trials_;
};

}  // namespace

void add_tune(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("tune", "Search for settings, judged on the validation part");
  auto wishes = std::make_shared<Wishes>();
  command->add_option("--config", wishes->config_file, "TOML file to start from")
      ->type_name("FILE");
  command->add_option("--space", wishes->space_file, "TOML file with what to search over")
      ->type_name("FILE");
  command->add_option("--trials", wishes->trials, "Number of trials [27]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->take_last();
  command->add_option("--budget", wishes->budget, "Minutes after which no trial goes on [no end]")
      ->type_name("MIN")
      ->check(CLI::NonNegativeNumber)
      ->take_last();
  auto flags = add_settings(*command);
  command->footer(kExamples);
  command->callback([=, &action] {
    action = [=] {
      listen_for_stop();
      return Search(*wishes, *flags).run();
    };
  });
}

}  // namespace pdegcn::app
