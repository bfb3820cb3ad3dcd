#include "pdegcn/data/mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace pdegcn::data {
namespace {

using Reader = Mesh (*)(const File&);

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

Reader reader_by_content(std::string_view content) {
  if (content.starts_with("ply\n") || content.starts_with("ply\r")) return read_ply;
  if (content.starts_with("# .PCD")) return read_pcd;
  // OFF may have letters before it that say which columns follow.
  const std::size_t keyword = content.find_first_not_of("STCN");
  if (keyword != content.npos && content.substr(keyword).starts_with("OFF")) return read_off;
  return nullptr;
}

Reader reader_by_extension(const std::string& extension) {
  if (extension == ".off") return read_off;
  if (extension == ".ply") return read_ply;
  if (extension == ".obj") return read_obj;
  if (extension == ".pcd") return read_pcd;
  for (const char* rows : {".xyz", ".csv", ".txt", ".pts"})
    if (extension == rows) return read_xyz;
  return nullptr;
}

}  // namespace

double triangle_area(std::span<const float> positions, const Triangle& triangle) {
  const auto at = [&](int corner, int d) {
    return double{positions[3 * std::size_t(triangle[corner]) + d]};
  };
  const auto minor = [&](int p, int q) {
    return (at(1, p) - at(0, p)) * (at(2, q) - at(0, q)) -
           (at(1, q) - at(0, q)) * (at(2, p) - at(0, p));
  };
  return std::hypot(minor(0, 1), minor(1, 2), minor(2, 0)) / 2;
}

double surface_area(std::span<const float> positions, std::span<const Triangle> triangles) {
  double sum = 0;
  for (const Triangle& triangle : triangles) sum += triangle_area(positions, triangle);
  return sum;
}

Mesh read_mesh(const File& file) {
  Reader reader = reader_by_content(file.content());
  if (reader == nullptr) reader = reader_by_extension(extension_of(file.name()));
  if (reader == nullptr)
    throw Error("{}: not a known format of meshes or clouds (off, ply, obj, pcd, xyz, csv, txt)",
                file.name());
  Mesh mesh = reader(file);
  if (mesh.positions.empty()) throw Error("{}: the file holds no vertex", file.name());
  if (mesh.positions.size() / 3 > std::numeric_limits<NodeId>::max())
    throw Error("{}: {} vertices are more than a graph can hold", file.name(),
                mesh.positions.size() / 3);
  return mesh;
}

Mesh read_mesh(const std::filesystem::path& path) {
  return read_mesh(File(path));
}

bool has_mesh_extension(const std::filesystem::path& path) {
  constexpr std::array<const char*, 5> known{".off", ".ply", ".obj", ".pcd", ".xyz"};
  return std::find(known.begin(), known.end(), extension_of(path)) != known.end();
}

std::vector<std::filesystem::path> mesh_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (has_mesh_extension(entry->path())) files.push_back(entry->path());
  if (error) throw Error("{}: {}", folder.string(), error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pdegcn::data
