#include "tests/support/allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t current = 0;
std::size_t start = 0;
std::size_t peak = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  current += malloc_usable_size(memory);
  peak = std::max(peak, current);
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  current -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace pdegcn::tests {

void reset_peak_allocation() {
  start = peak = current;
}

std::size_t peak_allocation() {
  return peak - start;
}

}  // namespace pdegcn::tests
