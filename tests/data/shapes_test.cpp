#include "pdegcn/data/shapes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "pdegcn/data/archive.h"
#include "pdegcn/graph/transform.h"
#include "pdegcn/kernels/random.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

// Two triangles that share a side; `x` moves one vertex.
std::string square(float x = 0) {
  return fmt::format("OFF\n4 2 0\n{} 0 0\n3 0 0\n3 4 0\n0 4 0\n3 0 1 2\n3 0 2 3\n", x);
}

std::vector<std::int32_t> numbers(std::int32_t begin, std::int32_t end) {
  std::vector<std::int32_t> out;
  for (; begin < end; ++begin) out.push_back(begin);
  return out;
}

TEST(CartesianAttributes, AreDifferencesAndLengthsOverTheMeanLength) {
  const std::vector<Triangle> triangles{{2, 1, 0}, {3, 2, 0}};
  const Graph graph = Graph::from_triangles(4, triangles);
  const std::vector<float> positions{0, 0, 0, 3, 0, 0, 3, 4, 0, 0, 4, 0};
  const EdgeAttributes out = cartesian_attributes(graph, positions);
  // Sides (0,1) (0,2) (0,3) (1,2) (2,3) of lengths 3 5 4 4 3.
  const float mean = 19 / 5.0f;
  const std::vector<float> odd{-3, 0, 0, -3, -4, 0, 0, -4, 0, 0, -4, 0, 3, 0, 0};
  const std::vector<float> even{3, 5, 4, 4, 3};
  ASSERT_EQ(out.odd.rows, 5);
  ASSERT_EQ(out.odd.cols, 3);
  ASSERT_EQ(out.even.rows, 5);
  ASSERT_EQ(out.even.cols, 1);
  for (int k = 0; k < 15; ++k) EXPECT_FLOAT_EQ(out.odd.values[k], odd[k] / mean);
  for (int k = 0; k < 5; ++k) EXPECT_FLOAT_EQ(out.even.values[k], even[k] / mean);
}

RC_GTEST_PROP(CartesianAttributes, DoNotDependOnUnitPlaceOrForLengthsOnRotation, ()) {
  const Graph graph = Graph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}});
  kernels::Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<float> positions(12), moved(12), turned(12);
  for (float& x : positions) x = static_cast<float>(random.uniform(-1, 1));
  for (int k = 0; k < 12; ++k) moved[k] = 1024 * positions[k] + 512;
  const double turn = random.uniform(0, 6);
  for (int v = 0; v < 4; ++v) {
    const float* p = positions.data() + 3 * v;
    turned[3 * v] = p[0];
    turned[3 * v + 1] = static_cast<float>(std::cos(turn) * p[1] - std::sin(turn) * p[2]);
    turned[3 * v + 2] = static_cast<float>(std::sin(turn) * p[1] + std::cos(turn) * p[2]);
  }
  const EdgeAttributes a = cartesian_attributes(graph, positions);
  const EdgeAttributes b = cartesian_attributes(graph, moved);
  const EdgeAttributes c = cartesian_attributes(graph, turned);
  for (int k = 0; k < 15; ++k) RC_ASSERT(std::abs(a.odd.values[k] - b.odd.values[k]) < 1e-3);
  for (int k = 0; k < 5; ++k) {
    RC_ASSERT(std::abs(a.even.values[k] - b.even.values[k]) < 1e-3);
    RC_ASSERT(std::abs(a.even.values[k] - c.even.values[k]) < 1e-5);
  }
}

TEST(CartesianAttributes, TakeDegenerateShapes) {
  const Graph graph = Graph::from_edges(2, {{0, 1}});
  const EdgeAttributes out = cartesian_attributes(graph, std::vector<float>(6, 2.0f));
  EXPECT_EQ(out.odd.values, std::vector<float>(3, 0.0f));
  EXPECT_EQ(out.even.values, std::vector<float>(1, 0.0f));
  EXPECT_EQ(cartesian_attributes(Graph::from_edges(1, {}), std::vector<float>(3)).odd.rows, 0);
  PDEGCN_EXPECT_ERROR(cartesian_attributes(graph, std::vector<float>(5)), "5 coordinates for 2");
}

