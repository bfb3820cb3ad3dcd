// What the program says of itself, and to whoever asks in the wrong way.
#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

TEST(Commands, HelpTeaches) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "--help"), "pdegcn train"));
  for (const char* command : {"train", "evaluate", "predict", "tune", "reproduce", "plot", "info",
                              "fetch", "flow", "bench"}) {
    const std::string help = pdegcn_ok(folder.path(), std::string(command) + " --help");
    EXPECT_TRUE(contains(help, "Examples:")) << command;
    EXPECT_TRUE(contains(help, std::string("pdegcn ") + command)) << command;
  }
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "--version"), "libtorch"));
  EXPECT_EQ(pdegcn(folder.path(), "").code, 1);
  EXPECT_EQ(pdegcn_ok(folder.path(), "help train"), pdegcn_ok(folder.path(), "train --help"));
  EXPECT_EQ(pdegcn_ok(folder.path(), "help"), pdegcn_ok(folder.path(), "--help"));
}

struct Mistake {
  const char* line;
  const char* words;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreUserErrorsWithAHint) {
  const TemporaryFolder folder;
  const Outcome outcome = pdegcn(folder.path(), GetParam().line);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, GetParam().words)) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.path() / "runs"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(Mistake{"trian", "did you mean train?"},
                    Mistake{"train --layer 3", "did you mean --layers?"},
                    Mistake{"train --layers many", "'many' is not a whole number"},
                    Mistake{"train --layers 0", "at least 1"},
                    Mistake{"train --dropout 1", "below 1"},
                    Mistake{"train --model x", "there are d, h, m"},
                    Mistake{"train --weights metropolitan", "did you mean metropolis?"},
                    Mistake{"train --data karat", "did you mean karate?"},
                    Mistake{"train --data karate --split 3", "leaders"},
                    Mistake{"train --data karate --split random:x", "a seed"},
                    Mistake{"train --data karate --model d --alpha 0.2", "choose --model m"},
                    Mistake{"train --data karate --model gcn --step 0.2", "choose --model d or h"},
                    Mistake{"train --data karate --model d --drop-edge 0.2", "choose --model gcn"},
                    Mistake{"train --data karate --model gat --channels 12", "multiple of 8"},
                    Mistake{"train --data bodies --model gcn", "does not fit the task"},
                    Mistake{"train --data karate --task graph", "that is not the task graph"},
                    Mistake{"train --data bodies --dropout 0.2", "does not fit the task"},
                    Mistake{"train --data karate --weights distance", "--weights distance"},
                    Mistake{"train --data karate --task correspondence", "has one graph"},
                    Mistake{"train --json=banana", "--json: 'banana' is neither true nor false"},
                    Mistake{"train --nonsymmetric=3", "'3' is neither true nor false"},
                    Mistake{"train --data karate --seed 9223372036854775807 --seeds 2", "--seed: "},
                    Mistake{"train --data karate --seeds 1000000000", "--seeds: "},
                    Mistake{"train --data karate --threads 4096", "threads must be"},
                    Mistake{"train --data karate --channels 100000", "--channels: "},
                    Mistake{"train --data karate --layers 1000000000000", "--layers: "},
                    Mistake{"train --data karate --layers 99999999999999999999", "out of range"},
                    Mistake{"train --data karate --channels 16000 --layers 1000", "needs about"},
                    Mistake{"train --data karate --model d,d", "'d' is there twice"},
                    Mistake{"train --data karate --split leaders,leaders", "two runs"},
                    Mistake{"train --data karate --split random:0,random:00", "two runs"},
                    Mistake{"train --data karate --model m --alpha 0", "0 itself is --model d"},
                    Mistake{"train --data karate --batch 4", "has one graph"},
                    Mistake{"train --DATA karate", "did you mean --data?"},
                    Mistake{"evaluate -- -run", "-run: there is no such folder"},
                    Mistake{"tune --data karate --out t --budget 0", "0 is no positive number"},
                    Mistake{"tune --data karate --out t --budget 1x", "1x is no positive number"},
                    Mistake{"train --data karate --memory reverse --model d", "--memory reverse"},
                    Mistake{"train --data karate --select val-loss --protocol test-peek",
                            "--select"},
                    Mistake{"fetch texsa", "did you mean texas?"},
                    Mistake{"tune --data karate --out t --budget nan", "nan is no positive number"},
                    Mistake{"train --config missing.toml", "missing.toml"},
                    Mistake{"evaluate nowhere", "nowhere"}, Mistake{"evaluate", "run"},
                    Mistake{"predict", "see 'pdegcn predict --help'"},
                    Mistake{"predict nowhere --out x.txt", ".csv or .npy"},
                    Mistake{"info nothing-like-it", "there is no data set"},
                    Mistake{"fetch nothing-like-it", "nothing-like-it"},
                    Mistake{"reproduce", "--list"}, Mistake{"reproduce tabel-3", "table-3"},
                    Mistake{"fetch", "--list"}, Mistake{"bench --cases cora-x", "--list"},
                    Mistake{"bench --threads few", "neither a number"},
                    Mistake{"bench --quick --plot a.svg", "--cases curves"}));

