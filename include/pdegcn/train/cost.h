#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/train/config.h"

namespace pdegcn::train {

// How long a run will take: a count of its work, which becomes seconds by what runs before it took.
// Good to a factor of two or three, which is what a plan needs.
class CostModel {
 public:
  // What an epoch of a run took.
  void time(const RunConfig& config, const data::Dataset& data, double seconds_per_epoch);

  // How many epochs a run had that came to its end.
  void end(const RunConfig& config, std::int64_t epochs);

  // Seconds that a single run takes, with the epochs that runs like it have had.
  double seconds(const RunConfig& config, const data::Dataset& data) const;

  bool measured() const { return !rates_.empty(); }

 private:
  // By model: seconds of an epoch over what one known core takes, and the share of the epochs
  // allowed that runs with patience had.
  std::map<std::string, std::vector<double>> rates_, shares_;
};

}  // namespace pdegcn::train
