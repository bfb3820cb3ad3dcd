#include "command.h"

#include <fmt/ranges.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "pdegcn/train/trained_run.h"

namespace pdegcn::app {
namespace {

volatile sig_atomic_t stop_signal = 0;

// OpenMP's threads spin while they wait, which on a shared machine costs more than it gains. How
// long is read from the environment when the library is loaded, before main: so the program starts
// itself again, once, unless the user has decided.
void bound_spinning() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  restart_with("GOMP_SPINCOUNT", "1000");
}

}  // namespace

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_signal = 1; };
  action.sa_flags = SA_RESETHAND;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // What the parent ignores, as nohup does, stays ignored.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
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
      command
          .add_flag_function(
              flag,
              [=](std::int64_t count) {
                (*settings)[name] = {count > 0 ? "true" : "false", flag};
              },
              std::string(f.help))
          ->take_last();
      continue;
    }
    std::string help(f.help);
    if (!f.choices.empty()) help += fmt::format(": {}", fmt::join(f.choices, ", "));
    // Where some of the settings are flags, they begin as those of a run.
    if (const std::string text = train::text_of(defaults, f);
        names.empty() && !text.empty() && help.back() != ']')
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

std::vector<report::RunFiles> find_runs(const std::vector<std::string>& folders) {
  std::vector<report::RunFiles> runs;
  for (const std::string& folder : folders)
    for (report::RunFiles& files : report::find_runs(folder)) runs.push_back(std::move(files));
  return runs;
}

Configs configs_of(const report::RunFiles& run, const train::Settings& flags) {
  const train::RunConfig trained = train::config_of_run(run);
  train::RunConfig asked = trained;
  if (flags.contains("data")) asked.split.clear();
  train::apply_settings(asked, flags);
  return {trained, asked};
}

std::string check_positive(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end == '\0' && value > 0 && value < 1e9 ? "" : text + " is no positive number below 1e9";
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 ||
           std::string_view("_-./+,:=@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

void warn(std::string_view message) {
  std::cerr << "warning: " << message << std::endl;
}

void restart_with(const char* name, const char* value) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (words.empty() || setenv(name, value, 1) != 0) return;
  execv("/proc/self/exe", arguments.data());
}

int use_threads(std::int64_t threads) {
  if (threads != 1 && train::available_cores() > 1) bound_spinning();
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