TEST(Config, FilesFlagsAndExperimentsInThisOrder) {
  const TemporaryFolder folder;
  folder.write("my.toml", "data = \"karate\"\nlayers = 3\nlr-pde = 0.002\nepochs = 2\n");
  const auto result = pdegcn_json(folder.path(), "train --config my.toml --layers 4 --out run");
  EXPECT_EQ(result["config"]["layers"], 4);
  EXPECT_EQ(result["config"]["lr-pde"], 0.002);
  EXPECT_EQ(result["config"]["data"], "karate");

  folder.write("bad.toml", "data = \"karate\"\n\nlayer = 3\n");
  const Outcome bad = pdegcn(folder.path(), "train --config bad.toml");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(contains(bad.err, "bad.toml, line 3") && contains(bad.err, "did you mean 'layers'?"))
      << bad.err;
  folder.write("worse.toml", "layers = = 3\n");
  EXPECT_TRUE(contains(pdegcn(folder.path(), "train --config worse.toml").err, "line 1"));
}

TEST(Train, PeekingSaysSo) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pdegcn(folder.path(), "train --data karate --epochs 3 --protocol test-peek --out run");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "PEEKED") && contains(outcome.err, "test-peek"));
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "evaluate run"), "test-peek"));
  const std::string both =
      pdegcn_ok(folder.path(), "train --data karate --epochs 3 --protocol both --out two");
  EXPECT_TRUE(contains(both, "test accuracy %  PEEKED %") && contains(both, "had no say")) << both;
  EXPECT_FALSE(contains(pdegcn_ok(folder.path(), "evaluate two"), "test-peek"));
}

TEST(Train, TheTableNamesWhatTheNumbersDependOn) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pdegcn(folder.path(), "train --data karate --model d,m --seeds 2 --epochs 3");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word :
       {"PDE-GCN_D", "PDE-GCN_M", "±", "protocol validation", "split leaders", "seeds 0 to 1",
        "parameters", "per epoch", "peak memory", "--memory store", "runs/karate-dm"})
    EXPECT_TRUE(contains(outcome.out, word)) << word << "\n" << outcome.out;
  // No colours, no live lines where there is no terminal.
  EXPECT_FALSE(contains(outcome.err + outcome.out, "\033"));
  // The same call again finds another folder.
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "train --data karate --model d,m --epochs 3"),
                       "runs/karate-dm-2"));
}

TEST(Train, WarnsOfMoreThreadsThanCores) {
  const TemporaryFolder folder;
  const unsigned threads = std::thread::hardware_concurrency() + 1;
  const std::string line = fmt::format("train --data karate --epochs 1 --threads {}", threads);
  EXPECT_TRUE(contains(pdegcn(folder.path(), line).err, fmt::format("{} threads on", threads)));
}

TEST(Train, EveryTask) {
  const TemporaryFolder folder;
  for (const char* data : {"inductive", "shape-meshes", "bodies"}) {
    const auto result = pdegcn_json(
        folder.path(), fmt::format("train --data {} --model h --layers 1 --channels 4 --epochs 1 "
                                   "--out {}",
                                   data, data));
    const auto again = pdegcn_json(folder.path(), fmt::format("evaluate {}", data));
    EXPECT_EQ(result["runs"][0]["test"]["score"], again["test"]["score"]) << data;
    EXPECT_EQ(result["metric"], data == std::string("inductive") ? "micro-F1" : "accuracy");
  }
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "predict inductive"), "graph,node,"));
}

