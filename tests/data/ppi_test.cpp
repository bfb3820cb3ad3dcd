#include "pdegcn/data/ppi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "pdegcn/data/node_link.h"
#include "pdegcn/data/npy.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

const DenseMatrix& features(const Dataset& data, std::size_t sample) {
  return std::get<DenseMatrix>(data.samples.at(sample).features);
}

const NodeMultiLabels& labels(const Dataset& data) {
  return std::get<NodeMultiLabels>(data.targets);
}

NodeLink node_link(const std::string& text) {
  return read_node_link(File("g.json", text));
}

TEST(NodeLink, IsRead) {
  const NodeLink g = node_link(
      R"({"directed": false, "graph": {"nodes": [1, {"id": 7}]}, "nodes": [
          {"test": false, "id": 0, "val": true, "feature": [1, 2, {"id": 9}]},
          {"id": 1, "label": null}, {"test": true, "id": 2}],
          "links": [{"target": 1, "source": 0, "weight": 0.5}, {"source": 2, "target": 2}],
          "multigraph": false})");
  EXPECT_EQ(g.ids, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(g.validation, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(g.test, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(g.edges, (std::vector<Edge>{{0, 1}, {2, 2}}));
}

TEST(NodeLink, EndsAreIdsInAnyOrderOfTheFile) {
  const std::vector<Edge> edge = {{1, 0}};
  EXPECT_EQ(node_link(R"({"links": [{"source": 3, "target": 8}], "nodes": [{"id": 8}, {"id": 3}]})")
                .edges,
            edge);
  EXPECT_EQ(
      node_link(
          R"({"links": [{"source": "b", "target": "a"}], "nodes": [{"id": "a"}, {"id": "b"}]})")
          .edges,
      edge);
  EXPECT_EQ(
      node_link(R"({"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 1, "target": 0}]})")
          .edges,
      edge);
}

TEST(NodeLink, MistakesAreErrors) {
  const auto expect = [](const std::string& text, const char* message) {
    PDEGCN_EXPECT_ERROR(node_link(text), message);
  };
  expect("", "g.json: byte 1");
  expect(R"({"nodes": [)", "g.json: byte 12: parse error at line 1, column 12");
  expect("{}", "g.json: there are no \"nodes\" and \"links\"");
  expect("[]", "there are no");
  expect(R"({"nodes": [{}], "links": []})", "node 0 has no id");
  expect(R"({"nodes": [{"id": 0, "id": 1}], "links": []})", "node 0 has two ids");
  expect(R"({"nodes": [{"id": 4}, {"id": 4}], "links": []})", "node '4' is there twice");
  expect(R"({"nodes": [{"id": 0}], "links": [{"source": 0}]})", "link 0 lacks source or target");
  expect(R"({"nodes": [{"id": 0}], "links": [{"source": 0, "target": 1}]})",
         "a link names node 1 of 1");
  expect(R"({"nodes": [{"id": 5}], "links": [{"source": 5, "target": 1}]})",
         "a link names node 1, which is not listed");
  expect(R"({"nodes": [{"id": 0}], "links": [{"source": 0, "target": -1}]})", "node -1");
  expect(R"({"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}]})", "not listed");
  expect(R"({"nodes": [{"id": 99999999999999999999}], "links": []})", "node 0 has no id");
}

TEST(NumberMap, IsReadOrRefused) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> read;
  const auto parse = [&](const std::string& text) {
    read.clear();
    read_number_map(File("m.json", text),
                    [&](const std::string& key, const std::vector<std::int64_t>& values) {
                      read.emplace_back(key, values);
                    });
  };
  parse(R"({"a": 5, "b": [1, 0.0, true], "c": []})");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].second, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(read[1].first, "b");
  EXPECT_EQ(read[1].second, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_TRUE(read[2].second.empty());
  PDEGCN_EXPECT_ERROR(parse(R"({"a": 0.5})"), "m.json: a value that is no whole number");
  PDEGCN_EXPECT_ERROR(parse(R"({"a": 1e300})"), "no whole number");
  PDEGCN_EXPECT_ERROR(parse(R"({"a": 18446744073709551615})"), "no whole number");
  PDEGCN_EXPECT_ERROR(parse(R"({"a": "x"})"), "no whole number");
  PDEGCN_EXPECT_ERROR(parse(R"({"a": [[1]]})"), "the entry of 'a' is no list");
  PDEGCN_EXPECT_ERROR(parse("5"), "no whole number");
  PDEGCN_EXPECT_ERROR(parse(std::string(100000, '[')), "is no list");
}

