#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace pdegcn::tests {

// The folder of real data sets, or an empty path when there is none.
inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("PDEGCN_DATA");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return {};
  return folder;
}

}  // namespace pdegcn::tests

// Skips a test, and says so, where the real data set is not at hand.
#define PDEGCN_NEEDS_DATA(name)                                        \
  if (pdegcn::tests::data_folder().empty() ||                          \
      !std::filesystem::exists(pdegcn::tests::data_folder() / (name))) \
  GTEST_SKIP() << "real data '" << (name) << "' is not in the data folder (PDEGCN_DATA)"
