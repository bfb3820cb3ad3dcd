#include "pdegcn/data/own_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pdegcn/data/gnn_benchmark.h"
#include "pdegcn/data/npy.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

using Labels = std::vector<std::int32_t>;

const std::vector<std::int32_t>& labels(const Dataset& data) {
  return std::get<NodeLabels>(data.targets).label;
}

std::vector<Edge> edges(const Dataset& data) {
  const auto span = data.samples.at(0).graph.edges();
  return {span.begin(), span.end()};
}

std::vector<float> dense(const Dataset& data) {
  return std::get<DenseMatrix>(data.samples.at(0).features).values;
}

const SparseMatrix& sparse(const Dataset& data) {
  return std::get<SparseMatrix>(data.samples.at(0).features);
}

template <class T>
std::string array(std::vector<std::int64_t> shape, std::vector<T> values) {
  return npy<T>(std::move(shape), values);
}

class OwnData : public testing::Test {
 protected:
  Dataset read() const { return read_own_data(folder.path()); }
  void expect_error(const std::string& name, const std::string& content, const char* message) {
    folder.write(name, content);
    PDEGCN_EXPECT_ERROR(read(), message);
  }
  tests::TemporaryFolder folder;
};

TEST_F(OwnData, EmptyNodesAndHugeIndicesAreErrors) {
  expect_error("edges.csv", "a,b\nb,c\nc,\n", "edges.csv:3: the node is empty");
  folder.write("edges.csv", "0,1\n");
  expect_error("features.svm", "a 1:1\nb 2147483647:1\n", "features.svm: 2147483647 columns");
  expect_error("features.svm", "a 1:1\n\xff 2:1\n", "features.svm:2: the label");
  folder.write("features.svm", "a 1:1\nb 2:1\n");
  expect_error("dataset.toml", "\n[random_splits]\nseed = -1\n", "dataset.toml:2: random_splits");
  expect_error("dataset.toml", "\n[random_splits]\ntrain = 2.5\n", "dataset.toml:2: random_splits");
}