// Four graphs of 2, 3, 1 and 2 nodes; two to train, one to validate, one to test.
class TinyPpi : public testing::Test {
 protected:
  const std::vector<double> feats = {1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 10, 1, -5, 0, 0, 2};
  const std::vector<std::uint8_t> classes = {1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1};
  const std::vector<std::int64_t> graph = {1, 1, 2, 2, 2, 3, 4, 4};

  template <class T>
  static std::string table(const std::vector<T>& values, std::int64_t cols) {
    return npy<T>({static_cast<std::int64_t>(values.size()) / cols, cols}, values);
  }
  template <class T>
  static std::string list(const std::vector<T>& values) {
    return npy<T>({static_cast<std::int64_t>(values.size())}, values);
  }

  void write_arrays(const std::string& labels) {
    folder.write("edges.npy", table<std::int32_t>({0, 1, 1, 1, 2, 4, 3, 4, 6, 7}, 2));
    folder.write("feats_u8.npy", table(feats, 2));
    folder.write("graph_id.npy", list(graph));
    folder.write(labels, table(classes, 2));
    folder.write("graphs.tsv",
                 "graph_id\ttissue\tsplit\tnodes\n1\tskin\ttrain\t2\n2\tbone\ttrain\t3\n"
                 "3\teye\tvalid\t1\n4\tlung\ttest\t2\n");
  }

  void write_graphsage() {
    // Rows of the features are in reverse.
    std::string nodes, id_map, class_map;
    std::vector<double> reversed;
    for (int k = 0; k < 8; ++k) {
      const std::string comma = k == 0 ? "" : ", ";
      nodes += comma + "{\"id\": " + std::to_string(k) +
               ", \"val\": " + (graph[k] == 3 ? "true" : "false") +
               ", \"test\": " + (graph[k] == 4 ? "true" : "false") + "}";
      id_map += comma + "\"" + std::to_string(k) + "\": " + std::to_string(7 - k);
      class_map += comma + "\"" + std::to_string(k) + "\": [" + std::to_string(classes[2 * k]) +
                   ", " + std::to_string(classes[2 * k + 1]) + "]";
      reversed.push_back(feats[14 - 2 * k]);
      reversed.push_back(feats[15 - 2 * k]);
    }
    folder.write(
        "ppi-G.json",
        "{\"nodes\": [" + nodes +
            "], \"links\": [{\"source\": 0, \"target\": 1}, {\"source\": 1, \"target\": 1}, "
            "{\"source\": 4, \"target\": 2}, {\"source\": 3, \"target\": 4}, "
            "{\"source\": 6, \"target\": 7}]}");
    folder.write("ppi-feats.npy", table(reversed, 2));
    folder.write("ppi-id_map.json", "{" + id_map + "}");
    folder.write("ppi-class_map.json", "{" + class_map + "}");
  }

  void write_dgl() {
    const auto part = [&](const std::string& name, int begin, int end, const std::string& links) {
      std::string nodes;
      for (int k = 0; k < end - begin; ++k)
        nodes += (k == 0 ? "{\"id\": " : ", {\"id\": ") + std::to_string(k) + "}";
      folder.write(name + "_graph.json",
                   "{\"directed\": true, \"nodes\": [" + nodes + "], \"links\": [" + links + "]}");
      const std::vector<double> f(feats.begin() + 2 * begin, feats.begin() + 2 * end);
      const std::vector<std::int64_t> c(classes.begin() + 2 * begin, classes.begin() + 2 * end);
      const std::vector<std::int64_t> g(graph.begin() + begin, graph.begin() + end);
      folder.write(name + "_feats.npy", table(f, 2));
      folder.write(name + "_labels.npy", table(c, 2));
      folder.write(name + "_graph_id.npy", list(g));
    };
    part("train", 0, 5,
         R"({"source": 0, "target": 1}, {"source": 1, "target": 0}, {"source": 1, "target": 1},
            {"source": 4, "target": 2}, {"source": 3, "target": 4})");
    part("valid", 5, 6, "");
    part("test", 6, 8, R"({"source": 1, "target": 0})");
  }

  Dataset read() const { return read_ppi(folder.path()); }

