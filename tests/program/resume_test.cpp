// Runs that are stopped, killed, refused or damaged.
#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Waits until a run has a checkpoint, and the row of an epoch.
void wait_for_checkpoint(const fs::path& run, int rows = 2) {
  for (int k = 0; k < 3000; ++k) {
    const std::string metrics = read_text(run / "metrics.csv");
    if (fs::exists(run / "last.safetensors") &&
        std::count(metrics.begin(), metrics.end(), '\n') > rows)
      return;
    sleep_for(0.01);
  }
  FAIL() << "no checkpoint in " << run;
}

class Kills : public testing::TestWithParam<const char*> {};

TEST_P(Kills, AKilledRunResumedEndsWithTheSameBits) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "killed";
  const std::string line = std::string(
                               "train --data karate --layers 3 --channels 8 --dropout 0.3 "
                               "--epochs 3000 --patience 0 --quiet --threads 1 ") +
                           GetParam() + " --out ";
  pdegcn_ok(folder.path(), line + "whole");
  const auto again = [&] {
    return line + "killed" + (fs::exists(run / "config.toml") ? " --resume" : "");
  };

  // Some are killed anywhere from their start on, most while they train. On a machine that is slow
  // to kill, a run may come to its end first; then the next begins anew.
  std::mt19937 engine(std::random_device{}());
  std::uniform_real_distribution<double> moment(0, 1);
  int resumed = 0;
  for (int kills = 0; resumed < 6; ++kills) {
    ASSERT_LT(kills, 100) << "hardly a run was killed in time";
    const bool resumes = fs::exists(run / "last.safetensors");
    const std::string before = read_text(run / "metrics.csv");
    ChildProcess child(command_of(again()), {folder.path()});
    if (kills % 3 != 0)
      for (int k = 0; k < 3000 && read_text(run / "metrics.csv") == before; ++k) sleep_for(0.01);
    sleep_for(moment(engine) * (kills % 3 == 0 ? 0.5 : 0.05));
    child.send(SIGKILL);
    const int code = child.wait();
    if (code == 0) {
      EXPECT_EQ(differences(folder.path() / "whole", run), "");
      fs::remove_all(run);
      continue;
    }
    ASSERT_EQ(code, -SIGKILL) << child.err();
    resumed += resumes;
  }
  pdegcn_ok(folder.path(), again());
  EXPECT_EQ(differences(folder.path() / "whole", run), "");
}

INSTANTIATE_TEST_SUITE_P(Memory, Kills,
                         testing::Values("--model m --edge-dropout 0.3",
                                         "--model h --edge-dropout 0.3 --memory reverse",
                                         "--model d --edge-dropout 0.3 --memory checkpoint",
                                         "--model d --protocol both --patience 900",
                                         "--model gcnii --drop-edge 0.3"));

TEST(Resume, CtrlCSavesAndSaysHowToGoOn) {
  const TemporaryFolder folder;
  const std::string line = "train --data karate --layers 2 --epochs 400000 --patience 0 --out run";
  ChildProcess child(command_of(line), {folder.path()});
  wait_for_checkpoint(folder.path() / "run");
  child.send(SIGINT);
  EXPECT_EQ(child.wait(), 1);
  EXPECT_TRUE(contains(child.err(), "pdegcn train --resume --out run")) << child.err();
  // The checkpoint is that of the last row.
  const std::string metrics = read_text(folder.path() / "run" / "metrics.csv");
  const auto rows = std::count(metrics.begin(), metrics.end(), '\n') - 1;
  EXPECT_TRUE(contains(read_text(folder.path() / "run" / "last.safetensors"),
                       fmt::format("\"epoch\":\"{}\"", rows)));
  EXPECT_TRUE(contains(child.err(), fmt::format("stopped after epoch {}", rows)));
}

TEST(Resume, WhatIsGivenBesidesMustAgree) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(), "train --data karate --layers 2 --epochs 3 --quiet --out run");
  pdegcn_ok(folder.path(), "train --resume --data karate --layers 2 --quiet --out run");
  const Outcome other = pdegcn(folder.path(), "train --resume --layers 3 --out run");
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(contains(other.err, "--layers") && contains(other.err, "'2'")) << other.err;
  EXPECT_EQ(pdegcn(folder.path(), "train --resume").code, 1);
  EXPECT_EQ(pdegcn(folder.path(), "train --resume --out nowhere").code, 1);
}

TEST(Resume, SeveralRunsGoOnTogether) {
  const TemporaryFolder folder;
  const std::string line = "train --data karate --model d,h --seeds 2 --layers 2 --epochs 5 ";
  const std::string whole = pdegcn_ok(folder.path(), line + "--out a");
  pdegcn_ok(folder.path(), line + "--out b");
  fs::remove_all(folder.path() / "b" / "h-leaders-0");
  const auto again = pdegcn_json(folder.path(), "train --resume --out b");
  EXPECT_EQ(again["runs"].size(), 4);
  EXPECT_EQ(again["summary"].size(), 2);
  for (const char* run : {"d-leaders-0", "d-leaders-1", "h-leaders-0", "h-leaders-1"})
    EXPECT_EQ(differences(folder.path() / "a" / run, folder.path() / "b" / run), "");
  EXPECT_TRUE(contains(whole, "PDE-GCN_D") && contains(whole, "PDE-GCN_H"));
}

