#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>

#include "pdegcn/train/problem.h"

namespace pdegcn::train {

// Batches in their order, made ahead of the steps that need them: each by a thread of its own, as
// many at a time as `ahead` says, or, for 0, by the caller when it asks. What a batch holds follows
// from its number alone, so that none of this shows in a result.
class BatchStream {
 public:
  using Make = std::function<Batch(std::int64_t)>;

  BatchStream(std::int64_t count, int ahead, Make make);

  // The next batch; throws what making it threw. There must be one left.
  Batch next();

 private:
  void fill();

  std::int64_t count_;
  int ahead_;
  Make make_;
  std::int64_t begun_ = 0;
  std::deque<std::future<Batch>> coming_;
};

}  // namespace pdegcn::train
