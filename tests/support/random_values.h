#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace pdegcn::tests {

// Values between -1 and 1 from a seed: a field to try an operator on. The same on every machine.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> values(count);
  for (T& value : values)
    value = static_cast<T>(static_cast<double>(engine() >> 11) / (1ull << 52) - 1);
  return values;
}

}  // namespace pdegcn::tests
