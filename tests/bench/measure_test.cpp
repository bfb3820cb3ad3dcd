#include "bench/measure.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>
#include <thread>

#include "bench/limit.h"
#include "bench/workload.h"
#include "tests/support/sanitized.h"

namespace pdegcn::bench {
namespace {

using namespace std::chrono_literals;

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 100}), 5);
  EXPECT_EQ(median({4, 1, 100, 2}), 3);
}

TEST(Measure, TakesTurns) {
  std::string order;
  Task a, b;
  a.run = [&] { order += 'a'; };
  b.run = [&] { order += 'b'; };
  std::ostringstream out;
  report::Progress progress(out, {});
  measure({&a, &b}, {3, 3, 0, 0}, "turns", progress, [] { return false; });
  EXPECT_EQ(order,
            "ababab"
            "ab");  // one to warm up
  EXPECT_NE(out.str().find("turns  round 3/3"), std::string::npos) << out.str();
}

TEST(Measure, TellsTimesApart) {
  Task slow, quick;
  int prepared = 0;
  slow.run = [] { std::this_thread::sleep_for(20ms); };
  slow.prepare = [&] { ++prepared; };
  quick.run = [] { std::this_thread::sleep_for(2ms); };
  std::ostringstream out;
  report::Progress progress(out, {});
  measure({&slow, &quick}, {5, 5, 0, 0.01}, "", progress, [] { return false; });
  EXPECT_EQ(prepared, 6);
  EXPECT_GE(slow.seconds, 0.02);
  EXPECT_GE(quick.seconds, 0.002);
  EXPECT_LT(quick.seconds, slow.seconds);
  EXPECT_THROW(measure({&slow}, {}, "", progress, [] { return true; }), Stopped);
}

TEST(PeakMemory, SeesWhatIsFreedAgain) {
  if (PDEGCN_SANITIZED) GTEST_SKIP() << "a sanitizer keeps what is freed";
  constexpr std::int64_t size = 64 << 20;
  const PeakMemory memory;
  { const auto held = torch::ones({size}, torch::kUInt8); }
  EXPECT_NEAR(static_cast<double>(memory.growth()), size, 0.2 * size);
  const PeakMemory again;
  EXPECT_LT(again.growth(), size / 4);
}

// The arithmetic of the limit, with speeds that are made up.
TEST(Limit, AddsUpWhatHasToBeDone) {
  const Workload w({"", kRmat, "d", 16, 2}, true);
  Machine machine(100, 1 << 10, 100);
  for (Task* task : machine.tasks()) task->run();
  machine.openblas.seconds = 2e-3;  // 1 GFLOP/s
  machine.own.seconds = 1e-3;       // 2
  machine.tanh.seconds = 1e9;       // hardly any
  machine.copy.seconds = 1;
  EXPECT_DOUBLE_EQ(machine.flops(), 2e9);
  const double n = static_cast<double>(w.nodes()), m = static_cast<double>(w.edges());
  const Limit slow = limit(w, machine);
  EXPECT_DOUBLE_EQ(slow.products, 2 * 8 * 2 * n * 256 / 2e9);
  EXPECT_DOUBLE_EQ(slow.edges, 2 * 3 * m * 16 / machine.tanhs());
  EXPECT_DOUBLE_EQ(slow.opening, 3 * (8 * n * (4 * 16 + 8) + 4 * 16 * n) / machine.bytes());
  EXPECT_DOUBLE_EQ(slow.total(), slow.products + slow.edges + slow.opening);

  machine.tanh.seconds = 1e-12;  // then memory binds
  const Limit quick = limit(w, machine);
  EXPECT_LT(quick.edges, slow.edges);
  EXPECT_DOUBLE_EQ(
      quick.edges,
      2 * (2 * (64 * (m + 2 * n) + 8 * m) + 64 * (2 * m + 3 * n) + 8 * m) / machine.bytes());
}

}  // namespace
}  // namespace pdegcn::bench
