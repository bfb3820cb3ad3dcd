#pragma once

#include <filesystem>

#include "compare.h"

namespace pdegcn::bench {

// What came of a measurement that is not a comparison of formulations.
struct Finding {
  std::string title;
  report::Table table;
  nlohmann::ordered_json json;
};

// All threads against one, beside the same ratio of a large product.
Finding threads(const Setting& setting);

// Times and peaks of the memory modes, for few and for many layers.
Finding memory(const Setting& setting);

// How the time grows with edges, with layers and, of the edge passes alone, with channels. Drawn
// into `plot` unless that is empty.
Finding curves(const Setting& setting, const std::filesystem::path& plot);

// Training steps on shapes, pdegcn against the paper's formulation: a batch of clouds with the
// search for their neighbours, and a correspondence with its head.
Finding shapes(const Setting& setting);

}  // namespace pdegcn::bench
