#include "pdegcn/data/gnn_benchmark.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_gnn_benchmark(const data::File& file) {
  data::read_gnn_benchmark(file, {.count = 2});
}

}  // namespace pdegcn::tests