TEST(Trouble, AFolderThatHoldsSomethingIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string line = "train --data karate --layers 2 --epochs 2 --quiet --out ";
  pdegcn_ok(folder.path(), line + "run");
  const auto before = run_files(folder.path() / "run");
  const Outcome twice = pdegcn(folder.path(), line + "run");
  EXPECT_EQ(twice.code, 1);
  EXPECT_TRUE(contains(twice.err, "--resume")) << twice.err;
  EXPECT_EQ(run_files(folder.path() / "run"), before);

  folder.write("mine/letter.txt", "dear");
  EXPECT_EQ(pdegcn(folder.path(), line + "mine").code, 1);
  EXPECT_EQ(run_files(folder.path() / "mine").size(), 1);
}

TEST(Trouble, AFolderThatCannotBeWritten) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pdegcn(folder.path(), "train --data karate --epochs 2 --out /proc/version/run");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "/proc/version/run")) << outcome.err;
}

TEST(Trouble, ARunIsNotSharedByTwoProcesses) {
  const TemporaryFolder folder, other;
  ChildProcess first(
      command_of("train --data karate --layers 2 --epochs 400000 --patience 0 --out " +
                 (folder.path() / "run").string()),
      {folder.path()});
  wait_for_checkpoint(folder.path() / "run");
  const Outcome second =
      pdegcn(other.path(), "train --resume --out " + (folder.path() / "run").string());
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(contains(second.err, "in use")) << second.err;
  first.send(SIGINT);
  EXPECT_EQ(first.wait(), 1);
}

TEST(Trouble, AFullDiskKeepsWhatIsThere) {
  const TemporaryFolder folder;
  ChildProcess::Options small;
  small.largest_file = 20'000;  // metrics.csv grows beyond it, in time
  const Outcome outcome = pdegcn(
      folder.path(),
      "train --data karate --layers 1 --channels 4 --epochs 3000 --patience 0 --quiet --out run",
      small);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "run/")) << outcome.err;
  // There is room again.
  pdegcn_ok(folder.path(), "train --resume --quiet --out run");
  pdegcn_ok(folder.path(),
            "train --data karate --layers 1 --channels 4 --epochs 3000 --patience 0 --quiet --out "
            "whole");
  EXPECT_EQ(differences(folder.path() / "run", folder.path() / "whole"), "");
}

class DamagedRun : public testing::Test {
 protected:
  void SetUp() override {
    graph.write(folder.path() / "own");
    pdegcn_ok(folder.path(), "train --data own --layers 2 --epochs 3 --quiet --out run");
  }

  // The resume is refused with these words, and nothing changes.
  void expect_refused(const std::string& words) {
    const auto before = run_files(folder.path() / "run");
    const Outcome outcome = pdegcn(folder.path(), "train --resume --out run");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, words)) << outcome.err;
    EXPECT_EQ(run_files(folder.path() / "run"), before);
  }

  TemporaryFolder folder;
  OwnGraph graph;
};

TEST_F(DamagedRun, OneByteIsEnough) {
  const fs::path last = folder.path() / "run" / "last.safetensors";
  std::string bytes = read_text(last);
  bytes[bytes.size() - 100] ^= 1;
  std::ofstream(last, std::ios::binary) << bytes;
  expect_refused("last.safetensors");
}

TEST_F(DamagedRun, TheCheckpointOfAnotherRun) {
  pdegcn_ok(folder.path(), "train --data own --layers 3 --epochs 3 --quiet --out other");
  fs::copy_file(folder.path() / "other" / "last.safetensors",
                folder.path() / "run" / "last.safetensors", fs::copy_options::overwrite_existing);
  expect_refused("another configuration");
}

TEST_F(DamagedRun, AFileOfSomethingElse) {
  std::ofstream(folder.path() / "run" / "last.safetensors") << "hello";
  expect_refused("last.safetensors");
}

TEST_F(DamagedRun, OtherData) {
  graph.x[0][1] += 1;
  graph.write(folder.path() / "own");
  expect_refused("other data");
}

TEST_F(DamagedRun, PredictionOnDataOfAnotherShape) {
  const Outcome outcome = pdegcn(folder.path(), "predict run --data karate");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "12 dense features")) << outcome.err;
}

TEST(Trouble, ALossThatIsNotFiniteEndsTheRun) {
  const TemporaryFolder folder;
  const Outcome outcome = pdegcn(
      folder.path(),
      "train --data karate --layers 40 --step 60 --activation identity --epochs 50 --quiet --out "
      "run");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "epoch 1:")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "stability bound")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "outside the bound of stability")) << outcome.err;
  EXPECT_TRUE(fs::exists(folder.path() / "run" / "last.safetensors"));

  // Who is to blame, with its value and its own rate.
  const Outcome rate = pdegcn(
      folder.path(), "train --data karate --model m --lr-alpha 1e38 --epochs 2 --quiet --out m");
  EXPECT_EQ(rate.code, 1);
  EXPECT_TRUE(contains(rate.err, "parameter pde.beta has the value ")) << rate.err;
  EXPECT_TRUE(contains(rate.err, "lower its learning rate (--lr-alpha 1e+38)")) << rate.err;
}

}  // namespace
}  // namespace pdegcn::tests
