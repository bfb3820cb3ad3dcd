#include <gtest/gtest.h>

#include <cmath>

#include "pdegcn/data/mesh.h"
#include "tests/support/bytes.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

using tests::bytes;

Mesh ply(const std::string& content) {
  return read_ply(File("x.ply", content));
}

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kCorners = "property list uchar int vertex_indices\n";
const std::string kHead = "ply\nformat ascii 1.0\nelement vertex 4\n" + kXyz + "element face 1\n" +
                          kCorners + "end_header\n";
const std::string kVertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
const std::vector<float> kSquare{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const std::vector<Triangle> kTriangles{{0, 1, 2}, {0, 2, 3}};

TEST(Ply, ReadsText) {
  const Mesh mesh = ply(kHead + kVertices + "4 0 1 2 3\n");
  EXPECT_EQ(mesh.positions, kSquare);
  EXPECT_EQ(mesh.triangles, kTriangles);
  std::string crlf;
  for (const char c : kHead + kVertices + "4 0 1 2 3")
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(ply(crlf).positions, kSquare);
  EXPECT_EQ(ply(crlf).triangles, kTriangles);
}

TEST(Ply, StepsOverOtherElementsPropertiesAndLists) {
  const Mesh mesh =
      ply("ply\ncomment made by hand\nformat ascii 1.0\nobj_info nothing\n"
          "element camera 1\nproperty double focus\n"
          "element vertex 3\nproperty uchar red\n" +
          kXyz +
          "property list uchar float weights\nproperty float nx\n"
          "element face 2\nproperty uchar flags\nproperty list uchar uint vertex_index\n"
          "property list uchar float texcoord\nelement edge 1\nproperty int a\nproperty int b\n"
          "end_header\n35.5\n"
          "9 0 0 0 0 0.5\n9 1 0 0 2 0.1 0.2 0.5\n\n9 0 1 0 1 nan 0.5\n"
          "7 3 0 1 2 6 0 0 1 0 0 1\n7 2 0 1 0\n0 1\n");
  EXPECT_EQ(mesh.positions, (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

// A file with every type of number, an element before and one after, faces ahead of their vertices.
std::string binary(std::endian order, const std::string& line_end = "\n") {
  std::string out =
      "ply\nformat binary_" + std::string(order == std::endian::little ? "little" : "big") +
      "_endian 1.0\n"
      "element other 2\nproperty char a\nproperty ushort b\nproperty list int short c\n"
      "element face 2\nproperty list uint8 uint16 vertex_indices\nproperty int8 d\n"
      "element vertex 4\nproperty float64 x\nproperty int32 y\nproperty float32 z\n"
      "property uint e\nend_header\n";
  std::size_t at = 0;
  while (line_end != "\n" && (at = out.find('\n', at)) != out.npos) {
    out.replace(at, 1, line_end);
    at += line_end.size();
  }
  const auto add = [&](auto value) { out += bytes(value, order); };
  for (int k = 0; k < 2; ++k) {
    add(std::int8_t(-1));
    add(std::uint16_t(60000));
    add(std::int32_t(k));
    for (int i = 0; i < k; ++i) add(std::int16_t(-5));
  }
  for (const Triangle& t : kTriangles) {
    add(std::uint8_t(3));
    for (const NodeId v : t) add(std::uint16_t(v));
    add(std::int8_t(0));
  }
  for (int v = 0; v < 4; ++v) {
    add(double{kSquare[3 * v]});
    add(std::int32_t(kSquare[3 * v + 1]));
    add(kSquare[3 * v + 2]);
    add(std::uint32_t(0xFFFFFFFF));
  }
  return out;
}

TEST(Ply, ReadsBothByteOrders) {
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (const char* line_end : {"\n", "\r\n"}) {
      const Mesh mesh = ply(binary(order, line_end));
      EXPECT_EQ(mesh.positions, kSquare);
      EXPECT_EQ(mesh.triangles, kTriangles);
      EXPECT_EQ(ply(binary(order, line_end) + "\n").positions, kSquare);
    }
}

TEST(Ply, RefusesTruncatedBytesAtEveryLength) {
  const std::string whole = binary(std::endian::little);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(ply(whole.substr(0, length)), Error) << length;
}

TEST(Ply, WithoutFacesIsACloud) {
  const std::string head = "ply\nformat ascii 1.0\nelement vertex 1\n" + kXyz;
  EXPECT_EQ(ply(head + "end_header\n1 2 3\n").positions, (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(ply(head + "element face 0\n" + kCorners + "end_header\n1 2 3\n").triangles.empty());
}

TEST(Ply, RefusesHeadersByLine) {
  PDEGCN_EXPECT_ERROR(ply(""), "x.ply:0: the file does not start with 'ply'");
  PDEGCN_EXPECT_ERROR(ply("plx\n"), "x.ply:1: the file does not start with 'ply'");
  PDEGCN_EXPECT_ERROR(ply("ply\nformat ascii 1.0\n"), "x.ply:2: the header has no end");
  PDEGCN_EXPECT_ERROR(ply("ply\nformat utf8 1.0\n"), "x.ply:2: the format 'utf8' is not known");
  PDEGCN_EXPECT_ERROR(ply("ply\nend_header\n"), "x.ply:2: the header names no format");
  PDEGCN_EXPECT_ERROR(ply("ply\nproperty float x\n"), "x.ply:2: unexpected 'property'");
  PDEGCN_EXPECT_ERROR(ply("ply\nhello\n"), "x.ply:2: unexpected 'hello' in the header");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement vertex\n"), "the number of rows is missing");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement vertex -1\n"), "element vertex has -1 rows");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement a 1\nelement a 1\n"), "x.ply:3: element a occurs twice");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement tristrips 1\n"), "triangle strips are not supported");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement a 1\nproperty\n"), "x.ply:3: a property needs a type");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement a 1\nproperty int128 a\n"), "type 'int128' is not known");
  PDEGCN_EXPECT_ERROR(ply("ply\nelement a 1\nproperty list uchar int\n"), "needs a name");
}

