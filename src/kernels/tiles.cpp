#include "tiles.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PDEGCN_TILES \
  __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512bf16")))

namespace pdegcn::kernels {
namespace {

// A tile has 16 rows of 64 bytes: of a left factor 16 x 32 numbers; of a right one 32 x 16, with
// two rows side by side; of a result 16 x 16 floats. `kTile` counts numbers.
constexpr std::int64_t kTile = 512;
constexpr std::int64_t kRows = 16;
constexpr std::int64_t kPair = 32;
constexpr std::int64_t kDepth = 256;  // rows of B that a strip meets before the next ones
constexpr std::int64_t kStrip = 192;  // rows of A that are laid out at a time

// 16 numbers as the lower or upper halves of words. Masked, since GCC 12 warns of its own header
// otherwise.
constexpr __mmask16 kAll = 0xffff;
PDEGCN_TILES inline __m512i widen(__m256i x) {
  return _mm512_maskz_cvtepu16_epi32(kAll, x);
}
PDEGCN_TILES inline __m512i upper(__m256i x) {
  return _mm512_maskz_slli_epi32(kAll, widen(x), 16);
}

struct Halves {
  __m256i head, rest;
};

PDEGCN_TILES inline Halves split(__m512 x) {
  const auto head = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x));
  const __m512 rest = _mm512_sub_ps(x, _mm512_castsi512_ps(upper(head)));
  return {head, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(rest))};
}

PDEGCN_TILES inline __m512i side_by_side(__m256i even, __m256i odd) {
  return _mm512_or_si512(widen(even), upper(odd));
}

// Rows of A as tiles: by 32 columns, then by 16 rows, the heads and then the rests.
PDEGCN_TILES void lay_out(Matrix<const float> a, std::int64_t row_tiles, std::uint16_t* out) {
  for (std::int64_t k = 0; k < a.cols; k += kPair)
    for (std::int64_t r = 0; r < row_tiles * kRows; ++r) {
      std::uint16_t* const to =
          out + (k / kPair * row_tiles + r / kRows) * 2 * kTile + r % kRows * kPair;
      for (std::int64_t half = 0; half < 2; ++half) {
        const std::int64_t left =
            r < a.rows ? std::clamp<std::int64_t>(a.cols - k - half * 16, 0, 16) : 0;
        const auto mask = static_cast<__mmask16>((1u << left) - 1);
        const float* const from = left > 0 ? a.row(r) + k + half * 16 : a.data;
        const Halves x = split(_mm512_maskz_loadu_ps(mask, from));
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + half * 16), x.head);
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + kTile + half * 16), x.rest);
      }
    }
}

// Sixteen vectors of sixteen words, turned over.
PDEGCN_TILES inline void transpose(__m512i (&v)[16]) {
  __m512i w[16];
  for (int i = 0; i < 16; i += 2) {
    w[i] = _mm512_maskz_unpacklo_epi32(kAll, v[i], v[i + 1]);
    w[i + 1] = _mm512_maskz_unpackhi_epi32(kAll, v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int k = 0; k < 2; ++k) {
      v[i + 2 * k] = _mm512_maskz_unpacklo_epi64(0xff, w[i + k], w[i + k + 2]);
      v[i + 2 * k + 1] = _mm512_maskz_unpackhi_epi64(0xff, w[i + k], w[i + k + 2]);
    }
  for (int i = 0; i < 16; i += 8)
    for (int k = 0; k < 4; ++k) {
      w[i + k] = _mm512_maskz_shuffle_i32x4(kAll, v[i + k], v[i + k + 4], 0x88);
      w[i + k + 4] = _mm512_maskz_shuffle_i32x4(kAll, v[i + k], v[i + k + 4], 0xdd);
    }
  for (int k = 0; k < 8; ++k) {
    v[k] = _mm512_maskz_shuffle_i32x4(kAll, w[k], w[k + 8], 0x88);
    v[k + 8] = _mm512_maskz_shuffle_i32x4(kAll, w[k], w[k + 8], 0xdd);
  }
}

// Rows of a matrix as tiles of a right factor, by 32 rows and then by 16 columns, or as tiles of
// its transpose as a left factor; heads and then rests. Rows that a tile lacks are zeros.
template <bool Transposed>
PDEGCN_TILES void lay_out_pairs(Matrix<const float> m, std::uint16_t* to) {
  for (std::int64_t k = 0; k < m.rows; k += kPair)
    for (std::int64_t c = 0; c < m.cols; c += kRows, to += 2 * kTile) {
      __m512i heads[16], rests[16];
      for (std::int64_t r = 0; r < 16; ++r) {
        const auto row = [&](std::int64_t i) PDEGCN_TILES {
          return split(i < m.rows ? _mm512_loadu_ps(m.row(i) + c) : _mm512_setzero_ps());
        };
        const Halves x = row(k + 2 * r), y = row(k + 2 * r + 1);
        heads[r] = side_by_side(x.head, y.head);
        rests[r] = side_by_side(x.rest, y.rest);
      }
      if (Transposed) transpose(heads), transpose(rests);
      for (std::int64_t r = 0; r < 16; ++r) {
        _mm512_store_si512(to + r * kPair, heads[r]);
        _mm512_store_si512(to + kTile + r * kPair, rests[r]);
      }
    }
}

// The rows of C = scale P + x X + z Z from row `first` on, see Epilogue.
PDEGCN_TILES void join(Matrix<const float> p, Matrix<float> c, std::int64_t first,
                       const Epilogue<float>& e) {
  const __m512 scale = _mm512_set1_ps(e.scale), x = _mm512_set1_ps(e.x), z = _mm512_set1_ps(e.z);
  const __m512 grid = _mm512_set1_ps(e.grid), per_grid = _mm512_set1_ps(1 / e.grid);
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t k = 0; k < c.cols; k += 16) {
      const std::int64_t at = (first + i) * c.stride + k;
      __m512 value = _mm512_mul_ps(scale, _mm512_load_ps(p.row(i) + k));
      if (e.grid > 0)
        value = _mm512_mul_ps(_mm512_maskz_roundscale_ps(kAll, _mm512_mul_ps(value, per_grid), 0),
                              grid);
      if (e.X != nullptr) value = _mm512_fmadd_ps(x, _mm512_loadu_ps(e.X + at), value);
      if (e.Z != nullptr) value = _mm512_fmadd_ps(z, _mm512_loadu_ps(e.Z + at), value);
      _mm512_storeu_ps(c.data + at, value);
    }
}