// The methods of comparison: the same loop, files and commands.
class Methods : public testing::TestWithParam<const char*> {};

TEST_P(Methods, TrainEvaluatePredictAndRepeat) {
  const TemporaryFolder folder;
  const std::string model = GetParam();
  const auto result = pdegcn_json(
      folder.path(), fmt::format("train --data like-texas --split 0 --model {} --layers 3 "
                                 "--channels 16 --epochs 30 --diagnose --out run",
                                 model));
  const auto config = result["config"];
  EXPECT_EQ(config["model"], model);
  EXPECT_FALSE(config.contains("step"));
  pdegcn_ok(folder.path(),
            "train --config run/config.toml --diagnose --quiet --threads 1 --out again");
  EXPECT_EQ(differences(folder.path() / "run", folder.path() / "again"), "");
  const auto evaluated = pdegcn_json(folder.path(), "evaluate run");
  EXPECT_EQ(result["runs"][0]["test"]["score"], evaluated["test"]["score"]);
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "predict run"), "node,class"));
}

INSTANTIATE_TEST_SUITE_P(All, Methods,
                         testing::Values("mlp", "gcn", "gat", "appnp", "jknet", "inception",
                                         "gcnii", "gcnii-star"));

TEST(Train, SeveralModelsKeepTheirOwnValuesWhenResumed) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            "train --data karate --model d,gcn,gcnii --layers 3 --epochs 4 --step 0.3 --quiet "
            "--diagnose --out runs/all");
  const auto read = [&](const char* run) {
    return read_text(folder.path() / "runs/all" / run / "config.toml");
  };
  EXPECT_TRUE(contains(read("d-leaders-0"), "step = 0.3"));
  EXPECT_TRUE(contains(read("gcn-leaders-0"), "dropout = 0.5"));
  EXPECT_TRUE(contains(read("gcnii-leaders-0"), "dropout = 0.6"));
  fs::rename(folder.path() / "runs/all/gcnii-leaders-0", folder.path() / "before");
  pdegcn_ok(folder.path(), "train --resume --step 0.3 --quiet --diagnose --out runs/all");
  EXPECT_EQ(differences(folder.path() / "before", folder.path() / "runs/all/gcnii-leaders-0"), "");
  EXPECT_EQ(pdegcn(folder.path(), "train --resume --step 0.4 --out runs/all").code, 1);

  pdegcn_ok(folder.path(), "plot runs/all/d-leaders-0 runs/all/gcn-leaders-0 --layers --out x.svg");
  const std::string picture = read_text(folder.path() / "x.svg");
  EXPECT_TRUE(contains(picture, "Dirichlet energy") && contains(picture, "gcn-leaders-0"));
  fs::remove(folder.path() / "runs/all/gcn-leaders-0/layers.csv");
  EXPECT_TRUE(contains(pdegcn(folder.path(), "plot runs/all/gcn-leaders-0 --layers").err,
                       "train --resume --diagnose"));
}

