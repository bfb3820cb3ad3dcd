#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pdegcn/data/file.h"

namespace pdegcn::report {

// Types of tensor elements, those of the safetensors layout that a run needs.
enum class DType { kU8, kI32, kI64, kU64, kF32, kF64 };

std::string_view name_of(DType dtype);  // as the layout writes it: "F32"
std::size_t size_of(DType dtype);       // bytes per element

// The DType of a C++ type.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::kU64;
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
}

// A tensor in plain memory: row by row, little-endian.
struct Tensor {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;  // empty: one number
  std::vector<std::byte> bytes;

  template <class T>
  static Tensor of(std::vector<std::int64_t> shape, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return {dtype_of<T>(), std::move(shape), {bytes.begin(), bytes.end()}};
  }

  // The elements; throws Error when they are of another type.
  template <class T>
  std::span<const T> values() const {
    if (dtype != dtype_of<T>())
      throw Error("a tensor of type {} was read as {}", name_of(dtype), name_of(dtype_of<T>()));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// What a safetensors file holds.
struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  // Whether it was read from a file with a checksum, which was right. Files of other programs have
  // none; in those of this one only damage can remove it.
  bool checked = false;
};

// Writes the public safetensors layout: 8 bytes with the length of the header, the header in JSON,
// the data. The same content always gives the same bytes, and tensors start at multiples of their
// element size. `__metadata__` gets one more entry, `crc32c`: the checksum in eight hexadecimal
// digits of the whole file with these eight digits as zeros. Throws Error when a tensor's bytes do
// not fit its shape, and as write_atomically does.
void write_safetensors(const std::filesystem::path& path, const Safetensors& content);
std::string to_safetensors(const Safetensors& content);

// Reads it, from any program. Throws Error for everything that is not as it should be: a header
// that is too long or not valid, unknown types, names twice, shapes that do not fit their data,
// data that overlaps, has holes or ends early, a wrong checksum. Allocates no more than a small
// multiple of the file's size.
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors from_safetensors(const data::File& file);

}  // namespace pdegcn::report
