#include <fmt/format.h>

#include "command.h"
#include "pdegcn/data/open.h"
#include "pdegcn/data/statistics.h"
#include "pdegcn/report/dataset_info.h"
#include "pdegcn/report/table.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn info
      the data sets that have names, and which of them are here
  pdegcn info cora
      sizes, degrees, classes and splits of one
  pdegcn info demo karate like-texas
      several in one table
  pdegcn info my-graph --json
      your own, for other programs)";

void list_sets(const std::string& data_dir) {
  const std::filesystem::path folder =
      data_dir.empty() ? data::default_data_dir() : std::filesystem::path(data_dir);
  report::Table table({"name", "here", "about"});
  for (const data::NamedSet& set : data::named_sets())
    table.add({std::string(set.name),
               set.markers.empty()           ? "built in"
               : data::find_set(set, folder) ? "yes"
                                             : "no",
               std::string(set.summary)});
  fmt::print("{}\ndata folder {}; get what is missing with 'pdegcn fetch NAME'\n", table.text(),
             folder.string());
}

int run(const std::vector<std::string>& names, const train::Settings& flags) {
  train::RunConfig config;
  train::apply_settings(config, flags);
  if (names.empty()) {
    list_sets(config.data_dir);
    return kOk;
  }
  use_threads(config.threads);
  std::vector<data::DatasetStatistics> sets;
  for (const std::string& name : names) {
    config.data = name;
    sets.push_back(data::statistics(train::open_data(config)));
  }
  fmt::print("{}\n", config.json        ? report::dataset_json(sets)
                     : sets.size() == 1 ? report::dataset_info(sets.front())
                                        : report::dataset_overview(sets));
  return kOk;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("info", "Data sets in numbers");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("data", *names, "Names or paths of data sets")->type_name("NAME|PATH");
  auto flags = add_settings(*command, {"data-dir", "features", "threads", "json"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*names, *flags); }; });
}

}  // namespace pdegcn::app
