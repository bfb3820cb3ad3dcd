// The commands agree with each other, with a forward pass by hand, and with themselves.
#include "tests/program/forward.h"
#include "tests/program/planetoid_by_hand.h"
#include "tests/support/data_folder.h"

namespace pdegcn::tests {
namespace {

std::int64_t argmax(const std::vector<double>& row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

double accuracy(const Table& logits, const std::vector<int>& labels,
                const std::vector<int>& nodes) {
  int hits = 0;
  for (const int v : nodes) hits += argmax(logits[v]) == labels[v];
  return static_cast<double>(hits) / static_cast<double>(nodes.size());
}

void expect_near(const Table& a, const Table& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (std::size_t k = 0; k < a[i].size(); ++k)
      worst = std::max(worst, std::abs(a[i][k] - b[i][k]));
  }
  EXPECT_LT(worst, tolerance);
}

class EachModel : public testing::TestWithParam<const char*> {};

TEST_P(EachModel, TrainEvaluatePredictAndAForwardPassByHandAgree) {
  const TemporaryFolder folder;
  const OwnGraph graph;
  graph.write(folder.path() / "own");
  const std::string model = GetParam();
  const auto trained =
      pdegcn_json(folder.path(),
                  "train --data own --features raw --layers 5 --channels 17 --step 0.2 --epochs 60 "
                  "--lr-pde 0.01 --model " +
                      model + (model == "m" ? " --lr-alpha 0.1" : "") + " --out run");
  const auto evaluated = pdegcn_json(folder.path(), "evaluate run");
  EXPECT_EQ(trained["runs"][0]["test"]["score"], evaluated["test"]["score"]);
  EXPECT_EQ(trained["runs"][0]["test"]["loss"], evaluated["test"]["loss"]);
  EXPECT_EQ(trained["runs"][0]["validation"]["score"], evaluated["validation"]["score"]);
  EXPECT_GT(evaluated["test"]["score"], 0.5);

  const Table logits = read_csv(pdegcn_ok(folder.path(), "predict run --logits"), 2);
  std::vector<int> test;
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") test.push_back(v);
  EXPECT_NEAR(accuracy(logits, graph.label, test), evaluated["test"]["score"], 1e-12);
  const Table classes = read_csv(pdegcn_ok(folder.path(), "predict run"), 1);
  for (int v = 0; v < graph.nodes; ++v) EXPECT_EQ(classes[v][0], argmax(logits[v]));

  const TensorFile best(folder.path() / "run" / "best.safetensors");
  expect_near(forward_by_hand(graph.x, graph.edges, best), logits, 1e-4);
}

TEST_P(EachModel, AForwardPassByHandAgreesOnARealGraph) {
  PDEGCN_NEEDS_DATA("texas");
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            std::string("train --data texas --split 0 --features raw --layers 2 --channels 16 "
                        "--epochs 20 --quiet --out run --model ") +
                GetParam());
  const auto data = data_folder() / "texas";
  std::vector<std::pair<int, int>> edges;
  std::ifstream edge_file(data / "out1_graph_edges.txt");
  std::string head;
  std::getline(edge_file, head);
  for (int i = 0, j = 0; edge_file >> i >> j;) edges.emplace_back(i, j);
  Table x(183);
  std::ifstream node_file(data / "out1_node_feature_label.txt");
  std::getline(node_file, head);
  int node = 0, label = 0;
  for (std::string features; node_file >> node >> features >> label;) {
    std::istringstream fields(features);
    for (std::string field; std::getline(fields, field, ',');) x[node].push_back(std::stod(field));
  }
  const TensorFile best(folder.path() / "run" / "best.safetensors");
  expect_near(forward_by_hand(x, edges, best),
              read_csv(pdegcn_ok(folder.path(), "predict run --logits"), 2), 1e-4);
}

TEST_P(EachModel, AForwardPassByHandAgreesOnCora) {
  PDEGCN_NEEDS_DATA("cora");
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            std::string("train --data cora --layers 3 --channels 16 --step 0.4 --lr-pde 0.01 "
                        "--epochs 20 --quiet --out run --model ") +
                GetParam());
  const Planetoid cora = read_planetoid(data_folder() / "cora", "cora", 1433);
  ASSERT_EQ(cora.x.size(), 2708u);
  const TensorFile best(folder.path() / "run" / "best.safetensors");
  expect_near(forward_by_hand(cora.x, cora.edges, best),
              read_csv(pdegcn_ok(folder.path(), "predict run --logits"), 2), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, EachModel, testing::Values("d", "h", "m"));

TEST(Agreement, CoraIsEvaluatedAsItWasTrained) {
  PDEGCN_NEEDS_DATA("cora");
  const TemporaryFolder folder;
  const auto trained = pdegcn_json(
      folder.path(), "train --data cora --layers 2 --channels 16 --epochs 60 --out run");
  const auto evaluated = pdegcn_json(folder.path(), "evaluate run");
  EXPECT_EQ(trained["runs"][0]["test"]["score"], evaluated["test"]["score"]);
  EXPECT_GT(evaluated["test"]["score"], 0.6);
}

TEST(Agreement, BitsDoNotDependOnThreads) {
  const TemporaryFolder folder;
  for (const char* threads : {"1", "2", "4"})
    for (const char* model : {"d", "h", "m"})
      pdegcn_ok(folder.path(), fmt::format("train --data demo --model {} --layers 4 --edge-dropout "
                                           "0.2 --epochs 6 --quiet --threads {} --out {}{}",
                                           model, threads, model, threads));
  for (const char* model : {"d", "h", "m"})
    for (const char* threads : {"2", "4"})
      EXPECT_EQ(differences(folder.path() / fmt::format("{}1", model),
                            folder.path() / fmt::format("{}{}", model, threads)),
                "");
}

TEST(Agreement, BitsOfManyGraphsDoNotDependOnThreadsEither) {
  const TemporaryFolder folder;
  for (const char* data : {"inductive", "shape-meshes"}) {
    for (const char* threads : {"1", "3"})
      pdegcn_ok(folder.path(), fmt::format("train --data {} --layers 2 --channels 8 --epochs 1 "
                                           "--quiet --threads {} --out {}{}",
                                           data, threads, data, threads));
    EXPECT_EQ(differences(folder.path() / fmt::format("{}1", data),
                          folder.path() / fmt::format("{}3", data)),
              "");
  }
}

TEST(Agreement, SeedsDifferAndRepeat) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"})
    pdegcn_ok(folder.path(),
              fmt::format("train --data karate --epochs 5 --seed 3 --quiet --out {}", name));
  pdegcn_ok(folder.path(), "train --data karate --epochs 5 --seed 4 --quiet --out c");
  EXPECT_EQ(differences(folder.path() / "a", folder.path() / "b"), "");
  EXPECT_NE(run_files(folder.path() / "a")["metrics.csv"],
            run_files(folder.path() / "c")["metrics.csv"]);
}

