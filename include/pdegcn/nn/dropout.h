#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace pdegcn::nn {

// Where the random numbers of one training step come from. The same draw gives the same masks, on
// any number of threads; each place in a network that drops something has a site number of its own.
struct Draw {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;

  // A seed for one site.
  std::uint64_t seed_of(std::uint64_t site) const { return seed + site * 0x9E3779B97F4A7C15ull; }
};

// x / (1 - p), with each value zero with probability p. p = 0 returns x. Throws Error unless 0 <= p
// < 1.
torch::Tensor dropout(const torch::Tensor& x, double p, const Draw& draw, std::uint64_t site);

}  // namespace pdegcn::nn
