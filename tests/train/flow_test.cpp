#include "pdegcn/train/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::train {
namespace {

using tests::TemporaryFolder;

constexpr int kSide = 20;

// A flat square of 20 x 20 vertices.
data::Sample square() {
  data::Sample shape;
  shape.name = "square";
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) {
      for (const int x : {c, r, 0}) shape.positions.push_back(static_cast<float>(x));
      const int i = r * kSide + c;
      if (r + 1 == kSide || c + 1 == kSide) continue;
      shape.triangles.push_back({i, i + 1, i + kSide + 1});
      shape.triangles.push_back({i, i + kSide + 1, i + kSide});
    }
  shape.graph = Graph::from_triangles(kSide * kSide, shape.triangles);
  return shape;
}

void expect_error(const data::Sample& shape, const FlowOptions& options, const char* words) {
  PDEGCN_EXPECT_ERROR(flow(shape, options), words);
}

double spread(const std::vector<float>& field) {
  const auto [low, high] = std::minmax_element(field.begin(), field.end());
  return *high - *low;
}

TEST(Flow, HeatFlattensWhileAWaveTravels) {
  FlowOptions options;
  options.source = "bump:0";
  options.frames = 11;
  const Flow result = flow(square(), options);
  ASSERT_EQ(result.rows.size(), 2U);
  const FlowRow &heat = result.rows[0], &wave = result.rows[1];
  EXPECT_EQ(heat.name, "diffusion");
  EXPECT_EQ(wave.name, "wave");
  EXPECT_LE(heat.stability, 1);
  EXPECT_LE(wave.stability, 1);
  ASSERT_EQ(heat.frames.size(), 11U);
  EXPECT_EQ(heat.frame_steps.back(), heat.steps);
  EXPECT_EQ(heat.frame_steps, wave.frame_steps);
  EXPECT_NEAR(heat.frames[0][0], 1, 1e-6);
  for (std::size_t k = 1; k < heat.frames.size(); ++k)
    EXPECT_LT(spread(heat.frames[k]), spread(heat.frames[k - 1])) << k;
  // The wave comes to the far corner, and highest about when it should: at the end.
  const std::size_t corner = kSide * kSide - 1;
  EXPECT_NEAR(wave.frames[0][corner], 0, 1e-6);
  float most = 0;
  for (const auto& frame : wave.frames) most = std::max(most, std::abs(frame[corner]));
  EXPECT_GT(most, 10 * std::abs(heat.frames.back()[corner]));
  for (std::size_t l = 1; l < wave.conserved.size(); ++l)
    EXPECT_NEAR(wave.conserved[l] / wave.conserved[1], 1, 0.02) << l;
  // Both keep the sum.
  double first = 0, last = 0;
  for (const float x : heat.frames.front()) first += x;
  for (const float x : wave.frames.back()) last += x;
  EXPECT_NEAR(first, last, 1e-4 * first);
}

TEST(Flow, FieldsComeFromAnywhere) {
  const TemporaryFolder folder;
  FlowOptions options;
  options.dynamics = {"h"};
  options.steps = 3;
  std::string table = "node,warm,cold\n";
  for (int v = kSide * kSide - 1; v >= 0; --v) table += fmt::format("{},{},1\n", v, v == 7 ? 5 : 0);
  options.source = folder.write("field.csv", table).string();
  const Flow given = flow(square(), options);
  EXPECT_EQ(given.channels, 2);
  EXPECT_EQ(given.shown, 0);
  EXPECT_EQ(given.rows[0].frames[0][14], 5);
  EXPECT_EQ(given.rows[0].frames[0][15], 1);
  EXPECT_EQ(given.rows[0].frames.size(), 4U);

  options.source = "xyz";
  EXPECT_EQ(flow(square(), options).channels, 3);
  options.source = "random";
  options.seed = 1;
  const Flow one = flow(square(), options);
  EXPECT_EQ(flow(square(), options).rows[0].frames, one.rows[0].frames);
  options.seed = 2;
  EXPECT_NE(flow(square(), options).rows[0].frames, one.rows[0].frames);

  options.source = folder.write("short.csv", "1\n2\n3\n").string();
  expect_error(square(), options, "3 rows for the 400 nodes");
  options.source = folder
                       .write(
                           "nan.csv", "x\n" +
                                          [] {
                                            std::string text;
                                            for (int v = 0; v < kSide * kSide; ++v)
                                              text += v == 9 ? "nan\n" : "1\n";
                                            return text;
                                          }())
                       .string();
  expect_error(square(), options, "nan");
}

TEST(Flow, WeightsByDistanceDoNotDependOnTheUnit) {
  FlowOptions options;
  options.weights = "distance";
  const Flow metres = flow(square(), options);
  data::Sample large = square();
  for (float& x : large.positions) x *= 1024;
  const Flow millimetres = flow(large, options);
  EXPECT_EQ(metres.rows[0].steps, millimetres.rows[0].steps);
  EXPECT_NEAR(metres.rows[1].conserved.back(), millimetres.rows[1].conserved.back(), 1e-9);
}

