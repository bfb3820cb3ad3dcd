#include <gtest/gtest.h>

#include <cmath>

#include "pdegcn/data/mesh.h"
#include "tests/support/bytes.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

using tests::bytes;
using namespace std::string_literals;

Mesh pcd(const std::string& content) {
  return read_pcd(File("x.pcd", content));
}

std::string head(int points, const std::string& data) {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\n"
         "TYPE F F F\nCOUNT 1 1 1\nWIDTH " +
         std::to_string(points) + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " +
         std::to_string(points) + "\nDATA " + data + "\n";
}

// Fields in another order and of other types, with some that are not coordinates between them.
std::string mixed_head(int points, const std::string& data) {
  return "VERSION .7\nFIELDS rgb z normal x _ y\nSIZE 4 8 4 2 1 4\nTYPE U F F I U F\n"
         "COUNT 1 1 3 1 2 1\nWIDTH " +
         std::to_string(points) + "\nHEIGHT 1\nDATA " + data + "\n";
}

const std::vector<float> kPoints{1, 2, 3, -4, 5, 6};

TEST(Pcd, ReadsText) {
  EXPECT_EQ(pcd(head(2, "ascii") + "1 2 3\n-4 5 6\n").positions, kPoints);
  EXPECT_EQ(pcd(head(2, "ascii") + "1 2 3\r\n\r\n-4 5 6").positions, kPoints);
  EXPECT_EQ(pcd(mixed_head(2, "ascii") + "9 3 0 0 nan 1 0 0 2\n9 6 0 0 1 -4 0 0 5\n").positions,
            kPoints);
}

TEST(Pcd, ReadsBytes) {
  std::string plain;
  for (const float value : kPoints) plain += bytes(value);
  EXPECT_EQ(pcd(head(2, "binary") + plain).positions, kPoints);
  EXPECT_TRUE(pcd(head(2, "binary") + plain).triangles.empty());

  std::string mixed;
  for (int p = 0; p < 2; ++p) {
    const float* point = kPoints.data() + 3 * p;
    mixed += bytes(std::uint32_t{7}) + bytes(double{point[2]}) + bytes(0.5f) + bytes(NAN) +
             bytes(1.0f) + bytes(std::int16_t(point[0])) + "ab" + bytes(point[1]);
  }
  EXPECT_EQ(pcd(mixed_head(2, "binary") + mixed).positions, kPoints);
}

// LZF with literals only, in runs of at most 32.
std::string literal_runs(const std::string& data) {
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += 32) {
    const std::string run = data.substr(at, 32);
    out += static_cast<char>(run.size() - 1) + run;
  }
  return out;
}

std::string compressed(const std::string& header, const std::string& packed, std::uint32_t size) {
  return header + bytes(static_cast<std::uint32_t>(packed.size())) + bytes(size) + packed;
}

TEST(Pcd, ReadsCompressedBytes) {
  // All x, then all y, then all z.
  std::string columns;
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < 2; ++p) columns += bytes(kPoints[3 * p + d]);
  EXPECT_EQ(pcd(compressed(head(2, "binary_compressed"), literal_runs(columns), 24)).positions,
            kPoints);
}

TEST(Pcd, ExpandsCopies) {
  // 100 points with all coordinates 1: four literal bytes, then 1,196 by copies from four before.
  // A copy of up to 8 bytes takes two bytes, one of up to 264 three.
  const std::string one = bytes(1.0f);
  std::string packed = "\x03"s + one;
  for (int k = 0; k < 4; ++k) packed += "\xE0\xFF\x03"s;  // 7 + 255 + 2 = 264 bytes
  packed += "\xE0\x81\x03"s;                              // 7 + 129 + 2 = 138 bytes
  packed += "\x20\x03"s;                                  // 1 + 2 = 3 bytes, but one is missing:
  packed += "\x00"s + one.substr(3);                      // 4 + 1056 + 138 + 3 + 1 = 1202
  PDEGCN_EXPECT_ERROR(pcd(compressed(head(100, "binary_compressed"), packed, 1200)),
                      "does not fit");
  std::string right = "\x03"s + one;
  for (int k = 0; k < 4; ++k) right += "\xE0\xFF\x03"s;
  right += "\xE0\x7F\x03"s;  // 136
  right += "\x40\x03"s;      // 2 + 2 = 4: 4 + 1056 + 136 + 4 = 1200
  const Mesh mesh = pcd(compressed(head(100, "binary_compressed"), right, 1200));
  EXPECT_EQ(mesh.positions, std::vector<float>(300, 1.0f));
}

TEST(Pcd, CopiesReachBackOverLongDistances) {
  // 3 x 1,000 different floats, then the last 8 bytes anew from 4,096 + 4 bytes before.
  std::string data;
  for (int k = 0; k < 3000; ++k) data += bytes(static_cast<float>(k));
  const std::string packed = literal_runs(data.substr(0, 11992)) + "\xD0\x03"s;
  // Control 0xD0: length 6 + 2, offset 0x1003 + 1 = 4,100.
  const Mesh mesh = pcd(compressed(head(1000, "binary_compressed"), packed, 12000));
  EXPECT_EQ(mesh.positions[3 * 999 + 2], 2999.0f - 1025);
  EXPECT_EQ(mesh.positions[3 * 998 + 2], 2998.0f - 1025);
  EXPECT_EQ(mesh.positions[3 * 997 + 2], 2997.0f);
}

