#include "pdegcn/data/open.h"

#include "pdegcn/data/generate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "pdegcn/data/npy.h"
#include "pdegcn/data/sparse.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

// A variable of the environment with another value, for a while.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Open : public testing::Test {
 protected:
  void write_geom_gcn(const std::string& name) {
    folder.write(name + "/out1_node_feature_label.txt", "id\tf\tl\n0\t1,1,0\t0\n1\t0,0,0\t1\n");
    folder.write(name + "/out1_graph_edges.txt", "a\tb\n0\t1\n");
  }
  Dataset open_here(const std::string& name, FeatureScaling scaling = FeatureScaling::kUsual) {
    return open(name, {folder.path(), scaling});
  }
  static std::vector<float> values(const Dataset& data) {
    return std::get<SparseMatrix>(data.samples.at(0).features).values;
  }
  tests::TemporaryFolder folder;
};

TEST_F(Open, NamesAreFoundInTheDataFolder) {
  write_geom_gcn("texas");
  EXPECT_EQ(open_here("texas").name, "texas");
  write_geom_gcn("film");  // has no name of its own
  EXPECT_EQ(open_here("film").name, "film");
}

TEST_F(Open, PathsAreRecognisedByWhatTheyHold) {
  write_geom_gcn("deep/set");
  EXPECT_EQ(open((folder.path() / "deep/set").string()).num_nodes(), 2);
  EXPECT_EQ(open((folder.path() / "deep/set/").string()).name, "set");
  folder.write("own/edges.csv", "0,1\n1,2\n");
  EXPECT_EQ(open((folder.path() / "own").string()).num_nodes(), 3);
  const auto toml = folder.write("own/other.toml", "name = \"mine\"\n");
  EXPECT_EQ(open(toml.string()).name, "mine");
  const auto npz_path = folder.write(
      "toy.npz", npz({{"adj_data", npy<float>({1}, std::vector<float>{1})},
                      {"adj_indices", npy<std::int32_t>({1}, std::vector<std::int32_t>{1})},
                      {"adj_indptr", npy<std::int32_t>({3}, std::vector<std::int32_t>{0, 1, 1})},
                      {"adj_shape", npy<std::int64_t>({2}, std::vector<std::int64_t>{2, 2})}}));
  EXPECT_EQ(open(npz_path.string()).name, "toy");
}

TEST_F(Open, SeveralPlanetoidSetsInOneFolderNeedAName) {
  using Writer = tests::PickleWriter;
  for (const std::string name : {"cora", "mini"}) {
    const auto write = [&](const std::string& part, const std::string& bytes) {
      folder.write("ind." + name + "." + part, bytes);
    };
    const auto one_hot = [&](std::vector<std::int32_t> v) {
      return Writer::file(
          Writer::array<std::int32_t>({static_cast<std::int64_t>(v.size()) / 2, 2}, v, "i4"));
    };
    write("allx", Writer::file(Writer::matrix(2, {{{0, 1}, {1, 3}}, {}})));
    write("tx", Writer::file(Writer::matrix(2, {{{0, 5}}})));
    write("ally", one_hot({1, 0, 0, 1}));
    write("ty", one_hot({1, 0}));
    write("y", one_hot({1, 0}));
    write("graph", Writer::file(Writer::lists({{0, {1}}, {1, {0, 2}}, {2, {1}}})));
    write("test.index", "2\n");
  }
  EXPECT_EQ(open_here("cora").num_nodes(), 3);
  EXPECT_EQ(values(open_here("cora")), (std::vector<float>{0.25f, 0.75f, 1}));
  EXPECT_EQ(open((folder.path() / "ind.mini.graph").string()).name, "mini");
  PDEGCN_EXPECT_ERROR(open(folder.path().string()),
                      "several data sets are here; give one, such as");
}

