#include "pdegcn/data/body_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pdegcn/data/shapes.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

using kernels::Random;

struct Vec {
  double x = 0;
  double y = 0;
  double z = 0;
  Vec operator+(Vec o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(Vec o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(double s) const { return {x * s, y * s, z * s}; }
};
double dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
double norm(Vec a) {
  return std::sqrt(dot(a, a));
}

struct Matrix {
  Vec row[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec operator*(Vec v) const { return {dot(row[0], v), dot(row[1], v), dot(row[2], v)}; }
  Matrix operator*(const Matrix& o) const {
    Matrix out;
    for (int r = 0; r < 3; ++r)
      out.row[r] = o.row[0] * row[r].x + o.row[1] * row[r].y + o.row[2] * row[r].z;
    return out;
  }
};

// About the first axis, then the second, then the third; in degrees.
Matrix rotation(Vec degrees) {
  const auto [a, b, c] = degrees * (std::numbers::pi / 180);
  const Matrix about_x{{{1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}}};
  const Matrix about_y{{{std::cos(b), 0, std::sin(b)}, {0, 1, 0}, {-std::sin(b), 0, std::cos(b)}}};
  const Matrix about_z{{{std::cos(c), -std::sin(c), 0}, {std::sin(c), std::cos(c), 0}, {0, 0, 1}}};
  return about_z * about_y * about_x;
}

// What of a subject's proportions a bone follows.
enum Part { kTrunk, kHead, kArm, kLeg, kFoot, kParts };

// A bone lies in a limb that is a cone with round ends, and turns about its start within limits, in
// degrees about each axis.
struct Bone {
  int parent;
  Part part;
  Vec from;
  Vec to;
  double radius_from;
  double radius_to;
  Vec least;
  Vec most;
};

std::vector<Bone> skeleton() {
  std::vector<Bone> bones = {
      {-1, kTrunk, {0, 0, 0.93}, {0, 0, 1.1}, 0.14, 0.13, {-10, -5, -40}, {10, 5, 40}},
      {0, kTrunk, {0, 0, 1.1}, {0, 0, 1.34}, 0.13, 0.15, {-10, -10, -20}, {25, 10, 20}},
      {1, kHead, {0, 0, 1.44}, {0, -0.02, 1.66}, 0.06, 0.1, {-20, -15, -40}, {20, 15, 40}},
  };
  const auto add_side = [&bones](double side) {
    const auto add = [&](int parent, Part part, Vec from, Vec to, double radius_from,
                         double radius_to, Vec least, Vec most) {
      from.x *= side;
      to.x *= side;
      if (side < 0) {  // a mirror turns rotations about the other two axes round
        std::swap(least.y, most.y);
        std::swap(least.z, most.z);
        for (Vec* limit : {&least, &most}) *limit = {limit->x, -limit->y, -limit->z};
      }
      bones.push_back({parent, part, from, to, radius_from, radius_to, least, most});
      return static_cast<int>(bones.size()) - 1;
    };
    const Vec shoulder{0.19, 0, 1.38};
    const Vec elbow{0.41, 0, 1.2};
    const Vec hand{0.64, 0, 1.02};
    const Vec hip{0.1, 0, 0.9};
    const Vec knee{0.16, 0, 0.5};
    const Vec ankle{0.2, 0, 0.1};
    const Vec toes{0.22, -0.18, 0.06};
    const int arm = add(1, kArm, shoulder, elbow, 0.06, 0.055, {-50, -60, -40}, {50, 30, 20});
    add(arm, kArm, elbow, hand, 0.055, 0.045, {0, 0, -100}, {0, 0, 0});
    const int thigh = add(0, kLeg, hip, knee, 0.09, 0.07, {-70, -20, -10}, {25, 5, 10});
    const int shin = add(thigh, kLeg, knee, ankle, 0.065, 0.05, {0, 0, 0}, {80, 0, 0});
    add(shin, kFoot, ankle, toes, 0.05, 0.045, {-20, 0, -10}, {20, 0, 10});
  };
  add_side(1);
  add_side(-1);
  return bones;
}

// How far along a bone (0 to 1) its point nearest to p lies, and how far from p that is.
struct Nearest {
  double along;
  double distance;
};
Nearest nearest(const Bone& bone, Vec p) {
  const Vec axis = bone.to - bone.from;
  const double along = std::clamp(dot(p - bone.from, axis) / dot(axis, axis), 0.0, 1.0);
  return {along, norm(p - (bone.from + axis * along))};
}
double radius(const Bone& bone, double along) {
  return bone.radius_from + along * (bone.radius_to - bone.radius_from);
}

// Below zero inside the body: the union of the limbs, rounded where they meet.
double body(std::span<const Bone> bones, Vec p) {
  constexpr double kRounding = 0.05;
  double value = 1;
  for (const Bone& bone : bones) {
    const auto [along, distance] = nearest(bone, p);
    const double limb = distance - radius(bone, along);
    const double blend = std::max(0.0, kRounding - std::abs(value - limb));
    value = std::min(value, limb) - blend * blend / (4 * kRounding);
  }
  return value;
}

// The body in the pose it is built in, in double precision.
struct Template {
  std::vector<Vec> vertices;
  std::vector<Triangle> triangles;
};

// The surface of the body in the pose it is built in, as a mesh dual to a grid: a vertex in every
// cell that the surface passes (the mean of where it crosses the sides of the cell), and around
// every side of the grid that it crosses a quadrangle of four such vertices.
Template surface(std::span<const Bone> bones, double spacing) {
  const Vec low{-0.75, -0.33, -0.05};
  const int nx = static_cast<int>(1.5 / spacing) + 1;
  const int ny = static_cast<int>(0.6 / spacing) + 1;
  const int nz = static_cast<int>(1.9 / spacing) + 1;
  const auto at = [&](int x, int y, int z) {
    return (static_cast<std::size_t>(z) * (ny + 1) + y) * (nx + 1) + x;
  };
  const auto corner = [&](int x, int y, int z) {
    return low +
           Vec{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)} * spacing;
  };

  std::vector<double> value(at(0, 0, nz + 1));
  for (int z = 0; z <= nz; ++z)
    for (int y = 0; y <= ny; ++y)
      for (int x = 0; x <= nx; ++x) value[at(x, y, z)] = body(bones, corner(x, y, z));

  // Where two opposite corners of a face of a cell are inside and the others outside, as on the
  // crest of a limb that runs askew, four quadrangles would meet: the outer corner that is nearer
  // to the surface goes inside, until there is no such face.
  for (bool changed = true; changed;) {
    changed = false;
    const auto settle = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
      const bool inside = value[a] < 0;
      if (inside != (value[c] < 0) || inside == (value[b] < 0) || inside == (value[d] < 0)) return;
      const auto [one, other] = inside ? std::pair(b, d) : std::pair(a, c);
      double& outer = value[one] < value[other] ? value[one] : value[other];
      outer = -outer - 1e-6;
      changed = true;
    };
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
          const std::size_t o = at(x, y, z);
          settle(o, at(x + 1, y, z), at(x + 1, y + 1, z), at(x, y + 1, z));
          settle(o, at(x + 1, y, z), at(x + 1, y, z + 1), at(x, y, z + 1));
          settle(o, at(x, y + 1, z), at(x, y + 1, z + 1), at(x, y, z + 1));
        }
  }

