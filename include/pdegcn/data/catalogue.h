#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pdegcn/data/download.h"

namespace pdegcn::data {

// A public data set and where its files are. Paths are those that the readers look for below the
// data folder.
struct RemoteSet {
  std::string name;
  std::string about;
  std::vector<RemoteFile> files = {};

  // Whether the data set comes as one zip archive, to be unpacked into the folder of its name; and
  // then which of its files are needed (those whose path holds this) and what they may add up to.
  bool archive = false;
  std::string only = {};
  std::uint64_t max_unpacked = 0;

  std::string steps =
      {};  // what to do when no one may pass it on, so that it has no files; else empty
};

std::vector<RemoteSet> catalogue();

// Throws Error with the names there are.
RemoteSet remote_set(const std::string& name);

}  // namespace pdegcn::data