TEST(Pcd, RefusesHeadersByLine) {
  PDEGCN_EXPECT_ERROR(pcd(""), "x.pcd:0: the header has no line DATA");
  PDEGCN_EXPECT_ERROR(pcd("HELLO\n"), "x.pcd:1: unexpected 'HELLO' in the header");
  PDEGCN_EXPECT_ERROR(pcd("SIZE 4 4 4\n"), "x.pcd:1: SIZE comes before FIELDS");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nSIZE 4 4\n"), "x.pcd:2: SIZE has fewer entries");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nSIZE 4 4 4 4\n"), "x.pcd:2: unexpected '4'");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nSIZE 4 4 3\n"), "x.pcd:2: the size 3 is not 1, 2, 4 or 8");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nTYPE F F D\n"), "x.pcd:2: the type 'D' is not I, U or F");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nCOUNT 1 1 0\n"), "x.pcd:2: the count is 0");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nCOUNT 1 1 -1\n"), "x.pcd:2: the count '-1'");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nWIDTH 1\nDATA ascii\n0 0 0\n"), "lacks SIZE or TYPE");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 1\nDATA ascii\n0 0\n"),
                      "FIELDS needs one x, one y and one z");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nSIZE 4 4 2\nTYPE F F F\nWIDTH 1\nDATA ascii\n0 0 0\n"),
                      "FIELDS needs one x, one y and one z");
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x x y z\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 1\nDATA ascii\n"),
                      "FIELDS needs one x, one y and one z");
  PDEGCN_EXPECT_ERROR(pcd("WIDTH 4294967296\n"), "out of range");
  PDEGCN_EXPECT_ERROR(pcd("WIDTH 2\nHEIGHT 3\nPOINTS 5\nDATA ascii\n"), "5 points are not 2 x 3");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "zipped")), "x.pcd:11: the format 'zipped' of DATA is not known");
  PDEGCN_EXPECT_ERROR(pcd("DATA\n"), "DATA needs a format");
}

TEST(Pcd, RefusesBodies) {
  const std::string twelve(12, '\0');
  PDEGCN_EXPECT_ERROR(pcd(head(2, "ascii") + "0 0 0\n\n   \n   "), "ends after 1 of 2 points");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "ascii") + "0 0\n\n\n"), "x.pcd:12: a value is missing");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "ascii") + "0 0 0 0\n"), "x.pcd:12: unexpected '0'");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "ascii") + "0 0 nan\n"), "x.pcd:12: the coordinate nan is not");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "ascii") + "0 0 0\n0 0 0\n"), "x.pcd:13: unexpected line");
  PDEGCN_EXPECT_ERROR(pcd(head(2000000000, "ascii") + "0 0 0\n"), "2000000000 points do not fit");
  PDEGCN_EXPECT_ERROR(pcd(head(2, "binary") + twelve), "2 points of 12 bytes are not the 12 bytes");
  PDEGCN_EXPECT_ERROR(pcd(head(1, "binary") + twelve + "x"), "are not the 13 bytes that follow");
  const std::size_t start = head(1, "binary").size();
  PDEGCN_EXPECT_ERROR(pcd(head(1, "binary") + bytes(0.0f) + bytes(INFINITY) + bytes(0.0f)),
                      "byte " + std::to_string(start + 4) + ": the coordinate inf of point 0");
  // Four billion by four billion points of no bytes at all.
  PDEGCN_EXPECT_ERROR(pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 4294967295\n"
                          "HEIGHT 4294967295\nDATA binary\n"),
                      "are not the 0 bytes that follow");
}

TEST(Pcd, RefusesDamagedCompression) {
  const std::string header = head(1, "binary_compressed");
  const std::string good = literal_runs(std::string(12, '\0'));
  EXPECT_EQ(pcd(compressed(header, good, 12)).positions, std::vector<float>(3, 0.0f));
  PDEGCN_EXPECT_ERROR(pcd(header + "abc"), "the sizes of the compressed data are missing");
  PDEGCN_EXPECT_ERROR(pcd(header + bytes(100u) + bytes(12u) + good),
                      "100 compressed bytes where 13");
  PDEGCN_EXPECT_ERROR(pcd(compressed(header, good, 13)), "do not hold 1 points of 12");
  PDEGCN_EXPECT_ERROR(pcd(compressed(header, good.substr(0, 5), 12)), "a run of 12 bytes is too");
  PDEGCN_EXPECT_ERROR(pcd(compressed(header, "\x03"s + "abcd", 12)), "4 bytes come out where 12");
  PDEGCN_EXPECT_ERROR(pcd(compressed(header, "\x20\x00"s, 12)), "from 1 before does not fit");
  PDEGCN_EXPECT_ERROR(pcd(compressed(header, "\x00"s + "a\x20", 12)), "end too early");
  PDEGCN_EXPECT_ERROR(pcd(compressed(head(100000, "binary_compressed"), good, 1200000)),
                      "1200000 bytes, 13 compressed, do not hold");
}

}  // namespace
}  // namespace pdegcn::data
