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

PDEGCN_TILES void begin_tiles() {
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
      values_.data() + panel * panel_ + row / kPair * (kWidth / 16) * 2 * kTile + row % kPair * 16;
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
                b.values_.data() + p * b.panel_ + (k / kPair * kColumnTiles + column) * 2 * kTile,
                kColumnTiles * 2 * kTile, (depth + kPair - 1) / kPair,
                c.row(first + r * kRows) + p * TilePanels::kWidth + column * 16, c.stride,
                add || k > 0);
    }
  }
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

}  // namespace pdegcn::kernels

#endif