  Template mesh;
  std::vector<NodeId> vertex(value.size(), -1);  // of the cell above a corner
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        Vec sum;
        int crossings = 0;
        // Sides of the cell, from corner a along one axis; bits of a are its offsets.
        for (int a = 0; a < 8; ++a)
          for (int step = 1; step < 8; step *= 2) {
            if ((a & step) != 0) continue;
            const int b = a | step;
            const auto spot = [&](int c) {
              return std::array{x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)};
            };
            const auto [ax, ay, az] = spot(a);
            const auto [bx, by, bz] = spot(b);
            const double va = value[at(ax, ay, az)];
            const double vb = value[at(bx, by, bz)];
            if ((va < 0) == (vb < 0)) continue;
            const Vec from = corner(ax, ay, az);
            sum = sum + from + (corner(bx, by, bz) - from) * (va / (va - vb));
            ++crossings;
          }
        if (crossings == 0) continue;
        vertex[at(x, y, z)] = static_cast<NodeId>(mesh.vertices.size());
        mesh.vertices.push_back(sum * (1.0 / crossings));
      }

  // The cells around a side, counter-clockwise when seen from where the side leads.
  const auto add_quad = [&](bool outwards, std::array<std::size_t, 4> cells) {
    std::array<NodeId, 4> v;
    for (int k = 0; k < 4; ++k) v[k] = vertex[cells[outwards ? k : 3 - k]];
    const auto gap = [&](int a, int b) { return norm(mesh.vertices[v[a]] - mesh.vertices[v[b]]); };
    if (gap(0, 2) <= gap(1, 3)) {
      mesh.triangles.push_back({v[0], v[1], v[2]});
      mesh.triangles.push_back({v[0], v[2], v[3]});
    } else {
      mesh.triangles.push_back({v[1], v[2], v[3]});
      mesh.triangles.push_back({v[1], v[3], v[0]});
    }
  };
  for (int z = 1; z < nz; ++z)
    for (int y = 1; y < ny; ++y)
      for (int x = 1; x < nx; ++x) {
        const bool inside = value[at(x, y, z)] < 0;
        if (inside != (value[at(x + 1, y, z)] < 0))
          add_quad(inside, {at(x, y - 1, z - 1), at(x, y, z - 1), at(x, y, z), at(x, y - 1, z)});
        if (inside != (value[at(x, y + 1, z)] < 0))
          add_quad(inside, {at(x - 1, y, z - 1), at(x - 1, y, z), at(x, y, z), at(x, y, z - 1)});
        if (inside != (value[at(x, y, z + 1)] < 0))
          add_quad(inside, {at(x - 1, y - 1, z), at(x, y - 1, z), at(x, y, z), at(x - 1, y, z)});
      }
  return mesh;
}

