#pragma once

#include <cstdint>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// A data set for dense correspondence: the mesh of one human-like body, for subjects of different
// proportions, each in many poses. All meshes have the same triangles, and vertex v is the same
// spot on all of them; labels are vertex numbers.
struct BodySet {
  int train_subjects = 8;
  int validation_subjects = 1;
  int test_subjects = 1;
  int poses = 10;         // of each subject; the first is the one the body was built in
  double spacing = 0.05;  // between vertices, in metres, from 0.01 to 0.06
};

// Generates the meshes, with features and edge attributes as correspondence_dataset() makes them
// and one split, "default", by subject. The third coordinate is up; a body looks against the
// second.
Dataset bodies(const BodySet& set = {}, std::uint64_t seed = 0);

}  // namespace pdegcn::data
