#include "pdegcn/data/dataset.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pdegcn/data/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

Dataset small() {
  Dataset data;
  data.name = "small";
  Sample& sample = data.samples.emplace_back();
  sample.graph = Graph::from_edges(3, {{0, 1}, {1, 2}});
  sample.features = SparseMatrix{3, 4, {0, 2, 2, 3}, {0, 3, 1}, {1, 2, 3}};
  data.targets = NodeLabels{{0, kUnlabelled, 1}};
  data.class_names = {"a", "b"};
  data.splits = {{"0", {0}, {}, {2}}};
  return data;
}

TEST(Dataset, CountsAndSplits) {
  const Dataset data = small();
  EXPECT_NO_THROW(data.check());
  EXPECT_EQ(data.num_nodes(), 3);
  EXPECT_EQ(data.num_edges(), 2);
  EXPECT_EQ(data.num_features(), 4);
  EXPECT_EQ(data.num_classes(), 2);
  EXPECT_EQ(data.split("0").test, (std::vector<std::int32_t>{2}));
  PDEGCN_EXPECT_ERROR(data.split("1"), "data set small has no split '1'; it has 0");
}

TEST(Dataset, WhatDoesNotFitIsFound) {
  const auto expect = [](auto change, const char* message) {
    Dataset data = small();
    change(data, data.samples[0]);
    PDEGCN_EXPECT_ERROR(data.check(), message);
  };
  const auto sparse = [](Sample& s) -> SparseMatrix& { return std::get<SparseMatrix>(s.features); };
  expect([&](Dataset&, Sample& s) { sparse(s).columns[2] = 4; }, "column 4 in row 2 is outside");
  expect([&](Dataset&, Sample& s) { sparse(s).columns[2] = -1; }, "column -1 in row 2");
  expect([&](Dataset&, Sample& s) { sparse(s).columns[1] = 0; }, "row 0 do not ascend");
  expect([&](Dataset&, Sample& s) { sparse(s).offsets[1] = 4; }, "offsets fall at row 1");
  expect([&](Dataset&, Sample& s) { sparse(s).offsets[3] = 2; }, "row offsets and entries");
  expect([&](Dataset&, Sample& s) { sparse(s).offsets = {0, 2, 1, 3}; }, "offsets fall at row 1");
  expect([&](Dataset&, Sample& s) { sparse(s).rows = 2; }, "2 rows where 3 are needed");
  expect([&](Dataset&, Sample& s) { sparse(s).values[1] = std::nanf(""); }, "value 1 is nan");
  expect([](Dataset&, Sample& s) { s.features = DenseMatrix{3, 2, {1, 2}}; }, "2 values do not");
  expect([](Dataset&, Sample& s) { s.edge_attributes.odd = DenseMatrix{1, 1, {1}}; }, "1 rows");
  expect([](Dataset&, Sample& s) { s.positions = {1, 2}; }, "2 coordinates for 3 nodes");
  expect([](Dataset&, Sample& s) { s.triangles = {{0, 1, 3}}; }, "names vertex 3 of 3");
  expect([](Dataset&, Sample& s) { s.node_names = {"x"}; }, "1 names for 3 nodes");
  expect([](Dataset& d, Sample&) { d.targets = NodeLabels{{0, 1}}; }, "2 labels where 3");
  expect([](Dataset& d, Sample&) { d.targets = NodeLabels{{0, 1, 2}}; }, "label 2 of item 2");
  expect([](Dataset& d, Sample&) { d.targets = NodeLabels{{0, 1, -2}}; }, "label -2 of item 2");
  expect([](Dataset& d, Sample&) { d.targets = GraphLabels{{0, 1}}; }, "2 labels where 1");
  expect([](Dataset& d, Sample&) { d.targets = NodeMultiLabels{1, {0, 1}}; }, "2 label values");
  expect([](Dataset& d, Sample&) { d.targets = NodeMultiLabels{1, {0, 1, 2}}; }, "not 0 or 1");
  expect([](Dataset& d, Sample&) { d.splits[0].test = {3}; }, "split '0' names item 3 of 3");
  expect([](Dataset& d, Sample&) { d.splits[0].test = {0}; }, "split '0' names item 0 twice");
}

TEST(File, TellsWhatIsWrong) {
  const tests::TemporaryFolder folder;
  PDEGCN_EXPECT_ERROR(File(folder.path() / "gone"), "gone: No such file or directory");
  PDEGCN_EXPECT_ERROR(File(folder.path()), "this is a folder, not a file");
  PDEGCN_EXPECT_ERROR(File("/dev/null"), "/dev/null: this is not a regular file");
  const File file(folder.write("a", std::string("x\0y", 3)));
  EXPECT_EQ(file.content(), std::string_view("x\0y", 3));
  EXPECT_EQ(File(folder.write("b", "")).content(), "");
  PDEGCN_EXPECT_ERROR(file.fail_at_line(7, "no {}", "way"), "/a:7: no way");
}

TEST(File, CopiesKeepTheBytes) {
  std::string_view view;
  const File copy = [&] {
    const File file("short", "abc");
    view = file.content();
    return file;
  }();
  EXPECT_EQ(copy.content().data(), view.data());
  EXPECT_EQ(view, "abc");
}

TEST(File, NamesOfPaths) {
  EXPECT_EQ(name_of("a/b"), "b");
  EXPECT_EQ(name_of("a/b/"), "b");
  EXPECT_EQ(name_of("/x/y/../z/."), "z");
  EXPECT_EQ(name_of("."), std::filesystem::current_path().filename());
}

}  // namespace
}  // namespace pdegcn::data
