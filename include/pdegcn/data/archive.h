#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/data/file.h"

namespace pdegcn::data {

// A regular file inside an archive. The name of `file` is that of the archive, a slash and `path`.
struct ArchiveMember {
  std::string path;  // as the archive spells it; nothing is ever written under this name
  File file;
};

// What an archive may unpack to, whatever its headers claim.
struct ArchiveLimits {
  std::uint64_t ratio = 256;  // all members together over the archive itself,
  std::uint64_t allowance = std::uint64_t{16} << 20;  // but at least this many bytes
  std::uint64_t member = std::uint64_t{4} << 30;
  std::uint64_t total = std::uint64_t{8} << 30;
};

// The regular files in a .zip (stored or deflated), .tar, .tgz or .tar.gz, in the order of the
// archive. Throws Error when it is none of these, holds nothing, is damaged (checksums are
// compared), encrypted, or passes a limit.
std::vector<ArchiveMember> read_archive(const File& archive, const ArchiveLimits& limits = {});
std::vector<ArchiveMember> read_archive(const std::filesystem::path& path,
                                        const ArchiveLimits& limits = {});

// The bytes of a zip archive of these members: the same for the same members, as no time is kept.
enum class Compression { kStored, kDeflated };
std::string zip(std::span<const ArchiveMember> members,
                Compression compression = Compression::kDeflated);

}  // namespace pdegcn::data
