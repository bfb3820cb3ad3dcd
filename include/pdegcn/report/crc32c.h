#pragma once

#include <cstdint>
#include <string_view>

namespace pdegcn::report {

// The CRC-32C checksum (Castagnoli polynomial) of some bytes. The checksum of the bytes that came
// before them, as `before`, makes it that of both together.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace pdegcn::report
