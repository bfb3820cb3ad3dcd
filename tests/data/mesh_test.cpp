#include "pdegcn/data/mesh.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

const std::string kOff = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
    "z\nend_header\n1 2 3\n";
const std::string kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const std::string kPcd =
    "# .PCD v.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n"
    "1 2 3\n";

TEST(Mesh, TheFormatFollowsContentThenExtension) {
  EXPECT_EQ(read_mesh(File("a.off", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(File("a.txt", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(File("a", "CN" + kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(File("a.OFF", "# comment\n" + kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(File("a.obj", kPly)).num_vertices(), 1);
  EXPECT_EQ(read_mesh(File("a.obj", kObj)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(File("a", kPcd)).num_vertices(), 1);
  EXPECT_EQ(read_mesh(File("a.pcd", kPcd.substr(11))).num_vertices(), 1);
  for (const char* name : {"a.xyz", "a.csv", "a.txt", "a.pts"})
    EXPECT_EQ(read_mesh(File(name, "1 2 3\n")).num_vertices(), 1);
  PDEGCN_EXPECT_ERROR(read_mesh(File("a.stl", "1 2 3\n")), "a.stl: not a known format");
}

TEST(Mesh, RefusesWhatHoldsNoVertex) {
  PDEGCN_EXPECT_ERROR(read_mesh(File("a.obj", "# nothing\n")), "a.obj: the file holds no vertex");
  PDEGCN_EXPECT_ERROR(read_mesh(File("a.xyz", "")), "a.xyz: the file holds no vertex");
  PDEGCN_EXPECT_ERROR(read_mesh(File("a.off", "OFF\n0 0 0\n")), "a.off: the file holds no vertex");
}

TEST(Mesh, RefusesWhatIsNoFile) {
  const tests::TemporaryFolder folder;
  PDEGCN_EXPECT_ERROR(read_mesh(folder.path() / "none.off"), "none.off: No such file");
  PDEGCN_EXPECT_ERROR(read_mesh(folder.path()), "this is a folder");
  std::filesystem::create_symlink("loop.off", folder.path() / "loop.off");
  PDEGCN_EXPECT_ERROR(read_mesh(folder.path() / "loop.off"), "loop.off: Too many levels");
}

TEST(Mesh, ListsShapesByName) {
  const tests::TemporaryFolder folder;
  for (const char* name : {"b.ply", "a.OFF", "README.txt", "c.obj", "d.jpg"})
    folder.write(name, "");
  const auto files = mesh_files(folder.path());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].filename(), "a.OFF");
  EXPECT_EQ(files[1].filename(), "b.ply");
  EXPECT_EQ(files[2].filename(), "c.obj");
  PDEGCN_EXPECT_ERROR(mesh_files(folder.path() / "none"), "none: No such file or directory");
}

Mesh random_mesh() {
  Mesh mesh;
  const auto vertices = *rc::gen::inRange(1, 50);
  for (int k = 0; k < 3 * vertices; ++k)
    mesh.positions.push_back(static_cast<float>(*rc::gen::arbitrary<double>()));
  for (int t = *rc::gen::inRange(0, 60); t > 0; --t)
    mesh.triangles.push_back({*rc::gen::inRange(0, vertices), *rc::gen::inRange(0, vertices),
                              *rc::gen::inRange(0, vertices)});
  return mesh;
}

RC_GTEST_PROP(Mesh, WhatIsWrittenIsReadAgain, ()) {
  const tests::TemporaryFolder folder;
  const Mesh mesh = random_mesh();
  std::vector<std::uint8_t> colors(mesh.positions.size());
  for (std::uint8_t& c : colors) c = *rc::gen::arbitrary<std::uint8_t>();
  write_ply(folder.path() / "plain", mesh);
  write_ply(folder.path() / "colored", mesh, colors);
  write_off(folder.path() / "off", mesh);
  for (const char* name : {"plain", "colored", "off"}) {
    const Mesh again = read_mesh(folder.path() / name);
    RC_ASSERT(again.positions == mesh.positions);
    RC_ASSERT(again.triangles == mesh.triangles);
  }
}

TEST(Mesh, WritesColoursBesideTheirVertices) {
  const tests::TemporaryFolder folder;
  write_ply(folder.path() / "x.ply", {{0, 0, 0, 0, 0, 0}, {}},
            std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
  const std::string expected =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
      "end_header\n" +
      std::string(12, '\0') + "\1\2\3" + std::string(12, '\0') + "\4\5\6";
  EXPECT_EQ(File(folder.path() / "x.ply").content(), expected);
}

TEST(Mesh, RefusesToWrite) {
  const tests::TemporaryFolder folder;
  const Mesh point{{0, 0, 0}, {}};
  PDEGCN_EXPECT_ERROR(write_ply(folder.path() / "x.ply", point, std::vector<std::uint8_t>(4)),
                      "colors: 4 values for 1 vertices");
  PDEGCN_EXPECT_ERROR(write_off(folder.path() / "none" / "x.off", point), "cannot be written");
}

}  // namespace
}  // namespace pdegcn::data
