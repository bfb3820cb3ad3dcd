#include "pdegcn/data/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

// A folder that goes, with all in it, unless it is kept.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) {
    std::string pattern = target.string() + ".unpacking-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw Error("{}: a folder cannot be made: {}", pattern, std::strerror(errno));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Its final name, for everyone to read; what is in it outlives a power cut.
  void keep_as(const fs::path& target) {
    const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = folder >= 0 && ::fchmod(folder, 0755) == 0 && ::syncfs(folder) == 0;
    const int reason = errno;
    if (folder >= 0) ::close(folder);
    if (!synced) throw Error("{}: cannot be synced: {}", path_.string(), std::strerror(reason));
    std::error_code error;
    fs::rename(path_, target, error);
    if (error)
      throw Error("{}: cannot be renamed to {}: {}", path_.string(), target.string(),
                  error.message());
    path_.clear();
  }

 private:
  fs::path path_;
};

// Whether a path stays below the folder it is put in, on any system.
bool stays_inside(const std::string& path) {
  if (path.empty() || path.find_first_of("\\:") != std::string::npos) return false;
  if (fs::path(path).is_absolute()) return false;
  for (const fs::path& part : fs::path(path))
    if (part == "..") return false;
  return true;
}

class Output {
 public:
  explicit Output(const fs::path& path)
      : path_(path),
        descriptor_(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail();
  }
  ~Output() { ::close(descriptor_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write_at(std::uint64_t offset, const char* bytes, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::pwrite(descriptor_, bytes, size, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      bytes += written;
      size -= static_cast<std::size_t>(written);
      offset += static_cast<std::uint64_t>(written);
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("{}: cannot be written: {}", path_.string(), std::strerror(errno));
  }

  fs::path path_;
  int descriptor_;
};

}  // namespace

std::int64_t unpack_zip(const fs::path& archive, const fs::path& target,
                        const UnpackOptions& options) {
  const std::string name = archive.string();
  if (fs::exists(fs::symlink_status(target))) throw Error("{}: already exists", target.string());

  const Reader reader(archive_read_new(), archive_read_free);
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_zip_seekable(reader.get());
  const auto damaged = [&] {
    const char* reason = archive_error_string(reader.get());
    throw Error("{}: {}", name, reason == nullptr ? "cannot be read" : reason);
  };
  if (archive_read_open_filename(reader.get(), name.c_str(), 1 << 16) != ARCHIVE_OK) damaged();

  fs::create_directories(fs::absolute(target).parent_path());
  TemporaryFolder folder(target);
  std::uint64_t bytes = 0;
  std::int64_t files = 0;
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN) damaged();
    const char* raw = archive_entry_pathname(entry);
    const std::string path = raw == nullptr ? "" : raw;
    if (!stays_inside(path)) throw Error("{}: the path '{:.200}' is not allowed", name, path);
    if (archive_entry_filetype(entry) == AE_IFDIR || path.starts_with("__MACOSX/")) continue;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      throw Error("{}: '{:.200}' is neither a file nor a folder", name, path);
    if (path.find(options.only) == std::string::npos) continue;
    if (++files > options.max_files)
      throw Error("{}: holds more than {} files", name, options.max_files);
    if (options.progress) options.progress(path);

    const fs::path place = folder.path() / path;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (error) throw Error("{}: '{:.200}': {}", name, path, error.message());
    if (fs::exists(place)) throw Error("{}: '{:.200}' occurs twice", name, path);
    Output out(place);
    for (;;) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int state = archive_read_data_block(reader.get(), &block, &size, &offset);
      if (state == ARCHIVE_EOF) break;
      if (state != ARCHIVE_OK) damaged();
      bytes += size;
      if (bytes > options.max_bytes || static_cast<std::uint64_t>(offset) > options.max_bytes)
        throw Error("{}: unpacks to more than {} bytes", name, options.max_bytes);
      out.write_at(static_cast<std::uint64_t>(offset), static_cast<const char*>(block), size);
    }
  }
  if (files == 0)
    throw Error("{}: holds no file{}", name,
                options.only.empty() ? "" : fmt::format(" whose path holds '{}'", options.only));
  folder.keep_as(target);
  return files;
}

}  // namespace pdegcn::data
