#include <bit>
#include <fstream>

#include "pdegcn/data/mesh.h"

namespace pdegcn::data {
namespace {

void append_little_endian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

void write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw Error("{}: the file cannot be written", path.string());
}

}  // namespace

void write_ply(const std::filesystem::path& path, const Mesh& mesh,
               std::span<const std::uint8_t> colors) {
  if (!colors.empty() && colors.size() != mesh.positions.size())
    throw Error("colors: {} values for {} vertices", colors.size(), mesh.num_vertices());
  std::string out = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      mesh.num_vertices());
  if (!colors.empty()) out += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (!mesh.triangles.empty())
    out += fmt::format("element face {}\nproperty list uchar int vertex_indices\n",
                       mesh.triangles.size());
  out += "end_header\n";
  for (std::size_t at = 0; at < mesh.positions.size(); at += 3) {
    for (std::size_t d = 0; d < 3; ++d)
      append_little_endian(out, std::bit_cast<std::uint32_t>(mesh.positions[at + d]));
    if (!colors.empty()) out.append(reinterpret_cast<const char*>(colors.data()) + at, 3);
  }
  for (const Triangle& triangle : mesh.triangles) {
    out.push_back(3);
    for (const NodeId v : triangle) append_little_endian(out, static_cast<std::uint32_t>(v));
  }
  write(path, out);
}

void write_off(const std::filesystem::path& path, const Mesh& mesh) {
  std::string out = fmt::format("OFF\n{} {} 0\n", mesh.num_vertices(), mesh.triangles.size());
  for (std::size_t at = 0; at < mesh.positions.size(); at += 3)
    out += fmt::format("{} {} {}\n", mesh.positions[at], mesh.positions[at + 1],
                       mesh.positions[at + 2]);
  for (const Triangle& t : mesh.triangles) out += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  write(path, out);
}

}  // namespace pdegcn::data