TEST(MeshSample, TakesDegenerateShapes) {
  // A side shared by three triangles, a triangle that repeats a vertex, one without area, a second
  // component, a vertex of no face and one on the spot of another.
  const Mesh mesh{
      {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 5, 5, 5, 6, 5, 5, 5, 6, 5, 9, 9, 9, 0, 0, 0},
      {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {1, 1, 2}, {5, 6, 7}, {0, 9, 0}, {0, 1, 9}}};
  const Sample sample = mesh_sample("odd", mesh);
  EXPECT_EQ(sample.graph.num_nodes(), 10);
  EXPECT_EQ(sample.graph.num_edges(), 7 + 3 + 2);
  EXPECT_EQ(sample.graph.degree(8), 0);
  EXPECT_EQ(connected_components(sample.graph).count, 3);
  EXPECT_EQ(std::get<DenseMatrix>(sample.features).values, std::vector<float>(10, 1.0f));
  PDEGCN_EXPECT_ERROR(mesh_sample("cloud", {{0, 0, 0}, {}}), "cloud: a mesh with triangles");
}

TEST(ShapeSplits, FollowTheNumberOfShapes) {
  const auto faust = shape_splits(100);
  ASSERT_EQ(faust.size(), 2u);
  EXPECT_EQ(faust[0].name, "default");
  EXPECT_EQ(faust[0].train, numbers(0, 80));
  EXPECT_TRUE(faust[0].validation.empty());
  EXPECT_EQ(faust[0].test, numbers(80, 100));
  EXPECT_EQ(faust[1].name, "tune");
  EXPECT_EQ(faust[1].train, numbers(0, 60));
  EXPECT_EQ(faust[1].validation, numbers(60, 80));
  EXPECT_EQ(faust[1].test, numbers(80, 100));
  const auto poses = shape_splits(10);
  EXPECT_EQ(poses[0].train, numbers(0, 8));
  EXPECT_EQ(poses[0].test, numbers(8, 10));
  EXPECT_EQ(poses[1].train, numbers(0, 6));
  EXPECT_EQ(shape_splits(4)[0].train, numbers(0, 3));
  EXPECT_EQ(shape_splits(3)[1].train, numbers(0, 1));
  EXPECT_EQ(shape_splits(2).size(), 1u);
  EXPECT_TRUE(shape_splits(1).empty());
}

TEST(MeshFolder, ReadsShapesInTheOrderOfTheirNames) {
  const tests::TemporaryFolder folder;
  folder.write("poses/c.off", square(3));
  folder.write("poses/a.off", square(1));
  folder.write("poses/b.obj", "v 2 0 0\nv 3 0 0\nv 3 4 0\nv 0 4 0\nf 1 2 3 4\n");
  folder.write("poses/README.txt", "not a mesh");
  const Dataset set = read_mesh_folder(folder.path() / "poses/");
  EXPECT_EQ(set.name, "poses");
  ASSERT_EQ(set.samples.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(set.samples[k].name, std::string(1, static_cast<char>('a' + k)));
    EXPECT_EQ(set.samples[k].positions[0], static_cast<float>(k + 1));
    EXPECT_EQ(set.samples[k].graph.num_edges(), 5);
    EXPECT_EQ(set.samples[k].edge_attributes.odd.rows, 5);
  }
  EXPECT_EQ(set.num_features(), 1);
  EXPECT_EQ(std::get<NodeLabels>(set.targets).label,
            (std::vector<std::int32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(set.split("default").test, numbers(2, 3));
}

TEST(MeshFolder, ReadsArchives) {
  const tests::TemporaryFolder folder;
  std::vector<ArchiveMember> members;
  members.push_back({"poses/b.off", File("", square(2))});
  members.push_back({"poses/README.txt", File("", "not a mesh")});
  members.push_back({"poses/a.off", File("", square(1))});
  const Dataset set = read_mesh_folder(folder.write("dancer.zip", zip(members)));
  EXPECT_EQ(set.name, "dancer");
  ASSERT_EQ(set.samples.size(), 2u);
  EXPECT_EQ(set.samples[0].name, "a");
  EXPECT_EQ(set.samples[1].positions[0], 2);
}

TEST(MeshFolder, TrianglesMayDiffer) {
  const tests::TemporaryFolder folder;
  folder.write("a.off", square());
  folder.write("b.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 1 2 3\n");
  const Dataset set = read_mesh_folder(folder.path());
  EXPECT_EQ(set.samples[0].graph.num_edges(), 5);
  EXPECT_EQ(set.samples[1].graph.num_edges(), 3);
}

TEST(MeshFolder, RefusesByName) {
  const tests::TemporaryFolder folder;
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path()), "there is no mesh");
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path() / "none"), "none: No such file");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path() / "loop"), "loop: Too many levels");
  folder.write("a.off", square());
  folder.write("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n");
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path()), "b has 3 vertices and a has 4");
  folder.write("b.off", "OFF\n4 0 0\n0 0 0\n1 0 0\n1 1 0\n1 1 1\n");
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path()), ": b: a mesh with triangles is needed");
  folder.write("b.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n1 1 1\n3 0 1 9\n");
  PDEGCN_EXPECT_ERROR(read_mesh_folder(folder.path()), "b.off:7: corner 9 is outside 0..3");
}

