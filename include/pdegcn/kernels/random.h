#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace pdegcn::kernels {

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a function
// from a counter and a key to 128 random bits. Nothing is stored, so any number of a sequence, or
// of a mask, can be computed anywhere, by any thread, again. Seven rounds are the fewest that pass
// all tests of randomness its authors put it to.
template <int Rounds = 10>
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < Rounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// A sequence of random numbers from a seed: the same on every machine and with every compiler,
// which the distributions of the standard library are not. Sequences with different stream numbers
// are independent of each other.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        stream_{static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)} {}

  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox({static_cast<std::uint32_t>(count_), static_cast<std::uint32_t>(count_ >> 32),
                       stream_[0], stream_[1]},
                      key_);
      ++count_;
      used_ = 0;
    }
    return block_[used_++];
  }

  // Uniform in [0, 1), with all 53 bits of a double.
  double uniform() {
    const std::uint64_t high = bits() >> 5;
    const std::uint64_t low = bits() >> 6;
    return static_cast<double>(high * 67108864 + low) / 9007199254740992.0;
  }

  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Uniform in 0..n-1, without bias; n must be positive.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t limit = (~std::uint64_t{0} / n) * n;
    for (;;) {
      const std::uint64_t high = bits();
      const std::uint64_t value = high << 32 | bits();
      if (value < limit) return value % n;
    }
  }

  // Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586476925 * uniform());
  }

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[below(k)]);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 2> stream_;
  std::uint64_t count_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace pdegcn::kernels
