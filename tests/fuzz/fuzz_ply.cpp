#include "tests/fuzz/check_mesh.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_ply(const data::File& file) {
  check_mesh(data::read_ply(file));
}

}  // namespace pdegcn::tests
