#include "pdegcn/kernels/product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pdegcn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, kPadding>;

// Sums kept in registers at a time: kRows rows of at most kVectors vectors. Together with one row
// of B and one value of A they fill the 32 registers of AVX-512 or the 16 of the others.
constexpr int kRows = 6;
constexpr int kVectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;

template <int Rows, int Vectors, class T>
HWY_INLINE void StoreTile(hn::Vec<Lanes<T>> (&sum)[Rows][Vectors], std::int64_t stride, T* out,
                          std::int64_t offset, const Epilogue<T>& e) {
  const Lanes<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = offset + r * stride + v * lanes;
      auto value = hn::Mul(hn::Set(d, e.scale), sum[r][v]);
      if (e.grid > 0)
        value = hn::Mul(hn::Round(hn::Mul(value, hn::Set(d, 1 / e.grid))), hn::Set(d, e.grid));
      if (e.X != nullptr) value = hn::MulAdd(hn::Set(d, e.x), hn::Load(d, e.X + at), value);
      if (e.Z != nullptr) value = hn::MulAdd(hn::Set(d, e.z), hn::Load(d, e.Z + at), value);
      hn::Store(value, d, out + at);
    }
}

// A product goes through the rows of B by blocks that stay in the first cache, while the sums of
// kChunk rows wait beside them. Blocks change no bit: every sum runs through k in order.
constexpr std::int64_t kBlock = 96;
constexpr std::int64_t kChunk = 48;

struct Block {
  std::int64_t first, last;  // rows of B
  bool begins, ends;         // whether sums begin here with zero, and end in C
};

// One tile of C = A B: Rows rows from row i, Vectors vectors from column j. `sums` has its sums
// from block to block.
template <int Rows, int Vectors, class T>
HWY_INLINE void ProductTile(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                            std::int64_t i, std::int64_t j, const Block& block,
                            T* HWY_RESTRICT sums, const Epilogue<T>& epilogue) {
  const Lanes<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<T>> sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] = block.begins ? hn::Zero(d) : hn::Load(d, sums + (r * Vectors + v) * lanes);
  const T* HWY_RESTRICT left = a.row(i);
  const T* HWY_RESTRICT right = b.row(block.first) + j;
  for (std::int64_t k = block.first; k < block.last; ++k, right += b.stride) {
    hn::Vec<Lanes<T>> row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = hn::Load(d, right + v * lanes);
    for (int r = 0; r < Rows; ++r) {
      const auto factor = hn::Set(d, left[r * a.stride + k]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
    }
  }
  if (block.ends) {
    StoreTile<Rows, Vectors, T>(sum, c.stride, c.data, i * c.stride + j, epilogue);
    return;
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) hn::Store(sum[r][v], d, sums + (r * Vectors + v) * lanes);
}

template <int Vectors, class T>
void ProductColumns(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                    std::int64_t first, std::int64_t last, std::int64_t j,
                    const Epilogue<T>& epilogue) {
  HWY_ALIGN T waiting[kChunk * Vectors * kPadding];
  const std::int64_t width = Vectors * hn::Lanes(Lanes<T>());
  for (std::int64_t chunk = first; chunk < last; chunk += kChunk) {
    const std::int64_t end = std::min(chunk + kChunk, last);
    std::int64_t k = 0;
    do {
      const Block block{k, std::min(k + kBlock, a.cols), k == 0, k + kBlock >= a.cols};
      std::int64_t i = chunk;
      const auto sums = [&] { return waiting + (i - chunk) * width; };
      for (; i + kRows <= end; i += kRows)
        ProductTile<kRows, Vectors, T>(a, b, c, i, j, block, sums(), epilogue);
      for (; i + 2 <= end; i += 2)
        ProductTile<2, Vectors, T>(a, b, c, i, j, block, sums(), epilogue);
      if (i < end) ProductTile<1, Vectors, T>(a, b, c, i, j, block, sums(), epilogue);
      k += kBlock;
    } while (k < a.cols);
  }
}

