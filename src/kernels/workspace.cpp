#include "pdegcn/kernels/workspace.h"

#include <algorithm>

namespace pdegcn::kernels {

Workspace::Block Workspace::take(std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    auto largest = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (largest == free_.end() || block->count() > largest->count()) largest = block;
      if (block->count() >= bytes && (best == free_.end() || block->count() < best->count()))
        best = block;
    }
    if (best != free_.end()) {
      Block taken = std::move(*best);
      free_.erase(best);
      return taken;
    }
    if (largest != free_.end()) free_.erase(largest);
  }
  return Block(bytes);
}

void Workspace::give_back(Block block) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(block));
}

template <class T>
Arrays<T>::Arrays(std::shared_ptr<Workspace> workspace,
                  std::initializer_list<std::int64_t> counts) {
  constexpr auto kLine = static_cast<std::int64_t>(kAlignment / sizeof(T));
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += (count + kLine - 1) / kLine * kLine;
  Workspace* const from = workspace.get();
  block_ = {new Workspace::Block(from->take(total * static_cast<std::int64_t>(sizeof(T)))),
            [workspace = std::move(workspace)](Workspace::Block* block) {
              workspace->give_back(std::move(*block));
              delete block;
            }};
  T* at = reinterpret_cast<T*>(block_->data());
  for (const std::int64_t count : counts) {
    begins_.push_back(at);
    at += (count + kLine - 1) / kLine * kLine;
  }
}

template class Arrays<float>;
template class Arrays<double>;

}  // namespace pdegcn::kernels