TEST(Faust, FindsTheRegistrations) {
  const tests::TemporaryFolder folder;
  const Mesh mesh = read_off(File("", square()));
  for (const std::string place :
       {"", "training/registrations/", "MPI-FAUST/training/registrations/"}) {
    const std::filesystem::path at = folder.path() / ("set" + std::to_string(place.size())) / place;
    std::filesystem::create_directories(at);
    write_ply(at / "tr_reg_001.ply", mesh);
    write_ply(at / "tr_reg_000.ply", mesh);
    write_ply(at / "other.ply", {{0, 0, 0}, {}});
    const Dataset set = read_faust(folder.path() / ("set" + std::to_string(place.size())));
    ASSERT_EQ(set.samples.size(), 2u) << place;
    EXPECT_EQ(set.samples[0].name, "tr_reg_000");
    EXPECT_EQ(set.name, "set" + std::to_string(place.size()));
  }
  std::filesystem::create_directories(folder.path() / "empty");
  PDEGCN_EXPECT_ERROR(read_faust(folder.path() / "empty"), "holds tr_reg_NNN.ply");
  PDEGCN_EXPECT_ERROR(read_faust(folder.path() / "none"), "none: No such file");
}

TEST(FaustR, TakesLabelsThroughTheGroundTruth) {
  const tests::TemporaryFolder folder;
  folder.write("off/a.off", square());
  folder.write("off/b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n");
  folder.write("corres/sampleID.vts", "100\n200\n6890\n");
  folder.write("corres/a.vts", "4\n4\n1\n");
  folder.write("corres/b.vts", "1\r\n2\r\n3");
  const Dataset set = read_faust_r(folder.path());
  EXPECT_EQ(std::get<NodeLabels>(set.targets).label,
            (std::vector<std::int32_t>{6889, kUnlabelled, kUnlabelled, 99, 99, 199, 6889}));
  EXPECT_EQ(set.num_classes(), 6890);
  EXPECT_EQ(set.class_names.back(), "6889");

  folder.write("corres/b.vts", "1\n2\n");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "b.vts: 2 points where");
  folder.write("corres/b.vts", "1\n2\n4\n");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "b.vts:3: vertex 4 is outside 1..3");
  folder.write("corres/b.vts", "1\n0\n3\n");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "b.vts:2: vertex 0 is outside 1..3");
  folder.write("corres/b.vts", "1\n2 2\n3\n");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "b.vts:2: unexpected '2'");
  std::filesystem::remove(folder.path() / "corres/b.vts");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "b.vts: No such file");
  std::filesystem::remove_all(folder.path() / "off");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "off: No such file");
  std::filesystem::remove(folder.path() / "corres/sampleID.vts");
  PDEGCN_EXPECT_ERROR(read_faust_r(folder.path()), "sampleID.vts: No such file");
}