// The folder that train names in the end serves all that reads runs.
TEST(Sweep, IsEvaluatedAndPlottedAsAWhole) {
  const TemporaryFolder folder;
  const auto trained = pdegcn_json(
      folder.path(), "train --data karate --model d,m --seeds 2 --layers 2 --epochs 4 --out all");
  const std::string table = pdegcn_ok(folder.path(), "evaluate all");
  for (const char* words :
       {"all/d-leaders-0", "all/m-leaders-1", "mean of PDE-GCN_M on karate, 2 runs", "±",
        "sample standard deviation"})
    EXPECT_TRUE(contains(table, words)) << words << "\n" << table;
  const auto measured = pdegcn_json(folder.path(), "evaluate all/d-leaders-0 all/m-leaders-1");
  ASSERT_EQ(measured.size(), 2);
  EXPECT_EQ(measured[1]["test"], trained["runs"][3]["test"]);
  EXPECT_EQ(pdegcn(folder.path(), "evaluate all --out x").code, 1);

  const auto kept = nlohmann::json::parse(read_text(folder.path() / "all/m-leaders-1/result.json"));
  EXPECT_EQ(kept["test"], trained["runs"][3]["test"]);
  EXPECT_EQ(kept["ended"], "all 4 epochs");
  EXPECT_FALSE(kept["version"].get<std::string>().empty());
  const std::string csv = read_text(folder.path() / "all/results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5) << csv;
  EXPECT_TRUE(contains(csv, "\nm,leaders,1,validation,accuracy,4,")) << csv;

  EXPECT_EQ(pdegcn_ok(folder.path(), "plot all"), "all/curves.png\n");
  pdegcn_ok(folder.path(), "plot all --out all.svg");
  const std::string picture = read_text(folder.path() / "all.svg");
  EXPECT_TRUE(contains(picture, "the chosen epoch") && contains(picture, "accuracy, %"));
  EXPECT_FALSE(contains(picture, "all/d-leaders-0"));

  // One that is not finished does not hide the others.
  fs::remove(folder.path() / "all/d-leaders-0/best.safetensors");
  const Outcome rest = pdegcn(folder.path(), "evaluate all");
  EXPECT_EQ(rest.code, 0);
  EXPECT_TRUE(contains(rest.err, "all/d-leaders-0 has no chosen epoch")) << rest.err;
  fs::create_directories(folder.path() / "empty");
  EXPECT_TRUE(contains(pdegcn(folder.path(), "evaluate empty").err, "holds no run"));
}

TEST(Evaluate, WarnsOfAnswersThatTheNetworkHasLearnt) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            "train --data like-texas --split 0 --layers 1 --epochs 2 --quiet --out run");
  const Outcome other = pdegcn(folder.path(), "evaluate run --split 1");
  EXPECT_EQ(other.code, 0);
  EXPECT_TRUE(contains(other.err, "was trained on ")) << other.err;
  EXPECT_EQ(pdegcn(folder.path(), "evaluate run").err, "");
}

// Without a validation part there is no score to show.
TEST(Plot, LeavesOutWhatWasNotMeasured) {
  const TemporaryFolder folder;
  OwnGraph graph;
  for (std::string& part : graph.part)
    if (part == "val") part = "none";
  graph.write(folder.path() / "own");
  pdegcn_ok(folder.path(), "train --data own --layers 2 --epochs 3 --quiet --out run");
  pdegcn_ok(folder.path(), "plot run --out run.svg");
  EXPECT_FALSE(contains(read_text(folder.path() / "run.svg"), "accuracy"));
  EXPECT_TRUE(contains(pdegcn(folder.path(), "tune --data own --out t").err, "--split random:0"));
}

TEST(Tune, JudgesByTheValidationPartAndGoesOnWhereItStopped) {
  const TemporaryFolder folder;
  OwnGraph graph;
  graph.write(folder.path() / "own");
  folder.write("space.toml", "lr = {low = 1e-3, high = 0.1, log = true}\nlayers = [1, 2]\n");
  const std::string line =
      "tune --data own --model d --channels 8 --trials 6 --epochs 40 --patience 0 --space "
      "space.toml --quiet --threads 1 --out ";
  pdegcn_ok(folder.path(), line + "whole");
  const std::string trials = read_text(folder.path() / "whole" / "trials.csv");
  EXPECT_EQ(std::count(trials.begin(), trials.end(), '\n'), 7) << trials;
  // Those of the last round come first, by their score, then by their loss. Trial 1 has the
  // settings given.
  std::istringstream rows(trials);
  std::string row;
  std::getline(rows, row);
  EXPECT_TRUE(row.ends_with(",layers,lr")) << row;
  std::tuple<int, double, double> before(-40, -1, 0);
  for (int number, epochs, best; std::getline(rows, row);) {
    double loss, score;
    ASSERT_EQ(std::sscanf(row.c_str(), "%d,%d,%d,%lf,%lf", &number, &epochs, &best, &loss, &score),
              5)
        << row;
    EXPECT_EQ(row.ends_with(",8,0.01"), number == 1) << row;
    EXPECT_GE(std::tuple(-epochs, -score, loss), before) << trials;
    before = {-epochs, -score, loss};
  }
  EXPECT_TRUE(contains(pdegcn(folder.path(), line + "whole").err, "--resume"));
  pdegcn_ok(folder.path(), "train --config whole/best.toml --quiet --out best");

  // Out of time before the first trial, then somewhere; other test labels meanwhile.
  const Outcome cut = pdegcn(folder.path(), line + "parts --budget 1e-6");
  EXPECT_EQ(cut.code, 1);
  EXPECT_TRUE(contains(cut.err, "the budget of 1e-06 minutes ended the search")) << cut.err;
  EXPECT_FALSE(fs::exists(folder.path() / "parts" / "trials.csv"));
  pdegcn(folder.path(), line + "parts --resume --budget 0.002");
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") graph.label[v] = (graph.label[v] + 1) % graph.classes;
  graph.write(folder.path() / "own");
  pdegcn_ok(folder.path(), line + "parts --resume");
  EXPECT_EQ(read_text(folder.path() / "parts" / "trials.csv"), trials);
  EXPECT_EQ(read_text(folder.path() / "parts" / "best.toml"),
            read_text(folder.path() / "whole" / "best.toml"));
  EXPECT_EQ(pdegcn(folder.path(), line + "parts --resume --trials 7").code, 1);
}

