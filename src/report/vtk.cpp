#include "pdegcn/report/vtk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"

namespace pdegcn::report {
namespace {

static_assert(std::endian::native == std::endian::little, "the files say so");

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

// The description in XML and the data that it points into, which grow together.
struct Document {
  // Adds an array; data blocks begin with their length.
  template <class T>
  void add(const char* type, const std::string& name, int components, std::span<const T> values) {
    xml += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, escaped(name), components, data.size());
    const std::uint64_t bytes = values.size_bytes();
    data.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    data.append(reinterpret_cast<const char*>(values.data()), bytes);
  }

  // Adds cells of n points each.
  void add_cells(const char* kind, const std::vector<std::int64_t>& points, std::size_t n) {
    std::vector<std::int64_t> ends;
    for (std::size_t k = n; k <= points.size(); k += n)
      ends.push_back(static_cast<std::int64_t>(k));
    xml += fmt::format("<{}>\n", kind);
    add<std::int64_t>("Int64", "connectivity", 1, points);
    add<std::int64_t>("Int64", "offsets", 1, ends);
    xml += fmt::format("</{}>\n", kind);
  }

  std::string xml;
  std::string data;
};

void check(const VtkMesh& mesh, std::int64_t points) {
  if (mesh.positions.size() % 3 != 0)
    throw Error("{} coordinates are not rows of three", mesh.positions.size());
  const auto check_index = [&](NodeId i) {
    if (i < 0 || i >= points) throw Error("point {} is not one of {} points", i, points);
  };
  for (const Triangle& triangle : mesh.triangles)
    for (const NodeId i : triangle) check_index(i);
  for (const Edge& edge : mesh.edges) {
    check_index(edge.i);
    check_index(edge.j);
  }
  std::set<std::string> names;
  for (const auto& scalars : mesh.scalars) {
    const bool control = std::any_of(scalars.name.begin(), scalars.name.end(),
                                     [](unsigned char c) { return c < 0x20; });
    if (scalars.name.empty() || control || !names.insert(scalars.name).second)
      throw Error("'{}' cannot be the name of an array, or is that of two", scalars.name);
    if (static_cast<std::int64_t>(scalars.values.size()) != points)
      throw Error("'{}' has {} values for {} points", scalars.name, scalars.values.size(), points);
  }
}

}  // namespace

void write_vtp(const std::filesystem::path& path, const VtkMesh& mesh) {
  const auto points = static_cast<std::int64_t>(mesh.positions.size() / 3);
  check(mesh, points);

  std::vector<std::int64_t> vertices, lines, polygons;
  for (const Triangle& triangle : mesh.triangles)
    polygons.insert(polygons.end(), triangle.begin(), triangle.end());
  for (const Edge& edge : mesh.edges) lines.insert(lines.end(), {edge.i, edge.j});
  // Points that belong to no cell are not drawn, so those of a cloud are cells of their own.
  if (polygons.empty() && lines.empty())
    for (std::int64_t i = 0; i < points; ++i) vertices.push_back(i);

  Document document;
  document.xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<Points>\n",
      points, vertices.size(), lines.size() / 2, polygons.size() / 3);
  document.add("Float32", "Points", 3, mesh.positions);
  document.xml += "</Points>\n";
  document.add_cells("Verts", vertices, 1);
  document.add_cells("Lines", lines, 2);
  document.add_cells("Polys", polygons, 3);
  document.xml += "<PointData>\n";
  for (const auto& scalars : mesh.scalars) document.add("Float32", scalars.name, 1, scalars.values);
  document.xml += "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  const std::array<std::string_view, 3> pieces{document.xml, document.data,
                                               "\n</AppendedData>\n</VTKFile>\n"};
  write_atomically(path, pieces);
}

void write_vtp_series(const std::filesystem::path& path, std::span<const VtkFrame> frames) {
  nlohmann::ordered_json series{{"file-series-version", "1.0"},
                                {"files", nlohmann::ordered_json::array()}};
  for (const VtkFrame& frame : frames)
    series["files"].push_back({{"name", frame.file}, {"time", frame.time}});
  write_atomically(path, series.dump(2) + "\n");
}

}  // namespace pdegcn::report