TEST(Flow, DegenerateShapesFlowOrAreRefusedByName) {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& name, const std::string& text) {
    return open_shape(folder.write(name, text).string(), "", "", 10);
  };
  // Two parts, a vertex without edges, faces without area, and a side with three faces.
  const Flow odd = flow(
      open("odd.off",
           "OFF\n10 6 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 -1 0\n5 0 0\n6 0 0\n5 1 0\n9 9 9\n2 0 0\n"
           "3 0 1 2\n3 0 1 3\n3 1 0 4\n3 5 6 7\n3 0 0 1\n3 0 1 9\n"));
  ASSERT_EQ(odd.notes.size(), 2U);
  EXPECT_NE(odd.notes[0].find("nothing moves: 1"), std::string::npos);
  EXPECT_NE(odd.notes[1].find("2 parts"), std::string::npos);
  write_flow(folder.path() / "odd", odd, {});

  expect_error(open("point.xyz", "1 2 3\n"), {}, "a single point and no edges");
  expect_error(open("spot.xyz", "1 2 3\n1 2 3\n1 2 3\n"), {}, "one spot");
  data::Sample nan = square();
  nan.positions[31] = std::numeric_limits<float>::quiet_NaN();
  expect_error(nan, {}, "a coordinate of point 10 is nan");
  data::Sample edgeless = square();
  edgeless.graph = Graph::from_edges(400, {});
  expect_error(edgeless, {}, "400 points and no edges");
}

// Vertex 0 has no edges here: the hill, its width and the way of the wave are those of the square.
TEST(Flow, AHillStandsInTheLargestPartWhereverThatBegins) {
  data::Sample shape = square();
  shape.positions.insert(shape.positions.begin(), 3, 40.0f);
  for (auto& triangle : shape.triangles)
    for (auto& v : triangle) ++v;
  shape.graph = Graph::from_triangles(kSide * kSide + 1, shape.triangles);
  for (const auto& [source, alone] : {std::pair("bump", "bump"), {"bump:1", "bump:0"}}) {
    FlowOptions options;
    options.source = source;
    const Flow result = flow(shape, options);
    options.source = alone;
    const Flow expected = flow(square(), options);
    for (std::size_t k = 0; k < result.rows.size(); ++k) {
      EXPECT_EQ(result.rows[k].steps, expected.rows[k].steps) << source;
      auto frame = result.rows[k].frames.front();
      EXPECT_EQ(frame.front(), 0) << source;
      frame.erase(frame.begin());
      EXPECT_EQ(frame, expected.rows[k].frames.front()) << source;
    }
  }
}

TEST(Flow, OptionsThatDoNotFitAreNamed) {
  const auto with = [](const auto& change) {
    FlowOptions options;
    change(options);
    return options;
  };
  const auto source = [&](const char* text) {
    return with([&](FlowOptions& o) { o.source = text; });
  };
  expect_error(square(), source("bump:400"), "vertices 0 to 399");
  expect_error(square(), source("bump:x"), "'x'");
  expect_error(square(), source("missing.csv"), "missing.csv");
  expect_error(square(), with([](FlowOptions& o) { o.dynamics = {"d", "x"}; }), "no equation 'x'");
  expect_error(square(), with([](FlowOptions& o) { o.dynamics = {"h", "h"}; }), "named twice");
  expect_error(square(), with([](FlowOptions& o) { o.alpha = 1; }), "strictly between");
  expect_error(square(), with([](FlowOptions& o) { o.weights = "learnt"; }), "learnt");
  expect_error(square(), with([](FlowOptions& o) { o.steps = 100000000; }), "--steps");
  expect_error(square(), with([](FlowOptions& o) {
                 o.step = 1e39;
                 o.steps = 3;
               }),
               "overflown");
  data::Sample abstract = square();
  abstract.positions.clear();
  abstract.triangles.clear();
  expect_error(abstract, source("xyz"), "no positions");
  EXPECT_TRUE(flow(abstract).laid_out);
  PDEGCN_EXPECT_ERROR(open_shape("karate", "x", "", 10), "no shape 'x'");
}

TEST(Flow, RealShapes) {
  PDEGCN_NEEDS_DATA("faust_fit");
  PDEGCN_NEEDS_DATA("modelnet10");
  const std::string data = tests::data_folder().string();
  for (const char* file : {"/faust_fit/training/registrations/tr_reg_003.ply",
                           "/modelnet10/pcd/chair/train/chair_0003.pcd"}) {
    FlowOptions options;
    options.dynamics = {"h"};
    options.frames = 2;
    const FlowRow wave = flow(open_shape(data + file, "", "", 10), options).rows[0];
    EXPECT_NEAR(wave.conserved.back() / wave.conserved[1], 1, 0.01) << file;
  }
}

}  // namespace
}  // namespace pdegcn::train
