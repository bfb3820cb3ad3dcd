#pragma once

#include <cstddef>

namespace pdegcn::tests {

// The most memory that operator new had given out at one time since the last reset, beyond what
// was given out at that reset. Counted in programs that link allocations.cpp, over all threads;
// with a sanitizer nothing is counted.
void reset_peak_allocation();
std::size_t peak_allocation();

}  // namespace pdegcn::tests
