#include "pdegcn/report/duration.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace pdegcn::report {

std::string format_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e15) return "?";
  // The bounds are where the rounded number needs the next form: 59.6 s are "1 min 00 s".
  if (seconds > 0 && seconds < 0.00995) return fmt::format("{:.1f} ms", 1e3 * seconds);
  if (seconds > 0 && seconds < 0.0995) return fmt::format("{:.0f} ms", 1e3 * seconds);
  if (seconds < 0.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const std::int64_t s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  const std::int64_t min = std::llround(seconds / 60);
  if (min < 24 * 60) return fmt::format("{} h {:02} min", min / 60, min % 60);
  const std::int64_t h = std::llround(seconds / 3600);
  return fmt::format("{} d {:02} h", h / 24, h % 24);
}

}  // namespace pdegcn::report
