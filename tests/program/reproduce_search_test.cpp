// Searches of tables: shared, repeatable, and blind to the test labels.
#include <cmath>

#include "tests/program/own_table.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

TEST_F(OwnTable, SeveralProcessesShareTheSearches) {
  const std::string command = "reproduce mine.toml --tune --threads 1 --epochs 40 --out ";
  const fs::path shared = folder.path() / "shared";
  const auto processes = start({2, command + shared.string()});
  std::size_t begun = 0;
  for (const auto& process : processes) {
    EXPECT_EQ(process->wait(), 0) << process->err();
    for (const char* name : {"/2 own/d/2", "/2 own/d/3"}) begun += contains(process->err(), name);
  }
  EXPECT_EQ(begun, 2);
  pdegcn_ok(folder.path(), command + "alone");
  EXPECT_EQ(read_text(shared / "tuned.toml"), read_text(folder.path() / "alone" / "tuned.toml"));
}

TEST_F(OwnTable, ASearchThatABudgetEndsSaysSo) {
  const std::string out = pdegcn_ok(folder.path(), line + "a --tune --budget 0.00001");
  EXPECT_TRUE(contains(out, "0 of 2 searches")) << out;
  EXPECT_FALSE(contains(out, "tuned.toml")) << out;
}

// What a search would keep is looked at before its trials, also where the judge hides it.
TEST_F(OwnTable, ABadSettingToKeepIsFoundBeforeTheSearch) {
  std::string text = read_text(folder.path() / "mine.toml");
  text.replace(text.find("judge = {seeds = 1}"), 19,
               "judge = {seeds = 1, channels = 4, split = \"main\"}");
  const auto at = text.find("with = {channels = 4}");
  for (const auto& [with, complaint] :
       {std::pair("channels = -4", "channels"), std::pair("split = \"nonsense\"", "nonsense"),
        std::pair("points = 64", "does not fit the task")}) {
    std::string other = text;
    folder.write("mine.toml", other.replace(at, 21, fmt::format("with = {{{}}}", with)));
    const Outcome outcome = pdegcn(folder.path(), line + "a --tune --epochs 2");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "own/d/2: ") && contains(outcome.err, complaint))
        << outcome.err;
    EXPECT_FALSE(fs::exists(folder.path() / "a/tune"));
  }
}

TEST_F(OwnTable, ASearchThatFailsLeavesTheOthers) {
  const std::string command = line + "a --tune --epochs 2";
  for (const bool file : {true, false}) {  // in the place of the folder, or somebody else's in it
    fs::remove_all(folder.path() / "a");
    folder.write(file ? "a/tune/own/d/2" : "a/tune/own/d/2/notes.txt", "");
    const Outcome outcome = pdegcn(folder.path(), command);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "own/d/2: ")) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "1 of 2 searches came to their end")) << outcome.out;
    const std::string tuned = read_text(folder.path() / "a/tuned.toml");
    EXPECT_TRUE(contains(tuned, "[\"own/d/3\"]") && !contains(tuned, "[\"own/d/2\"]")) << tuned;
  }
}

// Two cells judged with the layers of one of them share its search, and T.
TEST_F(OwnTable, ADeepCellTakesTheTimeThatAShallowOneFound) {
  std::string text = read_text(folder.path() / "mine.toml");
  text.insert(text.find("[[row]]"), "[[tune]]\nlayers = [3]\njudge = {layers = 2}\n");
  folder.write("mine.toml", text);
  const Outcome outcome =
      pdegcn(folder.path(), "reproduce mine.toml --threads 1 --tune --epochs 20 --out a");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "1/1 own/d/2")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "settings for 2 cells")) << outcome.out;
  EXPECT_FALSE(fs::exists(folder.path() / "a/tune/own/d/3"));
  const std::string tuned = read_text(folder.path() / "a/tuned.toml");
  const auto parts = std::pair(tuned.substr(0, tuned.find("[\"own/d/3\"]")),
                               tuned.substr(tuned.find("[\"own/d/3\"]")));
  const auto number = [](const std::string& part, const std::string& key) {
    return std::stod(part.substr(part.find(key) + key.size()));
  };
  EXPECT_TRUE(contains(parts.second, "judge = {layers = 2, seeds = 1}")) << tuned;
  EXPECT_EQ(number(parts.first, "lr = "), number(parts.second, "lr = "));
  const double step = number(parts.first, ", step = ");
  EXPECT_NEAR(number(parts.second, ", step = "), step * 2 / 3, 0.005 * step) << tuned;

  // Asked for alone it has the same search.
  pdegcn_ok(folder.path(), line + "b --tune --epochs 20 --cells own/d/3");
  const std::string alone = read_text(folder.path() / "b/tuned.toml");
  EXPECT_EQ(alone.substr(alone.find("trials = "), 200), tuned.substr(tuned.find("trials = "), 200));
  EXPECT_TRUE(fs::exists(folder.path() / "b/tune/own/d/2/trials.csv"));
}

