#include "pdegcn/report/lettering.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace pdegcn::report {
namespace {

// A glyph: strokes apart by blanks, each a row of points of two digits, x to the right and y
// upwards. The baseline is at 2, small letters reach up to 6, tall ones and digits to 8, tails down
// to 0. A single point is a dot.
struct Glyph {
  char letter;
  int width;
  std::string_view strokes;
};
constexpr int kBaseline = 2;
constexpr double kDigitHeight = 6;
constexpr double kGap = 1.9;   // between letters
constexpr double kPen = 0.42;  // half the width of a stroke

constexpr std::array<Glyph, 45> kGlyphs{{
    {'0', 4, "123243473818070312"},
    {'1', 4, "162822"},
    {'2', 4, "07183847460242"},
    {'3', 4, "0718384746354443321203 1535"},
    {'4', 4, "32380444"},
    {'5', 4, "480805354443321203"},
    {'6', 4, "473818070312324344351504"},
    {'7', 4, "084812"},
    {'8', 4, "15354647381807061504031232434435"},
    {'9', 4, "031232434738180706153546"},
    {'a', 4, "4642 4536160503123243"},
    {'b', 4, "0802 0516364543321203"},
    {'c', 4, "4536160503123243"},
    {'d', 4, "4842 4536160503123243"},
    {'e', 4, "04444536160503123243"},
    {'f', 3, "38281712 0636"},
    {'g', 4, "4641301001 4536160503123243"},
    {'h', 4, "0802 0516364542"},
    {'i', 0, "0602 08"},
    {'j', 1, "161100 18"},
    {'k', 4, "0802 460442"},
    {'l', 0, "0802"},
    {'m', 6, "0602 0516263532 3546566562"},
    {'n', 4, "0602 0516364542"},
    {'o', 4, "123243453616050312"},
    {'p', 4, "0600 0516364543321203"},
    {'q', 4, "4640 4536160503123243"},
    {'r', 3, "0602 04152636"},
    {'s', 4, "45361605143443321203"},
    {'t', 3, "18132232 0636"},
    {'u', 4, "0603123243 4642"},
    {'v', 4, "062246"},
    {'w', 6, "0612355266"},
    {'x', 4, "0642 4602"},
    {'y', 4, "0622 4610"},
    {'z', 4, "06460242"},
    {'.', 0, "02"},
    {',', 1, "1200"},
    {':', 0, "03 06"},
    {'-', 3, "0535"},
    {'+', 4, "0545 2327"},
    {'=', 4, "0444 0646"},
    {'/', 3, "0138"},
    {'(', 1, "18070312"},
    {')', 1, "08171302"},
}};
constexpr int kBlank = 2;

const Glyph* find_glyph(char c) {
  const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* found = std::ranges::find(kGlyphs, letter, &Glyph::letter);
  return found == kGlyphs.end() ? nullptr : found;
}

struct Point {
  double x, y;
};

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t =
      square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// How far a point, in units of the grid, is from the nearest stroke.
double distance(const Glyph& glyph, Point p) {
  double least = INFINITY;
  std::size_t at = 0;
  while (at < glyph.strokes.size()) {
    const std::size_t end = std::min(glyph.strokes.find(' ', at), glyph.strokes.size());
    const std::string_view stroke = glyph.strokes.substr(at, end - at);
    const auto point = [&](std::size_t k) {
      return Point{static_cast<double>(stroke[2 * k] - '0'),
                   static_cast<double>(stroke[2 * k + 1] - '0' - kBaseline)};
    };
    const std::size_t points = stroke.size() / 2;
    for (std::size_t k = 0; k < points; ++k)
      least = std::min(least, distance(p, point(k), point(std::min(k + 1, points - 1))));
    at = end + 1;
  }
  return least;
}

}  // namespace

double text_width(double size, std::string_view text) {
  double units = 0;
  for (const char c : text) {
    const Glyph* glyph = find_glyph(c);
    units += (glyph == nullptr ? kBlank : glyph->width) + kGap;
  }
  return std::max(0.0, units - kGap) * size / kDigitHeight;
}

void draw_text(Image& image, double x, double baseline, double size, std::string_view text,
               Colour colour, Align align) {
  const double unit = size / kDigitHeight;
  if (align != Align::left) x -= text_width(size, text) * (align == Align::right ? 1 : 0.5);
  // A pen thinner than a pixel would only be pale.
  const double pen = std::max(kPen * unit, 0.6);
  for (const char c : text) {
    const Glyph* glyph = find_glyph(c);
    if (glyph != nullptr) {
      const int left = static_cast<int>(std::floor(x - unit - 1));
      const int right = static_cast<int>(std::ceil(x + (glyph->width + 1) * unit + 1));
      const int top = static_cast<int>(std::floor(baseline - (kDigitHeight + 1) * unit - 1));
      const int bottom = static_cast<int>(std::ceil(baseline + (kBaseline + 1) * unit + 1));
      for (int v = top; v <= bottom; ++v)
        for (int u = left; u <= right; ++u) {
          const Point p{(u + 0.5 - x) / unit, (baseline - v - 0.5) / unit};
          const double cover = std::clamp(pen + 0.5 - distance(*glyph, p) * unit, 0.0, 1.0);
          if (cover > 0) image.blend(u, v, colour, cover);
        }
    }
    x += ((glyph == nullptr ? kBlank : glyph->width) + kGap) * unit;
  }
}

}  // namespace pdegcn::report
