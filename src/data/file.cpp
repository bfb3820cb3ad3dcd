#include "pdegcn/data/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pdegcn::data {

File::File(const std::filesystem::path& path) : name_(path.string()) {
  const auto fail = [this](const char* reason) { throw Error("{}: {}", name_, reason); };
  // Without O_NONBLOCK the open of a named pipe would wait for a writer for ever.
  const int descriptor = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(std::strerror(errno));
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};

  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("this is a folder, not a file");
  if (!S_ISREG(status.st_mode)) fail("this is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto bytes = std::make_shared_for_overwrite<char[]>(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(descriptor, bytes.get() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) fail("the file became shorter while it was read");
    have += static_cast<std::size_t>(got);
  }
  owner_ = bytes;
  content_ = {bytes.get(), size};
}

File::File(std::string name, std::string content) : name_(std::move(name)) {
  const auto bytes = std::make_shared<const std::string>(std::move(content));
  owner_ = bytes;
  content_ = *bytes;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found;
}

std::string name_of(const std::filesystem::path& path) {
  std::error_code error;
  return (std::filesystem::absolute(path, error) / "x").lexically_normal().parent_path().filename();
}

}  // namespace pdegcn::data
