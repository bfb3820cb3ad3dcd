#include <dlfcn.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "bench/experiments.h"
#include "command.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/targets.h"
#include "pdegcn/report/duration.h"

namespace pdegcn::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  pdegcn bench
      the usual cases: pdegcn, the paper's formulation, plain torch, and the limit of the machine
  pdegcn bench --list
      all cases
  pdegcn bench --cases like-texas-d-64-2,like-cora-h-256-16 --threads 1,all
      some cases, by name or by a pattern such as 'like-cora-*'; with one thread and with all
  pdegcn bench --cases threads,memory,curves --plot curves.svg
      threads, memory modes, and how the cost grows
  pdegcn bench --quick
      the usual cases on tiny graphs, to see that they work)";

// Those that compare nothing with other formulations.
constexpr std::pair<const char*, const char*> kExperiments[] = {
    {"threads", "all threads against one, and a large product"},
    {"memory", "the memory modes: times, peaks, 10 and 1,000 layers"},
    {"curves", "cost against edges, layers and channels"},
    {"shapes", "clouds with their k-nn, and a correspondence with its head"}};

struct Wishes {
  std::string cases;
  std::string threads = "all";
  std::string plot;
  int rounds = 7;
  bool list = false, quick = false, json = false, quiet = false;
};

// What a version of OpenBLAS that is older than the processor takes it for. Some then fall back to
// kernels from before AVX, five times too slow, and nothing that is compared with would be fair.
// The library decides when it is loaded: so the program starts again with the right one, unless the
// user has decided.
std::string openblas_core() {
  auto* core = reinterpret_cast<char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (core == nullptr) return "none";
  const std::string name = core();
  const auto targets = kernels::targets();
  const auto has = [&](const char* target) {
    return std::ranges::find(targets, target) != targets.end();
  };
  static constexpr const char* kBeforeAvx2[] = {"Prescott", "Core2", "Penryn",      "Dunnington",
                                                "Nehalem",  "Atom",  "Sandybridge", "Generic"};
  const bool old = std::ranges::any_of(kBeforeAvx2, [&](const char* n) { return name == n; });
  if (old && has("AVX2") && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    const char* right = has("AVX-512") ? "SkylakeX" : "Haswell";
    fmt::print(stderr,
               "OpenBLAS takes this processor for {}, which has no AVX2: starting again with "
               "OPENBLAS_CORETYPE={}\n",
               name, right);
    restart_with("OPENBLAS_CORETYPE", right);
  }
  return name;
}

std::vector<int> thread_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& part : train::parts_of(text)) {
    if (part != "all" && (part.empty() || part.size() > 4 ||
                          part.find_first_not_of("0123456789") != std::string::npos))
      throw Error("--threads: '{}' is neither a number nor 'all'", part);
    counts.push_back(train::set_threads(part == "all" ? 0 : std::stoi(part)));
  }
  return counts;
}

struct Selection {
  std::vector<bench::Case> cases;
  std::vector<std::string> experiments;
};

