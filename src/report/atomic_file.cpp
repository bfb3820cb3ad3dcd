#include "pdegcn/report/atomic_file.h"

#include <sys/stat.h>

#include <string>

#include "posix.h"

namespace pdegcn::report {
namespace {

namespace fs = std::filesystem;

// The file that a path means, through links. A device or a pipe must not be renamed over: as root,
// that would take /dev/null away from the whole machine.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return path;
  if (fs::is_directory(status)) throw Error("{}: this is a folder, not a file", path.string());
  if (!fs::is_regular_file(status)) throw Error("{}: this is not a regular file", path.string());
  return fs::canonical(path, error);
}

// A rename is certain to outlive a power cut only once the folder itself is synced.
void sync_folder(const fs::path& folder) {
  const std::string name = folder.empty() ? "." : folder.string();
  const Descriptor descriptor(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync a folder and say so with EINVAL.
  if (!descriptor || (::fsync(descriptor.get()) != 0 && errno != EINVAL))
    fail_with_errno(name, "sync the folder");
}

// Deletes the temporary file unless it has become the real one.
struct Temporary {
  std::string name;
  bool renamed = false;
  ~Temporary() {
    if (!renamed) ::unlink(name.c_str());
  }
};

}  // namespace

void write_atomically(const fs::path& path, std::span<const std::string_view> pieces) {
  const fs::path target = target_of(path);
  Temporary temporary{fmt::format("{}.{}{}", target.string(), ::getpid(), kTemporarySuffix)};
  {
    const Descriptor file(temporary.name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
    if (!file) fail_with_errno(path.string(), "write");
    for (const std::string_view piece : pieces)
      if (!file.write(piece)) fail_with_errno(path.string(), "write");
    if (::fsync(file.get()) != 0) fail_with_errno(path.string(), "write");
  }
  if (::rename(temporary.name.c_str(), target.c_str()) != 0)
    fail_with_errno(path.string(), "write");
  temporary.renamed = true;
  sync_folder(target.parent_path());
}

void write_atomically(const fs::path& path, std::string_view content) {
  write_atomically(path, std::span(&content, 1));
}

struct AppendFile::State {
  std::string name;
  Descriptor file;
  std::uint64_t size = 0;
};

AppendFile::AppendFile(const fs::path& path, std::uint64_t size)
    : state_(std::make_unique<State>()) {
  state_->name = path.string();
  state_->file = Descriptor(state_->name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  state_->size = size;
  struct stat status {};
  if (!state_->file || ::fstat(state_->file.get(), &status) != 0)
    fail_with_errno(state_->name, "write");
  if (!S_ISREG(status.st_mode)) throw Error("{}: this is not a regular file", state_->name);
  const auto present = static_cast<std::uint64_t>(status.st_size);
  if (present < size)
    throw Error("{}: the file has {} bytes where at least {} are expected: it was cut off",
                state_->name, present, size);
  if (present > size && ::ftruncate(state_->file.get(), static_cast<off_t>(size)) != 0)
    fail_with_errno(state_->name, "cut the end off");
}

AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;
AppendFile::~AppendFile() = default;

void AppendFile::append(std::string_view bytes) {
  if (!state_->file.write(bytes)) {
    const int reason = errno;
    // Should this fail too, the half record is found and cut off on resume.
    [[maybe_unused]] const int cut =
        ::ftruncate(state_->file.get(), static_cast<off_t>(state_->size));
    errno = reason;
    fail_with_errno(state_->name, "write");
  }
  state_->size += bytes.size();
}

void AppendFile::sync() {
  if (::fsync(state_->file.get()) != 0) fail_with_errno(state_->name, "sync");
}

std::uint64_t AppendFile::size() const {
  return state_->size;
}

}  // namespace pdegcn::report
