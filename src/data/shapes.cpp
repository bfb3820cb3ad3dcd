#include "pdegcn/data/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "folder.h"
#include "pdegcn/data/archive.h"
#include "pdegcn/data/clouds.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {
namespace {

constexpr NodeId kFaustVertices = 6890;

// A sample of a mesh whose graph is known.
Sample make_sample(std::string name, Mesh mesh, Graph graph) {
  Sample sample;
  sample.name = std::move(name);
  sample.graph = std::move(graph);
  const std::int64_t n = mesh.num_vertices();
  sample.features = DenseMatrix{n, 1, std::vector<float>(n, 1.0f)};
  sample.edge_attributes = cartesian_attributes(sample.graph, mesh.positions);
  sample.positions = std::move(mesh.positions);
  sample.triangles = std::move(mesh.triangles);
  return sample;
}

Graph graph_of(const std::string& name, const Mesh& mesh) {
  if (mesh.triangles.empty())
    throw Error("{}: a mesh with triangles is needed, this is a cloud", name);
  return Graph::from_triangles(mesh.num_vertices(), mesh.triangles);
}

std::vector<std::string> vertex_names(std::int64_t vertices) {
  std::vector<std::string> names(vertices);
  for (std::int64_t v = 0; v < vertices; ++v) names[v] = std::to_string(v);
  return names;
}

// The meshes of a folder or an archive, by name; of a mesh, itself.
std::vector<NamedMesh> read_meshes(const std::filesystem::path& path) {
  std::vector<NamedMesh> meshes;
  if (!is_folder(path) && has_mesh_extension(path)) {
    meshes.push_back({path.stem().string(), read_mesh(path)});
    return meshes;
  }
  if (is_folder(path)) {
    for (const std::filesystem::path& file : mesh_files(path))
      meshes.push_back({file.stem().string(), read_mesh(file)});
    return meshes;
  }
  std::vector<ArchiveMember> members = read_archive(path);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const ArchiveMember& member : members)
    if (has_mesh_extension(member.path))
      meshes.push_back(
          {std::filesystem::path(member.path).stem().string(), read_mesh(member.file)});
  return meshes;
}

}  // namespace

EdgeAttributes cartesian_attributes(const Graph& graph, std::span<const float> positions) {
  if (static_cast<std::int64_t>(positions.size()) != 3 * std::int64_t{graph.num_nodes()})
    throw Error("positions: {} coordinates for {} nodes", positions.size(), graph.num_nodes());
  const std::int64_t m = graph.num_edges();
  EdgeAttributes out{{m, 3, std::vector<float>(3 * m)}, {m, 1, std::vector<float>(m)}};
  std::vector<std::array<double, 3>> difference(m);
  double sum = 0;
  for (std::int64_t e = 0; e < m; ++e) {
    const auto [i, j] = graph.edges()[e];
    for (int d = 0; d < 3; ++d)
      difference[e][d] = double{positions[3 * i + d]} - positions[3 * j + d];
    sum += std::hypot(difference[e][0], difference[e][1], difference[e][2]);
  }
  // All vertices on one spot: the differences are zero in every unit.
  const double mean = sum > 0 ? sum / static_cast<double>(m) : 1;
  for (std::int64_t e = 0; e < m; ++e) {
    const auto& [x, y, z] = difference[e];
    out.odd.values[3 * e] = static_cast<float>(x / mean);
    out.odd.values[3 * e + 1] = static_cast<float>(y / mean);
    out.odd.values[3 * e + 2] = static_cast<float>(z / mean);
    out.even.values[e] = static_cast<float>(std::hypot(x, y, z) / mean);
  }
  return out;
}

Sample mesh_sample(std::string name, Mesh mesh) {
  Graph graph = graph_of(name, mesh);
  return make_sample(std::move(name), std::move(mesh), std::move(graph));
}

std::vector<Split> shape_splits(std::int64_t shapes) {
  const auto fifth = static_cast<std::int32_t>(std::max<std::int64_t>(1, shapes / 5));
  const auto range = [](std::int32_t begin, std::int32_t end) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t k = begin; k < end; ++k) numbers.push_back(k);
    return numbers;
  };
  const auto n = static_cast<std::int32_t>(shapes);
  std::vector<Split> splits;
  if (n >= 2) splits.push_back({"default", range(0, n - fifth), {}, range(n - fifth, n)});
  if (n >= 3)
    splits.push_back(
        {"tune", range(0, n - 2 * fifth), range(n - 2 * fifth, n - fifth), range(n - fifth, n)});
  return splits;
}

