#include "pdegcn/kernels/tanh.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <vector>

#include "tests/kernels/each_target.h"
#include "tests/support/sanitized.h"

namespace pdegcn::kernels {
namespace {

// Below `kSmall` the bounds 0 ≤ t ≤ x say more than 5e-7 does, and the function is x to the bit;
// from `kLarge` on tanh is 1 in float.
constexpr float kSmall = 0x1p-24f;
constexpr float kLarge = 16;
constexpr float kError = 5e-7f;
constexpr float kHalfUnit = 0x1p-25f;  // what the rounding of the true value to float may hide

constexpr std::int64_t kBlock = 4096;

// What the checks of a block of ascending floats find.
struct Found {
  float error = 0;     // the largest
  float low = 2;       // the smallest value
  float high = -2;     // the largest value
  float fall = 0;      // the largest fall from a value to a later one
  int not_odd = 0;     // t(-x) ≠ -t(x), to the bit
  int not_within = 0;  // not 0 ≤ t ≤ min(x, 1)
  int not_one = 0;     // t ≠ 1
  int not_nan = 0;
};

Found check_block(const float* x, const float* t, const float* minus, const float* truth) {
  float error = 0, low = 2, high = -2;
  int not_odd = 0, not_within = 0, not_one = 0, not_nan = 0;
#if !PDEGCN_SANITIZED  // which keeps loops from being vectorised
#pragma omp simd reduction(max : error, high) reduction(min : low) \
    reduction(+ : not_odd, not_within, not_one, not_nan)
#endif
  for (std::int64_t k = 0; k < kBlock; ++k) {
    const float off = std::abs(t[k] - truth[k]);
    error = off > error ? off : error;
    low = t[k] < low ? t[k] : low;
    high = t[k] > high ? t[k] : high;
    not_odd += std::bit_cast<std::uint32_t>(minus[k]) !=
               (std::bit_cast<std::uint32_t>(t[k]) ^ 0x80000000u);
    not_within += !(t[k] >= 0) | !(t[k] <= x[k]) | !(t[k] <= 1);
    not_one += !(t[k] == 1);
    not_nan += t[k] == t[k];
  }
  Found found{error, low, high, 0, not_odd, not_within, not_one, not_nan};
  if (low < high && high > kError) {
    float top = t[0];
    for (std::int64_t k = 1; k < kBlock; ++k) {
      found.fall = std::max(found.fall, top - t[k]);
      top = std::max(top, t[k]);
    }
  }
  return found;
}

// Every float from zero on with the best target. With the others, and for the negative ones, every
// float between kSmall and kLarge in size, and samples of the rest. A block holds kBlock successive
// floats, so it lies in one range only.
TEST(TanhOfFloat, HoldsItsPromisesForEveryFloat) {
  constexpr std::int64_t kBlocks = 512;  // that are worked on together
  constexpr std::int64_t kSuper = kBlock * kBlocks;
  constexpr std::int64_t kSupers = 0x80000000 / kSuper;
  const std::int64_t every = PDEGCN_SANITIZED ? 97 : 1;
  std::vector<float> x(kSuper), truth(kSuper);
  std::vector<Found> found(kBlocks);
  std::vector<float> top(targets().size(), 0);  // the largest value so far, by target
  struct Range {
    float error = 0, fall = 0;
  };
  std::map<int, Range> ranges;  // by the exponent of x

  for (std::int64_t super = 0; super < kSupers; super += every) {
    for (std::int64_t k = 0; k < kSuper; ++k)
      x[k] = std::bit_cast<float>(static_cast<std::uint32_t>(super * kSuper + k));
    const bool curved = x[kSuper - 1] >= kSmall && x[0] < kLarge;
    if (curved) {
#pragma omp parallel for
      for (std::int64_t k = 0; k < kSuper; ++k)
        truth[k] = static_cast<float>(1 - 2 / (std::exp(2.0 * x[k]) + 1));
    }
    const bool thorough = curved || super % 61 == 0;
    std::size_t which = 0;
    tests::each_target([&] {
      if (which > 0 && !thorough) return;
#pragma omp parallel for
      for (std::int64_t b = 0; b < kBlocks; ++b) {
        float t[kBlock], minus[kBlock];
        const float* block = x.data() + b * kBlock;
        tanh_values(block, kBlock, t);
        for (std::int64_t k = 0; k < kBlock; ++k) minus[k] = thorough ? -block[k] : -t[k];
        if (thorough) tanh_values(minus, kBlock, minus);
        found[b] = check_block(block, t, minus, truth.data() + b * kBlock);
      }
      for (std::int64_t b = 0; b < kBlocks; ++b) {
        const float first = x[b * kBlock];
        const Found& f = found[b];
        // Infinity heads the first block of NaNs.
        const bool has_infinity = std::isinf(first);
        if (std::isnan(first) || has_infinity) {
          ASSERT_EQ(f.not_nan, has_infinity ? 1 : 0) << first;
          ASSERT_EQ(f.not_one, has_infinity ? kBlock - 1 : kBlock) << first;
          continue;
        }
        ASSERT_EQ(f.not_odd, 0) << first;
        ASSERT_EQ(f.not_within, 0) << first;
        if (first >= kLarge) {
          ASSERT_EQ(f.not_one, 0) << first;
        } else if (curved) {
          Range& range = ranges[std::max(std::ilogb(first), -5)];
          range.error = std::max(range.error, f.error);
          range.fall = std::max({range.fall, f.fall, top[which] - f.low});
          ASSERT_LE(f.error, kError - kHalfUnit) << first;
          ASSERT_LE(f.fall, kError) << first;
          ASSERT_LE(top[which] - f.low, kError) << first;
        }
        top[which] = std::max(top[which], f.high);
      }
      ++which;
    });
    if (HasFatalFailure()) return;
  }
  for (const auto& [exponent, range] : ranges)
    std::printf("|x| below %8.5g: largest error %.2e, largest fall %.2e\n",
                std::ldexp(1.0, exponent + 1), range.error, range.fall);
}

TEST(TanhOfFloat, ZeroKeepsItsSignInfinityGivesOneAndNanStays) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  tests::each_target([&] {
    const float x[6] = {0.0f, -0.0f, inf, -inf, nan, -nan};
    float t[6];
    tanh_values(x, 6, t);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(t[0]), 0u);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(t[1]), 0x80000000u);
    EXPECT_EQ(t[2], 1);
    EXPECT_EQ(t[3], -1);
    EXPECT_TRUE(std::isnan(t[4]) && std::isnan(t[5]));
  });
}