// How much a vertex follows each bone: the nearer, as seen in radii of the limb, the more.
std::vector<double> skin(std::span<const Bone> bones, std::span<const Vec> vertices) {
  std::vector<double> weights;
  weights.reserve(bones.size() * vertices.size());
  for (const Vec p : vertices) {
    double sum = 0;
    for (const Bone& bone : bones) {
      const auto [along, distance] = nearest(bone, p);
      const double closeness = radius(bone, along) / (distance + 0.01);
      const double squared = closeness * closeness;
      weights.push_back(squared * squared * squared * squared);
      sum += weights.back();
    }
    for (auto w = weights.end() - static_cast<std::ptrdiff_t>(bones.size()); w != weights.end();
         ++w)
      *w /= sum;
  }
  return weights;
}

// Lengths and girths of a subject against those of the skeleton.
struct Proportions {
  std::array<double, kParts> length;
  std::array<double, kParts> girth;
};

Proportions draw_proportions(Random& random) {
  Proportions out;
  const double size = random.uniform(0.9, 1.1);
  const double weight = random.uniform(0.85, 1.2);
  for (int part = 0; part < kParts; ++part) {
    out.length[part] = size * random.uniform(0.92, 1.08);
    out.girth[part] = size * weight * random.uniform(0.92, 1.08);
  }
  return out;
}

// Where a bone carries the points around it: to `to` + map (p - from).
struct Carrier {
  Matrix turn;
  Matrix map;
  Vec to;
};

