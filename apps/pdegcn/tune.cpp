#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/train/tuner.h"

namespace pdegcn::app {
namespace {

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
  std::int64_t trials = train::kUsualTrials;
  double budget = std::numeric_limits<double>::infinity();  // minutes
};

int run(const Wishes& wishes, const Settings& flags) {
  Settings file;
  if (!wishes.config_file.empty())
    file = train::read_settings(data::File(wishes.config_file).content(), wishes.config_file);
  RunConfig base = train::resolve(file, flags);
  if (base.out.empty()) throw Error("--out: say where the trials should go");
  if (train::parts_of(base.model).size() != 1)
    throw Error("--model: a search is for one network, not for '{}'", base.model);
  use_threads(base.threads);
  const data::Dataset data = train::open_data(base);
  base = train::settle(std::move(base), data);
  const train::Task task = train::parse_task(base.task);
  train::check_fit(file, base, task, false);
  train::check_fit(flags, base, task, true);
  const bool own = !wishes.space_file.empty();
  train::Tuner tuner(base, data,
                     own ? std::string(data::File(wishes.space_file).content())
                         : train::default_space(task, train::model_info(base.model).model),
                     own ? wishes.space_file : "default space", wishes.trials, base.out,
                     base.resume);

  const double start = report::Progress::steady_seconds();
  report::Progress progress(std::cerr, report::Progress::options_for(STDERR_FILENO, base.quiet));
  const auto is_over = [&] {
    return stop_requested() || report::Progress::steady_seconds() - start > 60 * wishes.budget;
  };
  const bool complete = tuner.run(progress, is_over);
  fmt::print("\n{}\n", tuner.table(10).text());
  if (stop_requested()) {
    std::cerr << "stopped; go on with the same command and --resume\n";
    return kUserError;
  }
  if (!complete)
    warn(
        fmt::format("the budget of {} minutes ended the search before its end: the same command "
                    "with --resume goes on with it",
                    wishes.budget));
  if (tuner.best() == nullptr) {
    const auto failed = tuner.ranking();
    throw Error("no trial came to an end{}", failed.empty() ? "" : ": " + failed.front()->note);
  }
  fmt::print(
      "judged on the validation part alone; the best config is {}:\n"
      "  pdegcn train --config {} --seeds 5\n",
      base.out + "/best.toml", shell_word(base.out + "/best.toml"));
  return kOk;
}

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
      ->check(check_positive)
      ->take_last();
  auto flags = add_settings(*command);
  command->footer(kExamples);
  command->callback([=, &action] {
    action = [=] {
      listen_for_stop();
      return run(*wishes, *flags);
    };
  });
}

}  // namespace pdegcn::app
