#include <gtest/gtest.h>

#include "pdegcn/data/mesh.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

Mesh obj(const std::string& content) {
  return read_obj(File("x.obj", content));
}

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const std::vector<float> kSquare{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const std::vector<Triangle> kTriangles{{0, 1, 2}, {0, 2, 3}};

TEST(Obj, ReadsEveryFormOfACorner) {
  for (const std::string faces :
       {"f 1 2 3\nf 1 3 4\n", "f 1 2 3 4\n", "f 1/1 2/1 3/1 4/1\n", "f 1/1/1 2/2/2 3/3/3 4/4/4\n",
        "f 1//1 2//1 3//1 4//1\n", "f -4 -3 -2 -1\n", "f -4/-1/-1 2 -2//-1 4\n",
        "f  1\t2  3 4  # a face\n", "f 1 2 3\r\nf 1 3 4"}) {
    const Mesh mesh = obj(kVertices + faces);
    EXPECT_EQ(mesh.positions, kSquare) << faces;
    EXPECT_EQ(mesh.triangles, kTriangles) << faces;
  }
}

TEST(Obj, StepsOverEverythingElse) {
  const Mesh mesh = obj(
      "# made by hand\nmtllib a.mtl\no thing\ng part\nvt 0 0\nvn 0 0 1\nvp 1\nusemtl red\ns off\n"
      "v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\n  v 1 1 0\nv 0 1 0\nl 1 2\np 3\nf 1 2\nf 2 3 4\n");
  EXPECT_EQ(mesh.positions, kSquare);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{1, 2, 3}}));
}

TEST(Obj, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(obj("f 1 2 3 4\n" + kVertices).triangles, kTriangles);
  // Counted backwards they name the vertices so far.
  EXPECT_EQ(obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf 1 -2 -1\n").triangles,
            kTriangles);
}

TEST(Obj, RefusesWithFileAndLine) {
  PDEGCN_EXPECT_ERROR(obj("v 0 0\n"), "x.obj:1: a coordinate is missing");
  PDEGCN_EXPECT_ERROR(obj("v 0 0 NaN\n"), "x.obj:1: the coordinate nan is not a finite float");
  PDEGCN_EXPECT_ERROR(obj("v 0 a 0\n"), "x.obj:1: a coordinate 'a' is not a number");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 1 2 5\nf 1 2 3\n"), "x.obj:5: corner 5 is outside 1..4");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 0 1 2\n"), "x.obj:5: corner '0' names no vertex");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f -5 1 2\n"), "x.obj:5: corner '-5' names no vertex");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f -2147483648 1 2\n"), "names no vertex");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 2147483648 1 2\n"), "out of range");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 1 2 x\n"), "x.obj:5: a corner 'x' is not a whole number");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 1 /1 2\n"), "x.obj:5: a corner '' is not a whole number");
  PDEGCN_EXPECT_ERROR(obj(kVertices + "f 1 2 \\\n3\n"), "goes on in the next line");
}

TEST(Obj, ReadsTheBunny) {
  PDEGCN_NEEDS_DATA("mesh_misc");
  const Mesh mesh = read_mesh(tests::data_folder() / "mesh_misc/stanford-bunny.obj");
  EXPECT_EQ(mesh.num_vertices(), 35947);
  EXPECT_EQ(mesh.triangles.size(), 69451u);
  EXPECT_FLOAT_EQ(mesh.positions[0], -0.037830f);
}

}  // namespace
}  // namespace pdegcn::data