Selection select(const Wishes& wishes) {
  const auto all = bench::cases();
  Selection chosen;
  if (wishes.cases.empty()) {
    for (const bench::Case& c : all)
      if (c.usual) chosen.cases.push_back(c);
    return chosen;
  }
  for (const std::string& pattern : train::parts_of(wishes.cases)) {
    const auto matches = [&](const std::string& name) {
      return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    bool any = false;
    for (const bench::Case& c : all) {
      if (!matches(c.name)) continue;
      any = true;
      if (std::ranges::find(chosen.cases, c.name, &bench::Case::name) == chosen.cases.end())
        chosen.cases.push_back(c);
    }
    for (const auto& [name, about] : kExperiments) {
      if (!matches(name)) continue;
      any = true;
      if (std::ranges::find(chosen.experiments, name) == chosen.experiments.end())
        chosen.experiments.push_back(name);
    }
    if (!any) throw Error("--cases: there is no case '{}'; see 'pdegcn bench --list'", pattern);
  }
  return chosen;
}

int list() {
  report::Table table({"case", "network", "channels", "layers", "usual"});
  for (const bench::Case& c : bench::cases())
    table.add({c.name, c.model == "d" ? "PDE-GCN_D" : "PDE-GCN_H", fmt::format("{}", c.channels),
               fmt::format("{}", c.layers), c.usual ? "yes" : ""});
  fmt::print("{}\n", table.text());
  for (const auto& [name, about] : kExperiments) fmt::print("{:8} {}\n", name, about);
  return kOk;
}

// What was found so far, whether or not that is all.
void print(const Wishes& wishes, const std::string& core,
           const std::vector<bench::Comparison>& comparisons,
           const std::vector<std::pair<std::string, bench::Finding>>& findings, double seconds) {
  if (wishes.json) {
    Json all{{"libraries", train::library_versions()},
             {"openblas_core", core},
             {"quick", wishes.quick},
             {"rounds", wishes.rounds},
             {"cases", bench::json(comparisons)}};
    for (const auto& [name, finding] : findings) all[name] = finding.json;
    fmt::print("{}\n", all.dump(2));
    return;
  }
  if (!comparisons.empty()) {
    fmt::print("\n{}\n", bench::table(comparisons).text());
    for (const std::string& note : bench::notes(comparisons)) fmt::print("{}\n", note);
    fmt::print(
        "one training step and one evaluation, medians of at least {} alternating rounds\n"
        "paper: edge tensors, both directions, K on edges, dense input; torch: K on nodes, "
        "index_select,\nindex_add; tuned: embedding bags with their adjoint by hand; limit: the "
        "machine's own speed, see docs/bench.md\n",
        wishes.rounds);
  }
  for (const auto& [name, finding] : findings)
    fmt::print("\n{}\n{}\n", finding.title, finding.table.text());
  if (!wishes.plot.empty()) fmt::print("{}\n", wishes.plot);
  const char* given = std::getenv("OPENBLAS_CORETYPE");
  fmt::print("{}{}; {} in all\n", train::library_versions(),
             given == nullptr ? "" : fmt::format(", OPENBLAS_CORETYPE={}", given),
             report::format_duration(seconds));
  if (wishes.quick) fmt::print("quick: the graphs were tiny and the figures mean nothing\n");
}

int run(const Wishes& wishes) {
  if (wishes.list) return list();
  const Selection chosen = select(wishes);
  if (!wishes.plot.empty() &&
      std::ranges::find(chosen.experiments, "curves") == chosen.experiments.end())
    throw Error("--plot: it is the case 'curves' that is drawn, choose it with --cases curves");
  const std::vector<int> counts = thread_counts(wishes.threads);
  const std::string core = openblas_core();
  use_threads(0);

  listen_for_stop();
  report::Progress progress(std::cerr, report::Progress::options_for(STDERR_FILENO, wishes.quiet));
  bench::Setting setting{wishes.quick, {}, progress, stop_requested};
  setting.rounds.least = wishes.rounds;
  if (wishes.quick) setting.rounds = {wishes.rounds, wishes.rounds, 0, 0};

  const double start = report::Progress::steady_seconds();
  std::vector<bench::Comparison> comparisons;
  std::vector<std::pair<std::string, bench::Finding>> findings;
  bool stopped = false;
  try {
    for (const bench::Case& c : chosen.cases)
      for (const int threads : counts) {
        setting.place =
            fmt::format(" ({} of {})", comparisons.size() + 1, chosen.cases.size() * counts.size());
        comparisons.push_back(compare(c, threads, setting));
      }
    setting.place.clear();
    train::set_threads(0);
    for (const std::string& name : chosen.experiments)
      findings.emplace_back(name, name == "threads"  ? bench::threads(setting)
                                  : name == "memory" ? bench::memory(setting)
                                  : name == "shapes" ? bench::shapes(setting)
                                                     : bench::curves(setting, wishes.plot));
  } catch (const bench::Stopped&) {
    stopped = true;
  }
  print(wishes, core, comparisons, findings, report::Progress::steady_seconds() - start);
  if (stopped) fmt::print(stderr, "stopped before the end\n");
  return stopped ? kUserError : kOk;
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("bench", "Measure speed and memory against other formulations");
  auto wishes = std::make_shared<Wishes>();
  command
      ->add_option("--cases", wishes->cases,
                   "Names or patterns of --list, with commas [those marked usual]")
      ->type_name("LIST");
  command->add_option("--threads", wishes->threads, "Numbers of threads, with commas [all]")
      ->type_name("LIST");
  command->add_option("--rounds", wishes->rounds, "Least number of samples of a median [7]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->take_last();
  command->add_option("--plot", wishes->plot, "Picture of the case curves, .png or .svg")
      ->type_name("FILE");
  command->add_flag("--list", wishes->list, "Show the cases and end");
  command->add_flag("--quick", wishes->quick, "Tiny graphs and few rounds, to see that it works");
  command->add_flag("--json", wishes->json, "Print the result as JSON");
  command->add_flag("--quiet", wishes->quiet, "No progress");
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*wishes); }; });
}

}  // namespace pdegcn::app