TEST_F(Open, FeaturesAreScaledAsAsked) {
  write_geom_gcn("texas");
  EXPECT_EQ(values(open_here("texas")), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(values(open_here("texas", FeatureScaling::kRaw)), (std::vector<float>{1, 1}));
  folder.write("own/edges.csv", "0,1\n");
  folder.write("own/features.csv", "1,-3\n0,0\n");
  const auto dense = [](const Dataset& data) {
    return std::get<DenseMatrix>(data.samples.at(0).features).values;
  };
  EXPECT_EQ(dense(open_here("own")), (std::vector<float>{1, -3, 0, 0}));
  EXPECT_EQ(dense(open_here("own", FeatureScaling::kRowNormalized)),
            (std::vector<float>{0.25f, -0.75f, 0, 0}));
}

TEST_F(Open, WhatIsNotThereIsSaid) {
  PDEGCN_EXPECT_ERROR(open_here("cora"), "get it with 'pdegcn fetch cora'");
  PDEGCN_EXPECT_ERROR(open_here("coar"), "did you mean cora?");
  PDEGCN_EXPECT_ERROR(open_here("winsconsin"), "did you mean wisconsin?");
  PDEGCN_EXPECT_ERROR(open_here("Cora"), "did you mean cora?");
  PDEGCN_EXPECT_ERROR(open_here("zzz/yyy"),
                      "there is no data set and no path 'zzz/yyy'; the names");
  PDEGCN_EXPECT_ERROR(open_here(""), "empty");
}

TEST_F(Open, WhatCannotBeReadIsSaid) {
  folder.write("friends/edges.csv", "0,1\n");
  PDEGCN_EXPECT_ERROR(open((folder.path() / "friends/edges.csv").string()), "give its folder",
                      "friends");
  std::filesystem::create_directory(folder.path() / "empty");
  PDEGCN_EXPECT_ERROR(open_here("empty"), "the format is not recognised");
  folder.write("notes.doc", "hello");
  PDEGCN_EXPECT_ERROR(open_here("notes.doc"), "the format is not recognised");
  std::filesystem::create_symlink(folder.path() / "loop", folder.path() / "loop");
  PDEGCN_EXPECT_ERROR(open_here("loop"), "Too many levels of symbolic links");
  write_geom_gcn("texas");
  const auto edges = folder.path() / "texas/out1_graph_edges.txt";
  std::filesystem::remove(edges);
  std::filesystem::create_symlink(edges, edges);
  PDEGCN_EXPECT_ERROR(open_here("texas"), "Too many levels of symbolic links");
  std::filesystem::remove(edges);
  std::filesystem::create_directory(edges);
  PDEGCN_EXPECT_ERROR(open_here("texas"), "this is a folder, not a file");
}

TEST_F(Open, WithoutPermissionIsSaid) {
  namespace fs = std::filesystem;
  write_geom_gcn("texas");
  const fs::path texas = folder.path() / "texas";
  // All but one file can be read, by anybody.
  for (const fs::path& path : {folder.path(), texas, texas / "out1_node_feature_label.txt"})
    fs::permissions(path, fs::perms(0755));
  fs::permissions(texas / "out1_graph_edges.txt", fs::perms::none);
  // Everything is permitted to root: be nobody for a while.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  PDEGCN_EXPECT_ERROR(open_here("texas"), "out1_graph_edges.txt: Permission denied");
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  fs::permissions(texas, fs::perms::none);
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  PDEGCN_EXPECT_ERROR(open(texas.string()), "Permission denied");
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  fs::permissions(texas, fs::perms::owner_all);
}

TEST_F(Open, TheDataFolderHasADefault) {
  const Environment data("PDEGCN_DATA", "/somewhere");
  EXPECT_EQ(default_data_dir(), "/somewhere");
  const Environment no_data("PDEGCN_DATA", "");
  const Environment home("HOME", "/home/someone");
  EXPECT_EQ(default_data_dir(), "/home/someone/.cache/pdegcn");
}

TEST(NamedSets, EveryOneThatIsThereOpens) {
  PDEGCN_NEEDS_DATA("cora");
  for (const NamedSet& set : named_sets()) {
    if (set.markers.empty() || !find_set(set, tests::data_folder())) continue;
    const Dataset data = open(std::string(set.name), {tests::data_folder()});
    EXPECT_GT(data.num_nodes(), 0) << set.name;
    EXPECT_FALSE(data.splits.empty()) << set.name;
  }
}

TEST_F(Open, EveryGeneratedSetHasAName) {
  for (const GeneratedSet& set : generated_sets()) {
    if (set.name.starts_with("shape-") || set.name == "bodies")
      continue;  // their own tests make them
    const Dataset data = open(set.name);
    EXPECT_EQ(data.name, set.name);
    if (!set.bag_of_words) continue;
    // Row-normalised: the words of a node add up to one.
    const auto& words = std::get<SparseMatrix>(data.samples[0].features);
    for (std::int64_t i = 0; i < words.rows; ++i) {
      float sum = 0;
      for (std::int64_t k = words.offsets[i]; k < words.offsets[i + 1]; ++k) sum += words.values[k];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST_F(Open, ShapesByNameAndByPath) {
  PDEGCN_NEEDS_DATA("faust_fit");
  const auto data = tests::data_folder();
  EXPECT_EQ(open("faust_fit", {data}).samples.size(), 100u);
  EXPECT_EQ(open("faust_fit", {data}).name, "faust_fit");
  EXPECT_EQ(open("faust_r", {data}).samples.size(), 100u);
  EXPECT_EQ(open((data / "faust_r").string()).num_classes(), 6890);
  EXPECT_EQ(open((data / "faust_fit/training/registrations").string()).samples.size(), 100u);
  EXPECT_EQ(open((data / "mesh_poses/cat-poses.tgz").string()).samples.size(), 10u);
  for (const auto& [name, vertices] : {std::pair("cat", 7207), std::pair("lion", 5000)}) {
    const Dataset poses = open(name, {data});
    EXPECT_EQ(poses.name, name);
    EXPECT_EQ(poses.num_classes(), vertices);
    EXPECT_EQ(poses.split("default").train.size(), 8u);
    EXPECT_EQ(poses.split("default").test.size(), 2u);
  }
}

}  // namespace
}  // namespace pdegcn::data
