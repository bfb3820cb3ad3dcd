#include "measure.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace pdegcn::bench {
namespace {

// A line of /proc/self/status, in bytes; 0 when it is not there.
std::int64_t status(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  for (std::string key, rest; file >> key; std::getline(file, rest)) {
    std::int64_t kilobytes = 0;
    if (key == wanted && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

PeakMemory::PeakMemory() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // sets the peak to what is held now
  before_ = status("VmRSS:");
}

std::int64_t PeakMemory::growth() const {
  return std::max<std::int64_t>(status("VmHWM:") - before_, 0);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void measure(std::vector<Task*> tasks, const Rounds& rounds, const std::string& name,
             report::Progress& progress, const std::function<bool()>& stop) {
  const auto now = report::Progress::steady_seconds;
  const auto check = [&] {
    if (stop()) throw Stopped{};
  };
  std::vector<int> repeats;
  double round = 0;
  for (Task* task : tasks) {
    check();
    task->prepare();
    const PeakMemory memory;
    double start = now();
    task->run();
    double once = now() - start;
    task->peak_bytes = memory.growth();
    if (once < rounds.sample) {  // a first run that is short tells little
      start = now();
      task->run();
      once = now() - start;
    }
    repeats.push_back(std::max(1, static_cast<int>(std::ceil(rounds.sample / once))));
    round += repeats.back() * once;
  }
  const int count = std::clamp(static_cast<int>(rounds.seconds / round), rounds.least,
                               std::max(rounds.least, rounds.most));
  std::vector<std::vector<double>> samples(tasks.size());
  progress.start(name, "", count, 0, "round");
  for (int k = 0; k < count; ++k) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      check();
      tasks[t]->prepare();
      const double start = now();
      for (int r = 0; r < repeats[t]; ++r) tasks[t]->run();
      samples[t].push_back((now() - start) / repeats[t]);
    }
    progress.update({k + 1, {}, {}, {}});
  }
  progress.finish();
  for (std::size_t t = 0; t < tasks.size(); ++t) tasks[t]->seconds = median(samples[t]);
}

}  // namespace pdegcn::bench
