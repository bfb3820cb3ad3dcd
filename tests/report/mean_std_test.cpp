#include "pdegcn/report/mean_std.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace pdegcn::report {
namespace {

TEST(MeanStd, IsTheSampleDeviation) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const MeanStd result = mean_std(values);
  EXPECT_DOUBLE_EQ(result.mean, 5);
  EXPECT_DOUBLE_EQ(result.deviation * result.deviation, 32.0 / 7);  // not 32 / 8
  EXPECT_EQ(result.count, 8u);
}

TEST(MeanStd, KeepsASmallSpreadOfLargeValues) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_DOUBLE_EQ(mean_std(values).deviation, 1);
}

TEST(MeanStd, Formats) {
  const std::vector<double> scores{0.816, 0.822, 0.828};
  EXPECT_EQ(format_percent(mean_std(scores)), "82.2 ± 0.6");
  EXPECT_EQ(format_percent(mean_std(scores), 2), "82.20 ± 0.60");
  EXPECT_EQ(format_mean_std(mean_std(scores), 3), "0.822 ± 0.006");
  const std::vector<double> one{0.822};
  EXPECT_EQ(format_percent(mean_std(one)), "82.2");
  EXPECT_EQ(mean_std(one).deviation, 0);
}

TEST(MeanStd, NeedsAValue) {
  EXPECT_THROW(mean_std({}), std::logic_error);
}

}  // namespace
}  // namespace pdegcn::report
