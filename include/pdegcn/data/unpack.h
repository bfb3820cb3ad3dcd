#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace pdegcn::data {

struct UnpackOptions {
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // of all files together, as written
  std::int64_t max_files = 1'000'000;
  std::string only = {};  // unpack the files whose path in the archive holds this; all when empty
  std::function<void(const std::string& path)> progress = {};  // called before each file
};

// Unpacks a zip archive into the new folder `target`, whole or not at all: files are first written
// to a temporary folder beside it, synced, and that is renamed. Returns the number of files.
//
// Throws Error, and leaves nothing behind, when the target exists, the archive is damaged, holds no
// file (that was asked for), a file passes a limit, a path would leave the target or occurs twice,
// or an entry is anything but a file or a folder. Names that start with "__MACOSX/" are passed
// over.
std::int64_t unpack_zip(const std::filesystem::path& archive, const std::filesystem::path& target,
                        const UnpackOptions& options = {});

}  // namespace pdegcn::data
