#include "pdegcn/data/geom_gcn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

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

const std::string kNodes =
    "node_id\tfeature\tlabel\n"
    "0\t0,1,0,0,0,0,0,0,0,0,0,1\t1\n"
    "1\t0,0,0,0,0,0,0,0,0,0,0,0\t0\n"
    "2\t1,0,0,0,0,0,0,0,0,0,0,0\t2\n";
const std::string kEdges = "node_id\tnode_id\n0\t1\n2\t1\n1\t0\n2\t2\n";

class TinyGeomGcn : public testing::Test {
 protected:
  Dataset read(const std::string& nodes, const std::string& edges = kEdges) {
    folder.write("tiny/out1_node_feature_label.txt", nodes);
    folder.write("tiny/out1_graph_edges.txt", edges);
    return read_geom_gcn(folder.path() / "tiny");
  }
  tests::TemporaryFolder folder;
};

TEST_F(TinyGeomGcn, DenseListsAreRead) {
  const Dataset data = read(kNodes);
  EXPECT_EQ(data.name, "tiny");
  EXPECT_EQ(data.num_nodes(), 3);
  EXPECT_EQ(data.num_features(), 12);
  EXPECT_EQ(data.num_classes(), 3);
  EXPECT_EQ(features(data).offsets, (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(features(data).columns, (std::vector<std::int32_t>{1, 11, 0}));
  EXPECT_EQ(features(data).values, (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(labels(data), (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(data.num_edges(), 2);
  EXPECT_EQ(data.samples[0].graph.report().given, 4);
  EXPECT_EQ(data.samples[0].graph.report().self_loops, 1);
  EXPECT_TRUE(data.splits.empty());
}

TEST_F(TinyGeomGcn, NodesComeInAnyOrderAsColumnsOrIndices) {
  const Dataset dense = read("node_id\tfeature\tlabel\n2\t0,0,1\t2\n0\t1,0,1\t0\n1\t0,0,0\t1\n");
  EXPECT_EQ(columns(dense, 0), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(columns(dense, 2), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(labels(dense), (std::vector<std::int32_t>{0, 1, 2}));

  const Dataset indices = read("node_id\tfeature\tlabel\n2\t0,1\t2\n0\t17,3,931\t0\n1\t\t1\n");
  EXPECT_EQ(indices.num_features(), 932);
  EXPECT_EQ(columns(indices, 0), (std::vector<std::int32_t>{3, 17, 931}));
  EXPECT_TRUE(columns(indices, 1).empty());
  EXPECT_EQ(columns(indices, 2), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(labels(indices), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_F(TinyGeomGcn, LineEndsAndMarksDoNotMatter) {
  std::string windows = "\xEF\xBB\xBF" + kNodes;
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2)
    windows.insert(at, "\r");
  windows.resize(windows.size() - 2);  // and no last newline
  const Dataset data = read(windows, "\n0\t1\n1\t2\n\n \n");
  EXPECT_EQ(labels(data), (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(columns(data, 0), (std::vector<std::int32_t>{1, 11}));
  EXPECT_EQ(data.num_edges(), 2);
}

TEST_F(TinyGeomGcn, MistakesAreErrorsWithTheirLine) {
  const auto nodes = [&](const std::string& lines, const char* message) {
    PDEGCN_EXPECT_ERROR(read("node_id\tfeature\tlabel\n" + lines), message);
  };
  nodes("", "out1_node_feature_label.txt: there are no nodes");
  nodes("0\t0,0,1\t0\n1\t0,0\t0\n", "out1_node_feature_label.txt:3: 2 features, but 3 before");
  nodes("0\t0,0,1\t0\n1\t0,0,2\t0\n", ":3: feature 2 is not 0 or 1");
  nodes("0\t0,0,1\t0\n1\t0,,0\t0\n", ":3: feature 1 is not 0 or 1");
  nodes("0\t0,0,1\t0\n1\t0,0,\t0\n", ":3: feature 2 is not 0 or 1");
  nodes("0\t0,0,1\t0\n1\t\t0\n", ":3: feature 0 is not 0 or 1");
  nodes("0\t0,0,nan\t0\n", ":2: feature 2 is not 0 or 1");
  nodes("0\t5,7\t0\n1\t6,6\t0\n", ":3: feature 6 is listed twice");
  nodes("0\t5,7\t0\n1\t6,-6\t0\n", ":3: feature -6 is negative");
  nodes("0\t5,7\t0\n1\t6,99999999999\t0\n", ":3: the feature '99999999999' is out of range");
  nodes("0\t0,0,1\t0\n0\t0,0,0\t0\n", ":3: node id 0 is there twice");
  nodes("0\t0,0,1\t0\n2\t0,0,0\t0\n", ":3: node id 2 is outside 0..1");
  nodes("0\t0,0,1\t0\n-1\t0,0,0\t0\n", ":3: node id -1 is outside 0..1");
  nodes("0\t0,0,1\tred\n", ":2: the label 'red' is not a whole number");
  nodes("0\t0,0,1\t-1\n", ":2: label -1 is negative");
  nodes("0\t0,0,1\t2000000000\n", ":2: label 2000000000 is too large for 1 nodes");
  nodes("0\t0,0,1\n", ":2: the label is missing");
  nodes("0\n", ":2: the features are missing");
  nodes("0\t0,0,1\t0\t9\n", ":2: unexpected '9' at the end of the line");
  nodes("x\t0,0,1\t0\n", ":2: the node id 'x' is not a whole number");

  const auto edges = [&](const std::string& lines, const char* message) {
    PDEGCN_EXPECT_ERROR(read(kNodes, "node_id\tnode_id\n" + lines), message);
  };
  edges("0\t3\n", "out1_graph_edges.txt:2: node 3 is outside 0..2");
  edges("0\t1\n-1\t0\n", "out1_graph_edges.txt:3: node -1 is outside 0..2");
  edges("0\n", ":2: the second node is missing");
  edges("0\t1\t2\n", ":2: unexpected '2'");
  edges("0\t1.5\n", ":2: the second node '1.5' is not a whole number");
}

struct Facts {
  const char* name;
  std::int64_t nodes, lines, loops, edges, features, nonzeros;
  std::vector<std::int64_t> per_class;
  std::vector<std::size_t> split;
  std::int32_t row7_first;  // first feature of node 7, or -1
};

class GeomGcn : public testing::TestWithParam<Facts> {};

TEST_P(GeomGcn, RealFilesHaveTheirCounts) {
  const Facts& facts = GetParam();
  PDEGCN_NEEDS_DATA(facts.name);
  const Dataset data = read_geom_gcn(tests::data_folder() / facts.name);
  EXPECT_EQ(data.name, facts.name);
  EXPECT_EQ(data.num_nodes(), facts.nodes);
  EXPECT_EQ(data.num_edges(), facts.edges);
  EXPECT_EQ(data.samples.at(0).graph.report().given, facts.lines);
  EXPECT_EQ(data.samples.at(0).graph.report().self_loops, facts.loops);
  EXPECT_EQ(data.num_features(), facts.features);
  EXPECT_EQ(static_cast<std::int64_t>(features(data).columns.size()), facts.nonzeros);
  EXPECT_EQ(data.num_classes(), 5);
  for (std::int32_t c = 0; c < 5; ++c)
    EXPECT_EQ(std::count(labels(data).begin(), labels(data).end(), c), facts.per_class[c]);
  const auto row7 = columns(data, 7);
  EXPECT_EQ(row7.empty() ? -1 : row7[0], facts.row7_first);
  ASSERT_EQ(data.splits.size(), 10u);
  for (int k = 0; k < 10; ++k) {
    const Split& split = data.split(std::to_string(k));
    EXPECT_EQ(split.train.size(), facts.split[0]);
    EXPECT_EQ(split.validation.size(), facts.split[1]);
    EXPECT_EQ(split.test.size(), facts.split[2]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, GeomGcn,
    testing::Values(
        Facts{"texas", 183, 325, 16, 279, 1703, 15266, {33, 1, 18, 101, 30}, {87, 59, 37}, 0},
        Facts{"cornell", 183, 298, 3, 277, 1703, 17240, {38, 16, 30, 82, 17}, {87, 59, 37}, 15},
        Facts{
            "cornell_gcnii", 183, 298, 3, 277, 1703, 15266, {33, 1, 18, 101, 30}, {87, 59, 37}, 0},
        Facts{
            "wisconsin", 251, 515, 16, 450, 1703, 24057, {10, 70, 118, 32, 21}, {120, 80, 51}, 45},
        Facts{"chameleon",
              2277,
              36101,
              50,
              31371,
              2325,
              29157,
              {456, 460, 453, 521, 387},
              {1092, 729, 456},
              -1}),
    [](const auto& set) { return std::string(set.param.name); });

}  // namespace
}  // namespace pdegcn::data