TEST_F(OwnData, NumbersAndNoHeadings) {
  folder.write("edges.csv", "0,1\n1,2\n2,0\n2,2\n");
  folder.write("features.csv", "1,0.5\n0,-2e-1\n3,+4\n5,6\n");
  folder.write("labels.csv", "0\n1\n\n0\n?\n");
  const Dataset data = read();
  EXPECT_EQ(data.num_nodes(), 4);
  EXPECT_EQ(edges(data), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(dense(data), (std::vector<float>{1, 0.5f, 0, -0.2f, 3, 4, 5, 6}));
  EXPECT_EQ(labels(data), (Labels{0, 1, 0, kUnlabelled}));
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(data.samples[0].node_names.empty());
  EXPECT_EQ(data.splits.size(), 10u);  // drawn
}

TEST_F(OwnData, NamesHeadingsQuotesAndOtherSeparators) {
  folder.write("edges.tsv",
               "\xEF\xBB\xBFsource\ttarget\r\n# a remark\r\nann\tbob\r\n\"bob\"\tcy d\r\n");
  folder.write("features.csv", "id;age\ncy d;7\nann;1\nbob;2\n");
  folder.write("labels.txt", "node,class\nbob,red\nann,blue");
  folder.write("splits.csv", "id,first,second\nann,train,test\nbob,validation,\ncy d,test,val\n");
  const Dataset data = read();
  EXPECT_EQ(data.samples[0].node_names, (std::vector<std::string>{"cy d", "ann", "bob"}));
  EXPECT_EQ(edges(data), (std::vector<Edge>{{0, 2}, {1, 2}}));
  EXPECT_EQ(dense(data), (std::vector<float>{7, 1, 2}));
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(labels(data), (Labels{kUnlabelled, 0, 1}));
  ASSERT_EQ(data.splits.size(), 2u);
  EXPECT_EQ(data.split("first").train, (Labels{1}));
  EXPECT_EQ(data.split("first").validation, (Labels{2}));
  EXPECT_EQ(data.split("first").test, (Labels{0}));
  EXPECT_EQ(data.split("second").train, (Labels{}));
  EXPECT_EQ(data.split("second").validation, (Labels{0}));
}

TEST_F(OwnData, NumbersUnderAnIdHeadingAreNoFeatures) {
  folder.write("edges.csv", "7,5\n");
  folder.write("features.csv", "Node_ID,age\n5,1\n7,2\n");
  const Dataset data = read();
  EXPECT_EQ(data.num_features(), 1);
  EXPECT_EQ(data.samples[0].node_names, (std::vector<std::string>{"5", "7"}));
}

TEST_F(OwnData, EdgesAloneAreEnough) {
  folder.write("edges.txt", "30 4\n4   100\n");
  const Dataset numbers = read();
  EXPECT_EQ(numbers.samples[0].node_names, (std::vector<std::string>{"4", "30", "100"}));
  EXPECT_EQ(edges(numbers), (std::vector<Edge>{{0, 1}, {0, 2}}));
  EXPECT_EQ(sparse(numbers).columns, (std::vector<std::int32_t>{0, 1, 2}));  // identity
  EXPECT_EQ(numbers.num_features(), 3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(numbers.targets));
  EXPECT_TRUE(numbers.splits.empty());

  folder.write("edges.txt", "b a\nc b\n");
  EXPECT_EQ(read().samples[0].node_names, (std::vector<std::string>{"b", "a", "c"}));
}

TEST_F(OwnData, LabelsMayNameFurtherNodes) {
  folder.write("edges.csv", "0,1\n");
  folder.write("labels.csv", "2,yes\n0,no\n");
  const Dataset data = read();
  EXPECT_EQ(data.num_nodes(), 3);
  EXPECT_EQ(labels(data), (Labels{0, kUnlabelled, 1}));
}

TEST_F(OwnData, LabelsThatAreNumbersKeepTheirOrder) {
  folder.write("edges.csv", "0,1\n");
  folder.write("labels.csv", "10\n9\n-1\n9\n");
  const Dataset data = read();
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(labels(data), (Labels{1, 0, kUnlabelled, 0}));
}

TEST_F(OwnData, AllLabelsMayBeMissing) {
  folder.write("edges.csv", "0,1\n");
  folder.write("labels.csv", "?\n?\n");
  const Dataset data = read();
  EXPECT_EQ(labels(data), (Labels{kUnlabelled, kUnlabelled}));
  EXPECT_TRUE(data.splits.empty());
}

TEST_F(OwnData, Arrays) {
  folder.write("edges.npy", array<std::int32_t>({2, 2}, {0, 1, 2, 1}));
  folder.write("features.npy", array<double>({3, 1}, {0.5, 1, 2}));
  folder.write("labels.npy", array<std::int64_t>({3}, {4, -1, 2}));
  const Dataset data = read();
  EXPECT_EQ(edges(data), (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(dense(data), (std::vector<float>{0.5f, 1, 2}));
  EXPECT_EQ(labels(data), (Labels{1, kUnlabelled, 0}));
}

TEST_F(OwnData, SparseFeatures) {
  folder.write("edges.csv", "0,1\n");
  std::map<std::string, std::string> csr = {
      {"data", array<double>({3}, {1, 2, 3})},
      {"indices", array<std::int32_t>({3}, {3, 0, 1})},
      {"indptr", array<std::int32_t>({3}, {0, 2, 3})},
      {"shape", array<std::int64_t>({2}, {2, 4})},
      {"format", npy(ArrayView{"", {'S', 3}, {}, false, "csr"})}};
  folder.write("features.npz", npz(csr));
  EXPECT_EQ(sparse(read()).columns, (std::vector<std::int32_t>{0, 3, 1}));
  EXPECT_EQ(sparse(read()).values, (std::vector<float>{2, 1, 3}));
  csr["format"] = npy(ArrayView{"", {'S', 3}, {}, false, "csc"});
  expect_error("features.npz", npz(csr), "features.npz: the sparse matrix is csc, not csr");
  folder.write("features.npz", npz({{"x", array<float>({2, 1}, {7, 8})}}));
  EXPECT_EQ(dense(read()), (std::vector<float>{7, 8}));
  expect_error("features.npz", npz({{"x", ""}, {"y", ""}}), "neither one dense array");
}

TEST_F(OwnData, SvmlightHoldsLabelsToo) {
  folder.write("edges.csv", "0,1\n");
  folder.write("features.svm", "# remark\n+1 3:0.5 1:2 # more\n-2\n? 2:1\n");
  const Dataset data = read();
  EXPECT_EQ(data.num_nodes(), 3);
  EXPECT_EQ(data.num_features(), 3);
  EXPECT_EQ(sparse(data).columns, (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(sparse(data).values, (std::vector<float>{2, 0.5f, 1}));
  EXPECT_EQ(labels(data), (Labels{1, 0, kUnlabelled}));
  folder.write("features.svm", "a 0:1 2:1\nb 1:1\n");
  EXPECT_EQ(sparse(read()).columns, (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(read().num_features(), 3);
  folder.write("labels.csv", "x\ny\n");
  EXPECT_EQ(read().class_names, (std::vector<std::string>{"x", "y"}));
  expect_error("features.svm", "a 1:1\nb 1:1 1:2\n", "features.svm:2: index 1 is there twice");
  expect_error("features.svm", "a 1:1\nb -1:2\n", "features.svm:2: index -1 is negative");
  expect_error("features.svm", "a 1:1\nb 7\n", "features.svm:2: '7' is no index:value");
  expect_error("features.svm", "a 1:x\n", "features.svm:1: the value 'x' is not a number");
  expect_error("features.svm", "a 99999999999:1\n", "is out of range");
  expect_error("features.svm", "a\nb\n", "2 rows and 0 columns are no features");
}

TEST_F(OwnData, TomlNamesFilesAndOptions) {
  folder.write("links.list", "source,target\nx,y\ny,z\n");
  folder.write("deep/f.csv", "x,1\ny,2\nz,3\n");
  folder.write("classes.csv", "x,A\ny,B\nz,A\n");
  folder.write("dataset.toml",
               "name = \"friends\"\nedges = \"links.list\"\nfeatures = \"deep/f.csv\"\n"
               "labels = \"classes.csv\"\n[random_splits]\ncount = 3\nseed = 7\ntrain = 1\n"
               "validation = 0\n");
  const Dataset data = read();
  EXPECT_EQ(data.name, "friends");
  EXPECT_EQ(data.source, folder.path().string());
  EXPECT_EQ(dense(data), (std::vector<float>{1, 2, 3}));
  ASSERT_EQ(data.splits.size(), 3u);
  EXPECT_EQ(data.splits[2].train.size(), 2u);
  EXPECT_EQ(data.splits[2].test.size(), 1u);

  expect_error("dataset.toml", "edgs = \"a\"\n",
               "dataset.toml:1: unknown key 'edgs', did you mean edges?; known are");
  expect_error("dataset.toml", "\nedges = 5\n", "dataset.toml:2: 'edges' has the wrong type");
  expect_error("dataset.toml", "edges = \n", "dataset.toml:1: ");
  expect_error("dataset.toml", "random_splits = 5\n", "'random_splits' is no table");
  expect_error("dataset.toml", "edges = \"links.list\"\n[random_splits]\nratio = 1\n",
               "dataset.toml:3: unknown key 'ratio'");
  expect_error("dataset.toml", "edges = \"gone.csv\"\n", "gone.csv: No such file");
  PDEGCN_EXPECT_ERROR(read_own_data(folder.path() / "gone.toml"), "gone.toml: No such file");
}

TEST_F(OwnData, TheJudgementOfHeadingsCanBeOverridden) {
  folder.write("edges.csv", "id,bob\n7,bob\n");
  EXPECT_EQ(read().num_nodes(), 2);  // taken as a heading
  folder.write("dataset.toml", "heading = false\n");
  EXPECT_EQ(read().num_nodes(), 3);
  folder.write("dataset.toml", "heading = true\n");
  folder.write("edges.csv", "ann,bob\ncy,bob\n");
  EXPECT_EQ(read().num_nodes(), 2);
}

TEST_F(OwnData, MistakesAreErrorsWithTheirLine) {
  PDEGCN_EXPECT_ERROR(read(), "there is no edges.csv");
  expect_error("edges.csv", "0,1,2\n", "edges.csv: 3 columns where an edge has two");
  expect_error("edges.csv", "0\n", "edges.csv: one column where an edge has two");
  expect_error("edges.csv", "0,1\n2\n", "edges.csv:2: 1 fields where the first row has 2");
  expect_error("edges.csv", "0,1\n\"2,3\n", "edges.csv:2: a quote that does not end");
  folder.write("edges.csv", "0,1\n1,2\n");

  expect_error("features.csv", "1,2\n3,4\n", "edges.csv:2: node 2 is outside 0..1");
  expect_error("features.csv", "1,2\n3\n4,5\n",
               "features.csv:2: 1 fields where the first row has 2");
  expect_error("features.csv", "1,2\n3,x\n4,5\n",
               "features.csv:2: the feature 'x' is not a number");
  expect_error("features.csv", "1,2\n3,nan\n4,5\n",
               "features.csv:2: the feature 'nan' is not finite");
  expect_error("features.csv", "1,2\n3,1e99\n4,5\n",
               "features.csv:2: the feature '1e99' is out of");
  expect_error("features.csv", "1,2\n3,\n4,5\n", "features.csv:2: the feature '' is not a number");
  expect_error("features.csv", "", "0 rows and 0 columns are no features");
  expect_error("features.csv", "id,a\n0,1\n0,2\n", "features.csv:3: node '0' is there twice");
  expect_error("features.csv", "id,a\n0,1\n,2\n", "features.csv:3: the node is empty");
  expect_error("features.csv", "id,a\n0,1\n1,2\n", "edges.csv:2: unknown node '2'");
  folder.write("features.csv", "1\n2\n3\n");

  expect_error("labels.csv", "0,a\n0,b\n", "labels.csv:2: node '0' is there twice");
  expect_error("labels.csv", "0,\xff\n1,\xfe\n", "labels.csv:1: this line is not text in UTF-8");
  expect_error("labels.csv", "0,a\n3,b\n", "labels.csv:2: node 3 is outside 0..2");
  expect_error("labels.csv", "x,a\n", "labels.csv:1: the node 'x' is not a whole number");
  expect_error("labels.csv", "0,a,b\n", "labels.csv: 3 columns");
  expect_error("labels.csv", "a\nb\n", "labels.csv: 2 labels for 3 nodes");
  expect_error("labels.csv", "a\nb\na\nb\n", "labels.csv:4: more labels than the 3 nodes");
  folder.write("labels.csv", "a\nb\na\n");

  expect_error("splits.csv", "0,train\n1,learn\n", "splits.csv:2: 'learn' is none of train");
  expect_error("splits.csv", "0,train\n0,test\n", "splits.csv:2: node '0' is there twice");
  expect_error("splits.csv", "node,a,a\n0,train,test\n", "splits.csv: there are two splits 'a'");
  for (const char* name : {"all", "random:1", "\"\""})
    expect_error("splits.csv", fmt::format("node,{}\n0,train\n", name), "the name of a split");
  expect_error("splits.csv", "train\ntest\ntest\ntest\n",
               "splits.csv:4: more rows than the 3 nodes");
  std::filesystem::remove(folder.path() / "splits.csv");

  folder.write("labels.tsv", "a\nb\na\n");
  PDEGCN_EXPECT_ERROR(read(), "labels.csv and labels.tsv are both there");
  std::filesystem::remove(folder.path() / "labels.tsv");
  std::filesystem::remove(folder.path() / "features.csv");
  std::filesystem::create_directory(folder.path() / "features.csv");
  PDEGCN_EXPECT_ERROR(read(), "features.csv: this is a folder, not a file");
  std::filesystem::remove(folder.path() / "features.csv");
  expect_error("features.npy", array<float>({1, 3}, {1, 2, 3}), "outside 0..0");
  expect_error("features.npy", array<float>({3}, {1, 2, 3}), "the shape is (3)");
  expect_error("features.npy", array<float>({3, 1}, {1, INFINITY, 3}),
               "features.npy: value 1 is inf");
  expect_error("features.npy", array<float>({0, 3}, {}), "0 rows and 3 columns are no features");
  const ArrayView none{"", {'f', 4}, {std::int64_t{1} << 40, 0}, false, ""};
  expect_error("features.npy", npy(none), "are no features");
}

TEST(RandomSplits, SharesOfEveryClass) {
  std::vector<std::int32_t> many;
  for (int k = 0; k < 100; ++k) many.push_back(k % 10 == 9 ? kUnlabelled : k % 2);
  const auto splits = random_splits(many, {.count = 3, .seed = 5});
  ASSERT_EQ(splits.size(), 3u);
  for (const Split& split : splits) {
    EXPECT_EQ(split.train.size(), 54u);  // of 50 and of 40
    EXPECT_EQ(split.validation.size(), 18u);
    EXPECT_EQ(split.test.size(), 18u);
    const auto of_class_1 = [&](const std::vector<std::int32_t>& part) {
      return std::ranges::count_if(part, [&](auto k) { return many[k] == 1; });
    };
    EXPECT_EQ(of_class_1(split.train), 24);
    EXPECT_EQ(of_class_1(split.validation), 8);
    std::vector<int> times(100);
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      EXPECT_TRUE(std::ranges::is_sorted(*part));
      for (const std::int32_t k : *part) ++times[k];
    }
    for (int k = 0; k < 100; ++k) EXPECT_EQ(times[k], many[k] == kUnlabelled ? 0 : 1);
  }
  EXPECT_NE(splits[0].train, splits[1].train);
  EXPECT_EQ(random_splits(many, {.count = 2, .seed = 5})[1].train, splits[1].train);
  EXPECT_NE(random_splits(many, {.count = 2, .seed = 6})[1].train, splits[1].train);
  const auto partial = random_splits(many, {.train = 0.1, .validation = 0.1, .test = 0.1});
  EXPECT_EQ(partial[0].test.size(), 9u);
}

TEST(RandomSplits, NodesPerClass) {
  std::vector<std::int32_t> three_classes;
  for (int k = 0; k < 90; ++k) three_classes.push_back(k < 4 ? 2 : k % 2);
  const auto splits = random_splits(three_classes, {.train = 5, .validation = 30, .test = 20});
  EXPECT_EQ(splits[0].train.size(), 14u);  // the third class has four nodes only
  EXPECT_EQ(splits[0].validation.size(), 30u);
  EXPECT_EQ(splits[0].test.size(), 20u);
}

TEST(RandomSplits, NumbersThatAreNotPossibleAreErrors) {
  const std::vector<std::int32_t> two = {0, 1, 0, 1};
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = 0}), "train is 0");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = -0.5}), "train is -0.5");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = 1.5}), "train is 1.5");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = std::nan("")}), "train is nan");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = 0.9, .validation = 0.2}), "add up to 1.1");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.count = 0}), "count is 0");
  PDEGCN_EXPECT_ERROR(random_splits(two, {.train = 1, .validation = 3}),
                      "validation is 3, but only 2 labelled nodes are left");
}

