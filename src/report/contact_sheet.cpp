#include "pdegcn/report/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"
#include "pdegcn/report/lettering.h"

namespace pdegcn::report {
namespace {

constexpr Colour kPaper{255, 255, 255}, kInk{40, 40, 45}, kGrey{110, 110, 115};
constexpr int kMargin = 24;   // around the sheet
constexpr int kGap = 14;      // between pictures
constexpr int kTitle = 44;    // height of a title
constexpr int kCaption = 50;  // and of the captions
constexpr int kLegend = 150;  // width of a legend
constexpr int kBar = 18;      // and of its colours

// The share of values that may lie beyond each end of a scale.
constexpr double kBeyond = 0.005;

struct Range {
  double low, high;
};

Range range_of(const SheetRow& row, double beyond) {
  std::vector<float> values;
  for (const SheetFrame& frame : row.frames)
    values.insert(values.end(), frame.values.begin(), frame.values.end());
  if (values.empty()) throw Error("there is nothing to draw in row '{}'", row.title);
  if (!std::ranges::all_of(values, [](float v) { return std::isfinite(v); }))
    throw Error("row '{}' has a value that is not finite", row.title);
  const auto skip = static_cast<std::ptrdiff_t>(beyond * static_cast<double>(values.size()));
  std::ranges::nth_element(values, values.begin() + skip);
  const double low = values[static_cast<std::size_t>(skip)];
  std::ranges::nth_element(values, values.end() - 1 - skip);
  return {low, values[values.size() - 1 - static_cast<std::size_t>(skip)]};
}

// The next number up that has round quarters, for the ticks of a legend.
double rounded_up(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)));
  for (const double nice : {1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0})
    if (x <= nice * unit * (1 + 1e-9)) return nice * unit;
  return 10 * unit;
}

void draw_legend(Image& image, int x, int top, int height, const Scale& scale, const Range& all) {
  const ColourMap map(scale.kind);
  const int bar = std::min(height - 2 * kBar, 320);
  const int first = top + (height - bar) / 2;
  for (int y = 0; y < bar; ++y) {
    const Colour colour = colour_of(map(1 - (y + 0.5) / bar));
    for (int u = 0; u < kBar; ++u) image.at(x + u, first + y) = colour;
  }
  // A point at an end says that there are values beyond.
  const auto point = [&](int edge, int direction, double t) {
    for (int y = 0; y < kBar / 2; ++y)
      for (int u = y; u < kBar - y; ++u) image.at(x + u, edge + direction * y) = colour_of(map(t));
  };
  const double slack = 1e-6 * (scale.high - scale.low);
  if (all.high > scale.high + slack) point(first - 1, -1, 1);
  if (all.low < scale.low - slack) point(first + bar, 1, 0);
  constexpr int kTicks = 4;
  for (int k = 0; k <= kTicks; ++k) {
    const double t = static_cast<double>(k) / kTicks;
    const double y = first + bar * (1 - t);
    for (int u = 0; u < 5; ++u)
      image.blend(x + kBar + 2 + u, static_cast<int>(std::lround(y - 0.5)), kGrey, 1);
    draw_text(image, x + kBar + 14, y + 5.5, 11,
              fmt::format("{:.3g}", scale.low + t * (scale.high - scale.low)), kInk);
  }
}

}  // namespace

Scale row_scale(const SheetRow& row) {
  const auto [low, high] = range_of(row, kBeyond);
  const double most = std::max(-low, high);
  if (std::min(-low, high) > 0.05 * most) {
    const double end = rounded_up(most);
    return {ColourMap::Kind::diverging, -end, end};
  }
  // From or to zero, unless all values keep away from it.
  constexpr auto kSequential = ColourMap::Kind::sequential;
  if (high > 0 && std::abs(low) < 0.2 * high) return {kSequential, 0, rounded_up(high)};
  if (low < 0 && std::abs(high) < 0.2 * -low) return {kSequential, -rounded_up(-low), 0};
  if (high > low) return {kSequential, low, high};
  return {kSequential, std::min(low, 0.0), low == 0 ? 1 : std::max(high, 0.0)};
}

Image contact_sheet(const View& view, std::span<const SheetRow> rows) {
  std::size_t columns = 0;
  for (const SheetRow& row : rows) columns = std::max(columns, row.frames.size());
  if (columns == 0) throw Error("there is nothing to draw");
  const int row_height = kTitle + view.height() + kCaption;
  Image image(2 * kMargin + static_cast<int>(columns) * (view.width() + kGap) + kLegend,
              2 * kMargin + static_cast<int>(rows.size()) * row_height, kPaper);
  int top = kMargin;
  for (const SheetRow& row : rows) {
    const Scale scale = row_scale(row);
    draw_text(image, kMargin, top + 18, 16, row.title, kInk);
    int x = kMargin;
    for (const SheetFrame& frame : row.frames) {
      image.paste(view.draw(frame.values, scale), x, top + kTitle);
      draw_text(image, x + view.width() / 2.0, top + kTitle + view.height() + 24, 11, frame.caption,
                kGrey, Align::centre);
      x += view.width() + kGap;
    }
    draw_legend(image, 2 * kMargin + static_cast<int>(columns) * (view.width() + kGap) - kGap,
                top + kTitle, view.height(), scale, range_of(row, 0));
    top += row_height;
  }
  return image;
}

}  // namespace pdegcn::report
