// Shapes as networks see them, both tasks on shapes from data to answers, and how these are judged.
#include "pdegcn/train/shapes.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <torch/torch.h>

#include <cmath>
#include <numeric>

#include "pdegcn/data/body_generator.h"
#include "pdegcn/data/clouds.h"
#include "pdegcn/data/shape_generator.h"
#include "pdegcn/data/shapes.h"
#include "pdegcn/graph/transform.h"
#include "pdegcn/train/adam.h"
#include "pdegcn/train/batch_stream.h"
#include "pdegcn/train/correspondence.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/tensors.h"

namespace pdegcn::train {
namespace {

using tests::distance;

data::Dataset small_clouds(int per_class = 12) {
  data::ShapeSet set;
  set.train_per_class = per_class;
  set.validation_per_class = 0;
  set.test_per_class = 4;
  set.points = 128;
  return data::shape_clouds(set, 3);
}

data::Dataset small_bodies() {
  data::BodySet set;
  set.train_subjects = 2;
  set.validation_subjects = 0;
  set.poses = 4;
  set.spacing = 0.06;
  return data::bodies(set, 3);
}

RunConfig config_for(const data::Dataset& data, const std::string& model,
                     const std::string& input = "") {
  RunConfig c;
  c.model = model;
  c.input = input;
  c.layers = 2;
  c.channels = 16;
  c.step = 0.2;
  c.weights = "unit";
  c.weight_decay = 0;
  c.batch = std::holds_alternative<data::GraphLabels>(data.targets) ? 15 : 1;
  return settle(c, data);
}

// What `epochs` of training leave, judged on the test part.
double learn(const data::Dataset& data, const RunConfig& config, std::int64_t epochs) {
  Problem problem(data, find_split(data, config.split), config);
  const auto network = problem.make_network();
  Adam adam(*network, {config.lr, config.lr_pde, config.lr_alpha, config.weight_decay});
  const std::int64_t batches = problem.batches_per_epoch();
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    network->train();
    BatchStream stream(batches, 2,
                       [&](std::int64_t k) { return problem.training_batch(epoch, k); });
    for (std::int64_t k = 0; k < batches; ++k) {
      adam.zero_grad();
      teach(*network, stream.next(), {0, static_cast<std::uint64_t>((epoch - 1) * batches + k)});
      adam.step();
    }
  }
  const Part part[] = {Part::kTest};
  return problem.evaluate(*network, part).front().score();
}

TEST(Shapes, AreClassifiedFarAboveChance) {
  const data::Dataset data = small_clouds();
  for (const char* model : {"d", "h", "dgcnn", "gcnii"}) {
    RunConfig config = config_for(data, model);
    config.dropout = 0;
    EXPECT_EQ(config.input, "xyz");
    EXPECT_GT(learn(data, config, 8), 0.35) << model;  // a tenth is chance
  }
}

TEST(Correspondence, IsLearntFarAboveChance) {
  const data::Dataset data = small_bodies();
  RunConfig config = config_for(data, "h", "xyz+divergence");
  const double chance = 1.0 / static_cast<double>(data.num_classes());
  EXPECT_GT(learn(data, config, 6), 20 * chance);
}

// One shape and the same with its nodes in another order.
data::Sample reordered(const data::Sample& sample, const std::vector<NodeId>& order) {
  data::Sample out = sample;
  out.graph = reorder(sample.graph, order).graph;
  std::vector<NodeId> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[order[k]] = static_cast<NodeId>(k);
    for (int d = 0; d < 3; ++d) out.positions[3 * k + d] = sample.positions[3 * order[k] + d];
  }
  if (auto* dense = std::get_if<data::DenseMatrix>(&out.features); dense && dense->cols == 3)
    dense->values = out.positions;
  for (Triangle& t : out.triangles)
    for (NodeId& v : t) v = place[v];
  out.edge_attributes = {};
  if (sample.edge_attributes.odd.cols > 0)
    out.edge_attributes = data::cartesian_attributes(out.graph, out.positions);
  return out;
}

std::vector<NodeId> shuffled(NodeId n) {
  std::vector<NodeId> order(n);
  std::iota(order.begin(), order.end(), 0);
  kernels::Random(5).shuffle(std::span(order));
  return order;
}

std::vector<float> logits_of(const data::Dataset& data, const RunConfig& config) {
  const Problem problem(data, data.num_classes(), config);
  const auto network = problem.make_network();
  return problem.say(*network, true).logits;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    worst = std::max(worst, double{std::abs(a[k] - b[k])});
  return worst;
}

