#pragma once

#include "measure.h"

namespace pdegcn::bench {

class Workload;

// What the machine can do at best, measured beside the cases and with as many threads.
class Machine {
 public:
  // Products of n x n matrices, for pdegcn with as many columns as channels, since the unit that it
  // uses depends on them; memory is copied in fields of that many bytes, so that what fits into a
  // cache is held against the speed of that cache.
  Machine(std::int64_t n, std::int64_t field_bytes, std::int64_t channels);

  Task openblas, own;  // the product by OpenBLAS, and by pdegcn
  Task tanh;           // of values that stay in the first cache
  Task copy;           // of a field
  std::vector<Task*> tasks() { return {&openblas, &own, &tanh, &copy}; }

  double flops() const;  // per second, of the better product
  double flops(const Task& product) const;
  double tanhs() const;  // per second
  double bytes() const;  // per second, read and written

 private:
  std::int64_t n_, channels_;
  std::int64_t field_bytes_;
  int threads_ = 1;  // of the last run of tanh
};

// A training step and an evaluation at that speed, in seconds.
struct Limit {
  double products = 0;  // 8 of 2nc² a layer: 2 forward, 4 backward, 2 in evaluation
  double edges = 0;     // 3 passes a layer, every edge evaluated once
  double opening = 0;   // 3 passes over the non-zeros of the input
  double total() const { return products + edges + opening; }
};
Limit limit(const Workload& workload, const Machine& machine);

}  // namespace pdegcn::bench
