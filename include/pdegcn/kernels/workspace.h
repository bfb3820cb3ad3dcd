#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "pdegcn/kernels/matrix.h"

namespace pdegcn::kernels {

// Memory that is kept between uses. Fresh memory costs a page fault for every thousand floats when
// it is first written, which is a good part of a training step: what one step gives back, the next
// one takes. Threads may share it.
class Workspace {
 public:
  using Block = Buffer<std::byte>;

  // The smallest free block that is large enough. When there is none, the largest free one makes
  // room for a new one, so that blocks do not pile up when sizes change.
  Block take(std::int64_t bytes);
  void give_back(Block block);

 private:
  std::mutex mutex_;
  std::vector<Block> free_;
};

// Arrays of values in one block, each of which begins on a cache line. The block goes back to the
// workspace with the last of them.
template <class T>
class Arrays {
 public:
  Arrays() = default;
  Arrays(std::shared_ptr<Workspace> workspace, std::initializer_list<std::int64_t> counts);

  T* operator[](std::size_t array) const { return begins_[array]; }

 private:
  std::shared_ptr<Workspace::Block> block_;
  std::vector<T*> begins_;
};

}  // namespace pdegcn::kernels
