#include "pdegcn/train/experiment_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pdegcn/train/cost.h"
#include "pdegcn/train/run.h"
#include "pdegcn/train/search.h"
#include "tests/support/expect_error.h"

namespace pdegcn::train {
namespace {

ExperimentTable shipped(const std::string& name) {
  return read_experiment_table(experiment("tables/" + name), name);
}

const Cell& cell_of(const ExperimentTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.cells, name, &Cell::name);
  if (found == table.cells.end()) throw std::runtime_error("no cell " + name);
  return *found;
}

// A table may be ahead of the program.
bool has_model(const Cell& cell) {
  const auto model = cell.settings.find("model");
  return model != cell.settings.end() &&
         std::ranges::find(models(), model->second.text, &ModelInfo::name) != models().end();
}

constexpr const char* kSmall = R"(
title = "A table"
[settings]
split = "public"
seeds = 5
[quick]
cells = ["cora/d/*"]
data = {cora = "like-cora"}
epochs = 3
[[tune]]
models = ["d"]
time = {from = 1, until = 8}
space = "lr = [0.1, 0.2]\n"
judge = {seeds = 1}
with = {channels = 16}
[[row]]
method = "PDE-GCN_D"
name = "d"
data = "cora"
model = "d"
cells = [{layers = 2, paper = 82}, {layers = 4, paper = 83.6, seeds = 3}]
[[row]]
method = "Another"
name = "other"
published = true
cells = [{data = "cora", paper = 80.5}]
)";

TEST(ExperimentTable, ARowIsInheritedByItsCells) {
  const ExperimentTable table = read_experiment_table(kSmall, "small.toml");
  ASSERT_EQ(table.cells.size(), 3);
  EXPECT_EQ(table.cells[0].name, "cora/d/2");
  EXPECT_EQ(table.cells[0].paper, 82);
  EXPECT_EQ(table.cells[0].settings.at("seeds").text, "5");
  EXPECT_EQ(table.cells[1].settings.at("seeds").text, "3");
  EXPECT_EQ(table.cells[1].settings.at("model").text, "d");
  EXPECT_EQ(table.cells[2].name, "cora/other");
  EXPECT_TRUE(table.cells[2].published);
  EXPECT_EQ(table.quick_data.at("cora"), "like-cora");
  EXPECT_EQ(table.quick_settings.at("epochs").text, "3");
}

TEST(ExperimentTable, ARuleForSomeDataSetsLeavesTheOthersAlone) {
  std::string text = kSmall;
  text.replace(text.find("models = "), 0, "data = [\"citeseer\", \"pubmed\"]\n");
  const ExperimentTable table = read_experiment_table(text, "small.toml");
  EXPECT_FALSE(find_rule(table, table.cells[0]));
  text.replace(text.find("pubmed"), 6, "cora");
  const ExperimentTable other = read_experiment_table(text, "small.toml");
  EXPECT_TRUE(find_rule(other, other.cells[0]));
}

TEST(ExperimentTable, ARuleForSomeDepthsLeavesTheOthersAlone) {
  std::string text = kSmall;
  text.insert(text.find("[[row]]"), "[[tune]]\nlayers = [4, 8]\njudge = {layers = 2}\n");
  const ExperimentTable table = read_experiment_table(text, "small.toml");
  EXPECT_FALSE(find_rule(table, table.cells[0])->judge.contains("layers"));
  EXPECT_EQ(find_rule(table, table.cells[1])->judge.at("layers").text, "2");
}

TEST(ExperimentTable, RulesForTheSameCellAddUp) {
  std::string text = kSmall;
  text.insert(text.find("[[row]]"),
              "[[tune]]\ndata = [\"cora\"]\ntrials = 9\nspace = 'dropout = [0.5]'\n"
              "judge = {epochs = 7}\nwith = {channels = 32}\n"
              "[[tune]]\ntime = {from = 3, until = 4}\nspace = 'lr-pde = [0.1]'\n"
              "[[tune]]\nmodels = [\"h\"]\nspace = 'weight-decay = [0.1]'\n");
  const ExperimentTable table = read_experiment_table(text, "small.toml");
  const auto rule = find_rule(table, table.cells[0]);
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->trials, 9);
  EXPECT_EQ(rule->judge.at("seeds").text, "1");
  EXPECT_EQ(rule->judge.at("epochs").text, "7");
  EXPECT_EQ(rule->with.at("channels").text, "32");
  const Space space = read_space(space_for(*rule, 2), "small.toml");
  std::vector<std::string> names;
  for (const Dimension& dimension : space) names.push_back(dimension.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dropout", "lr", "lr-pde", "step"}));
  EXPECT_EQ(std::get<Range>(space.back().domain).low, 1.5);

  // What is kept and how it is judged is nothing to search over.
  text.erase(text.find("time = {from = 1"), std::string("time = {from = 1, until = 8}\n").size());
  text.erase(text.find("time = {from = 3"), std::string("time = {from = 3, until = 4}\n").size());
  for (std::size_t at; (at = text.find("space = ")) != std::string::npos;)
    text.erase(at, text.find('\n', at) - at);
  const ExperimentTable bare = read_experiment_table(text, "small.toml");
  EXPECT_EQ(bare.tune.size(), 4);
  EXPECT_FALSE(find_rule(bare, bare.cells[0]));
}

