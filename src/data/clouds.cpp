#include "pdegcn/data/clouds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

using Vector = std::array<double, 3>;

Vector vertex(const Mesh& mesh, NodeId v) {
  const float* at = mesh.positions.data() + 3 * std::size_t(v);
  return {at[0], at[1], at[2]};
}

// Some of the points of a cloud, drawn without replacement.
std::vector<float> draw_points(const std::vector<float>& positions, std::size_t points,
                               kernels::Random& random) {
  const std::size_t count = positions.size() / 3;
  if (count <= points) return positions;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<float> out;
  out.reserve(3 * points);
  for (std::size_t k = 0; k < points; ++k) {
    std::swap(order[k], order[k + random.below(count - k)]);
    const float* at = positions.data() + 3 * order[k];
    out.insert(out.end(), at, at + 3);
  }
  return out;
}

}  // namespace

std::vector<float> sample_surface(const Mesh& mesh, NodeId points, kernels::Random& random) {
  std::vector<double> upto;  // the area of all triangles up to this one
  upto.reserve(mesh.triangles.size());
  double total = 0;
  for (const Triangle& triangle : mesh.triangles)
    upto.push_back(total += triangle_area(mesh.positions, triangle));
  if (!(total > 0)) throw Error("the surface has no area to draw points from");

  std::vector<float> out;
  out.reserve(3 * std::size_t(std::max(points, 0)));
  for (NodeId p = 0; p < points; ++p) {
    // The first triangle to pass the mark has area. Rounding may put the mark on the total itself.
    const double mark = std::min(random.uniform() * total, std::nextafter(total, 0.0));
    const auto found = std::upper_bound(upto.begin(), upto.end(), mark);
    const Triangle& triangle = mesh.triangles[found - upto.begin()];
    // The square root spreads the points evenly between one corner and the opposite side.
    const double side = std::sqrt(random.uniform());
    const double along = random.uniform();
    const double weight[] = {1 - side, side * (1 - along), side * along};
    Vector point{};
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d) point[d] += weight[c] * vertex(mesh, triangle[c])[d];
    for (const double coordinate : point) out.push_back(static_cast<float>(coordinate));
  }
  return out;
}

void normalize_to_unit_sphere(std::span<float> positions) {
  const std::size_t count = positions.size() / 3;
  Vector centre{};
  for (std::size_t at = 0; at < positions.size(); ++at) centre[at % 3] += positions[at];
  for (double& c : centre) c /= static_cast<double>(std::max<std::size_t>(count, 1));
  double radius = 0;
  for (std::size_t at = 0; at + 2 < positions.size(); at += 3)
    radius = std::max(radius, std::hypot(positions[at] - centre[0], positions[at + 1] - centre[1],
                                         positions[at + 2] - centre[2]));
  const double scale = radius > 0 ? 1 / radius : 1;
  for (std::size_t at = 0; at < positions.size(); ++at)
    positions[at] = static_cast<float>((positions[at] - centre[at % 3]) * scale);
}

void augment(std::span<float> positions, const Augmentation& options, kernels::Random& random) {
  const double turn = random.uniform(-options.max_turn, options.max_turn);
  const double scale = random.uniform(options.min_scale, options.max_scale);
  const double c = scale * std::cos(turn);
  const double s = scale * std::sin(turn);
  for (std::size_t at = 0; at + 2 < positions.size(); at += 3) {
    const Vector point{c * positions[at] - s * positions[at + 1],
                       s * positions[at] + c * positions[at + 1], scale * positions[at + 2]};
    for (int d = 0; d < 3; ++d) {
      const double noise = options.jitter * random.normal();
      positions[at + d] =
          static_cast<float>(point[d] + std::clamp(noise, -options.max_jitter, options.max_jitter));
    }
  }
}

Sample cloud_sample(std::string name, const Mesh& shape, const CloudOptions& options,
                    kernels::Random& random) {
  if (options.points < 1) throw Error("points must be at least 1, it is {}", options.points);
  if (options.k < 0) throw Error("k must not be negative, it is {}", options.k);
  Sample sample;
  sample.name = std::move(name);
  try {
    sample.positions = shape.triangles.empty()
                           ? draw_points(shape.positions, options.points, random)
                           : sample_surface(shape, options.points, random);
  } catch (const Error& error) {
    throw Error("{}: {}", sample.name, error.what());
  }
  normalize_to_unit_sphere(sample.positions);
  const auto n = static_cast<NodeId>(sample.positions.size() / 3);
  sample.features = DenseMatrix{n, 3, sample.positions};
  sample.graph =
      options.k > 0 ? Graph::from_points(sample.positions, 3, options.k) : Graph::from_edges(n, {});
  return sample;
}

Sample shape_sample(std::string name, Mesh shape) {
  Sample sample;
  sample.name = std::move(name);
  normalize_to_unit_sphere(shape.positions);
  sample.graph = Graph::from_triangles(shape.num_vertices(), shape.triangles);
  sample.features = DenseMatrix{shape.num_vertices(), 3, shape.positions};
  sample.positions = std::move(shape.positions);
  sample.triangles = std::move(shape.triangles);
  return sample;
}

}  // namespace pdegcn::data