TEST(Agreement, TheConfigOfARunRepeatsIt) {
  const TemporaryFolder folder;
  pdegcn_ok(
      folder.path(),
      "train --data karate --model m --layers 3 --alpha 0.3 --dropout 0.2 --epochs 7 --seed 5 "
      "--schedule cosine --quiet --out a");
  pdegcn_ok(folder.path(), "train --config a/config.toml --quiet --out b");
  EXPECT_EQ(differences(folder.path() / "a", folder.path() / "b"), "");
}

TEST(Agreement, TestLabelsChangeNothingButTheTestScore) {
  const TemporaryFolder folder;
  OwnGraph graph;
  graph.write(folder.path() / "own");
  const std::string line = "train --data own --layers 3 --epochs 30 --patience 10 --out ";
  const auto right = pdegcn_json(folder.path(), line + "a");
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") graph.label[v] = (graph.label[v] + 1) % graph.classes;
  graph.write(folder.path() / "own");
  const auto wrong = pdegcn_json(folder.path(), line + "b");
  EXPECT_EQ(differences_beside_test(folder.path() / "a", folder.path() / "b"), "");
  EXPECT_NE(right["runs"][0]["test"]["score"], wrong["runs"][0]["test"]["score"]);
  EXPECT_EQ(right["runs"][0]["validation"], wrong["runs"][0]["validation"]);

  // Whoever peeks sees them: the test can fail.
  const std::string peek = line + "c --protocol test-peek";
  pdegcn_json(folder.path(), peek);
  EXPECT_NE(run_files(folder.path() / "b")["metrics.csv"],
            run_files(folder.path() / "c")["metrics.csv"]);
}