  void expect_read(const Dataset& data) const {
    ASSERT_EQ(data.samples.size(), 4u);
    EXPECT_EQ(data.num_features(), 2);
    EXPECT_EQ(data.num_classes(), 2);
    const std::vector<NodeId> sizes = {2, 3, 1, 2};
    const std::vector<EdgeId> edges = {1, 2, 0, 1};
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(data.samples[k].graph.num_nodes(), sizes[k]);
      EXPECT_EQ(data.samples[k].graph.num_edges(), edges[k]);
    }
    EXPECT_EQ(data.samples[1].graph.find_edge(2, 0), 0);
    EXPECT_EQ(data.samples[0].graph.report().self_loops, 1);
    EXPECT_EQ(labels(data).labels, 2);
    EXPECT_EQ(labels(data).values, classes);
    const Split& split = data.split("public");
    EXPECT_EQ(split.train, (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(split.validation, (std::vector<std::int32_t>{2}));
    EXPECT_EQ(split.test, (std::vector<std::int32_t>{3}));
    // Training column 0 is 1, 3, 5, 7, 9: mean 5, population variance 8. Column 1 is constant.
    const float unit = 1 / std::sqrt(8.0f);
    EXPECT_FLOAT_EQ(features(data, 0).values[0], -4 * unit);
    EXPECT_FLOAT_EQ(features(data, 1).values[4], 4 * unit);
    EXPECT_FLOAT_EQ(features(data, 2).values[0], 5 * unit);
    EXPECT_FLOAT_EQ(features(data, 2).values[1], 1);
    EXPECT_FLOAT_EQ(features(data, 3).values[0], -10 * unit);
    EXPECT_FLOAT_EQ(features(data, 3).values[3], 2);
  }

  tests::TemporaryFolder folder;
};

TEST_F(TinyPpi, AllLayoutsGiveTheSame) {
  EXPECT_FALSE(is_ppi(folder.path()));
  write_arrays("labels_u8.npy");
  EXPECT_TRUE(is_ppi(folder.path()));
  expect_read(read());
  EXPECT_EQ(read().name, "ppi");
  EXPECT_EQ(read().samples[1].name, "bone");
  write_dgl();  // takes precedence, as does the next
  expect_read(read());
  EXPECT_EQ(read().samples[1].name, "2");
  write_graphsage();
  expect_read(read());
}

TEST_F(TinyPpi, StandInLabelsAreSaid) {
  write_arrays("standin_labels_u8.npy");
  folder.write("standin_label_names.tsv", "column\tset\n1\tGROWTH\n0\tMOTION\n");
  const Dataset data = read();
  expect_read(data);
  EXPECT_EQ(data.name, "ppi_standin");
  EXPECT_NE(data.source.find("stand-in labels"), std::string::npos);
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"MOTION", "GROWTH"}));
}

TEST_F(TinyPpi, MistakesAreErrors) {
  write_arrays("labels_u8.npy");
  const auto expect = [&](const std::string& name, const std::string& bytes, const char* message) {
    const File good(folder.path() / name);
    folder.write(name, bytes);
    PDEGCN_EXPECT_ERROR(read(), message);
    folder.write(name, good.content());
  };
  expect("edges.npy", table<std::int32_t>({0, 8}, 2), "edges.npy: edge 0 names node 8 of 8");
  expect("edges.npy", table<std::int32_t>({0, -1}, 2), "edges.npy: edge 0 names node -1");
  expect("edges.npy", table<std::int32_t>({0, 2}, 2), "an edge joins graphs 1 and 2");
  expect("edges.npy", table<std::int32_t>({0, 1, 1}, 3), "the shape is (1, 3)");
  expect("feats_u8.npy", table<double>({1, 2}, 2), "the shape is (1, 2) where (8, any)");
  std::vector<double> nan = feats;
  nan[3] = std::nan("");
  expect("feats_u8.npy", table(nan, 2), "nan");
  expect("labels_u8.npy", table(std::vector<std::uint8_t>(16, 2), 2), "2, not 0 or 1");
  expect("graphs.tsv", "1\ta\ttrain\n2\tb\ttrain\n3\tc\tvalid\n", "graph 4 is missing");
  expect("graphs.tsv", "1\ta\ttrain\n1\tb\ttrain\n", "graphs.tsv:2: graph 1 is there twice");
  expect("graphs.tsv", "1\ta\tlearn\n", "graphs.tsv:1: unknown split 'learn'");
  expect("graphs.tsv", "1\n", "graphs.tsv:1: tissue and split are missing");

  write_dgl();
  expect("train_graph_id.npy", list<std::int64_t>({1, 1, 2, 2}), "the shape is (4)");
  expect("valid_graph_id.npy", list<std::int64_t>({1}), "graph 1 has nodes of several splits");
  expect("valid_graph.json", R"({"nodes": [{"id": 5}], "links": []})", "node 0 has the id '5'");
  expect("test_labels.npy", table<std::int64_t>({1, 1}, 1), "the shape is (2, 1) where (2, 2)");

  write_graphsage();
  expect("ppi-id_map.json", R"({"0": 0})", "ppi-id_map.json: node '1' is missing");
  expect("ppi-id_map.json", R"({"0": 8})", "node '0' has no row");
  expect("ppi-id_map.json", R"({"0": 1, "0": 2})", "node '0' is there twice");
  expect("ppi-class_map.json", R"({"x": [0, 1]})", "node 'x' is not in ppi-G.json");
  expect("ppi-class_map.json", R"({"0": [0, 1], "1": [0]})", "node '1' has 1 labels, others 2");
  expect("ppi-class_map.json", R"({"0": [0, 2]})", "a label of node '0' is 2, not 0 or 1");
}

