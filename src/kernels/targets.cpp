#include "pdegcn/kernels/targets.h"

#include <hwy/targets.h>

#include <atomic>

#include "pdegcn/graph/error.h"
#include "tiles.h"

namespace pdegcn::kernels {
namespace {

// What the processor has; asked before use_target changes the answer.
const std::vector<std::int64_t>& supported() {
  static const auto all = hwy::SupportedAndGeneratedTargets();
  return all;
}

// As its maker calls it.
std::string name_of(std::int64_t bit) {
  return bit == HWY_AVX3 ? "AVX-512" : hwy::TargetName(bit);
}

bool have_tiles() {
  return supported().front() == HWY_AVX3 && tiles_exist();
}

std::atomic<bool>& use_of_tiles() {
  static std::atomic<bool> use = have_tiles();
  return use;
}

}  // namespace

bool tiles_in_use() {
  return use_of_tiles();
}

std::vector<std::string> targets() {
  std::vector<std::string> names;
  if (have_tiles()) names.emplace_back(kTiles);
  for (const std::int64_t bit : supported()) names.push_back(name_of(bit));
  return names;
}

std::string target() {
  return tiles_in_use() ? kTiles : name_of(hwy::SupportedAndGeneratedTargets().front());
}

void use_target(std::string_view name) {
  const bool tiles = have_tiles() && name == kTiles;
  for (const std::int64_t bit : supported()) {
    if (!tiles && name != name_of(bit)) continue;
    hwy::SetSupportedTargetsForTest(bit);
    use_of_tiles() = tiles;
    return;
  }
  throw Error("the target '{}' is none that the kernels have on this processor", name);
}

}  // namespace pdegcn::kernels
