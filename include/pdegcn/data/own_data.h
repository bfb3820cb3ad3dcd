#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/splits.h"

namespace pdegcn::data {

// The files that a user's own graph consists of; docs/own-data.md tells what they may look like.
struct OwnFiles {
  File edges;
  std::optional<File> features;
  std::optional<File> labels;
  std::optional<File> splits;
  std::optional<bool> heading;  // whether tables have one, instead of a judgement by their rows
  RandomSplits random_splits;   // when there are labels but no file of splits
};

// Own data from a folder with edges.*, features.*, labels.* and splits.* (only the first is
// necessary) or from a dataset.toml, in that folder or given itself, that names other files and
// options.
Dataset read_own_data(const std::filesystem::path& folder_or_toml);

// The same from the files.
Dataset read_own_data(const OwnFiles& files);

}  // namespace pdegcn::data