TEST(Faust, RealFit) {
  PDEGCN_NEEDS_DATA("faust_fit");
  const Dataset set = read_faust(tests::data_folder() / "faust_fit");
  EXPECT_EQ(set.name, "faust_fit");
  ASSERT_EQ(set.samples.size(), 100u);
  EXPECT_EQ(set.num_classes(), 6890);
  EXPECT_EQ(set.samples[99].name, "tr_reg_099");
  for (const Sample& sample : set.samples) {
    EXPECT_EQ(sample.graph.num_nodes(), 6890);
    EXPECT_EQ(sample.graph.num_edges(), 20664);
    EXPECT_EQ(sample.triangles.size(), 13776u);
    EXPECT_EQ(sample.triangles, set.samples[0].triangles);
  }
  EXPECT_EQ(set.split("default").train, numbers(0, 80));
  EXPECT_EQ(set.split("tune").validation, numbers(60, 80));
}

TEST(Faust, RealRegistrations) {
  PDEGCN_NEEDS_DATA("faust_reg_sample");
  const Dataset set = read_faust(tests::data_folder() / "faust_reg_sample");
  ASSERT_EQ(set.samples.size(), 4u);
  EXPECT_EQ(set.samples[3].name, "tr_reg_095");
  EXPECT_EQ(set.num_nodes(), 4 * 6890);
}

TEST(FaustR, Real) {
  PDEGCN_NEEDS_DATA("faust_r");
  const Dataset set = read_faust_r(tests::data_folder() / "faust_r");
  ASSERT_EQ(set.samples.size(), 100u);
  const auto& label = std::get<NodeLabels>(set.targets).label;
  NodeId fewest = 9999, most = 0;
  std::int64_t fewest_hit = 9999, most_hit = 0;
  std::size_t first = 0;
  for (const Sample& sample : set.samples) {
    const NodeId n = sample.graph.num_nodes();
    fewest = std::min(fewest, n);
    most = std::max(most, n);
    // Closed and without handles: the Euler characteristic is 2.
    EXPECT_EQ(n - sample.graph.num_edges() + static_cast<std::int64_t>(sample.triangles.size()), 2);
    const auto begin = label.begin() + first;
    const std::int64_t hit = n - std::count(begin, begin + n, kUnlabelled);
    fewest_hit = std::min(fewest_hit, hit);
    most_hit = std::max(most_hit, hit);
    first += n;
  }
  EXPECT_EQ(fewest, 4996);
  EXPECT_EQ(most, 5004);
  EXPECT_EQ(fewest_hit, 3192);
  EXPECT_EQ(most_hit, 3574);
  EXPECT_EQ(set.samples[0].graph.num_nodes(), 4999);
  // Line 1 of tr_reg_000.vts and of sampleID.vts: 4415 and 6696.
  EXPECT_EQ(label[4414], 6695);
  EXPECT_EQ(set.split("default").test, numbers(80, 100));
  std::set<std::vector<Triangle>> triangulations;
  for (const Sample& sample : set.samples) triangulations.insert(sample.triangles);
  EXPECT_EQ(triangulations.size(), 100u);
}

TEST(MeshFolder, RealPoses) {
  PDEGCN_NEEDS_DATA("mesh_poses");
  const struct {
    const char* name;
    std::int64_t vertices;
    std::size_t triangles;
  } sets[] = {{"cat-poses", 7207, 14410}, {"lion-poses", 5000, 9996}};
  for (const auto& expected : sets) {
    const Dataset set = read_mesh_folder(tests::data_folder() / "mesh_poses" /
                                         (std::string(expected.name) + ".tgz"));
    EXPECT_EQ(set.name, expected.name);
    ASSERT_EQ(set.samples.size(), 10u);
    EXPECT_EQ(set.num_classes(), expected.vertices);
    EXPECT_EQ(set.split("default").train.size(), 8u);
    EXPECT_EQ(set.split("default").test.size(), 2u);
    for (const Sample& sample : set.samples) {
      EXPECT_EQ(sample.graph.num_nodes(), expected.vertices);
      EXPECT_EQ(sample.triangles.size(), expected.triangles);
      EXPECT_EQ(sample.triangles, set.samples[0].triangles);
    }
  }
}

}  // namespace
}  // namespace pdegcn::data
