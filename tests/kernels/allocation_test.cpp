#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/kernels/stack.h"
#include "tests/support/random_graph.h"
#include "tests/support/sanitized.h"

#if !PDEGCN_SANITIZED

// Every allocation of the program is counted. Where the compiler looks into new but not into
// delete, it takes them for a pair that does not match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
namespace {
std::atomic<std::int64_t> allocations = 0;
std::atomic<std::size_t> largest = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  for (std::size_t most = largest; size > most && !largest.compare_exchange_weak(most, size);) {
  }
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace pdegcn::kernels {
namespace {

// A stack, and what its way back writes to.
struct Trained {
  Trained(std::int64_t layers, tests::StackOptions::Order order)
      : graph(tests::star(200).build()),
        stack(graph, with(layers, order)),
        last(stack.f0.size()),
        bar(stack.f0.size(), 1),
        f0(stack.f0.size()),
        K(24 * 24),
        gamma(stack.gamma.size()),
        steps(layers) {
    gradients.f0 = f0.data();
    gradients.gamma = gamma.data();
    gradients.K.assign(layers, K.data());
    gradients.steps = &steps;
  }

  static tests::StackOptions with(std::int64_t layers, tests::StackOptions::Order order) {
    tests::StackOptions options{24, layers};
    options.order = order;
    options.dropout = 0.1;
    return options;
  }

  void step(March<float>& march) {
    march.forward(stack.f0.data(), last.data(), true);
    march.backward(bar.data(), nullptr, gradients);
  }

  Graph graph;
  tests::Stack<float> stack;
  std::vector<float> last, bar, f0, K, gamma;
  std::vector<StepCoefficients> steps;
  MarchGradients<float> gradients;
};

// What one forward and one backward run of so many layers allocate.
std::int64_t allocations_of(std::int64_t layers, tests::StackOptions::Order order) {
  Trained trained(layers, order);
  March<float> march(trained.stack.problem());
  const std::int64_t before = allocations;
  trained.step(march);
  return allocations - before;
}

TEST(March, AllocatesNothingPerLayer) {
  using Order = tests::StackOptions::Order;
  for (const Order order : {Order::first, Order::second}) {
    const std::int64_t few = allocations_of(2, order);
    EXPECT_GT(few, 0) << "nothing was counted";
    EXPECT_EQ(allocations_of(40, order), few);
  }
}

TEST(March, TakesItsMemoryFromTheWorkspaceAfterTheFirstTime) {
  Trained trained(5, tests::StackOptions::Order::second);
  auto problem = trained.stack.problem();
  problem.workspace = std::make_shared<Workspace>();
  const std::size_t state = 200 * 32 * sizeof(float);
  for (const Memory memory : {Memory::store, Memory::checkpoint}) {
    problem.memory = memory;
    for (int step = 0; step < 3; ++step) {
      largest = 0;
      March<float> march(problem);
      trained.step(march);
      // Another march, as of an evaluation, while nothing else is in use.
      March<float>(problem).forward(trained.stack.f0.data(), trained.last.data(), false);
      if (step > 0) {
        EXPECT_LT(largest, state / 2);
      } else if (memory == Memory::store) {
        EXPECT_GT(largest, state) << "nothing was counted";
      }
    }
  }
}

}  // namespace
}  // namespace pdegcn::kernels

#endif
