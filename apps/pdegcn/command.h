#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/train/config.h"
#include "pdegcn/train/run.h"

namespace pdegcn::app {

// What the chosen subcommand does; it returns the exit code.
using Action = std::function<int()>;

// Each adds a subcommand, which sets `action` when it is chosen.
void add_train(CLI::App& program, Action& action);
void add_evaluate(CLI::App& program, Action& action);
void add_predict(CLI::App& program, Action& action);
void add_tune(CLI::App& program, Action& action);
void add_reproduce(CLI::App& program, Action& action);
void add_plot(CLI::App& program, Action& action);
void add_flow(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_fetch(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);

// Exit codes.
inline constexpr int kOk = 0;
inline constexpr int kUserError = 1;
inline constexpr int kInternalError = 2;

// Adds the flags of the fields of those names, of all for none, and returns where their values are
// put.
std::shared_ptr<train::Settings> add_settings(CLI::App& command,
                                              const std::vector<std::string_view>& names = {});

// The runs that the folders hold, or that lie in them.
std::vector<report::RunFiles> find_runs(const std::vector<std::string>& folders);

// The config that a run was trained with, and the same with what the flags say: other data have
// their own splits.
struct Configs {
  train::RunConfig trained, asked;
};
Configs configs_of(const report::RunFiles& run, const train::Settings& flags);

// A check of options: what is wrong with the text of a positive number, which may not be NaN or
// beyond measure; empty when nothing is.
std::string check_positive(const std::string& text);

// A text as a word of a command line that can be copied into a shell.
std::string shell_word(const std::string& text);

// A warning, on the error stream.
void warn(std::string_view message);

// Starts the program again with a variable of the environment, for what a library reads before
// main. Returns when that is not possible.
void restart_with(const char* name, const char* value);

// Sets the number of threads and warns of what makes them slow. To be called before anything runs
// in parallel or is written.
int use_threads(std::int64_t threads);

// The most memory that the process has held, in bytes.
std::int64_t peak_memory();

// From now on Ctrl-C asks for a stop, which stop_requested() tells; a second one ends the program.
void listen_for_stop();
bool stop_requested();

// A score between 0 and 1 in percent, with one decimal; empty for none.
std::string percent(double score);

}  // namespace pdegcn::app