TEST(Tune, LooksNearTheBestOfTheFirstHalf) {
  const TemporaryFolder folder;
  OwnGraph().write(folder.path() / "own");
  folder.write("space.toml", "lr = {low = 1e-7, high = 1, log = true}\n");
  // So few epochs make a single round: the table has what the search went by.
  pdegcn_ok(folder.path(),
            "tune --data own --model d --layers 2 --channels 8 --trials 20 --epochs 20 "
            "--space space.toml --quiet --threads 1 --out t");
  struct Row {
    double loss, score, lr;
  };
  std::map<int, Row> rows;
  std::istringstream trials(read_text(folder.path() / "t" / "trials.csv"));
  std::string line;
  std::getline(trials, line);
  for (int number, epochs, best; std::getline(trials, line);) {
    Row row{};
    ASSERT_EQ(std::sscanf(line.c_str(), "%d,%d,%d,%lf,%lf,%lf", &number, &epochs, &best, &row.loss,
                          &row.score, &row.lr),
              6)
        << line;
    rows[number] = row;
  }
  ASSERT_EQ(rows.size(), 20);
  const auto distance = [](const Row& a, const Row& b) {
    return std::abs(std::log10(a.lr / b.lr));
  };
  double anywhere = 0, near = 0;
  for (int k = 2; k <= 20; ++k) {
    Row best = rows[1];
    for (int before = 2; before < k; ++before)
      if (std::pair(-rows[before].score, rows[before].loss) < std::pair(-best.score, best.loss))
        best = rows[before];
    (k <= 10 ? anywhere : near) += distance(rows[k], best) / (k <= 10 ? 9 : 10);
  }
  // Over seven powers of ten, and with a standard deviation of 0.7 of them.
  EXPECT_GT(anywhere, 1.5);
  EXPECT_LT(near, 1);
}

// Columns in units of their own: years, centimetres.
TEST(Features, OwnDenseOnesAreStandardizedByWhatTheRunHasSeen) {
  const TemporaryFolder folder;
  OwnGraph graph;
  for (auto& row : graph.x)
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = 40.0 * (k + 1) + 0.5 * (k + 1) * row[k];
  graph.write(folder.path() / "own");
  const auto score = [&](const std::string& flags) {
    const auto result =
        pdegcn_json(folder.path(), "train --data own --layers 2 --epochs 100 " + flags);
    return result["runs"][0]["test"]["score"].get<double>();
  };
  const double usual = score("--out run");
  EXPECT_GT(usual, 0.6);
  EXPECT_GT(usual, score("--features raw --out raw") + 0.1);
  EXPECT_TRUE(contains(read_text(folder.path() / "run/config.toml"), "\"standardized\""));

  // Another node, far from the others, changes nothing for them.
  const std::string before = pdegcn_ok(folder.path(), "predict run --logits");
  graph.x.emplace_back(graph.features, 1e4);
  graph.label.push_back(0);
  graph.part.push_back("none");
  ++graph.nodes;
  graph.write(folder.path() / "more");
  const std::string after = pdegcn_ok(folder.path(), "predict run --data more --logits");
  EXPECT_EQ(after.substr(0, before.size()), before);

  EXPECT_TRUE(contains(pdegcn(folder.path(), "train --data demo --features standardized").err,
                       "a row of numbers per node"));
}

TEST(Train, SaysWhenItHasLearntNothing) {
  const TemporaryFolder folder;
  const Outcome outcome = pdegcn(
      folder.path(), "train --data karate --split random:0 --lr 0 --lr-pde 0 --epochs 2 --out run");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "no better on the validation part")) << outcome.err;
}

