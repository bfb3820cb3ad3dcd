#include "pdegcn/report/colour.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pdegcn::report {
namespace {

double decoded(std::uint8_t value) {
  const double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double light) {
  const double v = std::clamp(light, 0.0, 1.0);
  const double code = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * code));
}

// CIELAB in polar form: lightness, chroma, and hue in degrees.
struct Lch {
  double l, c, h;
};

// White of the screen (D65).
constexpr double kWhiteX = 0.95047, kWhiteZ = 1.08883;

// As light without bounds: a component outside [0, 1] says that no screen shows the colour.
std::array<double, 3> light_of(const Lch& lch) {
  const double angle = lch.h * std::numbers::pi / 180;
  const auto inverse = [](double f) {
    return f > 6.0 / 29 ? f * f * f : (f - 4.0 / 29) * 108 / 841;
  };
  const double fy = (lch.l + 16) / 116;
  const double x = kWhiteX * inverse(fy + lch.c * std::cos(angle) / 500);
  const double y = inverse(fy);
  const double z = kWhiteZ * inverse(fy - lch.c * std::sin(angle) / 200);
  return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
          -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
          0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

// The largest chroma that a screen has for a lightness and a hue.
double chroma_limit(double l, double h) {
  double low = 0, high = 150;
  for (int k = 0; k < 30; ++k) {
    const double c = (low + high) / 2;
    const auto [least, most] = std::ranges::minmax(light_of({l, c, h}));
    (least >= 0 && most <= 1 ? low : high) = c;
  }
  return low;
}

Light screen_light(double l, double c, double h) {
  const auto rgb = light_of({l, std::min(c, 0.95 * chroma_limit(l, h)), h});
  return {static_cast<float>(rgb[0]), static_cast<float>(rgb[1]), static_cast<float>(rgb[2])};
}

Light sequential(double t) {
  return screen_light(24 + 68 * t, 75, 308 - 208 * t);
}

Light diverging(double t) {
  const double s = std::abs(2 * t - 1);
  return screen_light(90 - 52 * s, 85 * s, t < 0.5 ? 270 : 33);
}

}  // namespace

Light light_of(Colour colour) {
  return {static_cast<float>(decoded(colour.r)), static_cast<float>(decoded(colour.g)),
          static_cast<float>(decoded(colour.b))};
}

Colour colour_of(Light light) {
  return {encoded(light.r), encoded(light.g), encoded(light.b)};
}

double lightness(Colour colour) {
  const double y =
      0.2126729 * decoded(colour.r) + 0.7151522 * decoded(colour.g) + 0.0721750 * decoded(colour.b);
  return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

ColourMap::ColourMap(Kind kind) {
  for (int k = 0; k <= kSteps; ++k) {
    const double t = static_cast<double>(k) / kSteps;
    table_[static_cast<std::size_t>(k)] = kind == Kind::sequential ? sequential(t) : diverging(t);
  }
}

Light ColourMap::operator()(double t) const {
  return table_[static_cast<std::size_t>(std::lround(kSteps * std::clamp(t, 0.0, 1.0)))];
}

}  // namespace pdegcn::report
