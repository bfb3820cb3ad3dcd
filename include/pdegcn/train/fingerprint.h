#pragma once

#include <string>

#include "pdegcn/data/dataset.h"

namespace pdegcn::train {

// Checksums that tell whether data are those of an earlier run, eight hexadecimal digits each: of
// graphs, features, a split and the labels of its parts, those of the test part only if wished;
std::string data_fingerprint(const data::Dataset& data, const data::Split& split, bool test_labels);

// and of a graph alone.
std::string graph_fingerprint(const Graph& graph);

}  // namespace pdegcn::train
