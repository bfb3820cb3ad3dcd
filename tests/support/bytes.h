#pragma once

#include <bit>
#include <cstring>
#include <string>

namespace pdegcn::tests {

// The bytes of a number in the wanted order.
template <class T>
std::string bytes(T value, std::endian order = std::endian::little) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return order == std::endian::native ? out : std::string(out.rbegin(), out.rend());
}

}  // namespace pdegcn::tests
