#include "tests/support/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/sanitized.h"

namespace {

// Atomic, as some tests of the same program run threads.
std::atomic<std::size_t> current = 0;
std::atomic<std::size_t> start = 0;
std::atomic<std::size_t> peak = 0;

#if !PDEGCN_SANITIZED  // a sanitizer has its own new and delete
void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t size_given = malloc_usable_size(memory);
  const std::size_t now = current.fetch_add(size_given) + size_given;
  std::size_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}
#endif

}  // namespace

#if !PDEGCN_SANITIZED
void* operator new(std::size_t size) {
  return count(std::malloc(size == 0 ? 1 : size));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return count(std::aligned_alloc(step, (size / step + 1) * step));
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  current -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
#endif

namespace pdegcn::tests {

void reset_peak_allocation() {
  start = current.load();
  peak = current.load();
}

std::size_t peak_allocation() {
  return peak - start;
}

}  // namespace pdegcn::tests
