// The data sets that have names and the formats that are recognised: the only place that knows all
// readers and generators.
#include <algorithm>

#include "pdegcn/data/generate.h"
#include "pdegcn/data/geom_gcn.h"
#include "pdegcn/data/gnn_benchmark.h"
#include "pdegcn/data/modelnet.h"
#include "pdegcn/data/open.h"
#include "pdegcn/data/own_data.h"
#include "pdegcn/data/planetoid.h"
#include "pdegcn/data/ppi.h"
#include "pdegcn/data/shapes.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

Dataset read_planetoid_set(const fs::path& folder, const std::string& name, const OpenOptions&) {
  return read_planetoid(folder, name);
}

Dataset read_geom_gcn_set(const fs::path& folder, const std::string&, const OpenOptions&) {
  return read_geom_gcn(folder);
}

Dataset read_ppi_set(const fs::path& folder, const std::string&, const OpenOptions&) {
  return read_ppi(folder);
}

Dataset read_faust_set(const fs::path& folder, const std::string& name, const OpenOptions&) {
  Dataset set = read_faust(folder);
  set.name = name;
  return set;
}

Dataset read_faust_r_set(const fs::path& off_folder, const std::string&, const OpenOptions&) {
  return read_faust_r(off_folder.parent_path());
}

// An archive of poses of one animal.
Dataset read_poses_set(const fs::path& folder, const std::string& name, const OpenOptions&) {
  Dataset set = read_mesh_folder(folder / (name + "-poses.tgz"));
  set.name = name;
  return set;
}

Dataset read_modelnet_path(const fs::path& folder, const OpenOptions& options) {
  return read_modelnet(folder, {options.cloud, options.whole, 0});
}

Dataset read_modelnet_set(const fs::path& folder, const std::string&, const OpenOptions& options) {
  return read_modelnet_path(folder, options);
}

// A tree of classes: some folder in it has a folder named train.
bool is_modelnet(const fs::path& path) {
  std::error_code error;
  for (const fs::path& top : {path, path / "ModelNet10", path / "pcd"})
    for (fs::directory_iterator entry(top, error), end; !error && entry != end;
         entry.increment(error))
      if (fs::is_directory(entry->path() / "train", error)) return true;
  return false;
}

// A folder of meshes, or an archive, which is looked into when it is read.
bool is_mesh_folder(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return !mesh_files(path).empty();
  const std::string name = path.filename().string();
  return name.ends_with(".tgz") || name.ends_with(".tar.gz") || name.ends_with(".tar") ||
         name.ends_with(".zip");
}

