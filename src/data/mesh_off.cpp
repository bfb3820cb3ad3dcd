#include <algorithm>

#include "mesh_parts.h"

namespace pdegcn::data {
namespace {

// The first count. It may be glued to the keyword, stand after it, or on a later line.
std::string_view first_count(TextReader& text) {
  std::string_view field;
  if (!next_data_line(text)) text.fail("the file is empty");
  text.next_field(' ', field);
  const std::size_t keyword = field.find("OFF");
  const std::string_view prefix = field.substr(0, keyword);
  if (keyword == field.npos || prefix.find_first_not_of("STCN4n") != prefix.npos)
    text.fail("'{:.40}' is not the keyword OFF", field);
  if (prefix.find_first_of("4n") != prefix.npos)
    text.fail("vertices of '{}' are not points in three dimensions", field.substr(0, keyword + 3));
  field.remove_prefix(keyword + 3);
  if (field.empty()) text.next_field(' ', field);
  if (field == "BINARY") text.fail("binary OFF is not supported; convert the file to PLY");
  if (!field.empty() && field.front() != '#') return field;
  if (!next_data_line(text)) text.fail("the numbers of vertices and faces are missing");
  text.next_field(' ', field);
  return field;
}

}  // namespace

// Geomview's OFF: a keyword, the counts, then one vertex and one face per line. What follows the
// coordinates of a vertex or the corners of a face (normals, colours) is not read.
Mesh read_off(const File& file) {
  TextReader text(file);
  const auto vertices = text.parse<std::int64_t>(first_count(text), "the number of vertices");
  const auto faces = text.number<std::int64_t>(' ', "the number of faces");
  // The shortest vertex is "0 0 0", the shortest face "0", each with a line end.
  if (!fits(vertices, 6, file.content().size()) || !fits(faces, 2, file.content().size()))
    text.fail("{} vertices and {} faces do not fit into a file of {} bytes", vertices, faces,
              file.content().size());

  Mesh mesh;
  mesh.positions.reserve(3 * vertices);
  for (std::int64_t v = 0; v < vertices; ++v) {
    if (!next_data_line(text)) text.fail("the file ends after {} of {} vertices", v, vertices);
    for (int d = 0; d < 3; ++d) mesh.positions.push_back(read_coordinate(text, ' '));
  }
  // Triangles take most of the space in nearly every file: 8 bytes of text and more for each.
  mesh.triangles.reserve(std::min<std::size_t>(faces, file.content().size() / 8));
  std::vector<NodeId> corners;
  for (std::int64_t f = 0; f < faces; ++f) {
    if (!next_data_line(text)) text.fail("the file ends after {} of {} faces", f, faces);
    const auto count = text.number<std::int64_t>(' ', "the number of corners");
    if (count < 0) text.fail("a face has {} corners", count);
    corners.clear();
    for (std::int64_t c = 0; c < count; ++c) {
      const auto corner = text.number<std::int64_t>(' ', "a corner");
      if (corner < 0 || corner >= vertices)
        text.fail("corner {} is outside 0..{}", corner, vertices - 1);
      corners.push_back(static_cast<NodeId>(corner));
    }
    append_fan(corners, mesh.triangles);
  }
  if (next_data_line(text)) text.fail("unexpected line after the last face");
  return mesh;
}

}  // namespace pdegcn::data
