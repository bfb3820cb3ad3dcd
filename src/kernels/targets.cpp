#include "pdegcn/kernels/targets.h"

#include <hwy/targets.h>

#include "pdegcn/graph/error.h"

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

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const std::int64_t bit : supported()) names.push_back(name_of(bit));
  return names;
}

std::string target() {
  return name_of(hwy::SupportedAndGeneratedTargets().front());
}

void use_target(std::string_view name) {
  for (const std::int64_t bit : supported()) {
    if (name != name_of(bit)) continue;
    hwy::SetSupportedTargetsForTest(bit);
    return;
  }
  throw Error("the target '{}' is none that the kernels have on this processor", name);
}

}  // namespace pdegcn::kernels