TEST_F(OwnTable, TestLabelsChangeTheTestScoreAndNothingElse) {
  pdegcn_ok(folder.path(), line + "a --tune");
  pdegcn_ok(folder.path(), line + "a --protocol validation");
  pdegcn_ok(folder.path(), line + "both-a --cells own/d/2");
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") graph.label[v] = (graph.label[v] + 1) % graph.classes;
  graph.write(folder.path() / "own");
  pdegcn_ok(folder.path(), line + "b --tune");
  pdegcn_ok(folder.path(), line + "b --protocol validation");
  pdegcn_ok(folder.path(), line + "both-b --cells own/d/2");

  const std::string tuned = read_text(folder.path() / "a" / "tuned.toml");
  EXPECT_TRUE(contains(tuned, "[\"own/d/2\"]") && contains(tuned, "channels = 4")) << tuned;
  EXPECT_FALSE(contains(tuned, "own/h/2")) << tuned;
  EXPECT_EQ(tuned, read_text(folder.path() / "b" / "tuned.toml"));
  const auto runs = runs_of(folder.path() / "a");
  ASSERT_EQ(runs.size(), (3 + 2) * 2);
  EXPECT_EQ(runs, runs_of(folder.path() / "b"));
  int changed = 0;
  for (const fs::path& run : runs) {
    EXPECT_EQ(differences_beside_test(folder.path() / "a" / run, folder.path() / "b" / run), "")
        << run;
    const auto record = [&](const char* out) {
      return nlohmann::json::parse(read_text((folder.path() / out / run).string() + ".json"));
    };
    auto a = record("a"), b = record("b");
    changed += a["test"] != b["test"];
    for (auto* json : {&a, &b}) {
      json->erase("test");
      json->erase("seconds");
      json->erase("data");  // of the labels too
    }
    EXPECT_EQ(a, b) << run;
  }
  EXPECT_GT(changed, 8);

  // In a training for both protocols the peeked scores change, and what validation chose does not.
  for (const fs::path& run : runs_of(folder.path() / "both-a")) {
    const fs::path a = folder.path() / "both-a" / run, b = folder.path() / "both-b" / run;
    EXPECT_EQ(read_text(a / "best.safetensors"), read_text(b / "best.safetensors")) << run;
    EXPECT_NE(read_text(a / "metrics.csv"), read_text(b / "metrics.csv")) << run;
  }
}

// Ten poses of a ring of quads: the first eight train, or six of them with two to choose by.
void write_poses(const fs::path& folder) {
  fs::create_directories(folder);
  constexpr int kAround = 8, kHigh = 4;
  for (int pose = 0; pose < 10; ++pose) {
    std::ofstream file(folder / fmt::format("pose-{}.off", pose));
    file << fmt::format("OFF\n{} {} 0\n", kAround * kHigh, kAround * (kHigh - 1));
    for (int z = 0; z < kHigh; ++z)
      for (int a = 0; a < kAround; ++a) {
        const double u = 2 * 3.14159265 * a / kAround, wide = 1 + 0.3 * std::sin(pose + z);
        file << fmt::format("{} {} {}\n", wide * std::cos(u), std::sin(u), 0.6 * z);
      }
    for (int z = 0; z + 1 < kHigh; ++z)
      for (int a = 0; a < kAround; ++a) {
        const int low = z * kAround, next = (a + 1) % kAround;
        file << fmt::format("4 {} {} {} {}\n", low + a, low + next, low + kAround + next,
                            low + kAround + a);
      }
  }
}

