#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/data/archive.h"
#include "pdegcn/data/file.h"

namespace pdegcn::data {

// The type of the elements of a numpy array, little-endian: b bool, i and u integers, f floating
// point (2, 4 or 8 bytes), c complex, S bytes, U text of four bytes per character.
struct DType {
  char kind = 'f';
  std::size_t size = 4;  // bytes per element

  // From numpy's spelling, such as "<f4"; throws Error when it is none of the above.
  static DType parse(std::string_view spelling);
  std::string spelling() const;
};

// An array of numpy in memory that someone else holds.
struct ArrayView {
  std::string name;  // for errors
  DType dtype;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // the first index runs fastest, not the last
  std::string_view bytes;      // as many as dtype and shape ask for

  // Throws Error unless the bytes are as many as dtype and shape ask for.
  void check() const;

  std::int64_t dim() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t count() const;

  // Throws Error unless the array has that many dimensions, and, where a size is not -1, that size.
  void expect_shape(std::span<const std::int64_t> wanted) const;
  void expect_shape(std::initializer_list<std::int64_t> wanted) const {
    expect_shape(std::span(wanted.begin(), wanted.size()));
  }

  // The elements, last index fastest. Throws Error naming the first element that the wanted type
  // cannot hold; floating point may lose digits but not become infinite. For std::uint8_t,
  // std::int32_t, std::int64_t, float and double.
  template <class T>
  std::vector<T> as() const;

  // The elements of an array of bytes or text.
  std::vector<std::string> strings() const;
};

// The content of an .npy file of version 1.0, 2.0 or 3.0.
class NpyArray {
 public:
  explicit NpyArray(File file);
  explicit NpyArray(const std::filesystem::path& path) : NpyArray(File(path)) {}

  ArrayView view() const;

 private:
  File file_;
  ArrayView header_;
  std::size_t start_ = 0;  // of the elements
};

// The content of an .npz file: arrays by name.
class Npz {
 public:
  explicit Npz(const File& file);
  explicit Npz(const std::filesystem::path& path) : Npz(File(path)) {}

  bool has(const std::string& array) const { return members_.contains(array); }
  std::vector<std::string> names() const;

  // Throws Error with the names there are. Arrays are looked into only when they are asked for:
  // one that cannot be read, such as pickled objects, is no hindrance to the others.
  NpyArray at(const std::string& array) const;

 private:
  std::string name_;
  std::map<std::string, File> members_;
};

// The bytes of an .npy file (version 1.0).
std::string npy(const ArrayView& array);

// The same from values in C order, for every integer type of the standard, float and double.
template <class T>
std::string npy(const std::vector<std::int64_t>& shape, std::span<const T> values);

// The bytes of an .npz file of arrays, each given as the bytes of an .npy file.
std::string npz(const std::map<std::string, std::string>& arrays,
                Compression compression = Compression::kDeflated);

}  // namespace pdegcn::data
