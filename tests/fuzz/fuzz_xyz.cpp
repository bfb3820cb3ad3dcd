#include "tests/fuzz/check_mesh.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_xyz(const data::File& file) {
  check_mesh(data::read_xyz(file));
}

}  // namespace pdegcn::tests