TEST(Ppi, RealFilesHaveTheirCounts) {
  PDEGCN_NEEDS_DATA("ppi");
  const Dataset data = read_ppi(tests::data_folder() / "ppi");
  EXPECT_EQ(data.name, "ppi_standin");
  ASSERT_EQ(data.samples.size(), 24u);
  EXPECT_EQ(data.num_nodes(), 56944);
  EXPECT_EQ(data.num_features(), 50);
  EXPECT_EQ(labels(data).labels, 121);
  EXPECT_EQ(data.class_names.at(0), "CYTOPLASM");
  EdgeId given = 0, loops = 0;
  for (const Sample& sample : data.samples) {
    given += sample.graph.report().given;
    loops += sample.graph.report().self_loops;
    EXPECT_EQ(sample.graph.report().merged, 0);
  }
  EXPECT_EQ(given, 818716);
  EXPECT_EQ(loops, 25084);
  EXPECT_EQ(data.samples[0].name, "adipose_tissue");
  EXPECT_EQ(data.samples[0].graph.num_nodes(), 1554);
  EXPECT_EQ(data.samples[0].graph.report().given, 16912);
  EXPECT_EQ(data.samples[23].graph.num_nodes(), 2310);
  const Split& split = data.split("public");
  EXPECT_EQ(split.train.size(), 20u);
  EXPECT_EQ(split.validation, (std::vector<std::int32_t>{20, 21}));
  EXPECT_EQ(split.test, (std::vector<std::int32_t>{22, 23}));
  EXPECT_FLOAT_EQ(features(data, 0).values[0], -0.0855143f);
  EXPECT_FLOAT_EQ(features(data, 20).values[5], -0.10027067f);
  EXPECT_FLOAT_EQ(features(data, 23).values.back(), -0.14811485f);
  EXPECT_EQ(features(data, 3).values[10], 0);  // constant
  EXPECT_EQ(std::accumulate(labels(data).values.begin(), labels(data).values.end(), 0), 536480);
}

// GraphSAGE's one graph falls apart into the same 24.
TEST(Ppi, RealGraphsAreFoundAgainInTheLayoutOfGraphSage) {
  PDEGCN_NEEDS_DATA("ppi");
  const auto real = tests::data_folder() / "ppi";
  const auto graph = NpyArray(real / "graph_id.npy").view().as<std::int32_t>();
  const auto ends = NpyArray(real / "edges.npy").view().as<std::int32_t>();
  std::string json = "{\"nodes\": [", id_map = "{", class_map = "{";
  for (std::size_t k = 0; k < graph.size(); ++k) {
    const char* comma = k == 0 ? "" : ", ";
    json += fmt::format("{}{{\"id\": {}, \"val\": {}, \"test\": {}}}", comma, k,
                        graph[k] == 21 || graph[k] == 22, graph[k] > 22);
    id_map += fmt::format("{}\"{}\": {}", comma, k, k);
    class_map += fmt::format("{}\"{}\": [1, 0]", comma, k);
  }
  json += "], \"links\": [";
  for (std::size_t k = 0; k < ends.size(); k += 2)
    json += fmt::format("{}{{\"source\": {}, \"target\": {}}}", k == 0 ? "" : ", ", ends[k],
                        ends[k + 1]);
  const tests::TemporaryFolder folder;
  folder.write("ppi-G.json", json + "]}");
  folder.write("ppi-id_map.json", id_map + "}");
  folder.write("ppi-class_map.json", class_map + "}");
  folder.write("ppi-feats.npy", File(real / "feats_u8.npy").content());
  const Dataset read = read_ppi(folder.path());
  const Dataset wanted = read_ppi(real);
  ASSERT_EQ(read.samples.size(), 24u);
  for (std::size_t k = 0; k < 24; ++k) {
    EXPECT_TRUE(std::ranges::equal(read.samples[k].graph.edges(), wanted.samples[k].graph.edges()));
    EXPECT_EQ(features(read, k).values, features(wanted, k).values);
  }
  EXPECT_EQ(read.split("public").train, wanted.split("public").train);
  EXPECT_EQ(read.split("public").test, wanted.split("public").test);
}

}  // namespace
}  // namespace pdegcn::data
