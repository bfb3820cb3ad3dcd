#include "pdegcn/nn/dgcnn.h"

#include <set>

#include "pdegcn/graph/error.h"
#include "pdegcn/nn/shape_network.h"
#include "tests/support/expect_error.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {
namespace {

using nn::Input;

Input cloud_input(std::int64_t points, std::int64_t features, std::vector<std::int64_t> sizes) {
  return {pde::Domain(Graph::from_edges(static_cast<NodeId>(points), {}), WeightKind::unit),
          normal({points, features}, 3, torch::kFloat32),
          {},
          {},
          std::move(sizes)};
}

// By a loop over points, over all others of the cloud, and over channels: θ (x_j - x_i) + φ x_i.
torch::Tensor naive_edge_conv(const torch::Tensor& x, const std::vector<std::int64_t>& sizes, int k,
                              const torch::Tensor& theta, const torch::Tensor& phi) {
  std::vector<torch::Tensor> rows;
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    const auto part = x.slice(0, first, first + size);
    for (std::int64_t i = 0; i < size; ++i) {
      const auto apart = (part - part[i]).square().sum(1);
      const auto nearest = std::get<1>(apart.topk(std::min<std::int64_t>(k, size), 0, false));
      const auto others = part.index_select(0, nearest);
      const auto edges = (others - part[i]).matmul(theta.t()) + phi.matmul(part[i]);
      rows.push_back(edges.amax(0));
    }
    first += size;
  }
  return torch::stack(rows);
}

TEST(EdgeConv, IsTheNaiveMaximumOverEdges) {
  const std::vector<std::int64_t> sizes{40, 3, 25};
  const auto x = normal({68, 6}, 1, torch::kFloat32).requires_grad_();
  nn::EdgeConv layer(6, 9);
  layer->eval();
  const auto theta = layer->other->weight.detach().clone().requires_grad_();
  const auto phi = (layer->own->weight + layer->other->weight).detach().requires_grad_();
  const auto y = normal({68, 6}, 1, torch::kFloat32).requires_grad_();
  const double norm = 1 / std::sqrt(1 + 1e-5);  // a fresh normalisation, in evaluation
  const auto expected = torch::leaky_relu(naive_edge_conv(y, sizes, 5, theta, phi) * norm, 0.2);
  const auto found = layer->forward(x, nn::feature_neighbors(x, sizes, 5));
  EXPECT_LT(distance(found, expected), 1e-5);

  const auto weights = normal({68, 9}, 2, torch::kFloat32);
  (found * weights).sum().backward();
  (expected * weights).sum().backward();
  EXPECT_LT(distance(x.grad(), y.grad()), 1e-4);
  EXPECT_LT(distance(layer->own->weight.grad(), phi.grad()), 1e-4);
  // other is θ, and own = φ - θ holds the rest of it.
  EXPECT_LT(distance(layer->other->weight.grad(), theta.grad() + phi.grad()), 1e-4);
}

TEST(Dgcnn, LooksForNeighboursInTheFeaturesOfEveryLayer) {
  nn::BaselineOptions o;
  o.inputs = 3, o.classes = 4, o.layers = 2, o.channels = 8, o.dropout = 0;
  const std::vector<std::int64_t> sizes{30, 20};
  const Input input = cloud_input(50, 3, sizes);
  nn::Dgcnn network(o, 6, false);
  network->eval();
  const auto p = network->named_parameters();
  const double norm = 1 / std::sqrt(1 + 1e-5);
  auto f = std::get<torch::Tensor>(input.features);
  std::vector<torch::Tensor> seen;
  for (const std::string layer : {"layer1.", "layer2."}) {
    const auto theta = p[layer + "other.weight"];
    f = torch::leaky_relu(
        naive_edge_conv(f, sizes, 6, theta, p[layer + "own.weight"] + theta) * norm, 0.2);
    seen.push_back(f);
  }
  const auto logits = torch::cat(seen, 1).matmul(p["closing.weight"].t());
  EXPECT_LT(distance(network->forward(input), logits), 1e-5);
}

TEST(DgcnnDiffusion, IsEquationSixOnTheGraphOfItsFeatures) {
  nn::BaselineOptions o;
  o.inputs = 3, o.classes = 4, o.layers = 2, o.channels = 8, o.dropout = 0;
  const Input input = cloud_input(40, 3, {});
  torch::manual_seed(1);  // some weights leave several points with no feature above 0, and a tie
  nn::DgcnnDiffusion network(o, 5, 0.3);
  network->eval();
  const torch::NoGradGuard no_grad;
  network->K.add_(0.1 * normal({2, 8, 8}, 5, torch::kFloat32));
  const auto p = network->named_parameters();
  auto f = torch::relu(std::get<torch::Tensor>(input.features).matmul(p["opening.weight"].t()));
  for (int l = 0; l < 2; ++l) {
    // Who is among the nearest of whom, from all distances.
    const auto near = std::get<1>(torch::cdist(f, f).topk(5, 1, false));
    std::set<std::pair<int, int>> edges;
    std::vector<int> degree(40, 1);
    for (int i = 0; i < 40; ++i)
      for (int n = 0; n < 5; ++n)
        if (const int j = near[i][n].item<int>(); j != i)
          edges.insert({std::min(i, j), std::max(i, j)});
    for (const auto& [i, j] : edges) ++degree[i], ++degree[j];
    auto r = torch::zeros_like(f);
    for (const auto& [i, j] : edges) {
      const double gamma = 1 / std::sqrt(std::max(degree[i], degree[j]));
      const auto flux =
          gamma * torch::tanh(gamma * network->K[l].matmul(f[i] - f[j])).matmul(network->K[l]);
      r[i] += flux;
      r[j] -= flux;
    }
    f = f - 0.3 * r;
  }
  EXPECT_LT(distance(network->forward(input), f.matmul(p["closing.weight"].t())), 1e-5);
}

TEST(ShapeNetwork, PoolsANodeNetworkAndDoesNotMindTheBatch) {
  nn::BaselineOptions o;
  o.inputs = 3, o.classes = 8, o.layers = 2, o.channels = 8, o.dropout = 0;
  nn::ShapeNetwork network(nn::Dgcnn(o, 4, false).ptr(), 8, 5);
  network->eval();
  const Input both = cloud_input(50, 3, {30, 20});
  Input second = cloud_input(20, 3, {20});
  second.features = std::get<torch::Tensor>(both.features).slice(0, 30, 50);
  const auto together = network->forward(both);
  EXPECT_EQ(together.sizes(), (std::vector<std::int64_t>{2, 5}));
  EXPECT_LT(distance(network->forward(second), together.slice(0, 1, 2)), 1e-6);
  std::int64_t grouped = 0, all = 0;
  for (const auto& group : network->parameter_groups())
    for (const auto& parameter : group.parameters) grouped += parameter.numel();
  for (const auto& parameter : network->parameters()) all += parameter.numel();
  EXPECT_EQ(grouped, all);
  EXPECT_NE(network->table().find("head"), std::string::npos);
}

TEST(Dgcnn, RefusesWhatItCannotSearch) {
  PDEGCN_EXPECT_ERROR(nn::neighbor_max(normal({4, 2}, 1), torch::zeros({4, 2}, torch::kInt32)),
                      "floats");
  PDEGCN_EXPECT_ERROR(
      nn::neighbor_max(normal({4, 2}, 1, torch::kFloat32), torch::zeros({3, 2}, torch::kInt32)),
      "4 rows");
}

}  // namespace
}  // namespace pdegcn::tests