template <class T>
void ProductRows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                 std::int64_t first, std::int64_t last, const Epilogue<T>& epilogue) {
  const std::int64_t lanes = hn::Lanes(Lanes<T>());
  const std::int64_t columns = padded(c.cols);
  std::int64_t j = 0;
  for (; j + kVectors * lanes <= columns; j += kVectors * lanes)
    ProductColumns<kVectors, T>(a, b, c, first, last, j, epilogue);
  for (; j < columns; j += lanes) ProductColumns<1, T>(a, b, c, first, last, j, epilogue);
}

// One tile of C += Aᵀ B: Rows columns of A from column i against Vectors vectors of B from column
// j.
template <int Rows, int Vectors, class T>
HWY_INLINE void GramTile(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                         std::int64_t first, std::int64_t last, std::int64_t i, std::int64_t j) {
  const Lanes<T> d;
  const std::int64_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<T>> sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sum[r][v] = hn::Load(d, c.row(i + r) + j + v * lanes);
  for (std::int64_t k = first; k < last; ++k) {
    const T* HWY_RESTRICT left = a.row(k) + i;
    const T* HWY_RESTRICT right = b.row(k) + j;
    hn::Vec<Lanes<T>> row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = hn::Load(d, right + v * lanes);
    for (int r = 0; r < Rows; ++r) {
      const auto factor = hn::Set(d, left[r]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
    }
  }
  StoreTile<Rows, Vectors, T>(sum, c.stride, c.data, i * c.stride + j, Epilogue<T>{});
}

template <int Vectors, class T>
void GramColumns(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                 std::int64_t first, std::int64_t last, std::int64_t j) {
  std::int64_t i = 0;
  for (; i + kRows <= a.cols; i += kRows) GramTile<kRows, Vectors, T>(a, b, c, first, last, i, j);
  for (; i + 4 <= a.cols; i += 4) GramTile<4, Vectors, T>(a, b, c, first, last, i, j);
  for (; i < a.cols; ++i) GramTile<1, Vectors, T>(a, b, c, first, last, i, j);
}

template <class T>
void GramRows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
              std::int64_t first, std::int64_t last) {
  const std::int64_t lanes = hn::Lanes(Lanes<T>());
  const std::int64_t columns = padded(c.cols);
  std::int64_t j = 0;
  for (; j + kVectors * lanes <= columns; j += kVectors * lanes)
    GramColumns<kVectors, T>(a, b, c, first, last, j);
  for (; j < columns; j += lanes) GramColumns<1, T>(a, b, c, first, last, j);
}

#define PDEGCN_TYPED(T, suffix)                                                                    \
  void ProductRows##suffix(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, \
                           std::int64_t first, std::int64_t last, const Epilogue<T>& e) {          \
    ProductRows<T>(a, b, c, first, last, e);                                                       \
  }                                                                                                \
  void GramRows##suffix(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,    \
                        std::int64_t first, std::int64_t last) {                                   \
    GramRows<T>(a, b, c, first, last);                                                             \
  }
PDEGCN_TYPED(float, F32)
PDEGCN_TYPED(double, F64)
#undef PDEGCN_TYPED

}  // namespace pdegcn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pdegcn::kernels {

HWY_EXPORT(ProductRowsF32);
HWY_EXPORT(ProductRowsF64);
HWY_EXPORT(GramRowsF32);
HWY_EXPORT(GramRowsF64);

template <>
void product_rows(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, std::int64_t first,
                  std::int64_t last, const Epilogue<float>& epilogue) {
  HWY_DYNAMIC_DISPATCH(ProductRowsF32)(a, b, c, first, last, epilogue);
}
template <>
void product_rows(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                  std::int64_t first, std::int64_t last, const Epilogue<double>& epilogue) {
  HWY_DYNAMIC_DISPATCH(ProductRowsF64)(a, b, c, first, last, epilogue);
}
template <>
void gram_rows(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, std::int64_t first,
               std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GramRowsF32)(a, b, c, first, last);
}
template <>
void gram_rows(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, std::int64_t first,
               std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GramRowsF64)(a, b, c, first, last);
}

}  // namespace pdegcn::kernels
#endif
