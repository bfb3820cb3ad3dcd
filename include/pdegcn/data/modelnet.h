#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pdegcn/data/clouds.h"
#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// One shape of a ModelNet tree: <class>/train/<name> or <class>/test/<name>.
struct ModelNetFile {
  std::filesystem::path path;
  std::int32_t label = 0;
  bool test = false;
};

// The shapes of such a tree, in `folder` or below it in ModelNet10 or pcd: by class, then training
// before test, then by name. Throws Error when there are none.
struct ModelNetTree {
  std::vector<std::string> class_names;  // sorted
  std::vector<ModelNetFile> files;
};
ModelNetTree list_modelnet(const std::filesystem::path& folder);

struct ModelNetOptions {
  CloudOptions cloud;
  bool whole = false;      // shapes as they are, see shape_sample(), for who draws points himself
  std::uint64_t seed = 0;  // of the points drawn from meshes
};

// The shapes with labels, as clouds or whole. Splits: "default", in which a tenth of the training
// shapes of each class, always the same ones, validates; "full", in which all of them train.
Dataset read_modelnet(const std::filesystem::path& folder, const ModelNetOptions& options = {});

}  // namespace pdegcn::data
