// Damaged files in every format: each is either read or refused by an Error, in little time and
// memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/support/allocations.h"
#include "tests/support/mutate.h"

namespace pdegcn::tests {
namespace {

std::vector<data::File> seeds(const FuzzTarget& target) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(PDEGCN_FUZZ_CORPUS) / target.name))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return {paths.begin(), paths.end()};
}

// True when the file was read, false when it was refused.
bool survives(const FuzzTarget& target, const data::File& file) {
  try {
    target.run(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

class Hostile : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Hostile, SeedsReplay) {
  const auto files = seeds(GetParam());
  ASSERT_FALSE(files.empty());
  // Those called good-... must be read, or mutations would start from what is refused anyway.
  int good = 0;
  for (const data::File& file : files) {
    const bool read = survives(GetParam(), file);
    if (std::filesystem::path(file.name()).filename().string().starts_with("good-")) {
      EXPECT_TRUE(read) << file.name();
      ++good;
    }
  }
  EXPECT_GT(good, 0);
}

TEST_P(Hostile, TenThousandMutations) {
  kernels::Random random(1);
  const auto files = seeds(GetParam());
  ASSERT_FALSE(files.empty());
  std::size_t refused = 0;
  for (int round = 0; round < 10000; ++round) {
    const data::File& seed = files[random.below(files.size())];
    const data::File file("mutant", mutate(seed.content(), random));
    reset_peak_allocation();
    const std::clock_t begin = std::clock();
    refused += !survives(GetParam(), file);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    ASSERT_LE(peak_allocation(), 100000 + 16 * file.content().size())
        << "round " << round << " of " << seed.name();
    ASSERT_LE(seconds, 1) << "round " << round << " of " << seed.name();
  }
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Hostile, testing::ValuesIn(kFuzzTargets),
                         [](const auto& format) { return std::string(format.param.name); });

}  // namespace
}  // namespace pdegcn::tests
