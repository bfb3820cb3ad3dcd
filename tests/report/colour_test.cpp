#include "pdegcn/report/colour.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pdegcn::report {
namespace {

TEST(Colour, LightAndBack) {
  for (int v = 0; v < 256; ++v) {
    const auto c = static_cast<std::uint8_t>(v);
    EXPECT_EQ(colour_of(light_of({c, c, 255})), (Colour{c, c, 255}));
  }
  EXPECT_EQ(colour_of({-1, 2, 0.5F}), (Colour{0, 255, 188}));
}

TEST(Colour, LightnessIsThatOfCie) {
  EXPECT_NEAR(lightness({0, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(lightness({255, 255, 255}), 100, 1e-3);
  EXPECT_NEAR(lightness({119, 119, 119}), 50, 0.2);  // middle grey
  EXPECT_NEAR(lightness({255, 0, 0}), 53.24, 0.02);
  EXPECT_NEAR(lightness({0, 0, 255}), 32.30, 0.02);
}

double lightness_at(const ColourMap& map, double t) {
  return lightness(colour_of(map(t)));
}

TEST(ColourMap, SequentialLightnessGrowsInEqualSteps) {
  const ColourMap map(ColourMap::Kind::sequential);
  const double first = lightness_at(map, 0), last = lightness_at(map, 1);
  EXPECT_GT(last - first, 60);
  for (int k = 0; k <= 64; ++k) {
    // One unit is what rounding to bytes may do.
    EXPECT_NEAR(lightness_at(map, k / 64.0), first + (last - first) * k / 64, 1) << k;
    EXPECT_GT(lightness_at(map, (k + 0.5) / 64), lightness_at(map, (k - 0.5) / 64)) << k;
  }
}

TEST(ColourMap, DivergingIsLightInTheMiddleAndEquallyDarkAtItsEnds) {
  const ColourMap map(ColourMap::Kind::diverging);
  const Colour middle = colour_of(map(0.5));
  EXPECT_LE(std::abs(middle.r - middle.b), 2);
  for (int k = 0; k < 32; ++k) {
    const double t = k / 64.0;
    EXPECT_NEAR(lightness_at(map, t), lightness_at(map, 1 - t), 1.5) << k;
    EXPECT_LT(lightness_at(map, t), lightness_at(map, t + 1 / 64.0)) << k;
  }
  EXPECT_GT(colour_of(map(0)).b, colour_of(map(0)).r + 100);
  EXPECT_GT(colour_of(map(1)).r, colour_of(map(1)).b + 100);
}

TEST(ColourMap, EndsGoOn) {
  const ColourMap map(ColourMap::Kind::sequential);
  EXPECT_EQ(colour_of(map(-3)), colour_of(map(0)));
  EXPECT_EQ(colour_of(map(7)), colour_of(map(1)));
}

}  // namespace
}  // namespace pdegcn::report
