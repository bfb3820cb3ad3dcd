#pragma once

#include <map>
#include <span>
#include <utility>

#include "pdegcn/data/dataset.h"
#include "pdegcn/graph/transform.h"

namespace pdegcn::tests {

// Whether the triangles of a sample close up: every side belongs to two of them, which walk along
// it in opposite directions.
inline bool is_closed(const data::Sample& sample) {
  std::map<std::pair<NodeId, NodeId>, int> walked;
  for (const Triangle& t : sample.triangles)
    for (int k = 0; k < 3; ++k) ++walked[{t[k], t[(k + 1) % 3]}];
  for (const auto& [side, times] : walked) {
    const auto back = walked.find({side.second, side.first});
    if (times != 1 || back == walked.end() || back->second != 1) return false;
  }
  return true;
}

// Vertices - edges + triangles: 2 for a closed surface like a sphere, 0 for one like a torus.
inline std::int64_t euler_characteristic(const data::Sample& sample) {
  return sample.graph.num_nodes() - sample.graph.num_edges() +
         static_cast<std::int64_t>(sample.triangles.size());
}

// The volume inside; positive when the triangles are oriented outwards.
inline double volume(const data::Sample& sample) {
  double sum = 0;
  for (const Triangle& t : sample.triangles) {
    const float* a = &sample.positions[3 * std::size_t(t[0])];
    const float* b = &sample.positions[3 * std::size_t(t[1])];
    const float* c = &sample.positions[3 * std::size_t(t[2])];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

}  // namespace pdegcn::tests
