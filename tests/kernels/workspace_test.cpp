#include "pdegcn/kernels/workspace.h"

#include <gtest/gtest.h>

namespace pdegcn::kernels {
namespace {

TEST(Workspace, GivesTheSmallestFreeBlockThatIsLargeEnough) {
  Workspace workspace;
  auto small = workspace.take(100), large = workspace.take(1000);
  const void *const at_small = small.data(), *const at_large = large.data();
  EXPECT_NE(at_small, at_large);
  workspace.give_back(std::move(large));
  workspace.give_back(std::move(small));
  const auto first = workspace.take(90);
  EXPECT_EQ(first.data(), at_small);
  const auto second = workspace.take(90);
  EXPECT_EQ(second.data(), at_large) << "better than none";
  EXPECT_EQ(second.count(), 1000);
}

TEST(Workspace, BlocksDoNotPileUpWhenTheyGrow) {
  Workspace workspace;
  for (std::int64_t size = 100; size < 200; ++size) workspace.give_back(workspace.take(size));
  EXPECT_EQ(workspace.take(1).count(), 199);
  EXPECT_EQ(workspace.take(1).count(), 1) << "there was one block only";
}

TEST(Workspace, ArraysLieApartInOneBlockThatGoesBackWithTheLastOfThem) {
  const auto workspace = std::make_shared<Workspace>();
  double* begin = nullptr;
  {
    const Arrays<double> arrays(workspace, {3, 0, 20, 1});
    begin = arrays[0];
    const Arrays<double> copy = arrays;
    const Arrays<double> other(workspace, {3});
    EXPECT_NE(other[0], begin);
    EXPECT_EQ(copy[2] - begin, 8);
    EXPECT_EQ(copy[3] - begin, 32);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % kAlignment, 0);
  }
  EXPECT_EQ(Arrays<double>(workspace, {3, 30})[0], begin);
}

}  // namespace
}  // namespace pdegcn::kernels
