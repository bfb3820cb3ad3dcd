#include <gtest/gtest.h>

#include "pdegcn/data/mesh.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

Mesh off(const std::string& content) {
  return read_off(File("x.off", content));
}

const std::vector<float> kSquare{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const std::string kVertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
const std::string kFaces = "3 0 1 2\n3 0 2 3\n";
const std::vector<Triangle> kTriangles{{0, 1, 2}, {0, 2, 3}};

TEST(Off, ReadsEveryFormOfTheHeader) {
  for (const std::string head :
       {"OFF\n4 2 0\n", "OFF 4 2 5\n", "OFF4 2 0\n", "OFF\n4 2\n", "OFF # a square\n4 2 0\n",
        "# first\n\nOFF\n\n# second\n  4\t2 0 # third\n", "\xEF\xBB\xBFOFF\n4 2 0\n"}) {
    const Mesh mesh = off(head + kVertices + kFaces);
    EXPECT_EQ(mesh.positions, kSquare) << head;
    EXPECT_EQ(mesh.triangles, kTriangles) << head;
  }
}

TEST(Off, StepsOverNormalsColoursCommentsAndBlankLines) {
  const Mesh mesh =
      off("STCNOFF\n3 1 0\n0 0 0 0 0 1 255 0 0 255 0 0\n# between\n\n1 0 0 0 0 1 0 0 0 1 0 1\n"
          "0 1 0 # after\n3 0 1 2 0.5 0.5 0.5\n\n# the end\n");
  EXPECT_EQ(mesh.positions, (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(Off, LineEndsDoNotMatter) {
  std::string content = "OFF\n4 2 0\n" + kVertices + kFaces;
  content.pop_back();
  EXPECT_EQ(off(content).triangles, kTriangles);
  std::string crlf;
  for (const char c : content) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(off(crlf).positions, kSquare);
  EXPECT_EQ(off(crlf).triangles, kTriangles);
}

TEST(Off, PolygonsBecomeFans) {
  EXPECT_EQ(off("OFF\n4 1 0\n" + kVertices + "4 0 1 2 3\n").triangles, kTriangles);
  // Edges, points and nothing are faces too.
  EXPECT_EQ(off("OFF\n4 4 0\n" + kVertices + "2 0 1\n1 3\n0\n3 1 2 3\n").triangles,
            (std::vector<Triangle>{{1, 2, 3}}));
}

TEST(Off, KeepsDegenerateFaces) {
  EXPECT_EQ(off("OFF\n4 2 0\n" + kVertices + "3 1 1 2\n3 0 1 2\n").triangles,
            (std::vector<Triangle>{{1, 1, 2}, {0, 1, 2}}));
}

TEST(Off, NumbersInEveryNotation) {
  EXPECT_EQ(off("OFF\n1 0 0\n+1.5 -2e-3 1E2\n").positions, (std::vector<float>{1.5f, -2e-3f, 100}));
  // Too small for a float is zero, not a mistake.
  EXPECT_EQ(off("OFF\n1 0 0\n1e-60 0 -1e-300\n").positions, (std::vector<float>{0, 0, -0.0f}));
}

TEST(Off, RefusesWithFileAndLine) {
  PDEGCN_EXPECT_ERROR(off(""), "x.off:0: the file is empty");
  PDEGCN_EXPECT_ERROR(off("# only this\n"), "the file is empty");
  PDEGCN_EXPECT_ERROR(off("4 2 0\n"), "x.off:1: '4' is not the keyword OFF");
  PDEGCN_EXPECT_ERROR(off("4OFF\n1 0 0\n0 0 0 1\n"), "vertices of '4OFF' are not points in three");
  PDEGCN_EXPECT_ERROR(off("nOFF\n3\n1 0 0\n0 0 0\n"), "vertices of 'nOFF'");
  PDEGCN_EXPECT_ERROR(off("OFF BINARY\n"), "binary OFF is not supported");
  PDEGCN_EXPECT_ERROR(off("OFF\n"), "x.off:1: the numbers of vertices and faces are missing");
  PDEGCN_EXPECT_ERROR(off("OFF\n4\n"), "x.off:2: the number of faces is missing");
  PDEGCN_EXPECT_ERROR(off("OFF\nfour 2 0\n"), "x.off:2: the number of vertices 'four'");
  PDEGCN_EXPECT_ERROR(off("OFF\n-1 0 0\n"), "x.off:2: -1 vertices");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 -1 0\n0 0 0\n"), "x.off:2: 1 vertices and -1 faces");
  PDEGCN_EXPECT_ERROR(off("OFF\n999999999999 0 0\n0 0 0\n"), "do not fit into a file of 27 bytes");
  PDEGCN_EXPECT_ERROR(off("OFF\n99999999999999999999 0 0\n"), "out of range");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 999999999 0\n0 0 0\n"), "do not fit");
  PDEGCN_EXPECT_ERROR(off("OFF\n2 0 0\n0 0 0\n# just a comment\n"), "ends after 1 of 2 vertices");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 0 0\n0 0\n"), "x.off:3: a coordinate is missing");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 0 0\n0 0 z\n"), "x.off:3: a coordinate 'z' is not a number");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 0 0\n0 nan 0\n"), "x.off:3: the coordinate nan is not a finite");
  PDEGCN_EXPECT_ERROR(off("OFF\n1 0 0\n0 0 1e39\n"), "x.off:3: the coordinate 1e+39 is not a fini");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 2 0\n" + kVertices + "3 0 1 2\n"), "ends after 1 of 2 faces");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + "3 0 1 4\n"),
                      "x.off:7: corner 4 is outside");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + "3 0 1 -1\n"), "corner -1 is outside 0..3");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + "3 0 1\n"), "x.off:7: a corner is missing");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + "-3 0 1\n"), "a face has -3 corners");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + "3 0 1 1.5\n"), "is not a whole number");
  PDEGCN_EXPECT_ERROR(off("OFF\n4 1 0\n" + kVertices + kFaces), "x.off:8: unexpected line after");
}

TEST(Off, ReadsModelNet) {
  PDEGCN_NEEDS_DATA("modelnet10");
  const auto folder = tests::data_folder() / "modelnet10/off_sample/bathtub/train";
  const Mesh first = read_mesh(folder / "bathtub_0001.off");
  EXPECT_EQ(first.num_vertices(), 3514);
  EXPECT_EQ(first.triangles.size(), 3546u);
  EXPECT_FLOAT_EQ(first.positions[1], -29.8765f);
  EXPECT_EQ(read_mesh(folder / "bathtub_0002.off").num_vertices(), 700);
  EXPECT_EQ(read_mesh(folder / "bathtub_0004.off").num_vertices(), 2842);
}

}  // namespace
}  // namespace pdegcn::data
