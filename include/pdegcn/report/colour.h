#pragma once

#include <array>
#include <cstdint>

namespace pdegcn::report {

// A colour as files and screens have it (sRGB).
struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

// The same as amounts of light, from 0 to 1: what may be added, averaged and shaded.
struct Light {
  float r = 0, g = 0, b = 0;
  Light operator+(Light o) const { return {r + o.r, g + o.g, b + o.b}; }
  Light operator*(float s) const { return {r * s, g * s, b * s}; }
};

Light light_of(Colour colour);
Colour colour_of(Light light);  // cut off at what a screen can show

// How light a colour looks: CIE L*, from 0 to 100.
double lightness(Colour colour);

// A map from numbers to colours in which equal steps look equal: L* is linear in the number.
class ColourMap {
 public:
  enum class Kind {
    sequential,  // from dark violet through green to light yellow
    diverging,   // blue, light grey at one half, red
  };
  explicit ColourMap(Kind kind);

  // The colour of a number from 0 to 1; those outside have that of the nearer end.
  Light operator()(double t) const;

 private:
  static constexpr int kSteps = 512;
  std::array<Light, kSteps + 1> table_;
};

}  // namespace pdegcn::report
