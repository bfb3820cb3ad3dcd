// Shapes through the program: learnt, judged and told.
#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

void write_scans(const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream(folder / "tent.off")
      << "OFF\n5 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
  std::ofstream(folder / "wedge.off")
      << "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 1 1\n3 0 1 2\n3 0 1 3\n";
}

TEST(ShapeRuns, AreJudgedByClass) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            "train --data shape-clouds --points 64 --augment turn,jitter --channels 8 --layers 2 "
            "--epochs 2 --out run --quiet");
  const auto json = pdegcn_json(folder.path(), "evaluate run");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run" / "confusion.csv"));
  EXPECT_TRUE(contains(pdegcn_ok(folder.path(), "evaluate run --out said"), "often taken for"));
  ASSERT_EQ(json["classes"].size(), 10);
  std::int64_t all = 0, right = 0;
  for (std::size_t c = 0; c < 10; ++c)
    for (std::size_t k = 0; k < 10; ++k) {
      all += json["confusion"][c][k].get<std::int64_t>();
      if (k == c) right += json["confusion"][c][k].get<std::int64_t>();
    }
  EXPECT_EQ(all, json["test"]["count"].get<std::int64_t>());
  EXPECT_NEAR(static_cast<double>(right) / static_cast<double>(all),
              json["test"]["score"].get<double>(), 1e-9);
  EXPECT_TRUE(contains(read_text(folder.path() / "said" / "confusion.csv"), "torus"));

  write_scans(folder.path() / "scans");
  const std::string told = pdegcn_ok(folder.path(), "predict run --data scans");
  EXPECT_TRUE(told.starts_with("graph,class\ntent,")) << told;
  EXPECT_TRUE(contains(told, "\nwedge,"));
  EXPECT_EQ(pdegcn(folder.path(), "predict run --out maps").code, 1);
}

TEST(ShapeRuns, DoNotDependOnThreads) {
  const TemporaryFolder folder;
  const std::string line =
      "train --data shape-meshes --points 48 --knn 6 --augment scale,jitter --channels 4 --layers "
      "2 "
      "--quiet --epochs 3 ";
  pdegcn_ok(folder.path(), line + "--threads 1 --out whole");
  pdegcn_ok(folder.path(), line + "--threads 3 --out other");
  EXPECT_EQ(differences(folder.path() / "whole", folder.path() / "other"), "");
}

TEST(ShapeRuns, CorrespondencesAreJudgedByDistanceAndDrawn) {
  const TemporaryFolder folder;
  pdegcn_ok(folder.path(),
            "train --data bodies --model h --channels 8 --layers 2 --epochs 1 --out run --quiet");
  const auto json = pdegcn_json(folder.path(), "evaluate run --out judged");
  EXPECT_NEAR(json["geodesic"]["exact"].get<double>(), json["test"]["score"].get<double>(), 1e-9);
  EXPECT_GT(json["geodesic"]["mean_error"].get<double>(), 0);
  EXPECT_TRUE(read_text(folder.path() / "judged" / "geodesic.csv").starts_with("error,share\n0,"));

  write_scans(folder.path() / "scans");
  pdegcn_ok(folder.path(), "predict run --data scans --out maps");
  const std::string map = read_text(folder.path() / "maps" / "tent.csv");
  EXPECT_TRUE(map.starts_with("vertex,template_vertex\n0,")) << map;
  EXPECT_EQ(std::count(map.begin(), map.end(), '\n'), 6);
  for (const char* name : {"tent.ply", "wedge.ply", "template.ply"})
    EXPECT_TRUE(contains(read_text(folder.path() / "maps" / name), "property uchar red")) << name;

  // What would overwrite another's map, or has no edges to go by, is refused.
  const auto refused = [&](const char* name, const std::string& text, const char* words) {
    folder.write(fmt::format("scans/{}", name), text);
    const Outcome outcome = pdegcn(folder.path(), "predict run --data scans --out refused");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, words)) << outcome.err;
    EXPECT_FALSE(fs::exists(folder.path() / "refused"));
    fs::remove(folder.path() / "scans" / name);
  };
  const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  refused("tent.obj", triangle, "called 'tent', and so is another");
  refused("template.obj", triangle, "called 'template', and so is the template");
  refused("cloud.xyz", "0 0 0\n1 0 0\n0 1 0\n", "'cloud' has no edges");
}

}  // namespace
}  // namespace pdegcn::tests
