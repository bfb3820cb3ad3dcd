#include "tests/fuzz/mesh_seeds.h"

#include <fstream>

#include "pdegcn/data/mesh.h"
#include "tests/support/bytes.h"

namespace pdegcn::tests {
namespace {

using namespace std::string_literals;

void write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

const data::Mesh kTetrahedron{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                              {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

// Faces before their vertices, an element and properties of other names, in the other byte order.
std::string big_endian_ply() {
  std::string out =
      "ply\nformat binary_big_endian 1.0\nelement other 1\nproperty list ushort double values\n"
      "element face 4\nproperty list uchar uint vertex_index\nproperty uchar flags\n"
      "element vertex 4\nproperty double x\nproperty float y\nproperty short z\nend_header\n";
  const auto add = [&](auto value) { out += bytes(value, std::endian::big); };
  add(std::uint16_t{2});
  add(0.5);
  add(1.5);
  for (const Triangle& triangle : kTetrahedron.triangles) {
    add(std::uint8_t{3});
    for (const NodeId v : triangle) add(static_cast<std::uint32_t>(v));
    add(std::uint8_t{7});
  }
  for (std::size_t at = 0; at < kTetrahedron.positions.size(); at += 3) {
    add(double{kTetrahedron.positions[at]});
    add(kTetrahedron.positions[at + 1]);
    add(static_cast<std::int16_t>(kTetrahedron.positions[at + 2]));
  }
  return out;
}

std::string pcd(int points, const std::string& data, const std::string& body) {
  const std::string count = std::to_string(points);
  return "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH " +
         count + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + count + "\nDATA " + data + "\n" +
         body;
}

}  // namespace

void write_mesh_seeds(const std::filesystem::path& corpus) {
  std::filesystem::create_directories(corpus / "ply");
  std::filesystem::create_directories(corpus / "pcd");
  data::write_ply(corpus / "ply/good-little.ply", kTetrahedron);
  data::write_ply(corpus / "ply/good-colors.ply", kTetrahedron, std::vector<std::uint8_t>(12, 9));
  write(corpus / "ply/good-big.ply", big_endian_ply());

  std::string points;
  for (const float x : kTetrahedron.positions) points += bytes(x);
  write(corpus / "pcd/good-binary.pcd", pcd(4, "binary", points));
  write(corpus / "pcd/good-mixed.pcd",
        "FIELDS _ z y x\nSIZE 1 8 2 4\nTYPE U F I F\nCOUNT 3 1 1 1\nWIDTH 1\nHEIGHT 1\n"
        "DATA binary\nabc" +
            bytes(1.5) + bytes(std::int16_t{-2}) + bytes(0.25f));
  // Eight points: a run of four bytes, and two copies that spread it over all 96.
  const std::string packed = "\x03"s + bytes(1.0f) + "\xE0\x4F\x03"s + "\x40\x03"s;
  write(corpus / "pcd/good-compressed.pcd",
        pcd(8, "binary_compressed",
            bytes(static_cast<std::uint32_t>(packed.size())) + bytes(std::uint32_t{96}) + packed));
}

}  // namespace pdegcn::tests
