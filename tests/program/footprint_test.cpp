// The memory of a run: predicted before it starts, and refused where it cannot be had.
#include "program.h"

namespace pdegcn::tests {
namespace {

// The predicted peak over the measured one.
double ratio(const std::string& line) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pdegcn(folder.path(), "train --epochs 1 --threads 1 --json --out r " + line);
  EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
  const std::string before = "memory: about ";
  const auto at = outcome.err.find(before);
  if (outcome.code != 0 || at == std::string::npos) {
    ADD_FAILURE() << outcome.err;
    return 0;
  }
  const double predicted = 1e6 * std::stod(outcome.err.substr(at + before.size()));
  return predicted / nlohmann::json::parse(outcome.out)["peak_memory_bytes"].get<double>();
}

TEST(Footprint, IsPredictedWithin15Percent) {
  for (const char* line :
       {"--data karate --model d --layers 2", "--data demo --model h --layers 200",
        "--data demo --model h --layers 200 --memory reverse",
        "--data like-pubmed --model d --layers 8 --channels 64 --memory store",
        "--data like-pubmed --model m --layers 16 --channels 64 --memory checkpoint",
        "--data like-cora --model d --layers 4 --channels 256",
        "--data inductive --model d --layers 2 --channels 32"}) {
    const double found = ratio(line);
    EXPECT_GT(found, 0.85) << line;
    EXPECT_LT(found, 1.15) << line;
  }
}

TEST(Footprint, ThatCannotBeHadIsRefusedAtOnceWithAModeThatFits) {
  const TemporaryFolder folder;
  const std::string deep =
      "train --data demo --layers 100000 --channels 256 --shared-k --out r --memory ";
  const Outcome wave = pdegcn(folder.path(), deep + "store --model h");
  EXPECT_EQ(wave.code, 1);
  EXPECT_TRUE(contains(wave.err, "the run needs about")) << wave.err;
  EXPECT_TRUE(contains(wave.err, "--memory reverse needs")) << wave.err;
  const Outcome heat = pdegcn(folder.path(), deep + "store --model d");
  EXPECT_EQ(heat.code, 1);
  EXPECT_TRUE(contains(heat.err, "--memory checkpoint needs")) << heat.err;
  EXPECT_FALSE(contains(heat.err, "reverse")) << heat.err;
  const Outcome wide =
      pdegcn(folder.path(), "train --data demo --layers 100000 --channels 16384 --model d --out r");
  EXPECT_EQ(wide.code, 1);
  EXPECT_TRUE(contains(wide.err, "use fewer layers or channels")) << wide.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r"));
}

TEST(Footprint, TheModeThatWasChosenIsRecorded) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(), "train --data karate --model d,h --epochs 1 --quiet --out a");
  for (const char* run : {"a/d-leaders-0", "a/h-leaders-0"}) {
    const std::string config = read_text(folder.path() / run / "config.toml");
    EXPECT_TRUE(contains(config, "memory = \"store\"")) << config;
    EXPECT_TRUE(contains(config, "reorder = \"none\"")) << config;
  }
  // Resuming with what was asked for at first is no contradiction.
  pdegcn_ok(folder.path(), "train --data karate --epochs 1 --quiet --out b --memory auto");
  pdegcn_ok(folder.path(), "train --resume --out b --quiet --memory auto --reorder auto");
}

}  // namespace
}  // namespace pdegcn::tests
