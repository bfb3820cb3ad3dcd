#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pdegcn::kernels {

// The kernels are compiled once for each of several instruction sets ("AVX-512", "AVX2", "SSE4", a
// portable one), and the best that the processor has is used. "AMX" is AVX-512 with the products of
// classify.h, and of floats with 128 channels or more, on the matrix unit, which cuts their factors
// to 16 bits. Results agree between them to rounding, not to the bit: the name belongs to a result.

// Those that this processor can run, the best first.
std::vector<std::string> targets();

// The one in use.
std::string target();

// Uses another one of targets() from now on, for all threads: to test and to compare. Throws Error
// when it is not among them.
void use_target(std::string_view name);

}  // namespace pdegcn::kernels
