// The tests of this floor under other conditions: with the instruction set that the environment
// variable PDEGCN_TEST_TARGET names, where the processor has it. See setting.h for
// PDEGCN_TEST_MEMORY.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "pdegcn/kernels/targets.h"

namespace pdegcn::tests {
namespace {

class Target : public testing::Environment {
  void SetUp() override {
    const char* const name = std::getenv("PDEGCN_TEST_TARGET");
    if (name == nullptr) return;
    const auto there = kernels::targets();
    if (std::find(there.begin(), there.end(), name) == there.end())
      GTEST_SKIP() << "this processor has no " << name;
    kernels::use_target(name);
  }
};

const auto* const target = testing::AddGlobalTestEnvironment(new Target);

}  // namespace
}  // namespace pdegcn::tests
