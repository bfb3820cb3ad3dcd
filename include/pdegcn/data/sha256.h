#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pdegcn::data {

// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  void add(std::string_view bytes);

  // The digest of all bytes added, as 64 lower-case hexadecimal digits. Nothing can be added after.
  std::string hex();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // not yet full
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

// Of a file of any size; throws Error that names the path and the reason.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace pdegcn::data
