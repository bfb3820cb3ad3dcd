#pragma once

#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/train/loss.h"

namespace pdegcn::train {

// How far, along the edges of the template, the vertices that a network names lie from the right
// ones, over the square root of the template's area: the usual measure (Kim et al., 2011).
struct GeodesicErrors {
  std::vector<double> values;  // ascending

  double exact() const { return within(0); }  // the share without any error
  double within(double error) const;          // the share with at most this one
  double mean() const;

  // The cumulative curve, up to an error of a quarter: "error,share" as CSV.
  std::string csv() const;
  static std::vector<double> curve_errors();  // where it is taken
};

// For answers about the vertices of a correspondence data set. Vertices without a label do not
// count. Where no path leads, or the template does not show a class, the error is 1. Throws Error
// when the data set has no template or that no area.
GeodesicErrors geodesic_errors(const data::Dataset& data, const Answered& answered);

}  // namespace pdegcn::train
