#pragma once

#include <cmath>
#include <stdexcept>

#include "pdegcn/data/mesh.h"

namespace pdegcn::tests {

// Throws what no reader may throw unless a mesh that was read is whole.
inline void check_mesh(const data::Mesh& mesh) {
  if (mesh.positions.size() % 3 != 0) throw std::logic_error("a point without three coordinates");
  for (const float x : mesh.positions)
    if (!std::isfinite(x)) throw std::logic_error("a coordinate that is not finite");
  for (const Triangle& triangle : mesh.triangles)
    for (const NodeId v : triangle)
      if (v < 0 || v >= mesh.num_vertices()) throw std::logic_error("a corner out of range");
}

}  // namespace pdegcn::tests