TEST(ExperimentTable, TheStepsSearchedAreThoseOfATime) {
  const ExperimentTable table = read_experiment_table(kSmall, "small.toml");
  const auto rule = find_rule(table, table.cells[1]);
  ASSERT_TRUE(rule);
  EXPECT_FALSE(find_rule(table, table.cells[2]));
  const Space space = read_space(space_for(*rule, 4), "small.toml");
  const auto step = std::ranges::find(space, "step", &Dimension::name);
  ASSERT_NE(step, space.end());
  EXPECT_EQ(std::get<Range>(step->domain).low, 0.25);
  EXPECT_EQ(std::get<Range>(step->domain).high, 2);
  EXPECT_EQ(rule->with.at("channels").text, "16");
}

TEST(TunedCells, AreReadAsTheyWereWritten) {
  TunedCells cells;
  cells["own/it's/2"] = {
      {{"lr", {"0.1", "here"}}}, {}, "lr = [0.1]\n", "pdegcn reproduce x", 3, 1, 0.5};
  cells["own/d/2"] = cells["own/it's/2"];
  cells["own/d/2"].space = "# it's '''odd'''\nlr = [0.1]\n";
  cells["own/d/2"].command = "pdegcn reproduce 'it'\\'''\\''s.toml'";
  const TunedCells read = read_tuned(write_tuned(cells), "tuned.toml");
  ASSERT_EQ(read.size(), cells.size());
  for (const auto& [name, tuned] : cells) {
    EXPECT_EQ(read.at(name).space, tuned.space);
    EXPECT_EQ(read.at(name).command, tuned.command);
    EXPECT_EQ(read.at(name).settings.at("lr").text, "0.1");
  }
}

TEST(ExperimentTable, MistakesAreNamed) {
  PDEGCN_EXPECT_ERROR(read_experiment_table("title = 'x'", "my.toml"), "my.toml", "no cells");
  PDEGCN_EXPECT_ERROR(read_experiment_table("rows = 1", "my.toml"), "line 1", "no such part");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[tune]]\ntime = {from = 1, until = 2, form = 3}", "my.toml"),
      "line 2", "from and until");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[row]]\nname = 'x'", "my.toml"), "line 1", "cells");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\ndata = 'x'\ncells = [{layers = 1}, {layers = 1}]", "my.toml"),
      "line 3", "two cells x/1");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[row]]\ncells = [{paper = 'high'}]", "my.toml"),
                      "line 2", "number");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[tune]]\ntime = {from = 2, until = 1}", "my.toml"),
                      "line 2", "range");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[tune]]\nmodels = [\"gnc\"]", "my.toml"), "line 2",
                      "gnc");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[tune]]\nlayers = ['8']", "my.toml"), "line 2",
                      "a whole number");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[[tune]]\ntrials = 0", "my.toml"), "line 2",
                      "0 is not between 1 and");
  PDEGCN_EXPECT_ERROR(read_experiment_table("decimals = -1", "my.toml"), "line 1", "-1 is not");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\nname = '../x'\ncells = [{layers = 1}]", "my.toml"), "line 3",
      "'../x' cannot be a part");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\ndata = '..'\ncells = [{layers = 1}]", "my.toml"), "line 3",
      "'..' cannot be a part");
  for (const char* name : {"a,b", "a\\\"b", "a\\\\b", "a\\u0000b", "a\\nb"})
    PDEGCN_EXPECT_ERROR(
        read_experiment_table(fmt::format("[[row]]\nname = \"{}\"\ncells = [{{layers = 1}}]", name),
                              "my.toml"),
        "line 3", "cannot be a part");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\nname = 'x'\ncells = [{layers = 1}, {}]", "my.toml"), "line 3",
      "x is the beginning of x/1");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\nname = 'x'\ncells = [{}, {layers = 1}]", "my.toml"), "line 3",
      "x is the beginning of x/1");
  PDEGCN_EXPECT_ERROR(read_experiment_table("columns = 'layer'", "my.toml"), "line 1", "layer");
  PDEGCN_EXPECT_ERROR(read_experiment_table("[settings]\nprotocol = 'both'", "my.toml"), "line 2",
                      "for the command to say");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\ncells = [{layers = 1, paper = nan}]", "my.toml"), "line 2",
      "finite");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\nmodel = 'd,h'\ncells = [{layers = 1}]", "my.toml"), "line 3",
      "one model");
  PDEGCN_EXPECT_ERROR(
      read_experiment_table("[[row]]\ncells = [{layers = 1}, {count = 'nodes'}]", "my.toml"),
      "1 and nodes", "one kind");
  PDEGCN_EXPECT_ERROR(read_tuned("['cora/d/2']\ntrials = 3", "tuned.toml"), "tuned.toml, line 1",
                      "no settings");
}