// Memory of this thread that is kept from call to call, one for each use of it.
template <int Use, class T>
T* scratch(std::int64_t count) {
  thread_local Buffer<T> memory;
  if (memory.count() < count) memory = Buffer<T>(count);
  return memory.data();
}

// Two tiles of rows times two of columns, added to the four of the result.
PDEGCN_TILES inline void multiply_pairs() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

// 32 x 32 values of C from two tiles of rows and two of columns, `steps` tiles deep.
PDEGCN_TILES void multiply_tiles(const std::uint16_t* a, std::int64_t a_step,
                                 const std::uint16_t* b, std::int64_t b_step, std::int64_t steps,
                                 float* c, std::int64_t stride, bool add) {
  const std::int64_t bytes = stride * 4;
  float* const below = c + kRows * stride;
  if (add) {
    _tile_loadd(0, c, bytes);
    _tile_loadd(1, c + 16, bytes);
    _tile_loadd(2, below, bytes);
    _tile_loadd(3, below + 16, bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (std::int64_t s = 0; s < steps; ++s, a += a_step, b += b_step) {
    // Rests of A, heads of B.
    _tile_loadd(4, a + kTile, 64);
    _tile_loadd(5, a + 3 * kTile, 64);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + 2 * kTile, 64);
    multiply_pairs();
    // Heads, heads.
    _tile_loadd(4, a, 64);
    _tile_loadd(5, a + 2 * kTile, 64);
    multiply_pairs();
    // Heads of A, rests of B.
    _tile_loadd(6, b + kTile, 64);
    _tile_loadd(7, b + 3 * kTile, 64);
    multiply_pairs();
  }
  _tile_stored(0, c, bytes);
  _tile_stored(1, c + 16, bytes);
  _tile_stored(2, below, bytes);
  _tile_stored(3, below + 16, bytes);
}

// All eight tiles have 16 rows of 64 bytes. Not a local: GCC 12 takes only its first bytes for
// used.
struct alignas(64) Shape {
  std::uint8_t palette = 1, start = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr Shape kShape;

// GCC takes the loads of tiles for independent of memory: what they read is written before this.
PDEGCN_TILES void begin_tiles() {
  asm volatile("" ::: "memory");
  _tile_loadconfig(&kShape);
}

PDEGCN_TILES void end_tiles() {
  _tile_release();
}

bool ask() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;
  if ((d & kAmxBf16) == 0 || (d & kAmxTile) == 0) return false;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kAvx512Bf16 = 1u << 5;
  if ((a & kAvx512Bf16) == 0) return false;
  // The system saves tiles only for those who have asked.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool tiles_exist() {
  static const bool exist = ask();
  return exist;
}

PDEGCN_TILES void TilePanels::split_pair(const float* even, const float* odd, std::int64_t panel,
                                         std::int64_t row) {
  std::uint16_t* to =
      values_ + panel * panel_ + row / kPair * (kWidth / 16) * 2 * kTile + row % kPair * 16;
  for (std::int64_t c = 0; c < kWidth; c += 16, to += 2 * kTile) {
    const Halves x = split(_mm512_load_ps(even + c));
    const Halves y = split(_mm512_load_ps(odd + c));
    _mm512_store_si512(to, side_by_side(x.head, y.head));
    _mm512_store_si512(to + kTile, side_by_side(x.rest, y.rest));
  }
}

void multiply_strip(Matrix<const float> a, const TilePanels& b, Matrix<float> c, bool add) {
  alignas(kAlignment) thread_local std::uint16_t left[kStrip * kDepth * 2];
  constexpr std::int64_t kColumnTiles = TilePanels::kWidth / 16;
  begin_tiles();
  for (std::int64_t first = 0; first < a.rows; first += kStrip) {
    const std::int64_t rows = std::min(kStrip, a.rows - first);
    const std::int64_t row_tiles = (rows + kPair - 1) / kPair * 2;
    for (std::int64_t k = 0; k < a.cols; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, a.cols - k);
      lay_out({a.row(first) + k, rows, depth, a.stride}, row_tiles, left);
      for (std::int64_t p = 0; p < b.count(); ++p)
        for (std::int64_t column = 0; column < kColumnTiles; column += 2)
          for (std::int64_t r = 0; r < row_tiles; r += 2)
            multiply_tiles(
                left + r * 2 * kTile, row_tiles * 2 * kTile,
                b.values_ + p * b.panel_ + (k / kPair * kColumnTiles + column) * 2 * kTile,
                kColumnTiles * 2 * kTile, (depth + kPair - 1) / kPair,
                c.row(first + r * kRows) + p * TilePanels::kWidth + column * 16, c.stride,
                add || k > 0);
    }
  }
  end_tiles();
}

