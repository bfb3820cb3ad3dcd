#pragma once

#include <cstdint>
#include <string>

#include "pdegcn/data/dataset.h"
#include "pdegcn/train/config.h"

namespace pdegcn::train {

// What a run will hold in memory at most, in bytes, predicted before its first epoch.
struct Footprint {
  std::int64_t held = 0;    // what the process holds already: libraries, data, weights, moments
  std::int64_t copies = 0;  // of the parameters: gradients, the states that are saved
  std::int64_t stack = 0;   // what the layers of the equation keep, in the memory mode of the run
  std::int64_t around = 0;  // inputs and values of all other layers

  std::int64_t peak() const { return held + copies + stack + around; }
};

// The memory mode that a run will use: its own, or the one that the rule of kernels::Memory chooses
// for `auto` and the largest step of the run. It follows from config and data alone.
std::string memory_mode(const RunConfig& run, const data::Dataset& data);

// The footprint of one run, as things stand when its network with so many parameters exists.
Footprint footprint(const RunConfig& run, const data::Dataset& data, std::int64_t parameters);

// Throws Error when that is more than `memory` bytes, and names a memory mode that would fit.
void check_footprint(const RunConfig& run, const data::Dataset& data, std::int64_t parameters,
                     std::int64_t memory);

// The memory that this process may use: that of the machine, or of its control group.
std::int64_t machine_memory();

}  // namespace pdegcn::train
