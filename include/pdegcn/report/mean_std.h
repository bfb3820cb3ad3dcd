#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pdegcn::report {

// Mean and sample standard deviation (divisor n - 1) of the results of several seeds or splits.
struct MeanStd {
  double mean = 0;
  double deviation = 0;  // 0 when there is only one value
  std::size_t count = 0;
};

// Throws std::logic_error when there are no values.
MeanStd mean_std(std::span<const double> values);

// "0.822 ± 0.006"; "0.822" when there is only one value, whose spread is not known.
std::string format_mean_std(const MeanStd& value, int decimals);

// The same of scores between 0 and 1, in percent: "82.2 ± 0.6".
std::string format_percent(const MeanStd& score, int decimals = 1);

}  // namespace pdegcn::report
