#include "pdegcn/report/render.h"

#include <cmath>
#include <numbers>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

constexpr Colour kPaper{255, 255, 255};
const Camera kFront{2, 0, 0};  // sees x to the right and z upwards, from where y is negative

double covered(const Image& image) {
  double count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.at(x, y) != kPaper) ++count;
  return count;
}

struct Ball {
  std::vector<float> positions;
  std::vector<Triangle> triangles;

  Ball(int rings, int around) {
    for (int r = 0; r <= rings; ++r)
      for (int a = 0; a < around; ++a) {
        const double theta = std::numbers::pi * r / rings, phi = 2 * std::numbers::pi * a / around;
        positions.push_back(static_cast<float>(std::sin(theta) * std::cos(phi)));
        positions.push_back(static_cast<float>(std::sin(theta) * std::sin(phi)));
        positions.push_back(static_cast<float>(std::cos(theta)));
      }
    // At the poles one of the two has no area.
    for (int r = 0; r < rings; ++r)
      for (int a = 0; a < around; ++a) {
        const int i = r * around + a, j = r * around + (a + 1) % around;
        triangles.push_back({i, i + around, j});
        triangles.push_back({j, i + around, j + around});
      }
  }
};

TEST(Render, ASphereCoversADisc) {
  const Ball ball(60, 120);
  const std::vector<float> values(ball.positions.size() / 3, 0.5F);
  for (const Camera& camera : {kFront, Camera{1, 30, 40}, Camera{2, -70, 80}}) {
    const View view({ball.positions, ball.triangles}, camera, 202, 202);
    const Image image = view.draw(values, {});
    EXPECT_NEAR(image.width(), 202, 1);
    EXPECT_NEAR(image.height(), 202, 1);
    // Pixels at the rim are covered in part: half a pixel more all around.
    EXPECT_NEAR(covered(image), std::numbers::pi * 100.5 * 100.5, 200);
    EXPECT_EQ(image.at(3, 3), kPaper);
    // Light comes from the left above.
    EXPECT_GT(lightness(image.at(60, 60)), lightness(image.at(140, 140)) + 10);
  }
}

TEST(Render, PointsAreBalls) {
  const std::vector<float> position{5, 6, 7};
  const std::vector<float> value{1};
  const View view({position, {}, {}, 2}, kFront, 102, 300);
  EXPECT_NEAR(covered(view.draw(value, {})), std::numbers::pi * 50.5 * 50.5, 110);
}

// Two triangles, the second nearer to the camera, which cover each other in the middle.
struct Crossing {
  std::vector<float> positions{-1, 1, 0, 3, 1, 0, 1, 1, 3,   // behind
                               0,  0, 0, 4, 0, 0, 2, 0, 3};  // in front
  std::vector<Triangle> order, reversed;
  std::vector<float> values{0, 0, 0, 1, 1, 1};
  Crossing() : order{{0, 1, 2}, {3, 4, 5}}, reversed{{4, 3, 5}, {0, 2, 1}} {}
};

bool is_blue(Colour c) {
  return c.b > c.r;
}

TEST(Render, TheNearestTriangleWinsInAnyOrder) {
  const Crossing c;
  const Scale scale{ColourMap::Kind::diverging, 0, 1};
  const Image image = View({c.positions, c.order}, kFront, 502, 502).draw(c.values, scale);
  const auto pixel = [&](double x, double z) -> Colour {
    return image.at(static_cast<int>(1 + (x + 1) * 100),
                    image.height() - static_cast<int>(1 + z * 100));
  };
  EXPECT_TRUE(is_blue(pixel(-0.6, 0.3)));  // only the one behind
  EXPECT_FALSE(is_blue(pixel(1.5, 0.5)));  // both: the one in front
  EXPECT_FALSE(is_blue(pixel(3.5, 0.3)));
  // Neither the order of triangles nor their sense of rotation shows.
  const Image other = View({c.positions, c.reversed}, kFront, 502, 502).draw(c.values, scale);
  int different = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const Colour a = image.at(x, y), b = other.at(x, y);
      different += std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) > 6;
    }
  EXPECT_EQ(different, 0);
  // From behind it is the other way round.
  const Image back = View({c.positions, c.order}, {2, 180, 0}, 502, 502).draw(c.values, scale);
  EXPECT_TRUE(is_blue(back.at(back.width() / 2, back.height() - 50)));
}