// In units of the last place of the true value, over magnitudes from the smallest to beyond 1.
TEST(TanhOfDouble, IsAccurateToAFewUnits) {
  std::vector<double> x;
  for (int exponent = -60; exponent < 6; ++exponent)
    for (int k = 0; k < 997; ++k) x.push_back(std::ldexp(1 + k / 997.0, exponent));
  for (double edge = 17; edge < 24; edge += 0.01) x.push_back(edge);  // where it reaches 1
  x.insert(x.end(), {0.0, 0x1p-1022, 0x1p-1074, 1e-300, 1e10, 1e300});
  const auto count = static_cast<std::int64_t>(x.size());
  tests::each_target([&] {
    std::vector<double> minus(x.size()), t(x.size()), t_minus(x.size());
    for (std::int64_t k = 0; k < count; ++k) minus[k] = -x[k];
    tanh_values(x.data(), count, t.data());
    tanh_values(minus.data(), count, t_minus.data());
    for (std::int64_t k = 0; k < count; ++k) {
      const long double truth = std::tanh(static_cast<long double>(x[k]));
      const double unit =
          std::nextafter(static_cast<double>(truth), 2.0) - static_cast<double>(truth);
      ASSERT_LE(std::abs(static_cast<double>(t[k] - truth)), 4 * unit) << x[k];
      ASSERT_EQ(t_minus[k], -t[k]) << x[k];
      ASSERT_LE(t[k], 1.0) << x[k];
    }
  });
}

TEST(TanhOfDouble, InfinityGivesOneAndNanStays) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  tests::each_target([&] {
    const double x[5] = {inf, -inf, nan, 0.0, -0.0};
    double t[5];
    tanh_values(x, 5, t);
    EXPECT_EQ(t[0], 1);
    EXPECT_EQ(t[1], -1);
    EXPECT_TRUE(std::isnan(t[2]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(t[3]), 0u);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(t[4]), 0x8000000000000000u);
  });
}

// Whatever the length, and in place.
TEST(TanhValues, HandlesEveryLength) {
  tests::each_target([] {
    for (std::int64_t count = 0; count <= 40; ++count) {
      std::vector<float> x(count + 1, 0.5f);
      x[count] = 7;
      tanh_values(x.data(), count, x.data());
      for (std::int64_t k = 0; k < count; ++k) EXPECT_NEAR(x[k], std::tanh(0.5), 5e-7);
      EXPECT_EQ(x[count], 7) << "past the end";
    }
  });
}

}  // namespace
}  // namespace pdegcn::kernels