// Chosen on some of the training shapes, then trained on all of them.
constexpr const char* kPoses = R"(
title = "Poses"
[settings]
split = "default"
channels = 8
weight-decay = 0
patience = 0
epochs = 30
[[tune]]
models = ["h"]
trials = 2
judge = {split = "tune", epochs = 9, select = "val-accuracy"}
space = "lr = [0.01, 0.02]\n"
[[row]]
method = "PDE-GCN_H"
name = "h"
data = "poses"
model = "h"
cells = [{layers = 2}]
)";

// The table comes with settings for this cell; --tune searches all the same, as its record says.
TEST(Retraining, BeginsWithASearchWhateverTheTableComesWith) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            "reproduce table-6 --quick --tune --trials 1 --cells faust_fit/h/8 --quiet --out a");
  const std::string tuned = read_text(folder.path() / "a/tuned.toml");
  EXPECT_TRUE(contains(tuned, "[\"faust_fit/h/8\"]") && contains(tuned, "trials = 1\n")) << tuned;
  EXPECT_TRUE(contains(tuned, "--trials 1")) << tuned;
  const auto none = pdegcn(folder.path(), "reproduce table-2 --tune --quiet --out b");
  EXPECT_EQ(none.code, 1) << none.err;
  EXPECT_TRUE(contains(none.err, "nothing to search for")) << none.err;
}

TEST(Retraining, TakesTheEpochsThatTheSearchChose) {
  const TemporaryFolder folder;
  write_poses(folder.path() / "poses");
  folder.write("mine.toml", kPoses);
  pdegcn_ok(folder.path(), "reproduce mine.toml --tune --quiet --out a");
  const auto trials = read_table(folder.path() / "a/tune/poses/h/2/trials.csv");
  ASSERT_EQ(trials.size(), 2);
  const std::string epochs = trials[0].at("best epoch");
  ASSERT_TRUE(is_number(epochs)) << epochs;
  EXPECT_TRUE(std::stoi(epochs) >= 1 && std::stoi(epochs) <= 9) << epochs;
  const std::string tuned = read_text(folder.path() / "a/tuned.toml");
  EXPECT_TRUE(contains(tuned, fmt::format("epochs = {},", epochs))) << tuned;

  pdegcn_ok(folder.path(),
            "reproduce mine.toml --settings tuned --protocol validation --quiet --out a");
  const fs::path run = folder.path() / "a/runs/tuned/validation/poses/h/2/h-default-0";
  const std::string metrics = read_text(run / "metrics.csv");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 1 + std::stoi(epochs));
  const auto record = nlohmann::json::parse(read_text(run.string() + ".json"));
  EXPECT_EQ(record["selected_epoch"], std::stoi(epochs));
  EXPECT_TRUE(record["validation"].is_null()) << record;
  EXPECT_TRUE(record["test"]["validation"].is_number()) << record;
}

TEST(Retraining, TakesTheEpochsThatTheRuleGives) {
  const TemporaryFolder folder;
  write_poses(folder.path() / "poses");
  std::string text = kPoses;
  text.replace(text.find("trials"), 0, "with = {schedule = \"cosine\", epochs = 11}\n");
  folder.write("mine.toml", text);
  pdegcn_ok(folder.path(), "reproduce mine.toml --tune --quiet --out a");
  const std::string tuned = read_text(folder.path() / "a/tuned.toml");
  EXPECT_TRUE(contains(tuned, "epochs = 11,")) << tuned;
  EXPECT_TRUE(contains(tuned, "schedule = \"cosine\"")) << tuned;
}

}  // namespace
}  // namespace pdegcn::tests