Dataset correspondence_dataset(std::string name, std::string source,
                               std::vector<NamedMesh> meshes) {
  if (meshes.empty()) throw Error("{}: there is no mesh", source);
  Dataset out;
  out.name = std::move(name);
  out.source = std::move(source);
  const NodeId vertices = meshes.front().mesh.num_vertices();
  NodeLabels labels;
  labels.label.reserve(meshes.size() * vertices);
  for (auto& [mesh_name, mesh] : meshes) {
    if (mesh.num_vertices() != vertices)
      throw Error("{}: {} has {} vertices and {} has {}; a shared vertex order needs as many",
                  out.source, mesh_name, mesh.num_vertices(), meshes.front().name, vertices);
    // Poses of one mesh have one graph.
    const bool same = !out.samples.empty() && out.samples.back().triangles == mesh.triangles;
    Graph graph = same ? out.samples.back().graph : graph_of(out.source + ": " + mesh_name, mesh);
    out.samples.push_back(make_sample(mesh_name, std::move(mesh), std::move(graph)));
    for (NodeId v = 0; v < vertices; ++v) labels.label.push_back(v);
  }
  out.targets = std::move(labels);
  out.class_names = vertex_names(vertices);
  out.template_vertex.resize(vertices);
  std::iota(out.template_vertex.begin(), out.template_vertex.end(), 0);
  out.splits = shape_splits(static_cast<std::int64_t>(out.samples.size()));
  out.check();
  return out;
}

Dataset read_mesh_folder(const std::filesystem::path& path) {
  return correspondence_dataset(is_folder(path) ? last_name(path) : path.stem().string(),
                                path.string(), read_meshes(path));
}

Dataset read_shapes(const std::filesystem::path& path) {
  Dataset out;
  out.name = is_folder(path) ? last_name(path) : path.stem().string();
  out.source = path.string();
  for (auto& [name, mesh] : read_meshes(path))
    out.samples.push_back(shape_sample(std::move(name), std::move(mesh)));
  if (out.samples.empty()) throw Error("{}: there is no mesh and no cloud", out.source);
  out.check();
  return out;
}

Dataset read_faust(const std::filesystem::path& folder) {
  std::filesystem::path registrations = folder;
  for (const char* below : {"training/registrations", "MPI-FAUST/training/registrations"})
    if (is_folder(folder / below)) registrations = folder / below;
  std::vector<NamedMesh> meshes;
  for (const std::filesystem::path& file : mesh_files(registrations))
    if (file.filename().string().starts_with("tr_reg_") && file.extension() == ".ply")
      meshes.push_back({file.stem().string(), read_mesh(file)});
  if (meshes.empty())
    throw Error("{}: neither it nor its training/registrations holds tr_reg_NNN.ply",
                folder.string());
  return correspondence_dataset(last_name(folder), folder.string(), std::move(meshes));
}

std::vector<NodeId> read_vts(const File& file, NodeId vertices) {
  std::vector<NodeId> out;
  TextReader text(file);
  while (text.next_line()) {
    const auto number = text.number<std::int64_t>(' ', "a vertex number");
    text.expect_end_of_line(' ');
    if (number < 1 || number > vertices) text.fail("vertex {} is outside 1..{}", number, vertices);
    out.push_back(static_cast<NodeId>(number - 1));
  }
  return out;
}

Dataset read_faust_r(const std::filesystem::path& folder) {
  Dataset out;
  out.name = last_name(folder);
  out.source = folder.string();
  const File points(folder / "corres" / "sampleID.vts");
  const std::vector<NodeId> templates = read_vts(points, kFaustVertices);
  NodeLabels labels;
  for (const std::filesystem::path& path : mesh_files(folder / "off")) {
    out.samples.push_back(mesh_sample(path.string(), read_mesh(path)));
    out.samples.back().name = path.stem().string();
    const NodeId n = out.samples.back().graph.num_nodes();
    const File truth(folder / "corres" / (path.stem().string() + ".vts"));
    const std::vector<NodeId> vertex = read_vts(truth, n);
    if (vertex.size() != templates.size())
      throw Error("{}: {} points where {} has {}", truth.name(), vertex.size(), points.name(),
                  templates.size());
    if (out.template_vertex.empty()) {
      out.template_vertex.assign(kFaustVertices, -1);
      for (std::size_t k = 0; k < vertex.size(); ++k) out.template_vertex[templates[k]] = vertex[k];
    }
    std::vector<std::int32_t> label(n, kUnlabelled);
    for (std::size_t k = 0; k < vertex.size(); ++k)
      if (label[vertex[k]] == kUnlabelled) label[vertex[k]] = templates[k];
    labels.label.insert(labels.label.end(), label.begin(), label.end());
  }
  if (out.samples.empty()) throw Error("{}: there is no mesh", (folder / "off").string());
  out.targets = std::move(labels);
  out.class_names = vertex_names(kFaustVertices);
  out.splits = shape_splits(static_cast<std::int64_t>(out.samples.size()));
  out.check();
  return out;
}

}  // namespace pdegcn::data
