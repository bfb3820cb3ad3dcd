#pragma once

#include <cstdint>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// A data set for the classification of shapes: ellipsoids, boxes, cylinders, cones, pyramids,
// capsules, prisms, tori, tubes and hourglasses, each of its own proportions, upright, turned about
// the vertical (the third coordinate), and scaled to the unit sphere. Features are coordinates.
struct ShapeSet {
  int train_per_class = 40;
  int validation_per_class = 10;
  int test_per_class = 20;
  int points = 512;      // of a cloud
  int neighbors = 10;    // of a point of a cloud, in its graph
  double noise = 0.005;  // standard deviation, per coordinate, of a point off the surface
};

// Shapes as clouds of points, uniform by area, with the graph of nearest neighbours.
Dataset shape_clouds(const ShapeSet& set = {}, std::uint64_t seed = 0);

// The same shapes as closed triangle meshes, oriented outwards, with the graph of their sides.
Dataset shape_meshes(const ShapeSet& set = {}, std::uint64_t seed = 0);

}  // namespace pdegcn::data
