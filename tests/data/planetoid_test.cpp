#include "pdegcn/data/planetoid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pdegcn/data/npy.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

using Writer = tests::PickleWriter;

const SparseMatrix& features(const Dataset& data) {
  return std::get<SparseMatrix>(data.samples.at(0).features);
}

const std::vector<std::int32_t>& labels(const Dataset& data) {
  return std::get<NodeLabels>(data.targets).label;
}

std::vector<std::int32_t> columns(const Dataset& data, std::int64_t row) {
  const SparseMatrix& m = features(data);
  return {m.columns.begin() + m.offsets[row], m.columns.begin() + m.offsets[row + 1]};
}

// Five nodes: three in allx (one of them for training), then tests 4 and 3, given in this order.
class TinyPlanetoid : public testing::Test {
 protected:
  TinyPlanetoid() {
    matrix("allx", {{{0, 1}}, {{1, 2}, {3, 4}}, {}});
    matrix("tx", {{{2, 0.5f}}, {{0, 7}}});
    one_hot("ally", {1, 0, 0, 1, 1, 0});
    one_hot("ty", {0, 1, 1, 0});
    one_hot("y", {1, 0});
    lists({{0, {1, 2, 1}}, {1, {0}}, {2, {0, 2}}, {3, {}}, {4, {3}}});
    write("test.index", "4\n3\n");
  }

  void write(const std::string& part, const std::string& bytes) {
    folder.write("tiny/ind.tiny." + part, bytes);
  }
  void matrix(const std::string& part, const std::vector<Writer::Row>& rows) {
    write(part, Writer::file(Writer::matrix(4, rows)));
  }
  void one_hot(const std::string& part, const std::vector<std::int32_t>& values) {
    write(part, Writer::file(Writer::array<std::int32_t>(
                    {static_cast<std::int64_t>(values.size()) / 2, 2}, values, "i4")));
  }
  void lists(const Writer::Lists& lists) { write("graph", Writer::file(Writer::lists(lists))); }
  Dataset read() const { return read_planetoid(folder.path() / "tiny", "tiny"); }

  tests::TemporaryFolder folder;
};

