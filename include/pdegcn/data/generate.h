#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// The data sets that are made, not read, each under a name.
struct GeneratedSet {
  std::string name;
  std::string about;
  Dataset (*make)(std::uint64_t seed);
  bool bag_of_words = false;  // its features are usually row-normalised
};
std::vector<GeneratedSet> generated_sets();

// Makes the data set of that name; the name of the result is `name`. Throws Error with the names
// there are.
Dataset generate(const std::string& name, std::uint64_t seed = 0);

}  // namespace pdegcn::data
