#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/mesh.h"

namespace pdegcn::data {

// Data sets for dense correspondence: every vertex of every shape is to be matched to a vertex of
// one template. The label of a vertex is the number of its template vertex, and class_names holds
// those numbers as text, so that num_classes() is the size of the template. The first shape shows
// where the template's vertices are, see Dataset::template_vertex.

// The difference x_i - x_j of the ends of every edge, i < j (odd), and its length (even), both
// divided by the mean length of the edges: of order one whatever the unit, and the scale does not
// change when the shape is turned.
EdgeAttributes cartesian_attributes(const Graph& graph, std::span<const float> positions);

// One mesh as a sample: the graph of its sides, a constant 1 as the feature,
// cartesian_attributes(), positions and triangles. Throws Error when it has no triangles.
Sample mesh_sample(std::string name, Mesh mesh);

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

// A data set of meshes in which vertex v of one corresponds to vertex v of any other; their
// triangles may differ. Throws Error when the numbers of vertices do. Splits as in shape_splits().
Dataset correspondence_dataset(std::string name, std::string source, std::vector<NamedMesh> meshes);

// "default": the last fifth of the shapes tests, all others train (FAUST: 80 and 20), nothing
// validates. "tune": the fifth before that is held out for validation (FAUST: 60, 20 and 20, the
// subjects 6 and 7). Fewer than three shapes have no "tune", a single one no split at all.
std::vector<Split> shape_splits(std::int64_t shapes);

// A folder, .zip, .tar or .tgz of meshes with shared vertex order, in the order of their names.
Dataset read_mesh_folder(const std::filesystem::path& path);

// The same files as shapes that need not have anything in common, see shape_sample(): without
// labels or splits, for a trained network to look at.
Dataset read_shapes(const std::filesystem::path& path);

// The registrations of FAUST, tr_reg_NNN.ply: in `folder`, or below it in training/registrations
// or MPI-FAUST/training/registrations.
Dataset read_faust(const std::filesystem::path& folder);

// The remeshed FAUST: off/*.off, for each corres/<name>.vts, and corres/sampleID.vts. Classes are
// the 6,890 vertices of the FAUST template; a vertex that no ground-truth point hits is unlabelled,
// and one that several hit takes the first.
Dataset read_faust_r(const std::filesystem::path& folder);

// The vertex numbers of a .vts file, one per line, counted from 0 (from 1 in the file). Throws
// Error when one is not below `vertices`.
std::vector<NodeId> read_vts(const File& file, NodeId vertices);

}  // namespace pdegcn::data
