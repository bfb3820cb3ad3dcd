// The bench command from end to end, on tiny graphs: that its tables are complete, not that
// anything is fast.
#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

TEST(Bench, TheUsualTableIsComplete) {
  const TemporaryFolder folder;
  const Outcome outcome = pdegcn(folder.path(), "bench --quick --rounds 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text :
       {"like-cora-d-64-2 ", "like-cora-d-64-16 ", "like-cora-d-64-64 ", "like-pubmed-d-256-16 ",
        "mesh-h-256-8 ", "paper ms", "torch ms", "tuned ms", "ours ms", "limit ms", "of limit",
        "OpenBLAS", "mean nothing"})
    EXPECT_TRUE(contains(outcome.out, text)) << text << "\n" << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "(5 of 5)  round 2/2")) << outcome.err;
}

TEST(Bench, MeasuresEverySideOfEveryCase) {
  const TemporaryFolder folder;
  const auto result = pdegcn_json(folder.path(),
                                  "bench --quick --rounds 2 --threads 1,all --cases "
                                  "like-texas-h-64-16,mesh-*,rmat-* --quiet");
  ASSERT_EQ(result["cases"].size(), 6);
  for (const auto& row : result["cases"]) {
    double ours = row["sides"]["ours"]["seconds"];
    EXPECT_GT(ours, 0);
    for (const char* side : {"paper", "torch", "tuned"}) {
      const auto& other = row["sides"][side];
      EXPECT_LT(other["difference"], 1e-5) << side;
      EXPECT_GT(other["difference"], 0) << side;  // sums in another order, or it is the same code
      EXPECT_DOUBLE_EQ(other["ratio"], other["seconds"].get<double>() / ours) << side;
    }
    const auto& limit = row["limit"];
    for (const char* part : {"products", "edges"}) EXPECT_GT(limit[part], 0) << part;
    EXPECT_EQ(limit["opening"] > 0, row["case"] != "mesh-h-256-8");
    EXPECT_DOUBLE_EQ(limit["fraction"], limit["seconds"].get<double>() / ours);
    for (const auto& [name, rate] : row["machine"].items()) EXPECT_GT(rate, 0) << name;
  }
}

TEST(Bench, ThreadsMemoryAndCurves) {
  const TemporaryFolder folder;
  const auto result = pdegcn_json(
      folder.path(), "bench --quick --rounds 1 --cases threads,memory,curves --plot c.svg --quiet");
  EXPECT_GT(result["threads"]["against_product"], 0);
  // Store and checkpoint of D, these and reverse of H; few layers and more.
  EXPECT_EQ(result["memory"].size(), 10);
  for (const auto& row : result["memory"]) EXPECT_GT(row["seconds"], 0);
  std::map<std::string, int> points;
  for (const auto& row : result["curves"]) ++points[row["with"].get<std::string>()];
  EXPECT_EQ(points, (std::map<std::string, int>{{"channels", 5}, {"edges", 5}, {"layers", 6}}));
  EXPECT_TRUE(contains(read_text(folder.path() / "c.svg"), "straight line"));
}

TEST(Bench, ListsItsCases) {
  const TemporaryFolder folder;
  const std::string list = pdegcn_ok(folder.path(), "bench --list");
  for (const char* set : {"like-texas", "like-cora", "like-citeseer", "like-pubmed"})
    for (const char* model : {"d", "h"})
      for (const int channels : {64, 256})
        for (const int layers : {2, 16, 64})
          EXPECT_TRUE(contains(list, fmt::format("{}-{}-{}-{} ", set, model, channels, layers)));
  for (const char* name : {"mesh-h-256-8", "rmat-d-64-8", "threads", "memory", "curves"})
    EXPECT_TRUE(contains(list, name)) << name;
}

}  // namespace
}  // namespace pdegcn::tests