TEST(Render, ValuesRunSmoothlyAcrossATriangle) {
  const std::vector<float> positions{0, 0, 0, 10, 0, 0, 0, 0, 10};
  const std::vector<Triangle> triangles{{0, 1, 2}};
  const std::vector<float> values{0, 1, 0};
  const Image image = View({positions, triangles}, kFront, 302, 302).draw(values, {});
  const int y = image.height() - 10;
  double before = 0;
  for (int x = 10; x < 280; x += 10) {
    EXPECT_GT(lightness(image.at(x, y)), before) << x;
    before = lightness(image.at(x, y));
  }
}

TEST(Render, LinesLieBetweenTheirEnds) {
  const std::vector<float> positions{0, 0, 0, 10, 0, 0, 0, 0, 5};
  const std::vector<Edge> edges{{0, 1}};
  const std::vector<float> values{0, 0, 0};
  const Image image = View({positions, {}, edges, 0.5}, kFront, 222, 222).draw(values, {});
  EXPECT_NE(image.at(image.width() / 2, image.height() - 1 - 10), kPaper);
  EXPECT_EQ(image.at(11, image.height() / 2), kPaper);
}

TEST(Render, AShapeIsSeenAsItStands) {
  const std::vector<float> standing{0, 0, 0, 1, 1, 2}, lying{0, 0, 0, 5, 2, 1};
  EXPECT_EQ(likely_camera(standing).up, 2);
  EXPECT_EQ(likely_camera(lying).up, 1);
  // Four paws at y = 0, a nose at one end, a tail at the other: longest along z, and seen from
  // beside it.
  const std::vector<float> cat{0, 0, 1, 1, 0, 1, 0, 0, 3, 1, 0, 3, 0.5, 1, 0, 0.5, 1, 5};
  EXPECT_EQ(likely_camera(cat).up, 1);
  EXPECT_EQ(likely_camera(cat).azimuth, 65);
  EXPECT_EQ(likely_camera(lying).azimuth, 25);
}

TEST(Render, AnyOfTwoAxesIsUp) {
  // The second axis up: what is high in it is at the top, and x still runs to the right.
  const std::vector<float> points{0, 0, 0, 4, 4, 0};
  const std::vector<float> values{0, 1};
  const Image image = View({points, {}, {}, 0.5}, {1, 0, 0}, 102, 102)
                          .draw(values, {ColourMap::Kind::diverging, 0, 1});
  EXPECT_TRUE(is_blue(image.at(10, 91)));
  EXPECT_FALSE(is_blue(image.at(91, 10)));
  EXPECT_NE(image.at(91, 10), kPaper);
}

TEST(Render, SaysWhyThereIsNothingToSee) {
  const std::vector<float> spot{1, 1, 1, 1, 1, 1}, nan{0, 0, 0, NAN, 0, 0}, line{0, 0, 0, 1, 0, 0};
  const std::vector<Triangle> outside{{0, 1, 2}};
  const auto error = [](const Solid& solid) { return error_of([&] { View(solid, {}, 50, 50); }); };
  EXPECT_TRUE(mentions(error({spot}), "one spot"));
  EXPECT_TRUE(mentions(error({nan}), "point 1"));
  EXPECT_TRUE(mentions(error({{}}), "0 coordinates"));
  EXPECT_TRUE(mentions(error({line, outside}), "corner 2"));
  EXPECT_TRUE(mentions(error_of([&] {
                         const std::vector<float> one{1};
                         View({line, {}, {}, 0.1}, {}, 50, 50).draw(one, {});
                       }),
                       "1 values for 2 points"));
}

}  // namespace
}  // namespace pdegcn::report