// Runs are kept in a folder of the cell's name, which must lie below that of the table.
TEST(ExperimentTable, DataOfOnesOwnIsNamedByTheLastPartOfItsPath) {
  for (const char* data : {"/some/where/own", "own", "../own/", "./own"}) {
    const std::string text = fmt::format("[[row]]\ndata = '{}'\ncells = [{{layers = 2}}]", data);
    const ExperimentTable table = read_experiment_table(text, "my.toml");
    EXPECT_EQ(table.cells[0].name, "own/2") << data;
    EXPECT_EQ(table.cells[0].data, data);
  }
}

TEST(ExperimentTable, TunedSettingsReturnAsTheyWereWritten) {
  Tuned tuned;
  tuned.settings = {{"step", {"0.35", "t"}}, {"weights", {"normalized", "t"}}};
  tuned.judge = {{"seeds", {"3", "t"}}};
  tuned.space = "step = {low = 0.1, high = 1.0}\nweights = [\"normalized\"]\n";
  tuned.command = "pdegcn reproduce table-3 --tune --cells 'cora/d/*'";
  tuned.trials = 27;
  tuned.trial = 4;
  tuned.validation = 0.5;
  const std::string text = write_tuned({{"cora/d/2", tuned}});
  const TunedCells back = read_tuned(text, "tuned.toml");
  ASSERT_EQ(back.size(), 1);
  const Tuned& found = back.at("cora/d/2");
  EXPECT_EQ(found.settings.at("step").text, "0.35");
  EXPECT_EQ(found.settings.at("weights").text, "normalized");
  EXPECT_EQ(found.judge.at("seeds").text, "3");
  EXPECT_EQ(found.space, tuned.space);
  EXPECT_EQ(found.command, tuned.command);
  EXPECT_EQ(found.trial, 4);
  EXPECT_EQ(write_tuned(back), text);
  PDEGCN_EXPECT_ERROR(read_tuned("['a']\nstep = 1", "tuned.toml"), "line 2", "step");
}

TEST(ExperimentTable, Patterns) {
  EXPECT_TRUE(matches("cora/d/16", "cora/d/*"));
  EXPECT_TRUE(matches("cora/d/16", "texas/*,cora*"));
  EXPECT_FALSE(matches("cora/d/16", "cora/d"));
  EXPECT_FALSE(matches("cora/d/16", "citeseer/*,cora/h/*"));
}

// Every cell of a network that is there can be settled, and every search be drawn from.
TEST(ExperimentTable, ShippedTablesAreSound) {
  int tables = 0;
  for (const std::string_view path : experiment_names()) {
    if (!path.starts_with("tables/")) continue;
    ++tables;
    const std::string name(path.substr(7));
    const ExperimentTable table = shipped(name);
    EXPECT_FALSE(table.title.empty()) << name;
    for (const Cell& cell : table.cells) {
      EXPECT_FALSE(cell.method.empty()) << cell.name;
      if (!has_model(cell)) continue;
      EXPECT_NO_THROW(resolve(cell.settings, {})) << name << " " << cell.name;
      const auto rule = find_rule(table, cell);
      if (!rule) continue;
      const RunConfig config = resolve(cell.settings, {});
      const Task task = cell.name.starts_with("modelnet10")              ? kGraph
                        : config.split == "default" && name == "table-6" ? kCorrespondence
                                                                         : kNode;
      for (const Settings& settings :
           {draw_trial(read_space(space_for(*rule, 8), name), 1, 1), rule->with})
        EXPECT_NO_THROW(check_fit(settings, config, task, true)) << name << " " << cell.name;
      EXPECT_NO_THROW(resolve(rule->judge, {})) << cell.name;
    }
    for (const std::string& pattern : table.quick_cells)
      EXPECT_TRUE(std::ranges::any_of(
          table.cells, [&](const Cell& cell) { return matches(cell.name, pattern); }))
          << name << " " << pattern;
  }
  EXPECT_EQ(tables, 9);
}

