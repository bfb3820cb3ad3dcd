#include "pdegcn/kernels/targets.h"

#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"

namespace pdegcn::kernels {
namespace {

TEST(Targets, TheBestIsInUseUnlessAnotherIsChosen) {
  const auto all = targets();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(target(), all.front());
  std::vector<std::string> seen;
  tests::each_target([&] {
    seen.push_back(target());
    EXPECT_EQ(targets(), all);
  });
  EXPECT_EQ(seen, all);
  EXPECT_EQ(target(), all.front());
}

TEST(Targets, APortableOneIsAlwaysThere) {
  const auto last = targets().back();
  EXPECT_TRUE(last == "SCALAR" || last == "EMU128") << last;
}

TEST(Targets, AnUnknownOneIsAnError) {
  PDEGCN_EXPECT_ERROR(use_target("MMX"), "target", "MMX");
  EXPECT_EQ(target(), targets().front());
}

}  // namespace
}  // namespace pdegcn::kernels
