#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pdegcn::tests {

// Pickles in the manner of Python 2's cPickle, as the Planetoid files are.
class PickleWriter {
 public:
  // Bytes as they are, after PROTO 2 and before STOP.
  static std::string file(const std::string& operations) { return "\x80\x02" + operations + "."; }

  static std::string integer(std::int64_t value) {
    if (value >= 0 && value < 256) return std::string("K") + little_endian(value, 1);
    if (value >= 0 && value < 65536) return "M" + little_endian(value, 2);
    return "J" + little_endian(value, 4);
  }

  static std::string string(const std::string& value) {
    if (value.size() < 256) return "U" + little_endian(value.size(), 1) + value;
    return "T" + little_endian(value.size(), 4) + value;
  }

  template <class T>
  static std::string array(const std::vector<std::int64_t>& shape, std::span<const T> values,
                           const std::string& dtype, bool fortran_order = false) {
    std::string sizes;
    for (const std::int64_t size : shape) sizes += integer(size);
    return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK" + std::string(1, '\0') +
           "\x85U\x01" + "b\x87R(K\x01" + "(" + sizes + "tcnumpy\ndtype\n" + string(dtype) + "K" +
           std::string(1, '\0') + "K\x01\x87R(K\x03U\x01<NNNJ\xFF\xFF\xFF\xFFJ\xFF\xFF\xFF\xFFK" +
           std::string(1, '\0') + "tb" + (fortran_order ? "\x88" : "\x89") +
           string({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}) + "tb";
  }

  // A CSR matrix, given as rows of (column, value).
  using Row = std::vector<std::pair<std::int32_t, float>>;
  static std::string matrix(std::int64_t cols, const std::vector<Row>& rows) {
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<float> values;
    for (const Row& row : rows) {
      for (const auto& [column, value] : row) {
        columns.push_back(column);
        values.push_back(value);
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    return matrix(static_cast<std::int64_t>(rows.size()), cols, offsets, columns, values);
  }
  static std::string matrix(std::int64_t rows, std::int64_t cols,
                            std::span<const std::int32_t> offsets,
                            std::span<const std::int32_t> columns, std::span<const float> values) {
    const auto size = [](auto span) { return std::vector{static_cast<std::int64_t>(span.size())}; };
    return "cscipy.sparse.csr\ncsr_matrix\nq\x01)\x81q\x02}q\x03(" + string("format") +
           string("csr") + string("_shape") + integer(rows) + integer(cols) + "\x86" +
           string("indptr") + array(size(offsets), offsets, "i4") +
           string("_cs_matrix__has_sorted_indices") + "\x88" + string("indices") +
           array(size(columns), columns, "i4") + string("data") +
           array(size(values), values, "f4") + "ub";
  }

  // A dictionary of lists.
  using Lists = std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>;
  static std::string lists(const Lists& lists) {
    std::string bytes =
        "ccollections\ndefaultdict\nq\x01" + std::string("c__builtin__\nlist\n\x85R(");
    for (const auto& [key, values] : lists) {
      bytes += integer(key) + "]";
      if (values.size() == 1) {
        bytes += integer(values[0]) + "a";
      } else if (!values.empty()) {
        bytes += "(";
        for (const std::int64_t value : values) bytes += integer(value);
        bytes += "e";
      }
    }
    return bytes + "u";
  }

 private:
  static std::string little_endian(std::uint64_t value, int size) {
    std::string bytes;
    for (int k = 0; k < size; ++k) bytes += static_cast<char>(value >> 8 * k & 0xFF);
    return bytes;
  }
};

}  // namespace pdegcn::tests
