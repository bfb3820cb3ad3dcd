#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "pdegcn/graph/error.h"

namespace pdegcn::data {

// Whether there is a folder at this path. Throws Error when that cannot be known: a loop of
// symbolic links, or no permission.
inline bool is_folder(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::none || type == std::filesystem::file_type::unknown)
    throw Error("{}: {}", path.string(), error.message());
  return type == std::filesystem::file_type::directory;
}

// The last part of a path that has a name: "a/b/" and "a/b" are both b.
inline std::string last_name(const std::filesystem::path& path) {
  return (path / "").lexically_normal().parent_path().filename().string();
}

}  // namespace pdegcn::data
