#include "pdegcn/report/mean_std.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace pdegcn::report {

MeanStd mean_std(std::span<const double> values) {
  if (values.empty()) throw std::logic_error("the mean of no values");
  // In two passes: the difference of large sums would lose a small spread.
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, n > 1 ? std::sqrt(squares / (n - 1)) : 0, values.size()};
}

std::string format_mean_std(const MeanStd& value, int decimals) {
  if (value.count == 1) return fmt::format("{:.{}f}", value.mean, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.deviation, decimals);
}

std::string format_percent(const MeanStd& score, int decimals) {
  return format_mean_std({100 * score.mean, 100 * score.deviation, score.count}, decimals);
}

}  // namespace pdegcn::report
