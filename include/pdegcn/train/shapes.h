#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pdegcn/data/dataset.h"
#include "pdegcn/train/config.h"

namespace pdegcn::train {

// The value of RunConfig::input that suits a data set: "cartesian" for a correspondence, "xyz" for
// graphs whose features are the positions of their nodes, else "features".
std::string usual_input(const data::Dataset& data, Task task);

// A sample as a network of this config sees it in an epoch, 0 for all that is not training: points
// drawn, moved at random and joined, coordinates and edge attributes as the input asks for. What is
// random depends on the seed, the epoch and the positions of the sample alone, so that what is said
// of a shape does not change with its neighbours in a folder. A sample that needs none of this is
// not copied, and must outlive the result. Throws Error that names the sample when
// it has no positions but needs them.
std::shared_ptr<const data::Sample> prepare(const data::Sample& sample, const RunConfig& config,
                                            std::int64_t epoch);

}  // namespace pdegcn::train
