// Streams, files and folders that are not as they should be: an error that names them, and what was
// there stays there.
#include <sys/file.h>

#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

// Runs a line of the shell, in which $P is the program.
Outcome shell(const fs::path& folder, const std::string& line) {
  ChildProcess child({"/bin/sh", "-c", line},
                     {folder, {std::string("P=") + PDEGCN_PROGRAM}, /*largest_file=*/0});
  const int code = child.wait();
  return {code, child.out(), child.err()};
}

void expect_refused(const Outcome& outcome, const std::string& words) {
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "internal error")) << outcome.err;
}

constexpr const char* kTrain = "train --data karate --layers 2 --epochs 3 --quiet --out ";

TEST(Streams, OutputThatIsLostIsAnError) {
  const TemporaryFolder folder;
  const std::string full = "standard output: No space left on device";
  expect_refused(shell(folder.path(), "\"$P\" info karate > /dev/full"), full);
  expect_refused(shell(folder.path(), "\"$P\" info karate >&-"), "standard output: Bad file");
  pdegcn_ok(folder.path(), std::string(kTrain) + "run");
  expect_refused(shell(folder.path(), "\"$P\" predict run --logits > /dev/full"), full);
}

TEST(Streams, ClosedOnesLeaveTheFilesAlone) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(), "train --data karate --layers 2 --epochs 3 --out open");
  const Outcome closed = shell(
      folder.path(), "\"$P\" train --data karate --layers 2 --epochs 3 --out run <&- 2>&- > table");
  EXPECT_EQ(closed.code, 0);
  EXPECT_EQ(differences(folder.path() / "open", folder.path() / "run"), "");
  // A reader of messages that has gone ends nothing.
  EXPECT_EQ(
      shell(folder.path(),
            "(\"$P\" train --data karate --layers 2 --epochs 3 --out run2 3>&2 2>&1 1>&3 3>&-; "
            "echo $? > code) | true; sleep 0.1; exit $(cat code)")
          .code,
      0);
}

TEST(Streams, HangingUpSavesTheRun) {
  const TemporaryFolder folder;
  ChildProcess child(command_of("train --data karate --layers 2 --epochs 100000000 --patience 0 "
                                "--quiet --out run"),
                     {folder.path()});
  for (int k = 0; k < 600 && !fs::exists(folder.path() / "run/last.safetensors"); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  child.send(SIGHUP);
  EXPECT_EQ(child.wait(), 1);
  EXPECT_TRUE(contains(child.err(), "--resume --out run")) << child.err();
}

TEST(Words, OneSubcommandAndNoOther) {
  const TemporaryFolder folder;
  const OwnGraph graph;
  graph.write(folder.path() / "train");
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "info train"), "90"));
  expect_refused(pdegcn(folder.path(), std::string(kTrain) + "run evaluate run"), "'evaluate'");
  EXPECT_FALSE(fs::exists(folder.path() / "run"));
}

TEST(Runs, WithoutTheirCheckpointAreNotBegunAnew) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  pdegcn_ok(folder.path(), std::string(kTrain) + "run");
  fs::remove(run / "last.safetensors");
  auto before = run_files(run);
  expect_refused(pdegcn(folder.path(), "train --resume --out run"), "last.safetensors");
  EXPECT_EQ(run_files(run), before);
  fs::remove(run / "metrics.csv");
  before = run_files(run);
  expect_refused(pdegcn(folder.path(), "train --resume --out run"), "last.safetensors");
  EXPECT_EQ(run_files(run), before);
}

TEST(Runs, ForeignWeightsAreRefused) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(), std::string(kTrain) + "a");
  pdegcn_ok(folder.path(), std::string(kTrain) + "b --seed 1");
  fs::copy_file(folder.path() / "a/best.safetensors", folder.path() / "b/best.safetensors",
                fs::copy_options::overwrite_existing);
  for (const char* line : {"evaluate b", "predict b"})
    expect_refused(pdegcn(folder.path(), line), "another configuration than b/config.toml");
}

TEST(Runs, OtherClassesAndOtherEdgesAreRefused) {
  const TemporaryFolder folder;
  OwnGraph graph;
  graph.write(folder.path() / "own");
  pdegcn_ok(folder.path(),
            "train --data own --weights learnt --layers 2 --epochs 3 --quiet --out run");
  pdegcn_ok(folder.path(), "evaluate run --data own");

  OwnGraph other = graph;
  for (int& label : other.label) label += 1;
  other.write(folder.path() / "classes");
  expect_refused(pdegcn(folder.path(), "evaluate run --data classes"), "1, 2, 3");

  // The same number of edges, and one elsewhere: a new pair of nodes for the first edge.
  other = graph;
  const auto is_there = [&](int i, int j) {
    return std::ranges::any_of(
        graph.edges, [&](const auto& e) { return e == std::pair(i, j) || e == std::pair(j, i); });
  };
  for (auto& [i, j] : other.edges)
    if (is_there(i, j) && std::ranges::count(graph.edges, std::pair(i, j)) == 1 &&
        !std::ranges::count(graph.edges, std::pair(j, i)) && i != j) {
      for (int k = 0; k < graph.nodes; ++k)
        if (k != i && !is_there(i, k)) {
          j = k;
          break;
        }
      break;
    }
  other.write(folder.path() / "edges");
  for (const char* line : {"evaluate run --data edges", "predict run --data edges"})
    expect_refused(pdegcn(folder.path(), line), "edges of another graph");
}

