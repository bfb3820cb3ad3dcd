#include "pdegcn/data/fetch.h"

#include <algorithm>

#include "pdegcn/data/sha256.h"
#include "pdegcn/data/unpack.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

RemoteFile with_mirrors(RemoteFile file, const std::vector<std::string>& mirrors) {
  std::vector<std::string> urls;
  for (std::string mirror : mirrors) {
    if (!mirror.ends_with('/')) mirror += '/';
    urls.push_back(mirror + file.path);
  }
  file.urls.insert(file.urls.begin(), urls.begin(), urls.end());
  return file;
}

bool is_right(const fs::path& path, const RemoteFile& file) {
  return fs::is_regular_file(path) && (file.sha256.empty() || sha256_of_file(path) == file.sha256);
}

FetchReport fetch_archive(const RemoteSet& set, const FetchOptions& options) {
  FetchReport report;
  const fs::path target = options.data_folder / set.name;
  if (fs::is_directory(target)) {
    report.present = 1;
    return report;
  }
  const auto unpack = [&](const fs::path& archive) {
    report.fetched = static_cast<int>(unpack_zip(
        archive, target,
        {.max_bytes = set.max_unpacked, .only = set.only, .progress = options.unpacking}));
  };
  if (!options.archive.empty()) {
    unpack(options.archive);
    return report;
  }
  if (set.files.empty()) throw Error(set.steps);
  const RemoteFile file = with_mirrors(set.files.front(), options.mirrors);
  const fs::path archive = options.data_folder / file.path;
  if (!fs::exists(archive)) Downloader(options.download).get(file, archive);
  report.unverified = file.sha256.empty();
  // Unpacked or damaged, it is of no more use.
  struct Remove {
    const fs::path& path;
    ~Remove() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } remove{archive};
  unpack(archive);
  return report;
}

}  // namespace

FetchReport fetch(const RemoteSet& set, const FetchOptions& options) {
  if (set.archive) return fetch_archive(set, options);
  if (!options.archive.empty())
    throw Error("{} does not come as an archive, {} cannot be used for it", set.name,
                options.archive.string());
  FetchReport report;
  Downloader downloader(options.download);
  for (const RemoteFile& file : set.files) {
    const fs::path destination = options.data_folder / file.path;
    if (is_right(destination, file)) {
      ++report.present;
      continue;
    }
    downloader.get(with_mirrors(file, options.mirrors), destination);
    ++report.fetched;
    report.unverified += file.sha256.empty();
  }
  return report;
}

bool is_fetched(const RemoteSet& set, const fs::path& data_folder) {
  if (set.archive) return fs::is_directory(data_folder / set.name);
  return std::ranges::all_of(set.files, [&](const RemoteFile& file) {
    return fs::is_regular_file(data_folder / file.path);
  });
}

}  // namespace pdegcn::data