class GnnBenchmark : public testing::Test {
 protected:
  Dataset read() const {
    return read_gnn_benchmark(File("x/toy.npz", npz(arrays, Compression::kStored)), {.count = 1});
  }
  std::map<std::string, std::string> arrays = {
      {"adj_data", array<float>({4}, {1, 1, 0, 1})},
      {"adj_indices", array<std::int32_t>({4}, {1, 0, 2, 1})},
      {"adj_indptr", array<std::int32_t>({4}, {0, 1, 3, 4})},
      {"adj_shape", array<std::int64_t>({2}, {3, 3})},
      {"attr_data", array<float>({2}, {5, 6})},
      {"attr_indices", array<std::int32_t>({2}, {1, 0})},
      {"attr_indptr", array<std::int32_t>({4}, {0, 1, 1, 2})},
      {"attr_shape", array<std::int64_t>({2}, {3, 2})},
      {"labels", array<std::int64_t>({3}, {1, 0, 1})}};
};

TEST_F(GnnBenchmark, IsRead) {
  const Dataset data = read();
  EXPECT_EQ(data.name, "toy");
  EXPECT_EQ(edges(data), (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(sparse(data).values, (std::vector<float>{5, 6}));
  EXPECT_EQ(labels(data), (Labels{1, 0, 1}));
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(data.splits.size(), 1u);
  EXPECT_TRUE(is_gnn_benchmark(File("x.npz", npz(arrays))));
  EXPECT_FALSE(is_gnn_benchmark(File("x.npz", npz({{"x", ""}}))));
  EXPECT_FALSE(is_gnn_benchmark(File("x.npz", "hello")));
}

TEST_F(GnnBenchmark, PartsMayBeMissingOrOtherwise) {
  arrays["class_names"] = npy(ArrayView{"", {'S', 2}, {2}, false, "nono"});
  EXPECT_EQ(read().class_names, (std::vector<std::string>{"no", "no"}));
  arrays["class_names"] = "pickled";
  EXPECT_EQ(read().class_names, (std::vector<std::string>{"0", "1"}));
  arrays.erase("labels");
  EXPECT_TRUE(read().splits.empty());
  for (const char* part : {"data", "indices", "indptr", "shape"})
    arrays.erase(std::string("attr_") + part);
  EXPECT_EQ(read().num_features(), 3);  // identity
  arrays["attr_matrix"] = array<double>({3, 1}, {1, 2, 3});
  EXPECT_EQ(dense(read()), (std::vector<float>{1, 2, 3}));
}

TEST_F(GnnBenchmark, MistakesAreErrors) {
  const auto expect = [&](const std::string& name, const std::string& bytes, const char* message) {
    const auto saved = arrays;
    arrays[name] = bytes;
    PDEGCN_EXPECT_ERROR(read(), message);
    arrays = saved;
  };
  expect("adj_shape", array<std::int64_t>({2}, {3, 4}), "the adjacency matrix is 3 x 4");
  expect("adj_shape", array<std::int64_t>({2}, {1LL << 40, 3}), "is not possible");
  expect("adj_shape", array<std::int64_t>({2}, {9, 9}), "where (10) is needed");
  expect("adj_indices", array<std::int32_t>({4}, {1, 0, 3, 1}), "column 3 is outside 0..2");
  expect("labels", array<std::int64_t>({2}, {1, 0}), "the shape is (2) where (3)");
  expect("labels", array<std::int64_t>({3}, {1, 0, 1000}), "label 1000 is too large");
  expect("labels", array<std::int64_t>({3}, {1, 0, -7}), "label -7");
  expect("attr_shape", array<std::int64_t>({2}, {3, 1}), "column 1 is outside 0..0");
}

// The checksums of an archive keep damage from its arrays: here they are damaged first.
TEST_F(GnnBenchmark, DamagedArraysAreReadOrRefused) {
  kernels::Random random(1);
  const auto good = arrays;
  int refused = 0;
  for (int round = 0; round < 10000; ++round) {
    arrays = good;
    auto damaged = std::next(arrays.begin(), static_cast<std::ptrdiff_t>(random.below(9)));
    damaged->second = tests::mutate(damaged->second, random);
    try {
      read();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 10000);
}

}  // namespace
}  // namespace pdegcn::data
