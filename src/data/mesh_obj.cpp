#include "mesh_parts.h"

namespace pdegcn::data {

// Wavefront OBJ: positions from `v`, polygons from `f`; whatever else the file says is not read.
Mesh read_obj(const File& file) {
  Mesh mesh;
  TextReader text(file);
  std::vector<NodeId> corners;
  // A face may come before its vertices, so the largest corner is judged at the end of the file.
  NodeId largest = 0;
  std::size_t largest_line = 0;
  std::string_view field;
  while (next_data_line(text)) {
    text.next_field(' ', field);
    if (field == "v") {
      for (int d = 0; d < 3; ++d) mesh.positions.push_back(read_coordinate(text, ' '));
    } else if (field == "f") {
      corners.clear();
      while (text.next_field(' ', field) && field.front() != '#') {
        if (field == "\\") text.fail("a face that goes on in the next line is not supported");
        // Of vertex/texture/normal only the first counts.
        auto corner = text.parse<NodeId>(field.substr(0, field.find('/')), "a corner");
        // Counted from 1, or backwards from the vertices so far.
        if (corner < 0) corner += mesh.num_vertices() + 1;
        if (corner < 1) text.fail("corner '{:.40}' names no vertex", field);
        if (corner > largest) {
          largest = corner;
          largest_line = text.line_number();
        }
        corners.push_back(corner - 1);
      }
      append_fan(corners, mesh.triangles);
    }
  }
  if (largest > mesh.num_vertices())
    file.fail_at_line(largest_line, "corner {} is outside 1..{}", largest, mesh.num_vertices());
  return mesh;
}

}  // namespace pdegcn::data
