#include "pdegcn/kernels/matrix.h"

#include <gtest/gtest.h>

#include <vector>

namespace pdegcn::kernels {
namespace {

TEST(Matrix, PaddingRoundsUp) {
  EXPECT_EQ(padded(0), 0);
  EXPECT_EQ(padded(1), 16);
  EXPECT_EQ(padded(16), 16);
  EXPECT_EQ(padded(17), 32);
}

TEST(Matrix, KnowsWhetherItIsPadded) {
  const Buffer<float> buffer(8 * 32);
  EXPECT_TRUE((Matrix<float>{buffer.data(), 8, 32, 32}.is_padded()));
  EXPECT_FALSE((Matrix<float>{buffer.data(), 8, 31, 32}.is_padded()));  // a column of anything
  EXPECT_FALSE((Matrix<float>{buffer.data(), 8, 8, 8}.is_padded()));
  EXPECT_FALSE((Matrix<float>{buffer.data() + 1, 7, 32, 32}.is_padded()));
}

TEST(Matrix, BuffersBeginOnACacheLine) {
  for (const std::int64_t count : {0, 1, 100}) {
    const Buffer<double> buffer(count);
    EXPECT_EQ(buffer.count(), count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kAlignment, 0u);
  }
}

TEST(Matrix, CopyRowsFillsThePaddingWithZerosAndLeavesOtherRowsAlone) {
  const std::vector<float> from{1, 2, 3, 4, 5, 6};
  std::vector<float> to(3 * 4, 9);
  copy_rows<float>({from.data(), 3, 2, 2}, {to.data(), 3, 2, 4}, 1, 3);
  EXPECT_EQ(to, (std::vector<float>{9, 9, 9, 9, 3, 4, 0, 0, 5, 6, 0, 0}));
}

}  // namespace
}  // namespace pdegcn::kernels
