#include "pdegcn/report/render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pdegcn/graph/error.h"

namespace pdegcn::report {
namespace {

struct Vec {
  double x = 0, y = 0, z = 0;
  Vec operator+(Vec o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(Vec o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(double s) const { return {x * s, y * s, z * s}; }
};
double dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vec unit(Vec a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? a * (1 / length) : Vec{};
}

Vec position(std::span<const float> positions, NodeId i) {
  const float* p = positions.data() + 3 * static_cast<std::size_t>(i);
  return {p[0], p[1], p[2]};
}

// The axes of the camera: to the right, up, and towards it.
struct Axes {
  Vec right, up, back;
  Vec operator()(Vec p) const { return {dot(right, p), dot(up, p), dot(back, p)}; }
};

Axes axes_of(const Camera& camera) {
  const double a = camera.azimuth * std::numbers::pi / 180;
  const double e = camera.elevation * std::numbers::pi / 180;
  // For the third axis up; the other case is the same after a quarter turn.
  const Vec back{std::sin(a) * std::cos(e), -std::cos(a) * std::cos(e), std::sin(e)};
  const Vec right{std::cos(a), std::sin(a), 0};
  const Axes axes{right, cross(back, right), back};
  if (camera.up == 2) return axes;
  const auto turned = [](Vec v) { return Vec{v.x, v.z, -v.y}; };
  return {turned(axes.right), turned(axes.up), turned(axes.back)};
}

// Where the light comes from, seen from the camera: from the left above, behind it; and the
// direction half way to the camera.
const Vec kLamp = unit({-0.45, 0.6, 0.75});
const Vec kHalf = unit(unit({-0.45, 0.6, 0.75}) + Vec{0, 0, 1});

// Of a surface with that normal, which faces the camera. Never so dark that its colour is lost.
float light_on(Vec normal) {
  const double wrapped = 0.5 + 0.5 * dot(normal, kLamp);
  return static_cast<float>(0.22 + 0.78 * wrapped * wrapped);
}
float gloss_on(Vec normal) {
  return static_cast<float>(0.10 * std::pow(std::max(0.0, dot(normal, kHalf)), 30));
}

constexpr Colour kPaper{255, 255, 255};
constexpr Colour kLineColour{170, 170, 175};

struct Box {
  std::array<float, 3> low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};

  void add(std::span<const float> p) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  float size(int axis) const { return high[axis] - low[axis]; }
};

// How much of the ground below a shape lies between the points that it would rest on.
double ground(std::span<const float> positions, const Box& box, int up) {
  constexpr float kResting = 0.03f;  // of the height
  Box feet;
  for (std::size_t at = 0; at < positions.size(); at += 3)
    if (positions[at + up] <= box.low[up] + kResting * box.size(up))
      feet.add(positions.subspan(at, 3));
  double share = 1;
  for (int k = 0; k < 3; ++k)
    if (k != up && box.size(k) > 0) share *= feet.size(k) / box.size(k);
  return share;
}

}  // namespace

// The rays in the plane of the picture, and how near what they meet is.
struct View::Canvas {
  int width, height;
  std::vector<Hit>& hits;
  std::vector<float> depth;
  std::vector<Vec> points;  // in rays from the top left, z towards the camera
  double nearest, farthest;

  // The hit to fill in when nothing before is nearer.
  Hit* nearer(int u, int v, double z) {
    const std::size_t k =
        static_cast<std::size_t>(v) * static_cast<std::size_t>(width) + static_cast<std::size_t>(u);
    if (static_cast<float>(z) <= depth[k]) return nullptr;
    depth[k] = static_cast<float>(z);
    return &hits[k];
  }

