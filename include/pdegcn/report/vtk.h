#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/graph/graph.h"

namespace pdegcn::report {

// Something to look at: points with triangles or edges between them, and numbers on the points.
struct VtkMesh {
  struct Scalars {
    std::string name;
    std::span<const float> values;  // one per point
  };

  std::span<const float> positions;  // rows of three
  std::span<const Triangle> triangles;
  std::span<const Edge> edges;  // without these and triangles, a cloud
  std::vector<Scalars> scalars;
};

// Writes it as VTK PolyData (.vtp), which ParaView and others open. Throws Error when sizes,
// indices or names do not fit, and as write_atomically does.
void write_vtp(const std::filesystem::path& path, const VtkMesh& mesh);

// One moment of a film: a .vtp file, named as seen from the series file, and its time.
struct VtkFrame {
  std::string file;
  double time = 0;
};

// Writes a .vtp.series file: ParaView opens the frames as one film.
void write_vtp_series(const std::filesystem::path& path, std::span<const VtkFrame> frames);

}  // namespace pdegcn::report
