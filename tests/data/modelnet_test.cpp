#include "pdegcn/data/modelnet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

const char* kTriangle = "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

// Two classes with 14 and 26 training shapes and two test shapes each.
void write_tree(const tests::TemporaryFolder& folder, const std::string& root) {
  for (const auto& [name, count] : {std::pair{"sofa", 14}, {"chair", 26}})
    for (int k = 1; k <= count + 2; ++k)
      folder.write(
          fmt::format("{}{}/{}/{}_{:04}.off", root, name, k <= count ? "train" : "test", name, k),
          kTriangle);
  folder.write(root + "README.txt", "not a class");
}

TEST(ModelNet, ReadsATreeOfMeshes) {
  const tests::TemporaryFolder folder;
  write_tree(folder, "ModelNet10/");
  ModelNetOptions options;
  options.cloud.points = 32;
  const Dataset set = read_modelnet(folder.path() / "ModelNet10", options);
  EXPECT_EQ(set.name, "ModelNet10");
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"chair", "sofa"}));
  ASSERT_EQ(set.samples.size(), 44u);
  EXPECT_EQ(set.samples[0].name, "chair_0001");
  EXPECT_EQ(set.samples[26].name, "chair_0027");
  EXPECT_EQ(set.samples[28].name, "sofa_0001");
  const auto& label = std::get<GraphLabels>(set.targets).label;
  for (int k = 0; k < 44; ++k) EXPECT_EQ(label[k], k < 28 ? 0 : 1);
  EXPECT_EQ(set.num_features(), 3);
  for (const Sample& sample : set.samples) EXPECT_EQ(sample.graph.num_nodes(), 32);
  // The same mesh, but points of its own for every file.
  EXPECT_NE(set.samples[0].positions, set.samples[1].positions);
  EXPECT_EQ(set.samples[5].positions, read_modelnet(folder.path(), options).samples[5].positions);
  options.seed = 1;
  EXPECT_NE(set.samples[5].positions, read_modelnet(folder.path(), options).samples[5].positions);
}

TEST(ModelNet, HoldsOutATenthOfEachClass) {
  const tests::TemporaryFolder folder;
  write_tree(folder, "");
  ModelNetOptions options;
  options.cloud = {.points = 4, .k = 0};
  const Dataset set = read_modelnet(folder.path(), options);
  const Split& split = set.split("default");
  EXPECT_EQ(split.test, (std::vector<std::int32_t>{26, 27, 42, 43}));
  ASSERT_EQ(split.validation.size(), 4u);  // 3 of 26 and 1 of 14
  EXPECT_LT(split.validation[2], 26);
  EXPECT_GE(split.validation[3], 28);
  EXPECT_EQ(split.train.size(), 36u);
  EXPECT_EQ(set.split("full").train.size(), 40u);
  EXPECT_TRUE(set.split("full").validation.empty());
  EXPECT_EQ(set.split("full").test, split.test);
  // Always the same ones.
  options.seed = 77;
  EXPECT_EQ(read_modelnet(folder.path(), options).split("default").validation, split.validation);
}

TEST(ModelNet, RefusesByName) {
  const tests::TemporaryFolder folder;
  PDEGCN_EXPECT_ERROR(read_modelnet(folder.path() / "none"), "none: No such file");
  PDEGCN_EXPECT_ERROR(read_modelnet(folder.path()), "no shapes in <class>/train");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  PDEGCN_EXPECT_ERROR(read_modelnet(folder.path()), "loop/train: Too many levels");
  std::filesystem::remove(folder.path() / "loop");
  folder.write("chair/train/a.off", kTriangle);
  folder.write("chair/train/b.off", "OFF\n3 1 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1 2\n");
  folder.write("chair/train/c.off", "OFF\n1 0 0\n0 0 inf\n");
  PDEGCN_EXPECT_ERROR(read_modelnet(folder.path()), "b.off: the surface has no area");
  std::filesystem::remove(folder.path() / "chair/train/b.off");
  PDEGCN_EXPECT_ERROR(read_modelnet(folder.path()), "c.off:3: the coordinate inf");
}

TEST(ModelNet, RealClouds) {
  PDEGCN_NEEDS_DATA("modelnet10");
  ModelNetOptions options;
  options.cloud.k = 0;
  const Dataset set = read_modelnet(tests::data_folder() / "modelnet10", options);
  EXPECT_EQ(set.name, "modelnet10");
  EXPECT_EQ(set.class_names,
            (std::vector<std::string>{"bathtub", "bed", "chair", "desk", "dresser", "monitor",
                                      "night_stand", "sofa", "table", "toilet"}));
  ASSERT_EQ(set.samples.size(), 4899u);
  const std::vector<int> train{106, 515, 889, 200, 200, 465, 200, 680, 392, 344};
  const std::vector<int> test{50, 100, 100, 86, 86, 100, 86, 100, 100, 100};
  const std::vector<int> held_out{11, 52, 89, 20, 20, 47, 20, 68, 39, 34};
  const auto& label = std::get<GraphLabels>(set.targets).label;
  const auto per_class = [&](const std::vector<std::int32_t>& items) {
    std::vector<int> count(10);
    for (const std::int32_t k : items) ++count[label[k]];
    return count;
  };
  EXPECT_EQ(per_class(set.split("full").train), train);
  EXPECT_EQ(per_class(set.split("full").test), test);
  EXPECT_EQ(per_class(set.split("default").validation), held_out);
  EXPECT_EQ(set.split("full").train.size(), 3991u);
  EXPECT_EQ(set.split("default").train.size(), 3991u - 400u);
  EXPECT_EQ(set.split("default").test.size(), 908u);
  std::set<std::vector<float>> distinct;
  for (const Sample& sample : set.samples) {
    ASSERT_EQ(sample.graph.num_nodes(), 1024);
    double farthest = 0;
    for (int p = 0; p < 1024; ++p)
      farthest = std::max<double>(farthest,
                                  std::hypot(sample.positions[3 * p], sample.positions[3 * p + 1],
                                             sample.positions[3 * p + 2]));
    EXPECT_NEAR(farthest, 1, 1e-6);
    distinct.insert(sample.positions);
  }
  EXPECT_EQ(distinct.size(), 4899u);
}

TEST(ModelNet, RealMeshes) {
  PDEGCN_NEEDS_DATA("modelnet10/off_sample");
  const Dataset set = read_modelnet(tests::data_folder() / "modelnet10/off_sample");
  ASSERT_EQ(set.samples.size(), 3u);
  for (const Sample& sample : set.samples) {
    EXPECT_EQ(sample.graph.num_nodes(), 1024);
    for (NodeId v = 0; v < 1024; ++v) EXPECT_GE(sample.graph.degree(v), 10);
  }
}

}  // namespace
}  // namespace pdegcn::data
