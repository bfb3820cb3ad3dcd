#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace pdegcn::kernels {

// Rows inside the kernels are padded with zeros to a multiple of this many values, and begin on a
// cache line: every loop then runs over whole vectors, whatever the number of channels.
inline constexpr std::int64_t kPadding = 16;
inline constexpr std::size_t kAlignment = 64;

inline constexpr std::int64_t padded(std::int64_t columns) {
  return (columns + kPadding - 1) / kPadding * kPadding;
}

// A view of rows in memory; T may be const.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;  // from one row to the next

  T* row(std::int64_t i) const { return data + i * stride; }
  operator Matrix<const T>() const { return {data, rows, cols, stride}; }

  // Whether the kernels can work on it in place.
  bool is_padded() const {
    return cols == stride && stride % kPadding == 0 &&
           reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
  }
};

// Memory for padded rows.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count)
      : data_(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment}))),
        count_(count) {}

  T* data() const { return data_.get(); }
  std::int64_t count() const { return count_; }
  std::span<T> values() const { return {data_.get(), static_cast<std::size_t>(count_)}; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t count_ = 0;
};

// Copies rows between layouts; the padding of `to` is filled with zeros.
template <class T>
void copy_rows(Matrix<const T> from, Matrix<T> to, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    const T* source = from.row(i);
    T* target = to.row(i);
    for (std::int64_t k = 0; k < from.cols; ++k) target[k] = source[k];
    for (std::int64_t k = from.cols; k < to.stride; ++k) target[k] = 0;
  }
}

}  // namespace pdegcn::kernels