void product_strip(Matrix<const float> a, const TilePanels& b, Matrix<float> c,
                   const Epilogue<float>& epilogue) {
  const std::int64_t stride = b.count() * TilePanels::kWidth;
  const bool alone =
      epilogue.scale == 1 && epilogue.grid == 0 && epilogue.X == nullptr && epilogue.Z == nullptr;
  if (alone && a.rows % kPair == 0 && c.cols == stride) return multiply_strip(a, b, c, false);
  for (std::int64_t first = 0; first < a.rows; first += kStrip) {
    const std::int64_t rows = std::min(kStrip, a.rows - first);
    const Matrix<float> product{scratch<0, float>(kStrip * stride), rows, c.cols, stride};
    multiply_strip({a.row(first), rows, a.cols, a.stride}, b, product, false);
    join(product, c, first, epilogue);
  }
}

void gram_strip(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  const std::int64_t steps = (a.rows + kPair - 1) / kPair;
  std::uint16_t* const left = scratch<1, std::uint16_t>(steps * kPair * a.cols * 2);
  std::uint16_t* const right = scratch<2, std::uint16_t>(steps * kPair * b.cols * 2);
  lay_out_pairs<true>(a, left);
  lay_out_pairs<false>(b, right);
  begin_tiles();
  for (std::int64_t k = 0; k < b.cols; k += 2 * kRows)
    for (std::int64_t i = 0; i < a.cols; i += 2 * kRows)
      multiply_tiles(left + i / kRows * 2 * kTile, a.cols / kRows * 2 * kTile,
                     right + k / kRows * 2 * kTile, b.cols / kRows * 2 * kTile, steps, c.row(i) + k,
                     c.stride, true);
  end_tiles();
}

}  // namespace pdegcn::kernels

#else

namespace pdegcn::kernels {

bool tiles_exist() {
  return false;
}
void TilePanels::split_pair(const float*, const float*, std::int64_t, std::int64_t) {}
void multiply_strip(Matrix<const float>, const TilePanels&, Matrix<float>, bool) {}
void product_strip(Matrix<const float>, const TilePanels&, Matrix<float>, const Epilogue<float>&) {}
void gram_strip(Matrix<const float>, Matrix<const float>, Matrix<float>) {}

}  // namespace pdegcn::kernels

#endif

namespace pdegcn::kernels {

template <>
bool on_tiles<float>(std::int64_t inner, std::int64_t columns) {
  constexpr std::int64_t kLeast = 128;
  return inner >= kLeast && columns >= kLeast && inner % TilePanels::kWidth == 0 &&
         columns % TilePanels::kWidth == 0 && tiles_in_use();
}
template <>
bool on_tiles<double>(std::int64_t, std::int64_t) {
  return false;
}

}  // namespace pdegcn::kernels