TEST_F(TinyPlanetoid, IsRead) {
  const Dataset data = read();
  EXPECT_EQ(data.name, "tiny");
  EXPECT_EQ(data.num_nodes(), 5);
  EXPECT_EQ(data.num_features(), 4);
  EXPECT_EQ(data.num_classes(), 2);
  EXPECT_EQ(features(data).offsets, (std::vector<std::int64_t>{0, 1, 3, 3, 4, 5}));
  EXPECT_EQ(features(data).columns, (std::vector<std::int32_t>{0, 1, 3, 0, 2}));
  EXPECT_EQ(features(data).values, (std::vector<float>{1, 2, 4, 7, 0.5f}));
  EXPECT_EQ(labels(data), (std::vector<std::int32_t>{0, 1, 0, 0, 1}));
  EXPECT_EQ(data.num_edges(), 3);
  const BuildReport& report = data.samples[0].graph.report();
  EXPECT_EQ(report.given, 7);
  EXPECT_EQ(report.self_loops, 1);
  const Split& split = data.split("public");
  EXPECT_EQ(split.train, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(split.validation, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(split.test, (std::vector<std::int32_t>{3, 4}));
}

TEST_F(TinyPlanetoid, TestNodesThatAreMissingAreBare) {
  write("test.index", "5\r\n3");
  lists({{0, {1}}, {5, {3}}});
  const Dataset data = read();
  EXPECT_EQ(data.num_nodes(), 6);
  EXPECT_EQ(labels(data), (std::vector<std::int32_t>{0, 1, 0, 0, kUnlabelled, 1}));
  EXPECT_TRUE(columns(data, 4).empty());
  EXPECT_EQ(data.split("public").test, (std::vector<std::int32_t>{3, 5}));
}

TEST_F(TinyPlanetoid, SplitsBesideItAreRead) {
  const auto mask = [](std::vector<std::uint8_t> values) {
    return npy<std::uint8_t>({static_cast<std::int64_t>(values.size())}, values);
  };
  const std::map<std::string, std::string> masks = {{"train_mask", mask({1, 0, 0, 0, 1})},
                                                    {"val_mask", mask({0, 1, 0, 0, 0})},
                                                    {"test_mask", mask({0, 0, 1, 1, 0})}};
  folder.write("splits/tiny_split_0.6_0.2_0.npz", npz(masks));
  folder.write("splits/tiny_split_0.6_0.2_7.npz", npz(masks, Compression::kStored));
  const Dataset data = read();
  ASSERT_EQ(data.splits.size(), 3u);
  EXPECT_EQ(data.splits[0].name, "public");
  EXPECT_EQ(data.split("7").train, (std::vector<std::int32_t>{0, 4}));
  EXPECT_EQ(data.split("7").validation, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(data.split("0").test, (std::vector<std::int32_t>{2, 3}));

  auto bad = masks;
  bad["val_mask"] = mask({0, 2, 0, 0, 0});
  folder.write("splits/tiny_split_0.6_0.2_0.npz", npz(bad));
  PDEGCN_EXPECT_ERROR(read(), "tiny_split_0.6_0.2_0.npz/val_mask.npy: element 1 is 2, not 0 or 1");
  bad["val_mask"] = mask({1, 0, 0, 0, 0});
  folder.write("splits/tiny_split_0.6_0.2_0.npz", npz(bad));
  PDEGCN_EXPECT_ERROR(read(), "split '0' names item 0 twice");
  bad["val_mask"] = mask({1, 0});
  folder.write("splits/tiny_split_0.6_0.2_0.npz", npz(bad));
  PDEGCN_EXPECT_ERROR(read(), "the shape is (2) where (5) is needed");
}

TEST_F(TinyPlanetoid, MistakesAreErrors) {
  write("test.index", "4\n4\n");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.test.index:2: test node 4 is there twice");
  write("test.index", "4\n2\n");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.test.index:2: test node 2 is outside 3..6");
  write("test.index", "4\n7\n");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.test.index:2: test node 7 is outside 3..6");
  write("test.index", "4\nx\n");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.test.index:2: the test node 'x' is not a whole number");
  write("test.index", "4\n");
  PDEGCN_EXPECT_ERROR(read(), "1 test nodes, but tx has 2 rows");
  write("test.index", "4\n3\n");

  lists({{0, {5}}});
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.graph: node 5 is outside 0..4");
  lists({{0, {1}}, {0, {2}}});
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.graph: node 0 is there twice");
  lists({{0, {-1}}});
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.graph: node -1 is outside 0..4");
  lists({});

  one_hot("ally", {1, 0, 0, 1, 1, 1});
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.ally: row 2 of the labels is not one-hot");
  one_hot("ally", {1, 0, 0, 1});
  PDEGCN_EXPECT_ERROR(read(), "ally has 2 where ind.tiny.allx has 3");
  one_hot("ally", {1, 0, 0, 1, 1, 0});
  one_hot("y", {1, 0, 1, 0, 1, 0, 1, 0});
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.y: 4 training nodes of 3");
  one_hot("y", {1, 0});

  matrix("tx", {{{9, 1}}, {}});
  PDEGCN_EXPECT_ERROR(read(), "column 9 is outside 0..3");
  matrix("tx", {{{0, std::numeric_limits<float>::quiet_NaN()}}, {}});
  PDEGCN_EXPECT_ERROR(read(), "nan");
  write("tx", "");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.tx: byte 0");
  std::filesystem::remove(folder.path() / "tiny/ind.tiny.tx");
  PDEGCN_EXPECT_ERROR(read(), "ind.tiny.tx: No such file");
}

struct Facts {
  const char* name;
  std::int64_t nodes, entries, loops, edges, features, nonzeros, classes, train, known;
  std::vector<std::int64_t> per_class;
  std::vector<std::size_t> split;  // sizes of split "0"
};

Dataset read_real(const std::string& name) {
  return read_planetoid(tests::data_folder() / name, name);
}

void expect_facts(const Dataset& data, const Facts& facts) {
  EXPECT_EQ(data.num_nodes(), facts.nodes);
  EXPECT_EQ(data.num_edges(), facts.edges);
  EXPECT_EQ(data.samples.at(0).graph.report().given, facts.entries);
  EXPECT_EQ(data.samples.at(0).graph.report().self_loops, facts.loops);
  EXPECT_EQ(data.num_features(), facts.features);
  EXPECT_EQ(static_cast<std::int64_t>(features(data).values.size()), facts.nonzeros);
  EXPECT_EQ(data.num_classes(), facts.classes);
  for (std::int64_t c = 0; c < facts.classes; ++c)
    EXPECT_EQ(std::count(labels(data).begin(), labels(data).end(), c), facts.per_class[c]) << c;

  const Split& split = data.splits.at(0);
  EXPECT_EQ(split.name, "public");
  ASSERT_EQ(static_cast<std::int64_t>(split.train.size()), facts.train);
  EXPECT_EQ(split.validation.size(), 500u);
  EXPECT_EQ(split.validation.front(), facts.train);
  EXPECT_EQ(split.test.size(), 1000u);
  EXPECT_EQ(split.test.front(), facts.known);
  EXPECT_EQ(split.test.back(), facts.nodes - 1);
  for (std::int64_t c = 0; c < facts.classes; ++c)
    EXPECT_EQ(std::count_if(split.train.begin(), split.train.end(),
                            [&](std::int32_t k) { return labels(data)[k] == c; }),
              20);
  ASSERT_EQ(data.splits.size(), 11u);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(data.splits[k + 1].name, std::to_string(k));
  EXPECT_EQ(data.split("0").train.size(), facts.split[0]);
  EXPECT_EQ(data.split("0").validation.size(), facts.split[1]);
  EXPECT_EQ(data.split("0").test.size(), facts.split[2]);
}

TEST(Planetoid, Cora) {
  PDEGCN_NEEDS_DATA("cora");
  const Dataset data = read_real("cora");
  expect_facts(data, {"cora",
                      2708,
                      10858,
                      0,
                      5278,
                      1433,
                      49216,
                      7,
                      140,
                      1708,
                      {351, 217, 418, 818, 426, 298, 180},
                      {1192, 796, 497}});
  EXPECT_EQ(columns(data, 0).size(), 9u);
  EXPECT_EQ(columns(data, 0)[2], 146);
  EXPECT_EQ(columns(data, 2179).size(), 24u);  // row 17 of tx
  EXPECT_EQ(columns(data, 2179)[0], 359);
  EXPECT_EQ(labels(data)[2179], 0);
  EXPECT_EQ(labels(data)[2692], 3);  // row 0 of tx
  EXPECT_TRUE(
      std::ranges::equal(data.samples[0].graph.neighbors(0), std::vector<NodeId>{633, 1862, 2582}));
  const Split& split = data.split("3");
  EXPECT_EQ(std::vector(split.test.begin(), split.test.begin() + 5),
            (std::vector<std::int32_t>{0, 41, 46, 53, 56}));
}

TEST(Planetoid, CiteSeer) {
  PDEGCN_NEEDS_DATA("citeseer");
  const Dataset data = read_real("citeseer");
  expect_facts(data, {"citeseer",
                      3327,
                      9464,
                      248,
                      4552,
                      3703,
                      105165,
                      6,
                      120,
                      2312,
                      {249, 590, 668, 701, 596, 508},
                      {1596, 1065, 666}});
  // Known as its isolated nodes, although the graph does have edges at them.
  const std::vector<std::int32_t> bare = {2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063,
                                          3212, 3214, 3250, 3292, 3305, 3306, 3309};
  for (std::int32_t k = 0; k < 3327; ++k) {
    const bool expected = std::ranges::binary_search(bare, k);
    EXPECT_EQ(labels(data)[k] == kUnlabelled, expected) << k;
    if (expected) {
      EXPECT_TRUE(columns(data, k).empty()) << k;
    }
  }
  EXPECT_TRUE(std::ranges::equal(data.samples[0].graph.neighbors(2407), std::vector<NodeId>{2352}));
  EXPECT_EQ(data.samples[0].graph.report().isolated, 48);
  EXPECT_EQ(data.split("4").train.size(), 1017u);
  EXPECT_EQ(data.split("5").validation.size(), 679u);
  EXPECT_EQ(data.split("5").test.size(), 424u);
  EXPECT_EQ(labels(data)[2592], 2);
  EXPECT_EQ(columns(data, 2592)[1], 53);
}

TEST(Planetoid, PubMed) {
  PDEGCN_NEEDS_DATA("pubmed");
  const Dataset data = read_real("pubmed");
  expect_facts(data, {"pubmed",
                      19717,
                      88676,
                      6,
                      44324,
                      500,
                      988031,
                      3,
                      60,
                      18717,
                      {4103, 7739, 7875},
                      {9463, 6310, 3944}});
  const SparseMatrix& m = features(data);
  EXPECT_FLOAT_EQ(m.values[0], 0.00499937f);
  EXPECT_EQ(columns(data, 19073).size(), 38u);
  EXPECT_FLOAT_EQ(m.values[m.offsets[19073] + 2], 0.03669209f);
  EXPECT_NEAR(std::accumulate(m.values.begin(), m.values.end(), 0.0), 38716.295094509376, 1e-6);
}

}  // namespace
}  // namespace pdegcn::data
