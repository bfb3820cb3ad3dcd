#pragma once

#include <algorithm>
#include <cstdint>

#include "pdegcn/kernels/product.h"

namespace pdegcn::kernels {

// Products of floats on the matrix unit that some processors have (AMX), several times the rate of
// their vector units. It multiplies numbers of 8 significant bits and adds floats: a float goes in
// as two such numbers, its head and what the head leaves, and of the four products the one of the
// two rests is left out. The head is wrong by at most 1/2⁸ of the float, head and rest together by
// 1/2¹⁷, so that a term is wrong by at most 1/2¹⁶ + 2/2¹⁷ = 1/2¹⁵ of itself, where floats have
// 1/2²⁴; a sum over many terms is better than that, since errors have either sign. Rests
// below 2⁻¹²⁶ count as zero, and what is infinite becomes no number. Sums run in the same order for
// every row, wherever it stands.

// The name of the target that uses it, and the vector units as AVX-512 does.
inline constexpr const char* kTiles = "AMX";

// Whether the processor has the unit and the system lets this process use it.
bool tiles_exist();

// Whether it is the target in use. Asked for every product: the name of the target asks the
// processor what it has, which on a virtual machine takes as long as a small product.
bool tiles_in_use();

// Whether products of matrices that are `inner` deep and have `columns` columns go there: only
// where cutting the rows of the left factor in two is a small part of the work on them.
template <class T>
bool on_tiles(std::int64_t inner, std::int64_t columns);

// A right factor cut into panels of kWidth columns, laid out for multiply_strip.
class TilePanels {
 public:
  static constexpr std::int64_t kWidth = 64;

  TilePanels(std::int64_t rows, std::int64_t cols) : TilePanels(rows, cols, nullptr) {
    own_ = Buffer<std::uint16_t>(count() * panel_);
    values_ = own_.data();
  }

  // In memory of the caller's, on a cache line, for as many floats as the matrix has when it is
  // padded to 32 rows and whole panels.
  TilePanels(std::int64_t rows, std::int64_t cols, void* memory)
      : cols_(cols),
        panel_((rows + kPair - 1) / kPair * kPair * kWidth * 2),
        values_(static_cast<std::uint16_t*>(memory)) {}

  std::int64_t count() const { return (cols_ + kWidth - 1) / kWidth; }

  // Fills panel p: get(row, column) where the matrix is, else 0.
  template <class Get>
  void fill(std::int64_t p, std::int64_t rows, const Get& get) {
    const std::int64_t width = std::min(kWidth, cols_ - p * kWidth);
    alignas(kAlignment) float pair[2][kWidth] = {};
    for (std::int64_t k = 0; k < (rows + kPair - 1) / kPair * kPair; k += 2) {
      for (std::int64_t r = k; r < k + 2; ++r)
        for (std::int64_t c = 0; c < width; ++c)
          pair[r - k][c] = r < rows ? get(r, p * kWidth + c) : 0;
      split_pair(pair[0], pair[1], p, k);
    }
  }

 private:
  friend void multiply_strip(Matrix<const float> a, const TilePanels& b, Matrix<float> c, bool add);
  static constexpr std::int64_t kPair = 32;  // rows that one tile holds

  void split_pair(const float* even, const float* odd, std::int64_t panel, std::int64_t row);

  std::int64_t cols_, panel_;
  std::uint16_t* values_;
  Buffer<std::uint16_t> own_;
};

// C += A B, or C = A B, on the calling thread. C has room for whole panels, and for rows up to a
// multiple of 32; what it holds there afterwards means nothing.
void multiply_strip(Matrix<const float> a, const TilePanels& b, Matrix<float> c, bool add);

// All rows of C = A B and its epilogue, as product_rows.
void product_strip(Matrix<const float> a, const TilePanels& b, Matrix<float> c,
                   const Epilogue<float>& epilogue);

// C += Aᵀ B, as gram_rows; A and B have multiples of 32 columns.
void gram_strip(Matrix<const float> a, Matrix<const float> b, Matrix<float> c);

}  // namespace pdegcn::kernels
