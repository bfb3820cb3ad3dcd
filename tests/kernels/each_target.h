#pragma once

#include <gtest/gtest.h>

#include "pdegcn/kernels/targets.h"

namespace pdegcn::tests {

// Runs a test with each instruction set that the kernels are compiled for and this machine has.
template <class Test>
void each_target(Test&& test) {
  struct Best {
    ~Best() { kernels::use_target(kernels::targets().front()); }
  } restore;
  for (const std::string& name : kernels::targets()) {
    kernels::use_target(name);
    SCOPED_TRACE(name);
    test();
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace pdegcn::tests
