// What the loop runs on: threads and libraries.
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/targets.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {
namespace {

// A function of the OpenBLAS that happens to be loaded, or null.
template <class Function>
Function* openblas(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return omp_get_num_procs();
}

int set_threads(std::int64_t threads) {
  // Far more than there are cores only wait for each other, and never come to an end.
  const int most = std::max(64, 4 * available_cores());
  if (threads < 0 || threads > most)
    throw Error("threads must be between 0 and {} here, they are {}", most, threads);
  const int count = threads == 0 ? available_cores() : static_cast<int>(threads);
  omp_set_num_threads(count);
  at::set_num_threads(count);
  return count;
}

bool has_pthread_openblas() {
  auto* parallel = openblas<int()>("openblas_get_parallel");
  return parallel != nullptr && parallel() == 1;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "an unknown processor";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      name = line.substr(line.find(": ") + 2);
      break;
    }
  return fmt::format("{}, {} cores", name, available_cores());
}

std::string library_versions() {
  auto* config = openblas<char*()>("openblas_get_config");
  return fmt::format("kernels {}, libtorch {}, {}", kernels::target(), TORCH_VERSION,
                     config == nullptr ? "no OpenBLAS" : config());
}

}  // namespace pdegcn::train
