#include "tests/fuzz/check_mesh.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_pcd(const data::File& file) {
  check_mesh(data::read_pcd(file));
}

}  // namespace pdegcn::tests