  // Things far away are a little darker, which tells the front of a cloud from its back.
  float dimmed(double z) const {
    return static_cast<float>(0.6 + 0.4 * (z - farthest) / std::max(nearest - farthest, 1e-30));
  }
};

Camera likely_camera(std::span<const float> positions) {
  constexpr double kMuch = 2;
  Box box;
  for (std::size_t at = 0; at < positions.size(); at += 3) box.add(positions.subspan(at, 3));
  const double on_second = ground(positions, box, 1), on_third = ground(positions, box, 2);
  Camera camera;
  if (std::max(on_second, on_third) > kMuch * std::min(on_second, on_third))
    camera.up = on_second > on_third ? 1 : 2;
  else
    camera.up = box.size(1) > box.size(2) ? 1 : 2;
  if (box.size(3 - camera.up) > box.size(0)) camera.azimuth = 90 - camera.azimuth;
  return camera;
}

View::View(const Solid& solid, const Camera& camera, int max_width, int max_height) {
  if (solid.positions.empty() || solid.positions.size() % 3 != 0)
    throw Error("{} coordinates are not rows of three", solid.positions.size());
  if (camera.up != 1 && camera.up != 2) throw Error("axis {} cannot be up, only 1 or 2", camera.up);
  points_ = static_cast<NodeId>(solid.positions.size() / 3);
  const Axes axes = axes_of(camera);
  std::vector<Vec> seen;
  Vec low{INFINITY, INFINITY, INFINITY}, high = low * -1;
  for (NodeId i = 0; i < points_; ++i) {
    const Vec p = axes(position(solid.positions, i));
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw Error("point {} has a coordinate that is not finite", i);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    seen.push_back(p);
  }
  const double ball = solid.triangles.empty() ? solid.ball : 0;
  const double wide = high.x - low.x + 2 * ball, tall = high.y - low.y + 2 * ball;
  if (!(std::max(wide, tall) > 0)) throw Error("all {} points lie on one spot", points_);

  // A pixel of paper stays around it.
  const double zoom =
      std::min((max_width - 2) / std::max(wide, 1e-30), (max_height - 2) / std::max(tall, 1e-30));
  width_ = std::clamp(static_cast<int>(std::ceil(zoom * wide)) + 2, 1, max_width);
  height_ = std::clamp(static_cast<int>(std::ceil(zoom * tall)) + 2, 1, max_height);
  hits_.assign(static_cast<std::size_t>(kRays * width_) * static_cast<std::size_t>(kRays * height_),
               Hit{});
  const double rays = zoom * kRays;
  Canvas canvas{kRays * width_, kRays * height_, hits_, {}, {}, high.z * rays, low.z * rays};
  canvas.depth.assign(hits_.size(), -INFINITY);
  for (const Vec p : seen)
    canvas.points.push_back({(p.x - (low.x + high.x) / 2) * rays + 0.5 * canvas.width,
                             ((low.y + high.y) / 2 - p.y) * rays + 0.5 * canvas.height,
                             p.z * rays});
  if (!solid.triangles.empty()) {
    draw_triangles(canvas, solid);
    return;
  }
  draw_lines(canvas, solid);
  draw_balls(canvas, ball * rays);
}

void View::draw_triangles(Canvas& canvas, const Solid& solid) const {
  // The normal of a triangle, as long as twice its area, towards the camera's axes.
  const auto face_normal = [&](const Triangle& t) {
    const Vec a = canvas.points[t[0]], b = canvas.points[t[1]], c = canvas.points[t[2]];
    const Vec n = cross(b - a, c - a);
    return Vec{-n.x, n.y, -n.z};  // the rays count downwards
  };
  std::vector<Vec> normals(canvas.points.size());
  for (const Triangle& t : solid.triangles) {
    for (const NodeId i : t)
      if (i < 0 || i >= points_) throw Error("corner {} is not one of {} points", i, points_);
    for (const NodeId i : t) normals[i] = normals[i] + face_normal(t);
  }
  for (Vec& n : normals) n = unit(n);

  for (const Triangle& t : solid.triangles) {
    const Vec a = canvas.points[t[0]], b = canvas.points[t[1]], c = canvas.points[t[2]];
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (std::abs(area) < 1e-12) continue;  // seen from its side, or without area
    const auto [left, right] = std::minmax({a.x, b.x, c.x});
    const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
    const int u0 = std::max(0, static_cast<int>(std::ceil(left - 0.5)));
    const int u1 = std::min(canvas.width - 1, static_cast<int>(std::floor(right - 0.5)));
    const int v0 = std::max(0, static_cast<int>(std::ceil(top - 0.5)));
    const int v1 = std::min(canvas.height - 1, static_cast<int>(std::floor(bottom - 0.5)));
    for (int v = v0; v <= v1; ++v)
      for (int u = u0; u <= u1; ++u) {
        const double x = u + 0.5 - a.x, y = v + 0.5 - a.y;
        const double s = (x * (c.y - a.y) - y * (c.x - a.x)) / area;
        const double r = ((b.x - a.x) * y - (b.y - a.y) * x) / area;
        if (s < 0 || r < 0 || s + r > 1) continue;
        Hit* hit = canvas.nearer(u, v, a.z + s * (b.z - a.z) + r * (c.z - a.z));
        if (hit == nullptr) continue;
        Vec n = normals[t[0]] * (1 - s - r) + normals[t[1]] * s + normals[t[2]] * r;
        // Triangles that turn against each other may cancel at their corners.
        n = unit(dot(n, n) > 1e-4 ? n : face_normal(t));
        if (n.z < 0) n = n * -1;
        *hit = {{t[0], t[1], t[2]},
                {static_cast<float>(s), static_cast<float>(r)},
                light_on(n),
                gloss_on(n)};
      }
  }
}

void View::draw_balls(Canvas& canvas, double radius) const {
  radius = std::max(radius, 0.75 * kRays);  // still seen when there are very many
  for (NodeId i = 0; i < points_; ++i) {
    const Vec p = canvas.points[i];
    const int u0 = std::max(0, static_cast<int>(std::ceil(p.x - radius - 0.5)));
    const int u1 = std::min(canvas.width - 1, static_cast<int>(std::floor(p.x + radius - 0.5)));
    const int v0 = std::max(0, static_cast<int>(std::ceil(p.y - radius - 0.5)));
    const int v1 = std::min(canvas.height - 1, static_cast<int>(std::floor(p.y + radius - 0.5)));
    for (int v = v0; v <= v1; ++v)
      for (int u = u0; u <= u1; ++u) {
        const double x = (u + 0.5 - p.x) / radius, y = (p.y - v - 0.5) / radius;
        const double square = 1 - x * x - y * y;
        if (square < 0) continue;
        const Vec n{x, y, std::sqrt(square)};
        Hit* hit = canvas.nearer(u, v, p.z + radius * n.z);
        if (hit == nullptr) continue;
        const float dim = canvas.dimmed(p.z);
        *hit = {{i, i, i}, {0, 0}, light_on(n) * dim, gloss_on(n) * dim};
      }
  }
}

void View::draw_lines(Canvas& canvas, const Solid& solid) const {
  const double half = 0.5 * kRays;  // a line is a pixel wide
  for (const Edge& edge : solid.edges) {
    if (std::min(edge.i, edge.j) < 0 || std::max(edge.i, edge.j) >= points_)
      throw Error("edge ({}, {}) does not join two of {} points", edge.i, edge.j, points_);
    const Vec a = canvas.points[edge.i], b = canvas.points[edge.j], d = b - a;
    const double square = d.x * d.x + d.y * d.y;
    if (!(square > 0)) continue;
    const bool flat = std::abs(d.x) >= std::abs(d.y);
    // Along the longer side, one row of rays across at a time.
    const double from = flat ? std::min(a.x, b.x) : std::min(a.y, b.y);
    const double to = flat ? std::max(a.x, b.x) : std::max(a.y, b.y);
    const double across = half * std::sqrt(square) / (flat ? std::abs(d.x) : std::abs(d.y));
    for (int k = static_cast<int>(std::ceil(from - 0.5)); k <= to - 0.5; ++k) {
      const double t = flat ? (k + 0.5 - a.x) / d.x : (k + 0.5 - a.y) / d.y;
      const double middle = flat ? a.y + t * d.y : a.x + t * d.x;
      for (int m = static_cast<int>(std::ceil(middle - across - 0.5)); m <= middle + across - 0.5;
           ++m) {
        const int u = flat ? k : m, v = flat ? m : k;
        if (u < 0 || v < 0 || u >= canvas.width || v >= canvas.height) continue;
        const double z = a.z + t * d.z;
        if (Hit* hit = canvas.nearer(u, v, z)) *hit = {{kLine, 0, 0}, {0, 0}, canvas.dimmed(z), 0};
      }
    }
  }
}

Image View::draw(std::span<const float> values, const Scale& scale) const {
  if (values.size() != static_cast<std::size_t>(points_))
    throw Error("{} values for {} points", values.size(), points_);
  const ColourMap map(scale.kind);
  const double stretch = scale.high > scale.low ? 1 / (scale.high - scale.low) : 0;
  const Light paper = light_of(kPaper), line = light_of(kLineColour);
  const auto seen = [&](const Hit& hit) {
    if (hit.corner[0] == kNothing) return paper;
    if (hit.corner[0] == kLine) return paper + (line + paper * -1) * hit.light;
    const double value = values[hit.corner[0]] * (1 - hit.share[0] - hit.share[1]) +
                         values[hit.corner[1]] * hit.share[0] +
                         values[hit.corner[2]] * hit.share[1];
    return map((value - scale.low) * stretch) * hit.light + Light{1, 1, 1} * hit.gloss;
  };
  Image image(width_, height_, kPaper);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      Light sum;
      for (int v = 0; v < kRays; ++v)
        for (int u = 0; u < kRays; ++u) {
          const std::ptrdiff_t row = kRays * y + v;
          sum = sum + seen(hits_[row * kRays * width_ + kRays * x + u]);
        }
      image.at(x, y) = colour_of(sum * (1.0F / (kRays * kRays)));
    }
  return image;
}

}  // namespace pdegcn::report
