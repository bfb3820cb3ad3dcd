#include "pdegcn/kernels/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pdegcn::kernels {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// The known answers that the authors of Philox publish.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(philox<7>({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}));
}

TEST(Random, HandsOutTheWordsOfSuccessiveBlocks) {
  Random random(0x299f31d0a4093822, 0x0370734413198a2e);
  for (std::uint32_t block = 0; block < 3; ++block)
    for (const std::uint32_t word :
         philox({block, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}))
      EXPECT_EQ(random.bits(), word);
}

TEST(Random, SeedsAndStreamsDiffer) {
  Random a(1), b(2), c(1, 1), again(1);
  const std::uint32_t first = a.bits();
  EXPECT_NE(first, b.bits());
  EXPECT_NE(first, c.bits());
  EXPECT_EQ(first, again.bits());
}

// Sums of this many draws stay within five standard deviations of what they should be.
constexpr int kDraws = 400000;
const double kDeviation = 5 / std::sqrt(kDraws);

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(7);
  double sum = 0, squares = 0, lagged = 0, last = 0.5;
  std::vector<int> bins(64);
  for (int k = 0; k < kDraws; ++k) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
    lagged += (x - 0.5) * (last - 0.5);
    last = x;
    ++bins[static_cast<int>(64 * x)];
  }
  EXPECT_NEAR(sum / kDraws, 0.5, kDeviation * std::sqrt(1 / 12.0));
  EXPECT_NEAR(squares / kDraws, 1 / 3.0, kDeviation * std::sqrt(4 / 45.0));
  EXPECT_NEAR(lagged / kDraws, 0, kDeviation / 12);
  double chi = 0;  // 63 degrees of freedom: mean 63, standard deviation 11.2
  for (const int count : bins) chi += std::pow(count - kDraws / 64.0, 2) / (kDraws / 64.0);
  EXPECT_LT(chi, 63 + 5 * 11.3);
  EXPECT_GT(chi, 63 - 5 * 11.3);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.uniform(-3, -2);
    ASSERT_GE(x, -3);
    ASSERT_LT(x, -2);
  }
}

TEST(Random, NormalHasTheRightMoments) {
  Random random(8);
  double moment[5] = {};
  for (int k = 0; k < kDraws; ++k) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int m = 1; m <= 4; ++m) moment[m] += std::pow(x, m) / kDraws;
  }
  EXPECT_NEAR(moment[1], 0, kDeviation);
  EXPECT_NEAR(moment[2], 1, kDeviation * std::sqrt(2.0));
  EXPECT_NEAR(moment[3], 0, kDeviation * std::sqrt(15.0));
  EXPECT_NEAR(moment[4], 3, kDeviation * std::sqrt(96.0));
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random(9);
  std::vector<int> bins(6);
  for (int k = 0; k < kDraws; ++k) ++bins.at(random.below(6));
  for (const int count : bins)
    EXPECT_NEAR(static_cast<double>(count) / kDraws, 1 / 6.0, kDeviation * std::sqrt(5 / 36.0));
  EXPECT_EQ(random.below(1), 0u);
  // Two thirds of 2^64: a remainder alone would fall into the lower half twice as often.
  const std::uint64_t wide = 0xAAAAAAAAAAAAAAAA;
  int low = 0;
  for (int k = 0; k < kDraws; ++k) low += random.below(wide) < wide / 2;
  EXPECT_NEAR(static_cast<double>(low) / kDraws, 0.5, kDeviation / 2);
}

TEST(Random, ShuffleIsAUniformPermutation) {
  Random random(10);
  std::vector<int> order(20);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle<int>(order);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int k = 0; k < 20; ++k) EXPECT_EQ(order[k], k);

  std::vector<int> seen(6);
  for (int draw = 0; draw < 60000; ++draw) {
    std::vector<int> three{0, 1, 2};
    random.shuffle<int>(three);
    ++seen[2 * three[0] + (three[1] > three[2])];
  }
  for (const int count : seen)
    EXPECT_NEAR(count / 60000.0, 1 / 6.0, 5 * std::sqrt(5 / 36.0 / 60000));
}

}  // namespace
}  // namespace pdegcn::kernels
