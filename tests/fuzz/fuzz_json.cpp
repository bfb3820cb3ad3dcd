#include "pdegcn/data/node_link.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_json(const data::File& file) {
  // A map of numbers has no nodes, and a graph is no map of numbers.
  if (file.content().find("\"nodes\"") != std::string_view::npos)
    data::read_node_link(file);
  else
    data::read_number_map(file, [](const std::string&, const std::vector<std::int64_t>&) {});
}

}  // namespace pdegcn::tests
