#pragma once

#include <vector>

#include "pdegcn/data/dataset.h"

namespace pdegcn::train {

// How dense node features are brought to mean 0 and deviation 1, column by column. It belongs to a
// trained network: other data are scaled by the same numbers.
struct Scaling {
  std::vector<float> mean;  // empty: features stay as they are
  std::vector<float> deviation;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

// Whether a data set is one to standardise: every node has a row of numbers, which are no
// positions.
bool has_dense_features(const data::Dataset& data);

// Mean and deviation over the nodes that a network sees while it learns: those of the only graph,
// or of the graphs of the training part. A column that is constant there is only centred. Throws
// Error when the features are not dense.
Scaling standardizing(const data::Dataset& data, const data::Split& split);

}  // namespace pdegcn::train
