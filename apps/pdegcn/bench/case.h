#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pdegcn::bench {

// What is measured as one line of the table.
struct Case {
  std::string name;   // "like-cora-d-64-16": data, model, channels, layers
  std::string data;   // a named set, or one of the two below
  std::string model;  // "d" or "h"
  std::int64_t channels = 64;
  std::int64_t layers = 16;
  bool usual = false;  // measured when no case is asked for
};
inline constexpr const char* kMesh = "mesh";  // one body, the stack alone
inline constexpr const char* kRmat = "rmat";  // a million nodes, ten million edges

// All cases: those of the generated data sets, and of the real ones that are in the data folder.
std::vector<Case> cases();

// The same case on a tiny graph, to see that it works.
Case made_quick(Case what);

}  // namespace pdegcn::bench
