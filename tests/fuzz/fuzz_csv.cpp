#include "pdegcn/data/own_data.h"
#include "tests/fuzz/sections.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

// Edges, features, labels and splits; an empty part is a file that is not there.
void fuzz_csv(const data::File& file) {
  const std::vector<std::string> parts = sections(file.content(), 4);
  const auto optional = [&](std::size_t k, const char* name) -> std::optional<data::File> {
    if (parts[k].empty()) return std::nullopt;
    return data::File(name, parts[k]);
  };
  data::read_own_data(data::OwnFiles{data::File("edges.csv", parts[0]), optional(1, "features.csv"),
                                     optional(2, "labels.csv"), optional(3, "splits.csv"),
                                     std::nullopt, data::RandomSplits{.count = 2}});
}

}  // namespace pdegcn::tests
