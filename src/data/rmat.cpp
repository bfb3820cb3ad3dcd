#include "pdegcn/data/rmat.h"

#include <cmath>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

// A chance as a limit for 32 random bits.
std::uint64_t limit(double chance) {
  return static_cast<std::uint64_t>(std::llround(chance * 0x1p32));
}

// Spreads the numbers below 2^bits over themselves: each step can be undone, so no two meet.
class Scramble {
 public:
  Scramble(int bits, std::uint64_t seed) : mask_((1u << bits) - 1), shift_((bits + 1) / 2) {
    kernels::Random random(seed, 1);
    for (std::uint32_t& f : factor_) f = random.bits() | 1;
  }
  NodeId operator()(std::uint32_t v) const {
    for (const std::uint32_t f : factor_) {
      v = v * f & mask_;
      v ^= v >> shift_;
    }
    return static_cast<NodeId>(v);
  }

 private:
  std::uint32_t mask_;
  int shift_;
  std::uint32_t factor_[3];
};

}  // namespace

Graph rmat(const Rmat& model, std::uint64_t seed) {
  if (model.scale < 1 || model.scale > 30)
    throw Error("scale must be within 1 and 30, it is {}", model.scale);
  if (model.edges < 0) throw Error("edges must not be negative, it is {}", model.edges);
  if (!(model.a >= 0 && model.b >= 0 && model.c >= 0 && model.a + model.b + model.c <= 1))
    throw Error("a, b and c must be chances, they are {}, {} and {}", model.a, model.b, model.c);

  const std::uint64_t first = limit(model.a);
  const std::uint64_t second = limit(model.a + model.b);
  const std::uint64_t third = limit(model.a + model.b + model.c);
  const Scramble scramble(model.scale, seed);
  kernels::Random random(seed, 0);
  std::vector<Edge> edges(model.edges);
  for (Edge& e : edges) {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    for (int level = 0; level < model.scale; ++level) {
      const std::uint64_t draw = random.bits();
      const std::uint32_t lower = draw >= second;
      row = row << 1 | lower;
      column = column << 1 | static_cast<std::uint32_t>(lower ? draw >= third : draw >= first);
    }
    e = {scramble(row), scramble(column)};
  }
  return Graph::from_edges(NodeId{1} << model.scale, std::move(edges));
}

}  // namespace pdegcn::data