// The names of the Planetoid sets in a folder, by their graphs; of a file ind.<name>.<part>, its
// own.
std::vector<std::string> planetoid_names(const fs::path& path) {
  const auto name = [](const std::string& file, std::string_view part) -> std::string {
    if (!file.starts_with("ind.") || !file.ends_with(part) || file.size() < 4 + part.size())
      return "";
    return file.substr(4, file.size() - 4 - part.size());
  };
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::string file = path.filename().string();
    for (const char* part : {".x", ".y", ".tx", ".ty", ".allx", ".ally", ".graph", ".test.index"})
      if (names.empty() && !name(file, part).empty()) names.push_back(name(file, part));
    return names;
  }
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (const std::string found = name(entry->path().filename().string(), ".graph"); !found.empty())
      names.push_back(found);
  if (error) throw Error("{}: {}", path.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

Dataset read_planetoid_path(const fs::path& path, const OpenOptions&) {
  const std::vector<std::string> names = planetoid_names(path);
  if (names.size() > 1)
    throw Error("{}: several data sets are here; give one, such as {}", path.string(),
                (path / ("ind." + names[0] + ".graph")).string());
  std::error_code error;
  return read_planetoid(fs::is_directory(path, error) ? path : path.parent_path(), names[0]);
}

bool has(const fs::path& folder, const char* file) {
  return is_there(folder / file);
}

std::vector<NamedSet> sets_on_disk() {
  return {
      {"cora",
       "citation network, 2,708 papers in 7 classes (Planetoid)",
       {"cora/ind.cora.graph", "ind.cora.graph"},
       true,
       read_planetoid_set},
      {"citeseer",
       "citation network, 3,327 papers in 6 classes (Planetoid)",
       {"citeseer/ind.citeseer.graph", "ind.citeseer.graph"},
       true,
       read_planetoid_set},
      {"pubmed",
       "citation network, 19,717 papers in 3 classes (Planetoid)",
       {"pubmed/ind.pubmed.graph", "ind.pubmed.graph"},
       true,
       read_planetoid_set},
      {"chameleon",
       "Wikipedia pages, 2,277 in 5 classes (Geom-GCN)",
       {"chameleon/out1_graph_edges.txt"},
       true,
       read_geom_gcn_set},
      {"cornell",
       "web pages, 183 in 5 classes (Geom-GCN, corrected in 2022)",
       {"cornell/out1_graph_edges.txt"},
       true,
       read_geom_gcn_set},
      {"cornell_gcnii",
       "the older Cornell, which holds features and labels of Texas",
       {"cornell_gcnii/out1_graph_edges.txt"},
       true,
       read_geom_gcn_set},
      {"texas",
       "web pages, 183 in 5 classes (Geom-GCN)",
       {"texas/out1_graph_edges.txt"},
       true,
       read_geom_gcn_set},
      {"wisconsin",
       "web pages, 251 in 5 classes (Geom-GCN)",
       {"wisconsin/out1_graph_edges.txt"},
       true,
       read_geom_gcn_set},
      {"ppi",
       "24 protein graphs, 56,944 nodes, 121 labels (GraphSAGE)",
       {"ppi/ppi-G.json", "ppi/train_graph.json", "ppi/edges.npy"},
       false,
       read_ppi_set},
      {"faust",
       "100 scanned bodies on one template, correspondence (needs its owner's licence)",
       {"faust/MPI-FAUST/training/registrations/tr_reg_000.ply",
        "faust/training/registrations/tr_reg_000.ply",
        "MPI-FAUST/training/registrations/tr_reg_000.ply"},
       false,
       read_faust_set},
      {"faust_fit",
       "stand-in for FAUST: its template fitted to the remeshed shapes",
       {"faust_fit/training/registrations/tr_reg_000.ply"},
       false,
       read_faust_set},
      {"faust_r",
       "remeshed FAUST: 100 bodies, each with its own triangles",
       {"faust_r/off/tr_reg_000.off"},
       false,
       read_faust_r_set},
      {"cat",
       "10 poses of a cat on one mesh, correspondence (Sumner and Popovic)",
       {"mesh_poses/cat-poses.tgz"},
       false,
       read_poses_set},
      {"lion",
       "10 poses of a lion on one mesh, correspondence (Sumner and Popovic)",
       {"mesh_poses/lion-poses.tgz"},
       false,
       read_poses_set},
      {"modelnet10",
       "4,899 shapes in 10 classes, as clouds of 1,024 points",
       {"modelnet10/ModelNet10", "modelnet10/pcd"},
       false,
       read_modelnet_set},
  };
}

// The sets that are read, then those that are made.
std::vector<NamedSet> all_sets() {
  std::vector<NamedSet> sets = sets_on_disk();
  static const std::vector<GeneratedSet> generated = generated_sets();
  for (const GeneratedSet& set : generated)
    sets.push_back({set.name,
                    set.about,
                    {},
                    set.bag_of_words,
                    [](const fs::path&, const std::string& name, const OpenOptions&) {
                      return generate(name);
                    }});
  return sets;
}

}  // namespace

std::span<const NamedSet> named_sets() {
  static const std::vector<NamedSet> sets = all_sets();
  return sets;
}

std::span<const Format> formats() {
  static const std::vector<Format> all = {
      {"a folder with out1_graph_edges.txt (Geom-GCN)",
       [](const fs::path& path) { return has(path, "out1_graph_edges.txt"); }, true,
       [](const fs::path& path, const OpenOptions&) { return read_geom_gcn(path); }},
      {"a folder with ind.<name>.graph, or such a file (Planetoid)",
       [](const fs::path& path) { return !planetoid_names(path).empty(); }, true,
       read_planetoid_path},
      {"a folder with ppi-G.json, train_graph.json or edges.npy and graph_id.npy (PPI)", is_ppi,
       false, [](const fs::path& path, const OpenOptions&) { return read_ppi(path); }},
      {"a folder of classes with train and test folders of meshes or clouds (ModelNet)",
       is_modelnet, false, read_modelnet_path},
      {"a folder with off/tr_reg_000.off (remeshed FAUST)",
       [](const fs::path& path) { return has(path, "off/tr_reg_000.off"); }, false,
       [](const fs::path& path, const OpenOptions&) { return read_faust_r(path); }},
      {"an .npz with adj_indptr (gnn-benchmark)",
       [](const fs::path& path) {
         return path.extension() == ".npz" && is_gnn_benchmark(File(path));
       },
       false,
       [](const fs::path& path, const OpenOptions&) { return read_gnn_benchmark(File(path)); }},
      {"a folder with edges.csv, .tsv, .txt or .npy or with dataset.toml, or a .toml (own data)",
       [](const fs::path& path) {
         return path.extension() == ".toml" || has(path, "dataset.toml") ||
                has(path, "edges.csv") || has(path, "edges.tsv") || has(path, "edges.txt") ||
                has(path, "edges.npy");
       },
       false, [](const fs::path& path, const OpenOptions&) { return read_own_data(path); }},
      {"a folder, .zip, .tar or .tgz of meshes with one order of vertices (correspondence)",
       is_mesh_folder, false,
       [](const fs::path& path, const OpenOptions& options) {
         return options.unrelated ? read_shapes(path) : read_mesh_folder(path);
       }},
  };
  return all;
}

}  // namespace pdegcn::data
