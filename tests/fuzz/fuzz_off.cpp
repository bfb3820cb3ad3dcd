#include "tests/fuzz/check_mesh.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_off(const data::File& file) {
  check_mesh(data::read_off(file));
}

}  // namespace pdegcn::tests