TEST(Shapes, OrderOfPointsAndBatchesHardlyMatters) {
  data::Dataset data = small_clouds(1);
  for (const char* model : {"d", "m", "dgcnn", "gcnii"}) {
    RunConfig config = config_for(data, model);
    const auto before = logits_of(data, config);
    data::Dataset other = data;
    for (auto& sample : other.samples)
      sample = reordered(sample, shuffled(sample.graph.num_nodes()));
    EXPECT_LT(largest_difference(logits_of(other, config), before), 1e-4) << model;
    for (const std::int64_t batch : {1, 7}) {
      config.batch = batch;
      EXPECT_LT(largest_difference(logits_of(data, config), before), 1e-4) << model;
    }
  }
}

TEST(Correspondence, OrderOfVerticesHardlyMatters) {
  data::Dataset data = small_bodies();
  data.samples.resize(2);
  RunConfig config = config_for(data, "h");
  EXPECT_EQ(config.input, "cartesian");
  const auto before = logits_of(data, config);
  const NodeId n = data.samples[0].graph.num_nodes();
  const auto order = shuffled(n);
  data::Dataset other = data;
  for (auto& sample : other.samples) sample = reordered(sample, order);
  const auto after = logits_of(other, config);
  std::vector<float> back(after.size());
  for (std::int64_t s = 0; s < 2; ++s)
    for (NodeId k = 0; k < n; ++k)
      std::copy_n(after.begin() + (s * n + k) * n, n, back.begin() + (s * n + order[k]) * n);
  EXPECT_LT(largest_difference(back, before), 1e-4);
  config.batch = 2;
  EXPECT_LT(largest_difference(logits_of(data, config), before), 1e-4);
}

TEST(Shapes, ThreadsChangeNothing) {
  const int before = omp_get_max_threads();
  for (const data::Dataset& data : {small_clouds(1), small_bodies()}) {
    for (const char* model : {"h", "dgcnn"}) {
      const bool clouds = std::holds_alternative<data::GraphLabels>(data.targets);
      if (!clouds && std::string(model) == "dgcnn") continue;
      RunConfig config = config_for(data, model);
      if (clouds) config.augment = "turn,scale,jitter";
      std::vector<double> scores;
      std::vector<std::vector<float>> gradients;
      for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        at::set_num_threads(threads);
        Problem problem(data, find_split(data, config.split), config);
        const auto network = problem.make_network();
        network->train();
        scores.push_back(teach(*network, problem.training_batch(2, 0), {1, 7}).loss());
        gradients.emplace_back();
        for (const auto& p : network->parameters()) {
          const auto g = p.grad().contiguous();
          gradients.back().insert(gradients.back().end(), g.data_ptr<float>(),
                                  g.data_ptr<float>() + g.numel());
        }
      }
      EXPECT_EQ(scores[0], scores[1]);
      EXPECT_EQ(scores[0], scores[2]);
      EXPECT_EQ(gradients[0], gradients[1]);
      EXPECT_EQ(gradients[0], gradients[2]);
    }
  }
  omp_set_num_threads(before);
  at::set_num_threads(before);
}

void turn(std::vector<float>& positions) {
  // About an oblique axis: two turns, about z by 0.7 and about x by 1.1.
  for (std::size_t at = 0; at + 2 < positions.size(); at += 3) {
    const double x = positions[at], y = positions[at + 1], z = positions[at + 2];
    const double u = std::cos(0.7) * x - std::sin(0.7) * y;
    const double v = std::sin(0.7) * x + std::cos(0.7) * y;
    positions[at] = static_cast<float>(u);
    positions[at + 1] = static_cast<float>(std::cos(1.1) * v - std::sin(1.1) * z);
    positions[at + 2] = static_cast<float>(std::sin(1.1) * v + std::cos(1.1) * z);
  }
}

TEST(Shapes, ATurnDoesNotChangeWhatLengthsSay) {
  for (data::Dataset data : {small_clouds(1), small_bodies()}) {
    data.samples.resize(3);
    data::Dataset turned = data;
    for (auto& sample : turned.samples) {
      turn(sample.positions);
      if (auto* f = std::get_if<data::DenseMatrix>(&sample.features); f->cols == 3)
        f->values = sample.positions;
    }
    const RunConfig lengths = config_for(data, "h", "lengths");
    EXPECT_LT(largest_difference(logits_of(turned, lengths), logits_of(data, lengths)), 1e-4);
    const RunConfig xyz = config_for(data, "h", "xyz");
    EXPECT_GT(largest_difference(logits_of(turned, xyz), logits_of(data, xyz)), 1e-3);
  }
}