TEST(Train, SaysWhatTheDataCannotTeach) {
  const TemporaryFolder folder;
  OwnGraph graph;
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "train" && graph.label[v] == 2) graph.part[v] = "none";
  graph.edges.clear();
  graph.write(folder.path() / "own");
  std::string labels = "node,label\n";
  for (int v = 0; v < graph.nodes; ++v)
    labels += fmt::format("{},{}\n", v, v == 1 || v == 8 ? "?" : std::to_string(graph.label[v]));
  folder.write("own/labels.csv", labels);
  const Outcome outcome =
      pdegcn(folder.path(), "train --data own --layers 1 --epochs 1 --quiet --out run");
  EXPECT_EQ(outcome.code, 0);
  for (const char* words :
       {"own has no edges", "split main: 1 of 20 in the train part have no label",
        "nothing of the class 2", "split main: 1 of 30 in the test part have no label"})
    EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome.err;

  // A test part without labels has no score, not one of 0.
  labels = "node,label\n";
  for (int v = 0; v < graph.nodes; ++v)
    labels +=
        fmt::format("{},{}\n", v, graph.part[v] == "test" ? "?" : std::to_string(graph.label[v]));
  folder.write("own/labels.csv", labels);
  const std::string out =
      pdegcn_ok(folder.path(), "train --data own --layers 1 --epochs 1 --quiet --out blind");
  EXPECT_FALSE(contains(out, "test accuracy")) << out;
  EXPECT_TRUE(contains(read_text(folder.path() / "blind/result.json"), "\"score\": null"));

  folder.write("own/labels.csv", "node,label\n0,?\n");
  for (const char* split : {"", " --split random:0"})
    EXPECT_TRUE(contains(pdegcn(folder.path(), std::string("train --data own") + split).err,
                         "has no labels"));
}

TEST(Train, BeginsWithWhatItWillDo) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pdegcn(folder.path(), "train --data like-texas --model d,h --seeds 2 --layers 2 --dry-run");
  EXPECT_EQ(outcome.code, 0);
  for (const char* words :
       {"like-texas: 183 nodes", "2 networks × 10 splits × 2 seeds = 40 runs",
        "PDE-GCN_H: 2 layers", "parameters", "memory: about", "% of the bound)",
        "settings: built-in values for PDE-GCN_D on like-texas: split all, channels 64, step 0.05"})
    EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "layers = 2\n") && contains(outcome.out, "step = 0.05\n"));
  EXPECT_FALSE(fs::exists(folder.path() / "runs"));

  const Outcome run =
      pdegcn(folder.path(),
             "train --data karate --split random:0 --epochs 300 --patience 5 --lr 0.5 --out run");
  EXPECT_TRUE(contains(run.err, "karate: 34 nodes, 78 edges")) << run.err;
  EXPECT_TRUE(contains(run.err, "no better epoch for 5: stopped at ")) << run.err;
  EXPECT_FALSE(run.out.starts_with("\n"));
}

TEST(Predict, NeedsNoLabels) {
  const TemporaryFolder folder;
  const OwnGraph graph;
  graph.write(folder.path() / "own");
  pdegcn_ok(folder.path(), "train --data own --layers 2 --epochs 3 --quiet --out run");
  const std::string before = pdegcn_ok(folder.path(), "predict run");
  fs::remove(folder.path() / "own" / "labels.csv");
  fs::remove(folder.path() / "own" / "splits.csv");
  EXPECT_EQ(pdegcn_ok(folder.path(), "predict run"), before);
  EXPECT_TRUE(contains(pdegcn(folder.path(), "train --data own").err, "has no labels"));
  pdegcn_ok(folder.path(), "predict run --out classes.npy");
  EXPECT_TRUE(read_text(folder.path() / "classes.npy").starts_with("\x93NUMPY"));
}

TEST(Info, KnowsTheEmbeddedSets) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "info"), "like-cora"));
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "info karate"), "34"));
  const auto json = nlohmann::json::parse(pdegcn_ok(folder.path(), "info karate demo --json"));
  EXPECT_EQ(json.size(), 2);
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "fetch --list"), "cora"));
}

}  // namespace
}  // namespace pdegcn::tests
