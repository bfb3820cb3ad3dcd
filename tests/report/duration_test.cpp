#include "pdegcn/report/duration.h"

#include <gtest/gtest.h>

#include <limits>

namespace pdegcn::report {
namespace {

TEST(FormatDuration, ReadsWellAtEveryScale) {
  EXPECT_EQ(format_duration(0), "0.00 s");
  EXPECT_EQ(format_duration(0.0042), "4.2 ms");
  EXPECT_EQ(format_duration(0.0142), "14 ms");
  EXPECT_EQ(format_duration(0.424), "0.42 s");
  EXPECT_EQ(format_duration(4.21), "4.2 s");
  EXPECT_EQ(format_duration(42.2), "42 s");
  EXPECT_EQ(format_duration(125), "2 min 05 s");
  EXPECT_EQ(format_duration(3905), "1 h 05 min");
  EXPECT_EQ(format_duration(3 * 86400 + 4 * 3600 + 60), "3 d 04 h");
}

TEST(FormatDuration, RoundsIntoTheNextForm) {
  EXPECT_EQ(format_duration(0.00996), "10 ms");
  EXPECT_EQ(format_duration(0.0996), "0.10 s");
  EXPECT_EQ(format_duration(0.996), "1.0 s");
  EXPECT_EQ(format_duration(9.96), "10 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(3599.6), "1 h 00 min");
  EXPECT_EQ(format_duration(86399), "1 d 00 h");
}

TEST(FormatDuration, DoesNotInventTimes) {
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace
}  // namespace pdegcn::report
