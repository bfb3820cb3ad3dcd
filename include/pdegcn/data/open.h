#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/data/clouds.h"
#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

enum class FeatureScaling {
  kUsual,  // as the field takes this set: row-normalised for bags of words, else raw
  kRaw,
  kRowNormalized,
};

struct OpenOptions {
  std::filesystem::path data_dir;  // empty stands for default_data_dir()
  FeatureScaling features = FeatureScaling::kUsual;
  CloudOptions cloud = {};  // how ModelNet's shapes become clouds,
  bool whole = false;       // or that they stay as they are
  bool unrelated = false;   // a folder of meshes is read by read_shapes(), not as a correspondence
};

// The folder of data sets: PDEGCN_DATA where that is set, else ~/.cache/pdegcn.
std::filesystem::path default_data_dir();

// A data set by its name (named_sets(), or a folder in the data folder) or by the path of a file or
// folder, whose format is recognised by what it holds (formats()). Throws Error with the nearest
// name, or with what would be recognised.
Dataset open(const std::string& name_or_path, const OpenOptions& options = {});

// A data set that has a name. A new one is a line in named_sets.cpp.
struct NamedSet {
  std::string_view name;
  std::string_view summary;
  // Files or folders, relative to the data folder, of which one shows that the set is there. None
  // for a set that is generated.
  std::vector<std::string_view> markers;
  bool row_normalized = false;  // what FeatureScaling::kUsual means
  // `folder` is the one with the marker, or empty.
  Dataset (*read)(const std::filesystem::path& folder, const std::string& name,
                  const OpenOptions& options) = nullptr;
};
std::span<const NamedSet> named_sets();

// The folder with the set's marker; nothing when it is not there (or generated).
std::optional<std::filesystem::path> find_set(const NamedSet& set,
                                              const std::filesystem::path& data_dir);

// A format that open() recognises. A new one is a line in named_sets.cpp.
struct Format {
  std::string_view shown_by;  // what it is recognised by, for people
  bool (*matches)(const std::filesystem::path& path) = nullptr;
  bool row_normalized = false;
  Dataset (*read)(const std::filesystem::path& path, const OpenOptions& options) = nullptr;
};
std::span<const Format> formats();

}  // namespace pdegcn::data
