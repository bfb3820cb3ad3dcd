#pragma once

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// The karate club that Zachary watched ("An information flow model for conflict and fission in
// small groups", 1977): 34 members, 78 friendships, and the club each member joined when theirs
// broke in two. Features are the identity. In the only split one learns from the instructor and
// the president alone.
Dataset karate_club();

}  // namespace pdegcn::data
