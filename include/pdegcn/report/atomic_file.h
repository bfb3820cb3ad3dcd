#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace pdegcn::report {

// Makes the pieces, one after the other, the whole content of a file. They are written under a
// temporary name in the same folder, synced, and renamed: whoever opens the path, even after a kill
// or a power cut, finds the old content or the new, never a part. Throws Error that names the path
// and the reason; what was there then stays there.
void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces);
void write_atomically(const std::filesystem::path& path, std::string_view content);

// How the temporary names end: a kill leaves such a file behind, which anyone may delete.
inline constexpr std::string_view kTemporarySuffix = ".pdegcn-tmp";

// A log: a file that grows at its end and can be cut back to an earlier size.
class AppendFile {
 public:
  // Opens the file, makes it if it is missing, and cuts it to `size` bytes. Throws Error when it is
  // shorter than that.
  AppendFile(const std::filesystem::path& path, std::uint64_t size);
  AppendFile(AppendFile&&) noexcept;
  AppendFile& operator=(AppendFile&&) noexcept;
  ~AppendFile();

  // Adds bytes, which every reader sees from then on. When they do not all fit, none of them stay
  // and an Error is thrown.
  void append(std::string_view bytes);

  // Makes what was appended outlive a power cut.
  void sync();

  std::uint64_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pdegcn::report
