#include "tests/fuzz/check_mesh.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_obj(const data::File& file) {
  check_mesh(data::read_obj(file));
}

}  // namespace pdegcn::tests
