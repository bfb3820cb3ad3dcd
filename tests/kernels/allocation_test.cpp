#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/kernels/stack.h"
#include "tests/support/random_graph.h"
#include "tests/support/sanitized.h"

#if !PDEGCN_SANITIZED

// Every allocation of the program is counted.
namespace {
std::atomic<std::int64_t> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
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

// What one forward and one backward run of so many layers allocate.
std::int64_t allocations_of(std::int64_t layers, tests::StackOptions::Order order) {
  const Graph graph = tests::star(200).build();
  tests::StackOptions options{24, layers};
  options.order = order;
  options.dropout = 0.1;
  const tests::Stack<float> stack(graph, options);
  March<float> march(stack.problem());
  std::vector<float> last(stack.f0.size()), bar(stack.f0.size(), 1), f0(stack.f0.size());
  std::vector<float> K(24 * 24), gamma(stack.gamma.size());
  std::vector<StepCoefficients> steps(layers);
  MarchGradients<float> gradients;
  gradients.f0 = f0.data();
  gradients.gamma = gamma.data();
  gradients.K.assign(layers, K.data());
  gradients.steps = &steps;

  const std::int64_t before = allocations;
  march.forward(stack.f0.data(), last.data(), true);
  march.backward(bar.data(), nullptr, gradients);
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

}  // namespace
}  // namespace pdegcn::kernels

#endif