std::vector<Carrier> pose(std::span<const Bone> bones, const Proportions& proportions,
                          std::span<const Vec> degrees) {
  std::vector<Carrier> carriers;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Bone& bone = bones[b];
    Carrier c{rotation(degrees[b]), {}, bone.from};
    if (bone.parent >= 0) {
      const Carrier& parent = carriers[bone.parent];
      c.turn = parent.turn * c.turn;
      c.to = parent.to + parent.map * (bone.from - bones[bone.parent].from);
    }
    // Stretched along the bone by the length and across it by the girth.
    const Vec axis = (bone.to - bone.from) * (1 / norm(bone.to - bone.from));
    const double girth = proportions.girth[bone.part];
    const double more = proportions.length[bone.part] - girth;
    Matrix stretch;
    stretch.row[0] = axis * (more * axis.x) + Vec{girth, 0, 0};
    stretch.row[1] = axis * (more * axis.y) + Vec{0, girth, 0};
    stretch.row[2] = axis * (more * axis.z) + Vec{0, 0, girth};
    c.map = c.turn * stretch;
    carriers.push_back(c);
  }
  return carriers;
}

std::vector<float> positions(std::span<const Bone> bones, std::span<const Carrier> carriers,
                             std::span<const Vec> vertices, std::span<const double> weights) {
  std::vector<float> out;
  out.reserve(3 * vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Vec p;
    for (std::size_t b = 0; b < bones.size(); ++b)
      p = p + (carriers[b].to + carriers[b].map * (vertices[v] - bones[b].from)) *
                  weights[v * bones.size() + b];
    for (const double x : {p.x, p.y, p.z}) out.push_back(static_cast<float>(x));
  }
  return out;
}

void check(const BodySet& set) {
  if (set.train_subjects < 0 || set.validation_subjects < 0 || set.test_subjects < 0)
    throw Error("train_subjects, validation_subjects and test_subjects must not be negative");
  if (set.train_subjects + set.validation_subjects + set.test_subjects < 2)
    throw Error("a set of bodies needs at least two subjects");
  if (set.poses < 1) throw Error("poses must be at least 1, it is {}", set.poses);
  if (!(set.spacing >= 0.01 && set.spacing <= 0.06))
    throw Error("spacing must be within 0.01 and 0.06, it is {}", set.spacing);
}

}  // namespace

Dataset bodies(const BodySet& set, std::uint64_t seed) {
  check(set);
  const std::vector<Bone> bones = skeleton();
  const Template rest = surface(bones, set.spacing);
  const std::vector<double> weights = skin(bones, rest.vertices);

  std::vector<NamedMesh> meshes;
  Split split{"default", {}, {}, {}};
  const auto add = [&](std::vector<std::int32_t>& part, int subjects) {
    for (int s = 0; s < subjects; ++s) {
      const auto subject = static_cast<int>(meshes.size()) / set.poses;
      Random random(seed, subject);
      const Proportions proportions = draw_proportions(random);
      for (int p = 0; p < set.poses; ++p) {
        std::vector<Vec> degrees(bones.size());
        for (std::size_t b = 0; b < bones.size() && p > 0; ++b)
          degrees[b] = {random.uniform(bones[b].least.x, bones[b].most.x),
                        random.uniform(bones[b].least.y, bones[b].most.y),
                        random.uniform(bones[b].least.z, bones[b].most.z)};
        part.push_back(static_cast<std::int32_t>(meshes.size()));
        meshes.push_back(
            {fmt::format("subject {} pose {}", subject, p),
             {positions(bones, pose(bones, proportions, degrees), rest.vertices, weights),
              rest.triangles}});
      }
    }
  };
  add(split.train, set.train_subjects);
  add(split.validation, set.validation_subjects);
  add(split.test, set.test_subjects);

  Dataset out = correspondence_dataset("bodies", fmt::format("generated bodies, seed {}", seed),
                                       std::move(meshes));
  out.splits = {std::move(split)};
  return out;
}

}  // namespace pdegcn::data
