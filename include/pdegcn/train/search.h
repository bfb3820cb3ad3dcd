#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pdegcn/train/config.h"

namespace pdegcn::train {

// Where one setting may lie.
struct OneOf {
  std::vector<std::string> values;
};
struct Range {
  double low = 0;
  double high = 0;
  bool log = false;    // uniform in the logarithm
  bool whole = false;  // rounded
};
struct Dimension {
  std::string name;  // of a field
  std::variant<OneOf, Range> domain;
  std::string where;  // file, line and name
};
using Space = std::vector<Dimension>;

// A space from TOML: lists of values, or tables with low, high and, if wanted, log = true. Throws
// Error naming file and line.
Space read_space(std::string_view toml, const std::string& name);

// What one usually searches over, in the same form.
std::string default_space(Task task, Model model);

// The settings of a trial, from anywhere in the space or close to others; they follow from the
// arguments alone.
Settings draw_trial(const Space& space, std::uint64_t seed, std::int64_t trial,
                    const Settings* near = nullptr);

// Successive halving: all trials run for a few epochs, the better third of them for three times as
// many, and so on, until those left have run their full number. At most `epochs` in all. The first
// rung is as long as the patience, if that leaves a second one: a shorter one would only tell who
// learns fast.
struct Rung {
  std::int64_t trials = 0;  // that take part
  std::int64_t epochs = 0;  // that they have run at its end
};
std::vector<Rung> halving(std::int64_t trials, std::int64_t epochs, std::int64_t patience);

}  // namespace pdegcn::train
