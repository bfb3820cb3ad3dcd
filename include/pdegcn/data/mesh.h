#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "pdegcn/data/file.h"
#include "pdegcn/graph/graph.h"

namespace pdegcn::data {

// A triangle mesh, or, without triangles, a cloud of points.
struct Mesh {
  std::vector<float> positions;  // one row of three per vertex
  std::vector<Triangle> triangles;

  NodeId num_vertices() const { return static_cast<NodeId>(positions.size() / 3); }
};

// The area of a triangle, and of a whole surface.
double triangle_area(std::span<const float> positions, const Triangle& triangle);
double surface_area(std::span<const float> positions, std::span<const Triangle> triangles);

// Reads OFF, PLY, OBJ, PCD, and rows of numbers (.xyz, .csv, .txt, .pts). A file that starts like
// an OFF, PLY or PCD file is read as one, whatever its name; otherwise the extension decides.
//
// Polygons become fans of triangles; faces with fewer than three corners give none. Triangles that
// repeat a vertex or have no area are kept as they are. Throws Error, naming the file and the line
// or byte, when the file is damaged, has no vertex, an index out of range, or a coordinate that is
// not a finite number.
Mesh read_mesh(const File& file);
Mesh read_mesh(const std::filesystem::path& path);

// One format each, whatever the name of the file.
Mesh read_off(const File& file);
Mesh read_ply(const File& file);
Mesh read_obj(const File& file);
Mesh read_pcd(const File& file);
Mesh read_xyz(const File& file);

// Whether a file looks like a shape by its name: .off, .ply, .obj, .pcd, .xyz.
bool has_mesh_extension(const std::filesystem::path& path);

// The files of a folder that has_mesh_extension() accepts, sorted by name.
std::vector<std::filesystem::path> mesh_files(const std::filesystem::path& folder);

// Writes binary little-endian PLY; `colors` holds red, green and blue of every vertex, or nothing.
void write_ply(const std::filesystem::path& path, const Mesh& mesh,
               std::span<const std::uint8_t> colors = {});

// Writes OFF with as many digits as give the same floats back.
void write_off(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace pdegcn::data
