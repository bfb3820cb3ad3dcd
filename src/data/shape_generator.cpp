#include "pdegcn/data/shape_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "pdegcn/data/clouds.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

using kernels::Random;

// Independent sequences for every shape.
enum Stream : std::uint64_t { kProportions, kPoints, kStreams };

using Point2 = std::array<double, 2>;

// Every shape is its cross-section, scaled and lifted along a profile of (scale, height): from one
// pole of scale 0 to another, or around.
struct Outline {
  std::vector<Point2> profile;  // from the bottom to the top along the outside
  bool around = false;
  std::vector<Point2> section;  // counter-clockwise
};

constexpr int kSectionPoints = 24;     // a multiple of the corners of all sections
constexpr double kLongestStep = 0.25;  // along a profile

double length(const Point2& a, const Point2& b) {
  return std::hypot(b[0] - a[0], b[1] - a[1]);
}

Point2 between(const Point2& a, const Point2& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
}

std::vector<Point2> ellipse(double a, double b) {
  std::vector<Point2> points;
  for (int k = 0; k < kSectionPoints; ++k) {
    const double angle = 2 * std::numbers::pi * k / kSectionPoints;
    points.push_back({a * std::cos(angle), b * std::sin(angle)});
  }
  return points;
}

std::vector<Point2> polygon(const std::vector<Point2>& corners) {
  const int per_side = kSectionPoints / static_cast<int>(corners.size());
  std::vector<Point2> points;
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (int k = 0; k < per_side; ++k)
      points.push_back(between(corners[c], corners[(c + 1) % corners.size()], 1.0 * k / per_side));
  return points;
}

std::vector<Point2> rectangle(double a, double b) {
  return polygon({{a, -b}, {a, b}, {-a, b}, {-a, -b}});
}

std::vector<Point2> triangle() {
  const double h = std::numbers::sqrt3 / 2;
  return polygon({{1, 0}, {-0.5, h}, {-0.5, -h}});
}

// A quarter of a circle of radius 1 or so, as a profile; from the pole at the bottom to the
// equator, or on from there.
void add_arc(std::vector<Point2>& profile, double height, double center, bool lower) {
  for (int k = 0; k <= 6; ++k) {
    const double angle = std::numbers::pi / 12 * k;
    profile.push_back(
        lower ? Point2{k == 0 ? 0 : std::sin(angle), center - height * std::cos(angle)}
              : Point2{k == 6 ? 0 : std::cos(angle), center + height * std::sin(angle)});
  }
}

Outline ellipsoid(Random& random) {
  Outline o;
  const double height = random.uniform(0.4, 1.6);
  add_arc(o.profile, height, 0, true);
  o.profile.pop_back();
  add_arc(o.profile, height, 0, false);
  o.section = ellipse(1, random.uniform(0.5, 1));
  return o;
}

Outline box(Random& random) {
  const double height = random.uniform(0.4, 2);
  return {{{0, 0}, {1, 0}, {1, height}, {0, height}}, false, rectangle(1, random.uniform(0.3, 1))};
}

Outline cylinder(Random& random) {
  const double height = random.uniform(0.6, 3);
  return {{{0, 0}, {1, 0}, {1, height}, {0, height}}, false, ellipse(1, 1)};
}

Outline cone(Random& random) {
  return {{{0, 0}, {1, 0}, {0, random.uniform(0.8, 3)}}, false, ellipse(1, 1)};
}

Outline pyramid(Random& random) {
  const double height = random.uniform(0.8, 3);
  return {{{0, 0}, {1, 0}, {0, height}}, false, rectangle(1, random.uniform(0.5, 1))};
}

Outline capsule(Random& random) {
  Outline o;
  add_arc(o.profile, 1, 0, true);
  add_arc(o.profile, 1, random.uniform(0.8, 3), false);
  o.section = ellipse(1, 1);
  return o;
}

Outline prism(Random& random) {
  const double height = random.uniform(0.6, 3);
  return {{{0, 0}, {1, 0}, {1, height}, {0, height}}, false, triangle()};
}

Outline torus(Random& random) {
  const double thickness = random.uniform(0.15, 0.45);
  Outline o{{}, true, ellipse(1, random.uniform(0.6, 1))};
  for (const Point2& p : ellipse(thickness, thickness)) o.profile.push_back({1 + p[0], p[1]});
  return o;
}

Outline tube(Random& random) {
  const double inside = random.uniform(0.5, 0.9);
  const double height = random.uniform(0.6, 3);
  return {{{inside, 0}, {1, 0}, {1, height}, {inside, height}}, true, ellipse(1, 1)};
}

Outline hourglass(Random& random) {
  const double waist = random.uniform(0.1, 0.4);
  const double height = random.uniform(0.7, 1.5);
  return {{{0, -height}, {1, -height}, {waist, 0}, {1, height}, {0, height}}, false, ellipse(1, 1)};
}

struct ShapeClass {
  const char* name;
  Outline (*draw)(Random&);
};
constexpr ShapeClass kClasses[] = {{"ellipsoid", ellipsoid}, {"box", box},
                                   {"cylinder", cylinder},   {"cone", cone},
                                   {"pyramid", pyramid},     {"capsule", capsule},
                                   {"prism", prism},         {"torus", torus},
                                   {"tube", tube},           {"hourglass", hourglass}};

