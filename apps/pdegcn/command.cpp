#include "command.h"

#include <fmt/ranges.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pdegcn::app {
namespace {

volatile sig_atomic_t stop_signal = 0;

}  // namespace

std::string run_name(const train::RunConfig& run) {
  std::string name = fmt::format("{}-{}-{}", run.model, run.split, run.seed);
  for (char& c : name)
    if (c == ':' || c == '/') c = '-';
  return name;
}

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_signal = 1; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
  return stop_signal != 0;
}

std::shared_ptr<train::Settings> add_settings(CLI::App& command,
                                              const std::vector<std::string_view>& names) {
  auto settings = std::make_shared<train::Settings>();
  const train::RunConfig defaults;
  for (const train::Field& f : train::fields()) {
    if (!names.empty() && std::ranges::find(names, f.name) == names.end()) continue;
    const std::string flag = fmt::format("--{}", f.name);
    const std::string name(f.name);
    if (std::holds_alternative<bool train::RunConfig::*>(f.member)) {
      command.add_flag_function(
          flag,
          [=](std::int64_t count) {
            (*settings)[name] = {count > 0 ? "true" : "false", flag};
          },
          std::string(f.help));
      continue;
    }
    std::string help(f.help);
    if (!f.choices.empty()) help += fmt::format(": {}", fmt::join(f.choices, ", "));
    if (const std::string text = train::text_of(defaults, f); !text.empty() && help.back() != ']')
      help += fmt::format(" [{}]", text);
    command
        .add_option_function<std::string>(
            flag,
            [=](const std::string& text) {
              (*settings)[name] = {text, flag};
            },
            help)
        ->type_name(std::string(f.value))
        ->take_last();
  }
  return settings;
}

void warn(std::string_view message) {
  fmt::print(stderr, "warning: {}\n", message);
}

int use_threads(std::int64_t threads) {
  const int count = train::set_threads(threads);
  if (count > train::available_cores())
    warn(
        fmt::format("{} threads on {} cores wait for each other", count, train::available_cores()));
  if (train::has_pthread_openblas())
    warn(
        "the pthread build of OpenBLAS is loaded, which fights with OpenMP for the cores: install "
        "libopenblas0-openmp");
  return count;
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

std::string percent(double score) {
  return std::isfinite(score) ? fmt::format("{:.1f}", 100 * score) : "";
}

}  // namespace pdegcn::app
