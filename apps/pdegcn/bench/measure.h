#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pdegcn/report/progress.h"

namespace pdegcn::bench {

// Something whose time is measured.
struct Task {
  std::function<void()> run;
  std::function<void()> prepare = [] {};  // before each sample, untimed
  double seconds = 0;                     // of one run: the median
  std::int64_t peak_bytes = 0;            // what the first run held at most, beyond what was there
};

struct Rounds {
  int least = 7;
  int most = 31;
  double seconds = 3;    // more rounds than the least only within this time
  double sample = 0.01;  // what takes less is run several times for one sample
};

// Runs the tasks in turn, round after round, so that whatever disturbs the machine disturbs all of
// them; the first round warms up and does not count. `name` is shown with the progress. Throws
// Stopped when `stop` says so.
void measure(std::vector<Task*> tasks, const Rounds& rounds, const std::string& name,
             report::Progress& progress, const std::function<bool()>& stop);
struct Stopped {};

double median(std::vector<double> values);

// The memory of the process from now on, beyond what it has now.
class PeakMemory {
 public:
  PeakMemory();
  std::int64_t growth() const;

 private:
  std::int64_t before_;
};

}  // namespace pdegcn::bench