// Steps along a profile that are not too long.
std::vector<Point2> refined(const std::vector<Point2>& profile, bool around) {
  std::vector<Point2> points;
  const std::size_t segments = profile.size() - (around ? 0 : 1);
  for (std::size_t s = 0; s < segments; ++s) {
    const Point2& from = profile[s];
    const Point2& to = profile[(s + 1) % profile.size()];
    const int steps = static_cast<int>(std::ceil(length(from, to) / kLongestStep));
    for (int k = 0; k < steps; ++k) points.push_back(between(from, to, 1.0 * k / steps));
  }
  if (!around) points.push_back(profile.back());
  return points;
}

// Turned about the vertical by an angle.
Mesh loft(const Outline& outline, double angle) {
  const std::vector<Point2> profile = refined(outline.profile, outline.around);
  const auto n = static_cast<NodeId>(outline.section.size());
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  Mesh mesh;
  const auto add_vertex = [&](double x, double y, double z) {
    for (const double value : {c * x - s * y, s * x + c * y, z})
      mesh.positions.push_back(static_cast<float>(value));
  };
  const auto add_ring = [&](const Point2& at) {
    for (const Point2& p : outline.section) add_vertex(at[0] * p[0], at[0] * p[1], at[1]);
  };
  const auto join = [&](NodeId below, NodeId above) {
    for (NodeId k = 0; k < n; ++k) {
      const NodeId next = (k + 1) % n;
      mesh.triangles.push_back({below + k, below + next, above + next});
      mesh.triangles.push_back({below + k, above + next, above + k});
    }
  };
  if (outline.around) {
    for (const Point2& at : profile) add_ring(at);
    const auto rings = static_cast<NodeId>(profile.size());
    for (NodeId r = 0; r < rings; ++r) join(r * n, (r + 1) % rings * n);
    return mesh;
  }
  const auto rings = static_cast<NodeId>(profile.size()) - 2;
  for (NodeId r = 0; r < rings; ++r) add_ring(profile[r + 1]);
  for (NodeId r = 0; r + 1 < rings; ++r) join(r * n, (r + 1) * n);
  const NodeId bottom = rings * n;
  const NodeId top = bottom + 1;
  add_vertex(0, 0, profile.front()[1]);
  add_vertex(0, 0, profile.back()[1]);
  for (NodeId k = 0; k < n; ++k) {
    mesh.triangles.push_back({bottom, (k + 1) % n, k});
    mesh.triangles.push_back({top, (rings - 1) * n + k, (rings - 1) * n + (k + 1) % n});
  }
  return mesh;
}

void check(const ShapeSet& set) {
  if (set.train_per_class < 0 || set.validation_per_class < 0 || set.test_per_class < 0)
    throw Error("train_per_class, validation_per_class and test_per_class must not be negative");
  if (set.train_per_class + set.validation_per_class + set.test_per_class == 0)
    throw Error("a set of shapes needs at least one shape per class");
  if (set.points < 1) throw Error("points must be at least 1, it is {}", set.points);
  if (set.neighbors < 1) throw Error("neighbors must be at least 1, it is {}", set.neighbors);
  if (!(set.noise >= 0 && set.noise <= 1))
    throw Error("noise must be within 0 and 1, it is {}", set.noise);
}

Dataset make(const ShapeSet& set, std::uint64_t seed, const char* name,
             const std::function<Sample(std::string, Mesh, Random&)>& finish) {
  check(set);
  Dataset out;
  out.name = name;
  out.source = fmt::format("generated shapes, seed {}", seed);
  Split split{"default", {}, {}, {}};
  std::vector<std::int32_t> label;
  const auto add = [&](std::vector<std::int32_t>& part, int per_class) {
    for (int k = 0; k < per_class; ++k)
      for (std::size_t c = 0; c < std::size(kClasses); ++c) {
        const auto number = static_cast<std::int32_t>(out.samples.size());
        Random proportions(seed, kStreams * number + kProportions);
        const Outline outline = kClasses[c].draw(proportions);
        Random points(seed, kStreams * number + kPoints);
        out.samples.push_back(finish(fmt::format("{}_{:04}", kClasses[c].name, number),
                                     loft(outline, proportions.uniform(0, 2 * std::numbers::pi)),
                                     points));
        label.push_back(static_cast<std::int32_t>(c));
        part.push_back(number);
      }
  };
  add(split.train, set.train_per_class);
  add(split.validation, set.validation_per_class);
  add(split.test, set.test_per_class);
  out.targets = GraphLabels{std::move(label)};
  for (const ShapeClass& c : kClasses) out.class_names.push_back(c.name);
  out.splits = {std::move(split)};
  out.check();
  return out;
}

}  // namespace

Dataset shape_clouds(const ShapeSet& set, std::uint64_t seed) {
  return make(set, seed, "shape-clouds", [&](std::string name, const Mesh& mesh, Random& random) {
    Mesh cloud{sample_surface(mesh, set.points, random), {}};
    normalize_to_unit_sphere(cloud.positions);
    for (float& x : cloud.positions) x += static_cast<float>(set.noise * random.normal());
    return cloud_sample(std::move(name), cloud, {set.points, set.neighbors}, random);
  });
}

Dataset shape_meshes(const ShapeSet& set, std::uint64_t seed) {
  return make(set, seed, "shape-meshes", [](std::string name, Mesh mesh, Random&) {
    return shape_sample(std::move(name), std::move(mesh));
  });
}

}  // namespace pdegcn::data
