#include "pdegcn/data/geom_gcn.h"
#include "tests/fuzz/sections.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_geom_gcn(const data::File& file) {
  const std::vector<std::string> parts = sections(file.content(), 2);
  data::read_geom_gcn(data::File("nodes", parts[0]), data::File("edges", parts[1])).check();
}

}  // namespace pdegcn::tests