TEST(Ply, RefusesBodiesByLineOrByte) {
  const auto head = [](const std::string& elements) {
    return "ply\nformat ascii 1.0\n" + elements + "end_header\n";
  };
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 1\nproperty float x\nproperty float y\n") + "0 0\n"),
                      "element vertex needs one property z");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 1\nproperty float x\n" + kXyz) + "0 0 0 0\n"),
                      "element vertex needs one property x");
  PDEGCN_EXPECT_ERROR(ply(head("element face 1\nproperty int a\n") + "0\n"),
                      "element face needs one list vertex_indices");
  PDEGCN_EXPECT_ERROR(ply(head("element a 4000000000\n")), "element a has no property");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 4000000000\n" + kXyz) + "0 0 0\n"),
                      "4000000000 rows of element vertex do not fit");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 2\n" + kXyz) + "0 0 0\n"),
                      "x.ply:8: the file ends too early");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 1\n" + kXyz) + "0 0\n"), "a value is missing");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 1\n" + kXyz) + "0 0 inf\n"),
                      "x.ply:8: the coordinate inf is not a finite float");
  PDEGCN_EXPECT_ERROR(ply(head("element vertex 1\n" + kXyz) + "0 0 0\n1 1 1\n"),
                      "x.ply:9: unexpected line after the last element");
  PDEGCN_EXPECT_ERROR(ply(kHead + kVertices + "3 0 1 4\n"),
                      "x.ply:14: corner 4 is not a whole number below 4");
  PDEGCN_EXPECT_ERROR(ply(kHead + kVertices + "3 0 1 -1\n"), "corner -1 is not");
  PDEGCN_EXPECT_ERROR(ply(kHead + kVertices + "3 0 1 0.5\n"), "corner 0.5 is not");
  PDEGCN_EXPECT_ERROR(ply(kHead + kVertices + "-3 0 1 2\n"), "the length -3 is not");
  PDEGCN_EXPECT_ERROR(ply(kHead + kVertices + "4 0 1 2\n"), "a value is missing");

  const std::string cloud =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + kXyz + "end_header\n";
  const std::string origin = bytes(0.0f) + bytes(0.0f);
  PDEGCN_EXPECT_ERROR(ply(cloud + origin), "x.ply: byte 115: 1 rows of element vertex do not fit");
  PDEGCN_EXPECT_ERROR(ply(cloud + origin + bytes(NAN)), "x.ply: byte 123: the coordinate nan");
  PDEGCN_EXPECT_ERROR(ply(cloud + origin + origin), "4 unexpected bytes after the last element");
}

TEST(Ply, ReadsFaustRegistrations) {
  PDEGCN_NEEDS_DATA("faust_reg_sample");
  std::vector<Triangle> triangles;
  for (const char* name : {"000", "003", "025", "095"}) {
    const Mesh mesh = read_mesh(tests::data_folder() / "faust_reg_sample" /
                                ("tr_reg_" + std::string(name) + ".ply"));
    EXPECT_EQ(mesh.num_vertices(), 6890);
    ASSERT_EQ(mesh.triangles.size(), 13776u);
    if (triangles.empty()) triangles = mesh.triangles;
    EXPECT_EQ(mesh.triangles, triangles);
  }
}

}  // namespace
}  // namespace pdegcn::data
