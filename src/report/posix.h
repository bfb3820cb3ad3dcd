#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "pdegcn/graph/error.h"

namespace pdegcn::report {

// The system's reason for the last failure, as an Error about a path.
[[noreturn]] inline void fail_with_errno(const std::string& path, std::string_view doing) {
  const int reason = errno;
  throw Error("{}: cannot {}: {}", path, doing, std::strerror(reason));
}

// An open file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const std::string& path, int flags) : value_(::open(path.c_str(), flags, 0666)) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }

  explicit operator bool() const { return value_ >= 0; }
  int get() const { return value_; }

  // Writes everything; false with errno set when it cannot.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(value_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
  }

 private:
  int value_ = -1;
};

}  // namespace pdegcn::report
