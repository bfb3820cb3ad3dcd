#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "pdegcn/graph/error.h"

namespace pdegcn::data {

// A whole file in memory. Text and binary readers work on this, never on a stream: sizes are known
// before anything is allocated, and an error can name its place. Copies share the bytes, which stay
// where they are as long as one copy lives.
class File {
 public:
  // Reads a regular file; throws Error that names the path and the reason.
  explicit File(const std::filesystem::path& path);

  // Bytes that were not read from the disk, such as a member of an archive, under a name for
  // errors.
  File(std::string name, std::string content);

  const std::string& name() const { return name_; }
  std::string_view content() const { return content_; }

  // Errors at a byte (binary) or a line (text, counted from 1).
  template <class... Args>
  [[noreturn]] void fail_at_byte(std::size_t at, fmt::format_string<Args...> format,
                                 Args&&... args) const {
    throw Error("{}: byte {}: {}", name_, at, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  [[noreturn]] void fail_at_line(std::size_t line, fmt::format_string<Args...> format,
                                 Args&&... args) const {
    throw Error("{}:{}: {}", name_, line, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string name_;
  std::shared_ptr<const void> owner_;
  std::string_view content_;
};

// False when there is nothing under that path. What is there but cannot be reached counts as there:
// opening it tells what is wrong.
bool is_there(const std::filesystem::path& path);

// The last name in a path, which may end with a slash or be ".".
std::string name_of(const std::filesystem::path& path);

}  // namespace pdegcn::data
