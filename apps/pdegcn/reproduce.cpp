// The command `pdegcn reproduce`.
#include <fmt/ranges.h>

#include <algorithm>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/nearest.h"
#include "pdegcn/graph/error.h"
#include "reproduction.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn reproduce --list
      the tables and figures there are
  pdegcn reproduce table-3 --quick
      a few cells on generated data, to see how it looks
  pdegcn reproduce table-3 --cells 'cora/d/*' --protocol validation
      the row of PDE-GCN_D on Cora; the same command goes on with what was stopped, and shares the
      work when it is called a second time meanwhile
  pdegcn reproduce table-4 --budget 120 --seeds 3
      what can be had in two hours, with three splits
  pdegcn reproduce table-3 --cells 'cora/d/*' --tune --trials 27
      search for hyper-parameters on the validation part, which later calls use as 'tuned')";

constexpr std::string_view kTables = "tables/";

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const std::string_view name : train::experiment_names())
    if (name.starts_with(kTables)) names.push_back(name.substr(kTables.size()));
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string table_text(const std::string& name) {
  if (name.ends_with(".toml")) return std::string(data::File(name).content());
  const std::string_view text = train::experiment(fmt::format("{}{}", kTables, name));
  if (text.empty()) {
    const auto names = table_names();
    const std::string_view nearest = data::nearest_name(name, names);
    throw Error("there is no '{}'{}; there are {}, or the path of a .toml file", name,
                nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
                fmt::join(names, ", "));
  }
  return std::string(text);
}

std::string command_line(const ReproduceWishes& wishes) {
  const ReproduceWishes usual;
  std::string line = "pdegcn reproduce " + shell_word(wishes.name);
  const auto add = [&](const char* flag, const auto& value, const auto& otherwise) {
    if (value != otherwise) line += fmt::format(" --{} {}", flag, value);
  };
  if (wishes.tune) line += " --tune";
  if (wishes.quick) line += " --quick";
  if (wishes.cells != usual.cells) line += " --cells " + shell_word(wishes.cells);
  add("settings", wishes.settings, usual.settings);
  add("protocol", wishes.protocol, usual.protocol);
  add("seeds", wishes.seeds, usual.seeds);
  add("trials", wishes.trials, usual.trials);
  add("budget", wishes.budget, usual.budget);
  for (const auto& [name, setting] : wishes.flags)
    if (name != "quiet") line += fmt::format(" --{} {}", name, shell_word(setting.text));
  return line;
}

std::filesystem::path usual_folder(const ReproduceWishes& wishes) {
  const std::string name = std::filesystem::path(wishes.name).stem();
  return std::filesystem::path("reproduce") / (name + (wishes.quick ? "-quick" : ""));
}

std::string whole_command(const ReproduceWishes& wishes) {
  const bool usual = wishes.out == usual_folder(wishes);
  return command_line(wishes) + (usual ? "" : " --out " + shell_word(wishes.out));
}

void add_reproduce(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("reproduce", "Run the cells of a table of the paper");
  auto wishes = std::make_shared<ReproduceWishes>();
  auto list = std::make_shared<bool>(false);
  command->add_option("name", wishes->name, "Table or figure, or the path of a .toml file")
      ->type_name("NAME");
  command->add_flag("--list", *list, "List what there is");
  command->add_option("--cells", wishes->cells, "Only these cells: cora/d/*, several with commas")
      ->type_name("PATTERN")
      ->take_last();
  CLI::Option* tune =
      command->add_flag("--tune", wishes->tune, "Search for the hyper-parameters 'tuned'");
  command->add_flag("--quick", wishes->quick, "One seed of a few cells, on generated data");
  command->add_option("--seeds", wishes->seeds, "Seeds, or splits, per cell [as the table says]")
      ->excludes(tune)
      ->type_name("N")
      ->take_last()
      ->check(CLI::Range(1, 1000));
  command->add_option("--budget", wishes->budget, "Minutes after which nothing goes on [no end]")
      ->type_name("MIN")
      ->take_last()
      ->check(check_positive);
  command->add_option("--settings", wishes->settings, "Hyper-parameters: paper, tuned, both [both]")
      ->excludes(tune)
      ->type_name("SET")
      ->take_last()
      ->check(CLI::IsMember({"paper", "tuned", "both"}));
  command
      ->add_option("--protocol", wishes->protocol,
                   "How epochs are chosen: validation, test-peek, both [both]")
      ->excludes(tune)
      ->type_name("RULE")
      ->take_last()
      ->check(CLI::IsMember({"validation", "test-peek", "both"}));
  command->add_option("--trials", wishes->trials, "Trials of a search [as the table says]")
      ->needs(tune)
      ->type_name("N")
      ->take_last()
      ->check(CLI::Range(1, 100000));
  command->add_option("--out", wishes->out, "Folder of runs and results [reproduce/NAME]")
      ->type_name("DIR")
      ->take_last();
  auto flags = add_settings(*command, {"data-dir", "epochs", "threads", "quiet"});
  command->footer(kExamples);
  command->callback([=, &action] {
    action = [=] {
      if (*list) {
        report::Table table({"name", "what"});
        for (const std::string_view name : table_names()) {
          const std::string text(name);
          table.add({text, train::read_experiment_table(table_text(text), text).title});
        }
        fmt::print("{}", table.text());
        return kOk;
      }
      if (wishes->name.empty()) throw Error("say what to reproduce; see 'pdegcn reproduce --list'");
      ReproduceWishes asked = *wishes;
      asked.flags = *flags;
      listen_for_stop();
      Reproduction reproduction(asked);
      return asked.tune ? reproduction.tune() : reproduction.run();
    };
  });
}

}  // namespace pdegcn::app
