#pragma once

#include <string>
#include <string_view>

#include "pdegcn/kernels/random.h"

namespace pdegcn::tests {

// A damaged copy of some bytes: one to four times a bit is flipped, a byte or a little-endian word
// replaced by an extreme one, a stretch cut out, repeated or overwritten by another, a number in
// text made huge, or the end cut off.
inline std::string mutate(std::string_view original, kernels::Random& random) {
  static constexpr std::string_view kExtreme[] = {{"\x00\x00\x00\x00\x00\x00\x00\x00", 8},
                                                  "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
                                                  {"\x00\x00\x00\x80", 4},
                                                  "\xFF\xFF\xFF\x7F",
                                                  {"\x01\x00\x00\x00", 4},
                                                  "\xFF\xFF",
                                                  "999999999999999999999",
                                                  "-1",
                                                  "2147483648",
                                                  "nan",
                                                  "1e999",
                                                  "\n",
                                                  "\r\n",
                                                  "\xEF\xBB\xBF"};
  std::string bytes(original);
  const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size() + 1)); };
  const auto length = [&] { return std::size_t{1} << random.below(8); };
  for (std::uint64_t times = 1 + random.below(4); times > 0; --times) {
    if (bytes.empty()) return bytes;
    const std::size_t at = static_cast<std::size_t>(random.below(bytes.size()));
    switch (random.below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 2: {
        const std::string_view extreme = kExtreme[random.below(std::size(kExtreme))];
        bytes.replace(at, random.below(2) ? extreme.size() : 0, extreme);
        break;
      }
      case 3:
        bytes.erase(at, length());
        break;
      case 4:
        bytes.insert(place(), bytes.substr(at, length()));
        break;
      case 5: {
        const std::string stretch = bytes.substr(at, length());
        bytes.replace(place(), stretch.size(), stretch);
        break;
      }
      case 6:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

}  // namespace pdegcn::tests
