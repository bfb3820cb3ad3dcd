#pragma once

#include <span>
#include <vector>

#include "pdegcn/graph/graph.h"
#include "pdegcn/report/image.h"

namespace pdegcn::report {

// Something to look at. Triangles are drawn as a smooth surface; without them, points as balls and
// edges, if there are any, as lines between them.
struct Solid {
  std::span<const float> positions;  // rows of three
  std::span<const Triangle> triangles = {};
  std::span<const Edge> edges = {};
  double ball = 0;  // the radius of the balls, in the unit of the positions
};

// Looks at it from far away (an orthographic projection). At azimuth and elevation 0, for a third
// axis that is up the camera stands where the second is negative, for a second axis that is up
// where the third is positive; the azimuth turns it to the right, the elevation lifts it.
struct Camera {
  int up = 2;           // 1 or 2: the axis that is up, counted from 0
  double azimuth = 25;  // degrees
  double elevation = 10;
};

// A camera that is likely to show a shape as it stands, and its broad side. Of the second and the
// third axis that one is up in whose direction the shape rests on much more ground, as on four paws
// rather than on a nose; without such a difference, the one along which it is longer.
Camera likely_camera(std::span<const float> positions);

// What numbers the colours stand for.
struct Scale {
  ColourMap::Kind kind = ColourMap::Kind::sequential;
  double low = 0;
  double high = 1;
};

// A solid as a camera sees it. What is in front, and how it is lit, is found once; then it can be
// drawn with many fields on it.
class View {
 public:
  // The picture is as large as fits into the given width and height, in pixels. Throws Error when
  // there is nothing to see: no points, all of them on one spot, a coordinate that is not finite.
  View(const Solid& solid, const Camera& camera, int max_width, int max_height);

  int width() const { return width_; }
  int height() const { return height_; }

  // One value per point; throws Error for another number of them. Triangles and corners that lie
  // behind others, and triangles without area, leave no trace.
  Image draw(std::span<const float> values, const Scale& scale) const;

 private:
  // What a ray meets: a point of a triangle (three corners and their shares), of a ball (one) or of
  // a line (none).
  struct Hit {
    NodeId corner[3] = {kNothing, 0, 0};
    float share[2] = {0, 0};  // of the second and third corner
    float light = 0;          // that falls on it
    float gloss = 0;          // that it reflects as a mirror
  };
  static constexpr NodeId kNothing = -1;
  static constexpr NodeId kLine = -2;
  static constexpr int kRays = 3;  // per pixel, along each side

  struct Canvas;
  void draw_triangles(Canvas& canvas, const Solid& solid) const;
  void draw_balls(Canvas& canvas, double radius) const;
  void draw_lines(Canvas& canvas, const Solid& solid) const;

  NodeId points_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::vector<Hit> hits_;  // kRays x width by kRays x height
};

}  // namespace pdegcn::report
