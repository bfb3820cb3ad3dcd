#include "pdegcn/train/config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pdegcn/train/run.h"
#include "pdegcn/train/search.h"
#include "tests/support/expect_error.h"

namespace pdegcn::train {
namespace {

Settings flags(std::initializer_list<std::pair<const char*, const char*>> values) {
  Settings settings;
  for (const auto& [name, text] : values) settings[name] = {text, std::string("--") + name};
  return settings;
}

TEST(Config, EveryFieldHasANameAHelpAndADefaultThatItAllows) {
  RunConfig defaults;
  for (const Field& f : fields()) {
    EXPECT_FALSE(f.name.empty());
    EXPECT_GT(f.help.size(), 5) << f.name;
    const std::string text = text_of(defaults, f);
    if (text.empty()) continue;
    RunConfig config;
    apply_settings(config, {{std::string(f.name), {text, "default"}}});
    EXPECT_EQ(config, defaults) << f.name;
  }
}

TEST(Config, TomlAndJsonReturnWhatTheyWereGiven) {
  RunConfig config;
  config.data = "a \"quoted\"\\ name\n";
  config.model = "d,m";
  config.step = 0.1 + 0.2;
  config.lr = 1;
  config.lr_pde = 5e-324;
  config.seed = 9007199254740993;
  config.shared_k = true;
  RunConfig back;
  apply_settings(back, read_settings(to_toml(config), "config.toml"));
  EXPECT_EQ(back, config);
  EXPECT_EQ(config_from_json(to_json(config), "best.safetensors"), config);
}

TEST(Config, WhatIsNotRecordedIsNotWritten) {
  RunConfig config;
  config.threads = 7;
  config.out = "somewhere";
  EXPECT_EQ(to_toml(config), to_toml(RunConfig{}));
}

TEST(Config, DefaultsExperimentFileFlags) {
  const RunConfig cora = resolve({}, flags({{"data", "cora"}}));
  EXPECT_EQ(cora.lr, 0.07);
  EXPECT_EQ(cora.step, 0.9);
  for (const char* split : {"all", "3", "random:5", "0,1"}) {
    const RunConfig full = resolve({}, flags({{"data", "cora"}, {"split", split}}));
    EXPECT_EQ(full.lr, 0.06) << split;
    EXPECT_EQ(full.dropout, 0.6) << split;
  }
  const Settings file = read_settings("data = \"cora\"\nlr = 0.5\nlayers = 3", "my.toml");
  const RunConfig both = resolve(file, flags({{"layers", "4"}}));
  EXPECT_EQ(both.lr, 0.5);
  EXPECT_EQ(both.layers, 4);
  EXPECT_EQ(both.lr_pde, 5e-5);
}

TEST(Config, ExperimentsAreAllReadable) {
  EXPECT_GE(experiment_names().size(), 9);
  for (const std::string_view name : experiment_names()) {
    if (name.find('/') != name.npos) continue;  // a table or a model
    for (const char* split : {"", "all"}) {
      Settings given = flags({{"data", std::string(name).c_str()}});
      if (*split != '\0') given["split"] = {split, "--split"};
      for (const ModelInfo& model : models()) {
        given["model"] = {std::string(model.name), "--model"};
        EXPECT_NO_THROW(resolve({}, given)) << name << " " << model.name;
      }
    }
  }
}

TEST(Config, ModelsHaveTheirPublishedValuesAfterThoseOfTheData) {
  EXPECT_EQ(resolve({}, flags({{"data", "cora"}, {"model", "d"}})).lr, 0.07);
  const RunConfig gcn = resolve({}, flags({{"data", "cora"}, {"model", "gcn"}}));
  EXPECT_EQ(gcn.lr, 0.01);
  EXPECT_EQ(gcn.layers, 2);
  EXPECT_EQ(gcn.step, RunConfig{}.step);  // that of Cora is for other models
  const RunConfig own = resolve({}, flags({{"data", "citeseer"}, {"model", "gcnii"}}));
  EXPECT_EQ(own.layers, 32);
  EXPECT_EQ(own.channels, 256);
  const RunConfig full =
      resolve({}, flags({{"data", "texas"}, {"model", "gcnii"}, {"layers", "4"}}));
  EXPECT_EQ(full.lambda, 1.5);    // [texas-full]
  EXPECT_EQ(full.teleport, 0.5);  // [full]
  EXPECT_EQ(full.layers, 4);
  const Settings file = read_settings("lr = 0.3", "my.toml");
  EXPECT_EQ(resolve(file, flags({{"data", "cora"}, {"model", "gcn"}})).lr, 0.3);
}

TEST(Config, SeveralModelsEachWithItsOwnValues) {
  const auto each =
      resolve_each({}, flags({{"data", "cora"}, {"model", "d,gcn"}, {"dropout", "0.1"}}));
  ASSERT_EQ(each.size(), 2);
  EXPECT_EQ(each[0].model, "d");
  EXPECT_EQ(each[0].lr, 0.07);
  EXPECT_EQ(each[1].model, "gcn");
  EXPECT_EQ(each[1].lr, 0.01);
  EXPECT_EQ(each[1].dropout, 0.1);
}

TEST(Config, WhatAModelDoesNotHaveIsRefusedAndNotWritten) {
  RunConfig config;
  const auto check = [&](const char* model, const char* name, const char* value) {
    config.model = model;
    check_fit(flags({{name, value}}), config, kNode, true);
  };
  EXPECT_NO_THROW(check("d,gcn", "step", "0.3"));
  EXPECT_NO_THROW(check("d,gcn", "drop-edge", "0.3"));
  PDEGCN_EXPECT_ERROR(check("gcn", "step", "0.3"), "--step", "gcn", "d or h or m");
  PDEGCN_EXPECT_ERROR(check("d,h", "lambda", "1"), "--lambda", "gcnii or gcnii-star");
  PDEGCN_EXPECT_ERROR(check("gat", "drop-edge", "0.3"), "--drop-edge");
  config.model = "gcn";
  EXPECT_EQ(to_toml(config).find("step"), std::string::npos);
  EXPECT_NE(to_toml(config).find("drop-edge"), std::string::npos);
  config.model = "d";
  EXPECT_EQ(to_toml(config).find("drop-edge"), std::string::npos);
}

TEST(Config, MistakesAreNamed) {
  PDEGCN_EXPECT_ERROR(read_settings("\nlayer = 3", "my.toml"), "my.toml, line 2", "'layers'");
  PDEGCN_EXPECT_ERROR(read_settings("[full]\nlr = 1", "my.toml"), "my.toml, line 1", "[full]");
  PDEGCN_EXPECT_ERROR(read_settings("lr = [1]", "my.toml"), "my.toml, line 1");
  RunConfig config;
  PDEGCN_EXPECT_ERROR(apply_settings(config, flags({{"lr", "fast"}})), "--lr", "fast");
  PDEGCN_EXPECT_ERROR(apply_settings(config, flags({{"lr", "nan"}})), "--lr", "nan");
  PDEGCN_EXPECT_ERROR(apply_settings(config, flags({{"epochs", "1.5"}})), "--epochs",
                      "whole number");
  PDEGCN_EXPECT_ERROR(apply_settings(config, flags({{"model", "d,x"}})), "--model", "'x'");
  PDEGCN_EXPECT_ERROR(apply_settings(config, flags({{"select", "val-los"}})),
                      "did you mean val-loss?");
  PDEGCN_EXPECT_ERROR(config_from_json("{", "best.safetensors"), "best.safetensors");
}

TEST(Runs, EveryModelSplitAndSeed) {
  RunConfig config = resolve({}, flags({{"data", "like-texas"}, {"model", "d,h"}}));
  config.split = "all";
  config.seeds = 3;
  config.seed = 5;
  const auto data = open_data(config);
  config = settle(config, data);
  EXPECT_EQ(config.task, "node");
  const auto runs = single_runs(config, data);
  ASSERT_EQ(runs.size(), 2 * 10 * 3);
  EXPECT_EQ(runs.front().seed, 5);
  EXPECT_EQ(runs.back().model, "h");
  EXPECT_EQ(runs.back().split, "9");
  EXPECT_EQ(runs.back().seed, 7);
  const auto split = find_split(data, "random:3");
  EXPECT_EQ(split.train, find_split(data, "random:3").train);
  EXPECT_NE(split.train, find_split(data, "random:4").train);
}

TEST(Search, TrialsFollowFromSeedAndNumberAndStayInTheirSpace) {
  const Space space = read_space(
      "step = {low = 0.1, high = 0.9}\nlr = {low = 1e-4, high = 0.1, log = true}\n"
      "layers = {low = 2, high = 5}\nactivation = [\"tanh\", \"relu\"]\n",
      "space.toml");
  double below = 0;
  for (int trial = 1; trial <= 200; ++trial) {
    RunConfig config;
    apply_settings(config, draw_trial(space, 1, trial));
    EXPECT_TRUE(config.step >= 0.1 && config.step <= 0.9);
    EXPECT_TRUE(config.layers >= 2 && config.layers <= 5);
    below += config.lr < 0.00316;  // half of them, in the logarithm
    RunConfig again;
    apply_settings(again, draw_trial(space, 1, trial));
    EXPECT_EQ(config, again);
  }
  EXPECT_NEAR(below / 200, 0.5, 0.15);
  for (const Task task : {kNode, kGraph, kCorrespondence})
    for (const ModelInfo& info : models()) {
      if ((info.tasks & task) == 0) continue;
      RunConfig config;
      config.model = info.name;
      const Space usual = read_space(default_space(task, info.model), "default");
      EXPECT_NO_THROW(check_fit(draw_trial(usual, 1, 1), config, task, true)) << info.name;
    }
  PDEGCN_EXPECT_ERROR(read_space("setp = [1]", "space.toml"), "line 1", "'step'");
  PDEGCN_EXPECT_ERROR(read_space("step = {low = 2, high = 1}", "space.toml"), "from 2 to 1");
  PDEGCN_EXPECT_ERROR(read_space("step = {lo = 2}", "space.toml"), "'lo'");
  PDEGCN_EXPECT_ERROR(read_space("step = 2", "space.toml"), "list");
  PDEGCN_EXPECT_ERROR(read_space("layers = [0]", "space.toml"), "at least 1");
  PDEGCN_EXPECT_ERROR(read_space("", "space.toml"), "nothing");
}

TEST(Search, TrialsNearOthersStayCloseAndInTheSpace) {
  const Space space = read_space(
      "lr = {low = 1e-4, high = 0.1, log = true}\nlayers = {low = 2, high = 64}\n"
      "activation = [\"tanh\", \"relu\"]\ndropout = {low = 0.4, high = 0.8}\n",
      "space.toml");
  // A dropout from outside the space counts as its nearest end.
  const Settings centre{{"lr", {"0.01", ""}},
                        {"layers", {"32", ""}},
                        {"activation", {"relu", ""}},
                        {"dropout", {"0", ""}}};
  const auto drawn = [&](int trial, const Settings* near) {
    RunConfig config;
    apply_settings(config, draw_trial(space, 1, trial, near));
    return config;
  };
  double close = 0, same = 0, far = 0;
  for (int trial = 1; trial <= 200; ++trial) {
    const RunConfig config = drawn(trial, &centre);
    EXPECT_TRUE(config.lr >= 1e-4 && config.lr <= 0.1);
    EXPECT_TRUE(config.layers >= 2 && config.layers <= 64);
    EXPECT_TRUE(config.dropout >= 0.4 && config.dropout < 0.6) << config.dropout;
    close += std::abs(std::log10(config.lr / 0.01)) < 0.3 && std::abs(config.layers - 32) < 6.2;
    far += std::abs(std::log10(drawn(trial, nullptr).lr / 0.01)) < 0.3;
    same += config.activation == "relu";
  }
  EXPECT_NEAR(close / 200, 0.683 * 0.683, 0.1);  // both within one standard deviation
  EXPECT_NEAR(far / 200, 0.2, 0.1);
  EXPECT_NEAR(same / 200, 0.875, 0.08);
}

TEST(Search, HalvingEndsWithAllEpochsAndFewTrials) {
  for (const std::int64_t trials : {1, 2, 3, 9, 27, 81})
    for (const std::int64_t epochs : {5, 100, 1500}) {
      const auto rungs = halving(trials, epochs, 0);
      EXPECT_EQ(rungs.front().trials, trials);
      EXPECT_EQ(rungs.back().epochs, epochs);
      for (std::size_t r = 1; r < rungs.size(); ++r) {
        EXPECT_EQ(rungs[r].trials, (rungs[r - 1].trials + 2) / 3);
        EXPECT_GT(rungs[r].epochs, rungs[r - 1].epochs);
      }
    }
  EXPECT_EQ(halving(27, 1500, 0).size(), 4);
  EXPECT_EQ(halving(27, 20, 0).size(), 1);
}

// Trials that learn slowly may be the better ones in the end.
TEST(Search, NoTrialIsDroppedBeforeItsPatienceUnlessAllWouldRunToTheEnd) {
  EXPECT_EQ(halving(81, 1500, 100).front().epochs, 166);
  EXPECT_EQ(halving(81, 1500, 400).front().epochs, 500);
  EXPECT_EQ(halving(9, 90, 100).front().epochs, 30);
  EXPECT_EQ(halving(9, 90, 100).back().epochs, 90);
}

}  // namespace
}  // namespace pdegcn::train
