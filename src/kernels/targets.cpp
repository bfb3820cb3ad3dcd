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

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const std::int64_t bit : supported()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

std::string target() {
  return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
}

void use_target(std::string_view name) {
  for (const std::int64_t bit : supported()) {
    if (name != hwy::TargetName(bit)) continue;
    hwy::SetSupportedTargetsForTest(bit);
    return;
  }
  throw Error("the target '{}' is none that the kernels have on this processor", name);
}

}  // namespace pdegcn::kernels