TEST(Tune, OnlyNumbersThatAreNotFiniteFailATrial) {
  const TemporaryFolder folder;
  folder.write("space.toml", "step = [0.1, 0.2]\n");
  const std::string line =
      "tune --data karate --model d --layers 2 --epochs 3 --trials 2 --quiet --space space.toml "
      "--out t";
  pdegcn_ok(folder.path(), line);

  const fs::path checkpoint = folder.path() / "t/trial-001/d-leaders-0/last.safetensors";
  const std::string whole = read_text(checkpoint);
  std::ofstream(checkpoint, std::ios::binary) << whole.substr(0, whole.size() / 2);
  expect_refused(pdegcn(folder.path(), line + " --resume"), "last.safetensors");
  std::ofstream(checkpoint, std::ios::binary) << whole;

  const int lock = open((folder.path() / "t/.lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  expect_refused(pdegcn(folder.path(), line + " --resume"), "in use by");
  close(lock);
  pdegcn_ok(folder.path(), line + " --resume");

  // Every kind of parameter has a rate of its own, which the advice names.
  expect_refused(pdegcn(folder.path(),
                        "train --data karate --model m --layers 2 --epochs 5 "
                        "--lr-alpha 1e39 --quiet --out v"),
                 "--lr-alpha 1e+39");
  folder.write("space.toml", "lr = [1e30]\n");
  expect_refused(pdegcn(folder.path(),
                        "tune --data karate --layers 2 --epochs 5 --trials 1 --lr 1e30 --space "
                        "space.toml --out u"),
                 "no trial came to an end: epoch");
}

TEST(Tune, SearchesOnlyOverWhatHasAnEffect) {
  const TemporaryFolder folder;
  for (const char* line :
       {"features = [\"raw\"]", "alpha = [0.3]", "epochs = [1]", "model = [\"d\", \"h\"]",
        "seeds = [2]", "select = [\"val-loss\"]", "dropout = {low = 0, high = 1}"}) {
    folder.write("space.toml", std::string("lr = [0.1]\n") + line + "\n");
    expect_refused(pdegcn(folder.path(),
                          "tune --data karate --model d --epochs 1 --trials 1 --space space.toml "
                          "--out t"),
                   "space.toml, line 2");
  }
  EXPECT_FALSE(fs::exists(folder.path() / "t"));
  folder.write("space.toml", "batch = [0]\n");
  pdegcn_ok(folder.path(),
            "tune --data inductive --model d --layers 1 --channels 4 --epochs 1 --trials 1 --quiet "
            "--space space.toml --out t");
}

TEST(Files, KeysOfManyPartsAreRefused) {
  const TemporaryFolder folder;
  std::string key = "a";
  for (int k = 0; k < 50000; ++k) key += ".a";
  folder.write("deep.toml", "layers = 2\n" + key + " = 1\n");
  expect_refused(pdegcn(folder.path(), "train --config deep.toml"), "deep.toml, line 2");
  const OwnGraph graph;
  graph.write(folder.path() / "own");
  fs::copy_file(folder.path() / "deep.toml", folder.path() / "own/dataset.toml");
  expect_refused(pdegcn(folder.path(), "info own"), "dataset.toml, line 2");
}

TEST(Files, NamesAreText) {
  const TemporaryFolder folder;
  OwnGraph graph;
  graph.write(folder.path() / "own\xff");
  for (const char* line : {"train --epochs 1 --data own\xff --out run", "info own\xff --json"})
    expect_refused(pdegcn(folder.path(), line), "UTF-8");
  EXPECT_FALSE(fs::exists(folder.path() / "run"));

  graph.write(folder.path() / "own\x7f");
  pdegcn_ok(folder.path(), "train --epochs 1 --layers 1 --data own\x7f --quiet --out run");
  pdegcn_ok(folder.path(), "train --config run/config.toml --quiet --out again");
  pdegcn_ok(folder.path(), "evaluate run");
}

TEST(Files, FailuresOfTheFileSystemAreUserErrors) {
  const TemporaryFolder folder;
  fs::create_symlink("loop", folder.path() / "loop");
  for (const std::string& out : {std::string(300, 'x'), std::string("loop")}) {
    expect_refused(pdegcn(folder.path(), "train --resume --out " + out), out);
    expect_refused(pdegcn(folder.path(), "train --data karate --epochs 1 --out " + out), out);
    expect_refused(pdegcn(folder.path(), "tune --data karate --epochs 1 --trials 1 --out " + out),
                   out);
    expect_refused(pdegcn(folder.path(), "fetch cora --data-dir " + out), out);
  }
}

}  // namespace
}  // namespace pdegcn::tests