TEST(Prepare, GivesTheChannelsOfEveryInput) {
  const data::Dataset data = small_bodies();
  const struct {
    const char* input;
    std::int64_t features, odd, even;
  } cases[] = {{"cartesian", 1, 3, 0},      {"cartesian+lengths", 1, 3, 1},
               {"lengths", 1, 0, 1},        {"xyz", 3, 0, 0},
               {"xyz+divergence", 3, 3, 0}, {"xyz+divergence+lengths", 3, 3, 1}};
  for (const auto& c : cases) {
    const auto sample = prepare(data.samples[1], config_for(data, "h", c.input), 0);
    EXPECT_EQ(std::get<data::DenseMatrix>(sample->features).cols, c.features) << c.input;
    EXPECT_EQ(sample->edge_attributes.odd.cols, c.odd) << c.input;
    EXPECT_EQ(sample->edge_attributes.even.cols, c.even) << c.input;
  }
}

TEST(Prepare, DrawsFromSeedEpochAndSampleAlone) {
  data::ShapeSet set;
  set.train_per_class = 1;
  set.validation_per_class = set.test_per_class = 0;
  const data::Dataset meshes = data::shape_meshes(set, 1);
  RunConfig config = config_for(meshes, "d");
  // A mesh as it is keeps its graph.
  EXPECT_EQ(prepare(meshes.samples[2], config, 3)->graph.num_edges(),
            meshes.samples[2].graph.num_edges());
  config.points = 60;
  config.knn = 4;
  const auto first = prepare(meshes.samples[2], config, 3);
  EXPECT_EQ(first->graph.num_nodes(), 60);
  EXPECT_EQ(first->graph.report().k_used, 4);
  EXPECT_EQ(first->positions, prepare(meshes.samples[2], config, 3)->positions);
  EXPECT_NE(first->positions, prepare(meshes.samples[2], config, 4)->positions);
  // The same shape elsewhere in a folder, and one that differs by a hair.
  data::Sample other = meshes.samples[2];
  other.name = "another";
  EXPECT_EQ(first->positions, prepare(other, config, 3)->positions);
  other.positions[0] = std::nextafter(other.positions[0], 2.0f);
  EXPECT_NE(first->positions, prepare(other, config, 3)->positions);
  config.seed = 9;
  EXPECT_NE(first->positions, prepare(meshes.samples[2], config, 3)->positions);

  const data::Dataset clouds = small_clouds(1);
  RunConfig moving = config_for(clouds, "d");
  EXPECT_EQ(prepare(clouds.samples[0], moving, 1)->positions, clouds.samples[0].positions);
  moving.augment = "turn";
  const auto turned = prepare(clouds.samples[0], moving, 1);
  EXPECT_NE(turned->positions, clouds.samples[0].positions);
  for (std::size_t at = 2; at < turned->positions.size(); at += 3)
    ASSERT_EQ(turned->positions[at], clouds.samples[0].positions[at]);  // about the vertical
  // What is not training sees shapes as they are.
  EXPECT_EQ(prepare(clouds.samples[0], moving, 0)->positions, clouds.samples[0].positions);
}

TEST(BatchStream, KeepsTheOrderAndPassesErrorsOn) {
  const data::Dataset data = small_clouds(1);
  const RunConfig config = config_for(data, "d");
  const Problem problem(data, data.splits.front(), config);
  for (const int ahead : {0, 1, 4}) {
    BatchStream stream(5, ahead, [&](std::int64_t k) {
      if (k == 3) throw Error("batch {}", k);
      Batch batch = problem.training_batch(1, 0);
      batch.answers.labels = {static_cast<std::int32_t>(k)};
      return batch;
    });
    for (int k = 0; k < 3; ++k) EXPECT_EQ(stream.next().answers.labels.front(), k);
    PDEGCN_EXPECT_ERROR(stream.next(), "batch 3");
  }
}

// A data set of two shapes to be classified.
data::Dataset pair_of(data::Sample a, data::Sample b) {
  data::Dataset out;
  out.name = "pair";
  out.class_names = {"a", "b"};
  out.samples = {std::move(a), std::move(b)};
  out.targets = data::GraphLabels{{0, 1}};
  out.splits = {{"default", {0, 1}, {}, {}}};
  return out;
}