// Spot checks against the paper: numbers of the tables and values of appendix C.
TEST(ExperimentTable, TheNumbersOfThePaper) {
  const ExperimentTable three = shipped("table-3"), four = shipped("table-4"),
                        seven = shipped("table-7");
  EXPECT_EQ(three.cells.size(), 27 * 6 - 12 - 4);  // no JKNet and Incep of 2 layers, ...
  EXPECT_EQ(cell_of(three, "cora/d/64").paper, 84.3);
  EXPECT_EQ(cell_of(three, "citeseer/d/32").paper, 75.6);
  EXPECT_EQ(cell_of(three, "pubmed/gcn/32").paper, 22.4);
  EXPECT_EQ(cell_of(four, "texas/m/32").paper, 93.24);
  EXPECT_EQ(cell_of(four, "cornell_gcnii/h/64").paper, 89.45);
  EXPECT_EQ(cell_of(four, "cora/geom-gcn-p").paper, 84.93);
  EXPECT_EQ(cell_of(seven, "citeseer/d-nonsymmetric/16").paper, 75.0);
  EXPECT_EQ(cell_of(shipped("table-5"), "ppi/m/8").paper, 99.18);
  EXPECT_EQ(cell_of(shipped("table-5"), "ppi/gcnii/9").paper, 99.54);
  EXPECT_EQ(cell_of(shipped("table-1"), "modelnet10/gcnii/4").paper, 65.4);
  EXPECT_EQ(cell_of(shipped("table-2"), "chameleon/edges").paper, 36101);

  const RunConfig citeseer = resolve(cell_of(three, "citeseer/d/8").settings, {});
  EXPECT_EQ(citeseer.lr_pde, 2e-6);
  EXPECT_EQ(citeseer.weight_decay, 0.003);
  EXPECT_EQ(citeseer.channels, 256);
  const RunConfig full = resolve(cell_of(four, "citeseer/m/32").settings, {});
  EXPECT_EQ(full.lr_pde, 2e-4);
  EXPECT_EQ(full.channels, 64);
  EXPECT_EQ(full.layers, 32);
  const RunConfig figure = resolve(cell_of(shipped("figure-2"), "cora/m/8").settings, {});
  EXPECT_EQ(figure.step, 0.5);
  EXPECT_EQ(figure.lr, 0.01);
  const RunConfig gcnii = resolve(cell_of(three, "citeseer/gcnii/8").settings, {});
  EXPECT_EQ(gcnii.lambda, 0.6);
  EXPECT_EQ(gcnii.layers, 8);
  EXPECT_EQ(resolve(cell_of(three, "cora/gcn-drop/2").settings, {}).drop_edge, 0.6);
  EXPECT_EQ(resolve(cell_of(three, "citeseer/inception-drop/4").settings, {}).drop_edge, 0.95);
  EXPECT_TRUE(resolve(cell_of(seven, "cora/d-nonsymmetric/2").settings, {}).nonsymmetric);
}

TEST(CostModel, IsScaledByWhatWasMeasured) {
  RunConfig config;
  config.data = "like-cora";
  const auto data = open_data(config);
  CostModel cost;
  EXPECT_FALSE(cost.measured());
  EXPECT_GT(cost.seconds(config, data), 0);
  config.patience = 0;
  config.epochs = 100;
  cost.time(config, data, 0.5);
  EXPECT_NEAR(cost.seconds(config, data), 50, 1e-9);
  config.layers *= 2;
  EXPECT_GT(cost.seconds(config, data), 75);
  config.model = "h";  // nothing is known of it yet but the others
  EXPECT_GT(cost.seconds(config, data), 75);
  config.patience = 10;
  cost.end(config, 50);
  const double half = cost.seconds(config, data);
  config.patience = 0;
  EXPECT_NEAR(cost.seconds(config, data), 2 * half, 1e-9);
}

// A plan made after a small network was timed holds for a large one: with eight times the channels
// a layer takes some ten times as long, not sixty-four times.
TEST(CostModel, GoesFromNarrowToWide) {
  RunConfig config;
  config.data = "like-cora";
  config.model = "gcn";
  config.layers = 64;
  config.channels = 16;
  config.patience = 0;
  config.epochs = 1;
  const auto data = open_data(config);
  CostModel cost;
  cost.time(config, data, 0.036);  // as measured on Cora
  config.channels = 128;
  config.model = "jknet";
  config.layers = 16;
  EXPECT_NEAR(cost.seconds(config, data), 0.105, 0.06);
}

}  // namespace
}  // namespace pdegcn::train
