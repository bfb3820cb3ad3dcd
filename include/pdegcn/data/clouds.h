#pragma once

#include <span>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/mesh.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {

// Points on the surface of a mesh, uniform by area, as rows of three. Faces without area get none;
// throws Error when all of them have none.
std::vector<float> sample_surface(const Mesh& mesh, NodeId points, kernels::Random& random);

// Moves the centroid of the points to the origin and scales the farthest to distance one. Points
// that all lie on one spot stay there, at the origin.
void normalize_to_unit_sphere(std::span<float> positions);

// The usual random changes to a normalised cloud: a turn about the vertical, which is z, a common
// factor, and a normal deviate on every coordinate.
struct Augmentation {
  double min_scale = 0.8;
  double max_scale = 1.25;
  double max_turn = 3.14159265358979323846;  // to either side
  double jitter = 0.01;                      // standard deviation, and
  double max_jitter = 0.05;                  // where it is cut off
};
void augment(std::span<float> positions, const Augmentation& options, kernels::Random& random);

struct CloudOptions {
  NodeId points = 1024;
  int k = 10;  // neighbours in the graph; 0 leaves it without edges, to be built when needed
};

// A shape as a sample: points on the unit sphere's scale, with xyz as features, and their k-nn
// graph. A mesh is sampled; of a cloud with too many points some are drawn, one with fewer keeps
// those it has.
Sample cloud_sample(std::string name, const Mesh& shape, const CloudOptions& options,
                    kernels::Random& random);

// A shape as it is, on the unit sphere's scale and with xyz as features: a mesh with the graph of
// its sides, a cloud without edges, to be sampled or joined by whoever uses it.
Sample shape_sample(std::string name, Mesh shape);

}  // namespace pdegcn::data
