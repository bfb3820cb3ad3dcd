#include "pdegcn/train/batch_stream.h"

#include <omp.h>

namespace pdegcn::train {

BatchStream::BatchStream(std::int64_t count, int ahead, Make make)
    : count_(count), ahead_(ahead), make_(std::move(make)) {
  fill();
}

Batch BatchStream::next() {
  if (ahead_ == 0) return make_(begun_++);
  Batch batch = coming_.front().get();
  coming_.pop_front();
  fill();
  return batch;
}

void BatchStream::fill() {
  while (begun_ < count_ && static_cast<int>(coming_.size()) < ahead_)
    coming_.push_back(std::async(std::launch::async, [this, k = begun_++] {
      omp_set_num_threads(1);  // of this thread: all cores are busy with batches and the step
      return make_(k);
    }));
}

}  // namespace pdegcn::train
