#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "pdegcn/data/mesh.h"
#include "pdegcn/data/text.h"

// What the readers of single mesh formats share.
namespace pdegcn::data {

// Moves to the next line that is neither blank nor a comment; false at the end.
inline bool next_data_line(TextReader& text) {
  while (text.next_line()) {
    const std::size_t at = text.line().find_first_not_of(" \t");
    if (at != std::string_view::npos && text.line()[at] != '#') return true;
  }
  return false;
}

// A value as a coordinate, or nothing when it is not finite as a float. Values arrive as doubles:
// one too small for a float is a good zero, which a parser of floats would call out of range.
inline std::optional<float> as_coordinate(double value) {
  const float coordinate = static_cast<float>(value);
  return std::isfinite(coordinate) ? std::optional(coordinate) : std::nullopt;
}

// The next field of a line as a coordinate.
inline float read_coordinate(TextReader& text, char separator) {
  const double value = text.number<double>(separator, "a coordinate");
  const std::optional<float> coordinate = as_coordinate(value);
  if (!coordinate) text.fail("the coordinate {} is not a finite float", value);
  return *coordinate;
}

// Whether `count` items of at least `bytes` bytes each, the last of them perhaps without its
// separator, fit into what there is. Asked before anything is allocated for them.
inline bool fits(std::int64_t count, std::size_t bytes, std::size_t available) {
  return count >= 0 && static_cast<std::size_t>(count) <= (available + 1) / bytes &&
         count <= std::numeric_limits<NodeId>::max();
}

// Cuts a polygon into triangles that share its first corner.
inline void append_fan(std::span<const NodeId> corners, std::vector<Triangle>& triangles) {
  for (std::size_t k = 2; k < corners.size(); ++k)
    triangles.push_back({corners[0], corners[k - 1], corners[k]});
}

// A number type of the binary formats.
enum class Scalar { kInt8, kUInt8, kInt16, kUInt16, kInt32, kUInt32, kFloat32, kFloat64 };

constexpr std::size_t size_of(Scalar type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(type)];
}

// The number at `bytes`, which need not be aligned.
inline double load(Scalar type, const char* bytes, std::endian order = std::endian::little) {
  char swapped[8];
  if (order != std::endian::native) {
    for (std::size_t k = 0; k < size_of(type); ++k) swapped[k] = bytes[size_of(type) - 1 - k];
    bytes = swapped;
  }
  const auto as = [bytes]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
    case Scalar::kInt8:
      return as(std::int8_t{});
    case Scalar::kUInt8:
      return as(std::uint8_t{});
    case Scalar::kInt16:
      return as(std::int16_t{});
    case Scalar::kUInt16:
      return as(std::uint16_t{});
    case Scalar::kInt32:
      return as(std::int32_t{});
    case Scalar::kUInt32:
      return as(std::uint32_t{});
    case Scalar::kFloat32:
      return as(float{});
    case Scalar::kFloat64:
      break;
  }
  return as(double{});
}

// What follows the header that `text` has just read the last line of.
inline std::size_t offset_after_line(const File& file, const TextReader& text) {
  std::size_t at = text.line().data() + text.line().size() - file.content().data();
  for (const char end : {'\r', '\n'})
    if (at < file.content().size() && file.content()[at] == end) ++at;
  return at;
}

}  // namespace pdegcn::data