TEST(Agreement, OneTrainingForBothProtocolsGivesWhatTwoGive) {
  const TemporaryFolder folder;
  OwnGraph graph;
  graph.write(folder.path() / "own");
  const std::string line =
      "train --data own --layers 3 --epochs 60 --patience 8 --dropout 0.5 --seeds 4 --protocol ";
  const auto runs = [&](const std::string& protocol, const std::string& out) {
    return pdegcn_json(folder.path(), line + protocol + " --out " + out)["runs"];
  };
  const auto peeked = runs("test-peek", "peeked");
  nlohmann::json both;
  bool first = false, last = false;
  for (const std::string select : {"val-accuracy", "val-loss"}) {
    const auto chosen = runs("validation --select " + select, "chosen-" + select);
    both = runs("both --select " + select, "both-" + select);
    for (int k = 0; k < 4; ++k) {
      for (const char* name : {"epochs", "ended", "selected_epoch", "train", "validation", "test"})
        EXPECT_EQ(both[k][name], chosen[k][name]) << select << " " << k << " " << name;
      EXPECT_EQ(both[k]["test_peek"]["score"], peeked[k]["test"]["score"]) << k;
      for (const char* name : {"epochs", "selected_epoch"})
        EXPECT_EQ(both[k]["test_peek"][name], peeked[k][name]) << k << " " << name;
      first |= chosen[k]["epochs"] < peeked[k]["epochs"];
      last |= chosen[k]["epochs"] > peeked[k]["epochs"];
    }
  }
  EXPECT_TRUE(first && last) << "each rule ends before the other in some run";

  // The test part has no say in what validation chooses.
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") graph.label[v] = (graph.label[v] + 1) % graph.classes;
  graph.write(folder.path() / "own");
  const auto wrong = runs("both", "wrong");
  for (int k = 0; k < 4; ++k) {
    for (const char* name : {"epochs", "selected_epoch", "train", "validation"})
      EXPECT_EQ(both[k][name], wrong[k][name]) << k << " " << name;
    EXPECT_NE(both[k]["test_peek"], wrong[k]["test_peek"]) << k;
  }
  const Outcome other = pdegcn(folder.path(), "train --resume --out both-val-loss");
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(contains(other.err, "other data")) << other.err;
}

TEST(Agreement, ValidationDoesNotFailByWhatIsPeekedAt) {
  const TemporaryFolder folder;
  // Grows out of bounds, with the instructions of most processors after validation has ended.
  const std::string line =
      "train --data karate --layers 24 --activation identity --step 1 --dropout 0 --lr-pde 0.1 "
      "--seed 1 --patience 33 --epochs 120 --threads 1 ";
  if (pdegcn(folder.path(), line + "--out a").code == 0) {
    const auto chosen = pdegcn_json(folder.path(), line + "--out b")["runs"][0];
    const auto both = pdegcn_json(folder.path(), line + "--protocol both --out c")["runs"][0];
    for (const char* name : {"epochs", "selected_epoch", "validation", "test"})
      EXPECT_EQ(both[name], chosen[name]) << name;
    const bool fails = pdegcn(folder.path(), line + "--protocol test-peek --out d").code != 0;
    EXPECT_EQ(both["test_peek"]["score"].is_null(), fails);
  }

  // Nothing to peek at.
  OwnGraph graph;
  for (auto& part : graph.part)
    if (part == "test") part = "train";
  graph.write(folder.path() / "own");
  const auto alone =
      pdegcn_json(folder.path(), "train --data own --epochs 3 --protocol both --out e")["runs"][0];
  EXPECT_FALSE(alone.contains("test_peek")) << alone;
  EXPECT_EQ(pdegcn(folder.path(), "train --data own --epochs 3 --protocol test-peek --out f").code,
            1);
}

TEST(Agreement, MetricsAndEventsHoldTheSameNumbers) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(), "train --data karate --model m --epochs 4 --quiet --out run");
  std::istringstream lines(read_text(folder.path() / "run" / "metrics.csv"));
  std::string head, line;
  std::getline(lines, head);
  EXPECT_EQ(head, "epoch,rate,train_loss,val_loss,val_score,alpha");
  int rows = 0;
  while (std::getline(lines, line)) ++rows;
  EXPECT_EQ(rows, 4);

  // Records of the event file: a length, a checksum, the record, a checksum.
  const std::string bytes = read_text(folder.path() / "run" / "events.out.tfevents.pdegcn");
  int records = 0;
  for (std::size_t at = 0; at < bytes.size(); ++records) {
    std::uint64_t length = 0;
    ASSERT_LE(at + 12, bytes.size());
    std::memcpy(&length, bytes.data() + at, 8);
    at += 12 + length + 4;
    ASSERT_LE(at, bytes.size());
  }
  EXPECT_EQ(records, 1 + 4);
  for (const char* tag : {"loss/train", "loss/val", "score/val", "alpha", "rate"})
    EXPECT_TRUE(contains(bytes, tag)) << tag;
}

}  // namespace
}  // namespace pdegcn::tests