TEST(Shapes, DegenerateOnesAreHandledOrRefusedByName) {
  const data::Sample good = data::shape_sample("good", {small_clouds(1).samples[0].positions, {}});
  const data::Mesh strange[] = {
      {{0, 0, 0}, {}},                      // one point
      {std::vector<float>(60, 0.25f), {}},  // twenty times the same
      {{0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0}, {{0, 1, 2}, {0, 1, 3}, {1, 1, 2}}},  // zero areas
      {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}},  // a fan
      {{0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 6, 5, 5, 5, 6, 5}, {{0, 1, 2}, {3, 4, 5}}}};   // two
  for (const data::Mesh& mesh : strange) {
    const data::Dataset data = pair_of(data::shape_sample("strange", mesh), good);
    for (const char* model : {"h", "dgcnn"})
      for (const std::int64_t points : {0, 30}) {
        for (const char* input : {"xyz", "cartesian+lengths"}) {
          RunConfig config = config_for(data, model, input);
          config.points = points;
          for (const float x : logits_of(data, config)) ASSERT_TRUE(std::isfinite(x));
        }
      }
  }
  // The same as poses to be mapped to each other.
  for (const data::Mesh& mesh : strange) {
    if (mesh.triangles.empty()) continue;
    const data::Dataset poses =
        data::correspondence_dataset("poses", "test", {{"one", mesh}, {"two", mesh}});
    for (const char* input : {"cartesian+lengths", "xyz+divergence"})
      for (const float x : logits_of(poses, config_for(poses, "m", input)))
        ASSERT_TRUE(std::isfinite(x));
  }
  // Nothing to draw points from, and lengths of zero to divide by.
  data::Dataset flat =
      pair_of(data::shape_sample("flat", {{0, 0, 0, 1, 0, 0, 2, 0, 0}, {{0, 1, 2}}}), good);
  RunConfig config = config_for(flat, "d");
  config.points = 10;
  PDEGCN_EXPECT_ERROR(logits_of(flat, config), "flat", "no area");
  data::Dataset heap = pair_of(data::shape_sample("heap", strange[1]), good);
  config = config_for(heap, "d");
  config.weights = "distance";
  PDEGCN_EXPECT_ERROR(logits_of(heap, config), "distance along edge 0 is 0");
  heap.samples[0].positions.clear();
  PDEGCN_EXPECT_ERROR(logits_of(heap, config_for(heap, "d", "xyz")), "heap", "no positions");
  flat.samples[0].positions[4] = std::nanf("");
  PDEGCN_EXPECT_ERROR(flat.check(), "flat", "nan");
}

// A strip of unit squares, each of two triangles: vertices 2k and 2k + 1 lie one above the other.
data::Dataset strip() {
  data::Mesh mesh;
  for (int k = 0; k < 5; ++k)
    for (const float y : {0.0f, 1.0f})
      mesh.positions.insert(mesh.positions.end(), {static_cast<float>(k), y, 0.0f});
  for (NodeId k = 0; k < 8; k += 2) {
    mesh.triangles.push_back({k, k + 1, k + 2});
    mesh.triangles.push_back({k + 1, k + 3, k + 2});
  }
  return data::correspondence_dataset("strip", "test", {{"one", mesh}, {"two", mesh}});
}

TEST(GeodesicErrors, AreLengthsOverTheRootOfTheArea) {
  data::Dataset data = strip();  // of area 4
  const auto e = geodesic_errors(data, {{0, 0, 3, -1, 8}, {0, 2, 0, 5, 0}});
  // Vertex 3 to 0 goes by 1 or 2, or along no diagonal; 8 to 0 along the side.
  ASSERT_EQ(e.values.size(), 4u);
  EXPECT_DOUBLE_EQ(e.values[0], 0);
  EXPECT_DOUBLE_EQ(e.values[1], 0.5);
  EXPECT_DOUBLE_EQ(e.values[2], 1);
  EXPECT_DOUBLE_EQ(e.values[3], 2);
  EXPECT_DOUBLE_EQ(e.exact(), 0.25);
  EXPECT_DOUBLE_EQ(e.within(0.5), 0.5);
  EXPECT_DOUBLE_EQ(e.mean(), 0.875);
  EXPECT_TRUE(e.csv().starts_with("error,share\n0,0.25\n"));

  // Two classes on one vertex are no error; a class without one, or no path, is one of 1.
  data.template_vertex = {0, 0, 2, -1, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(geodesic_errors(data, {{0, 3, 0}, {1, 3, 3}}).values, (std::vector<double>{0, 0, 1}));
  data.template_vertex.clear();
  PDEGCN_EXPECT_ERROR(geodesic_errors(data, {{0}, {1}}), "strip has no template");
}

TEST(GeodesicErrors, OfTheRemeshedFaustUseItsPoints) {
  PDEGCN_NEEDS_DATA("faust_r");
  const data::Dataset data = data::read_faust_r(tests::data_folder() / "faust_r");
  std::int64_t shown = 0;
  for (const NodeId v : data.template_vertex) shown += v >= 0;
  EXPECT_EQ(shown, 5000);
  // Saying the truth is no error, on every shape; a neighbour's class is a small one.
  const auto& labels = std::get<data::NodeLabels>(data.targets).label;
  Answered right;
  right.truth.assign(labels.begin(), labels.begin() + 20000);
  for (const std::int32_t label : right.truth) right.said.push_back(std::max(label, 0));
  EXPECT_EQ(geodesic_errors(data, right).exact(), 1);
}

}  // namespace
}  // namespace pdegcn::train
