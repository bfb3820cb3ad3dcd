// The methods of comparison against dense matrices, written out by hand.
#include "pdegcn/nn/baselines.h"

#include <cmath>
#include <functional>

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/transform.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {
namespace {

using nn::BaselineOptions;
using nn::Draw;
using nn::Input;
using nn::Stacking;
using Names = torch::OrderedDict<std::string, torch::Tensor>;

// Two nodes of it have no edges.
Graph ragged(NodeId n) {
  std::vector<Edge> edges;
  for (NodeId i = 1; i + 2 < n; ++i) edges.push_back({i, NodeId(i + 1)});
  for (NodeId i = 1; i + 6 < n; i += 2) edges.push_back({i, NodeId(i + 5)});
  for (NodeId i = 3; i + 1 < n; i += 3) edges.push_back({1, i});
  return Graph::from_edges(n, edges);
}

Input input_on(const Graph& graph, std::int64_t features,
               torch::ScalarType type = torch::kFloat64) {
  return {pde::Domain(graph, WeightKind::metropolis, {}, type),
          normal({graph.num_nodes(), features}, 3, type)};
}

// Â entry by entry.
torch::Tensor dense_adjacency(const Graph& graph) {
  const NodeId n = graph.num_nodes();
  auto a = torch::eye(n, torch::kFloat64);
  for (const Edge& e : graph.edges()) {
    a[e.i][e.j] = 1;
    a[e.j][e.i] = 1;
  }
  for (NodeId i = 0; i < n; ++i)
    for (NodeId j = 0; j < n; ++j)
      a[i][j] /= std::sqrt(static_cast<double>((graph.degree(i) + 1) * (graph.degree(j) + 1)));
  return a;
}

BaselineOptions options(std::int64_t layers) {
  BaselineOptions o;
  o.inputs = 5;
  o.classes = 3;
  o.layers = layers;
  o.channels = 8;
  return o;
}

// All of them, by name.
std::vector<std::pair<std::string, std::shared_ptr<nn::Network>>> all_networks(
    const BaselineOptions& o, torch::ScalarType type = torch::kFloat64) {
  torch::manual_seed(1);
  std::vector<std::pair<std::string, std::shared_ptr<nn::Network>>> all{
      {"mlp", nn::Convolutions(Stacking::mlp, o).ptr()},
      {"gcn", nn::Convolutions(Stacking::gcn, o).ptr()},
      {"jknet", nn::Convolutions(Stacking::jknet, o).ptr()},
      {"inception", nn::Convolutions(Stacking::inception, o).ptr()},
      {"appnp", nn::Appnp(o).ptr()},
      {"gcnii", nn::Gcnii(o, false).ptr()},
      {"gcnii-star", nn::Gcnii(o, true).ptr()},
      {"gat", nn::Gat(o).ptr()}};
  for (auto& [name, network] : all) network->to(type);
  return all;
}

TEST(Propagation, IsTheNormalisedAdjacencyOnEveryGraph) {
  for (const auto& [name, given] : special_graphs()) {
    const Graph graph = given.build();
    const auto x = normal({graph.num_nodes(), 4}, 1);
    EXPECT_LT(
        distance(nn::Propagation(graph, torch::kFloat64)(x), dense_adjacency(graph).matmul(x)),
        1e-14)
        << name;
  }
}

TEST(Propagation, HasItsGradient) {
  const nn::Propagation propagation(ragged(12), torch::kFloat64);
  auto x = normal({12, 3}, 1).requires_grad_();
  const auto loss = [&] { return propagation(x).pow(3).sum(); };
  EXPECT_LT(gradient_error(loss, x), 1e-7);
  const auto dropped = propagation.dropped(0.5, {3, 4}, 2);  // not symmetric any more
  EXPECT_LT(gradient_error([&] { return dropped(x).pow(3).sum(); }, x), 1e-7);
}

TEST(Propagation, DropEdgeLeavesOutAShareAndNormalisesTheRest) {
  const Graph graph = clique(60).build();
  const auto one_hot = torch::eye(60, torch::kFloat64);
  const auto a = nn::Propagation(graph, torch::kFloat64, 0.4, {1, 2})(one_hot);
  EXPECT_TRUE(a.equal(a.t()));
  const double left = static_cast<double>(a.ne(0).sum().item<std::int64_t>() - 60) / (60 * 59);
  EXPECT_NEAR(left, 0.6, 0.05);
  // Â sqrt(d) = sqrt(d), with the degrees of what is left.
  const auto root = a.ne(0).sum(1).to(torch::kFloat64).sqrt();
  EXPECT_LT(distance(a.matmul(root), root), 1e-13);
  const auto again = nn::Propagation(graph, torch::kFloat64, 0.4, {1, 2})(one_hot);
  EXPECT_TRUE(a.equal(again));
  EXPECT_FALSE(a.equal(nn::Propagation(graph, torch::kFloat64, 0.4, {1, 3})(one_hot)));
  EXPECT_THROW(nn::Propagation(graph, torch::kFloat64, 1.0), Error);
}

TEST(Gcn, IsItsFormula) {
  const Graph graph = ragged(20);
  const Input input = input_on(graph, 5);
  const auto a = dense_adjacency(graph);
  auto x = std::get<torch::Tensor>(input.features);
  for (const auto& [name, network] : all_networks(options(4))) {
    network->eval();
    const auto p = network->named_parameters();
    const auto layer = [&](const torch::Tensor& f, const std::string& weight) {
      const auto y = a.matmul(f.matmul(p[weight + ".weight"].t()));
      return p.contains(weight + "_bias") ? y + p[weight + "_bias"] : y;
    };
    torch::Tensor logits;
    if (name == "mlp") {
      logits = x;
      for (const char* weight : {"opening", "hidden1", "hidden2"})
        logits = torch::relu(logits.matmul(p[std::string(weight) + ".weight"].t()));
      logits = logits.matmul(p["closing.weight"].t());
    } else if (name == "gcn" || name == "jknet") {
      const auto f1 = torch::relu(layer(x, "opening"));
      const auto f2 = torch::relu(layer(f1, "hidden1"));
      const auto f3 = torch::relu(layer(f2, "hidden2"));
      logits = layer(name == "gcn" ? f3 : torch::cat({f1, f2, f3}, 1), "closing");
    } else if (name == "inception") {
      const auto f = torch::relu(layer(x, "opening"));
      const auto short_branch = torch::relu(layer(f, "branch1_hidden1"));
      const auto long_branch =
          torch::relu(layer(torch::relu(layer(f, "branch2_hidden1")), "branch2_hidden2"));
      logits = layer(torch::cat({f, short_branch, long_branch}, 1), "closing");
    } else if (name == "appnp") {
      const auto z = torch::relu(x.matmul(p["opening.weight"].t())).matmul(p["closing.weight"].t());
      logits = z;
      for (int k = 0; k < 4; ++k) logits = 0.9 * a.matmul(logits) + 0.1 * z;
    } else {
      continue;
    }
    EXPECT_LT(distance(network->forward(input), logits), 1e-13) << name;
  }
}

TEST(Gcnii, IsItsFormula) {
  const Graph graph = ragged(20);
  const Input input = input_on(graph, 5);
  const auto a = dense_adjacency(graph);
  const auto identity = torch::eye(8, torch::kFloat64);
  for (const bool star : {false, true}) {
    auto o = options(5);
    o.teleport = 0.2;
    o.lambda = 1.5;
    nn::Gcnii network(o, star);
    network->to(torch::kFloat64);
    network->eval();
    const Names p = network->named_parameters();
    const auto first =
        torch::relu(std::get<torch::Tensor>(input.features).matmul(p["opening.weight"].t()) +
                    p["opening.bias"]);
    auto h = first;
    for (int l = 1; l <= 5; ++l) {
      const double beta = std::log(1.5 / l + 1);
      const auto w1 = (1 - beta) * identity + beta * p["weight"][l - 1].t();
      const auto w2 = star ? (1 - beta) * identity + beta * p["initial"][l - 1].t() : w1;
      h = torch::relu(0.8 * a.matmul(h).matmul(w1) + 0.2 * first.matmul(w2));
    }
    const auto logits = h.matmul(p["closing.weight"].t()) + p["closing.bias"];
    EXPECT_LT(distance(network->forward(input), logits), 1e-13) << star;
  }
}

TEST(Gat, IsItsFormula) {
  const Graph graph = ragged(20);
  const Input input = input_on(graph, 5);
  auto o = options(2);
  o.channels = 16;
  nn::Gat network(o);
  network->to(torch::kFloat64);
  network->eval();
  const Names p = network->named_parameters();
  auto f = std::get<torch::Tensor>(input.features);
  for (const std::string l : {"1", "2"}) {
    const auto x = f.matmul(p["features" + l + ".weight"].t());
    const std::int64_t heads = l == "1" ? 8 : 1;
    const std::int64_t units = l == "1" ? 2 : 3;
    auto y = torch::zeros_like(x);
    for (NodeId i = 0; i < graph.num_nodes(); ++i) {
      std::vector<NodeId> seen(graph.neighbors(i).begin(), graph.neighbors(i).end());
      seen.push_back(i);
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto part = [&](NodeId v) { return x[v].slice(0, h * units, (h + 1) * units); };
        std::vector<double> weight;
        double sum = 0;
        for (const NodeId j : seen) {
          const double score =
              (part(i).dot(p["own" + l][h]) + part(j).dot(p["other" + l][h])).item<double>();
          weight.push_back(std::exp(score > 0 ? score : 0.2 * score));
          sum += weight.back();
        }
        for (std::size_t k = 0; k < seen.size(); ++k)
          y[i].slice(0, h * units, (h + 1) * units) += weight[k] / sum * part(seen[k]);
      }
    }
    f = y + p["bias" + l];
    if (l == "1") f = torch::elu(f);
  }
  EXPECT_LT(distance(network->forward(input), f), 1e-13);
}

TEST(Baselines, GradientsOfAllParametersInDouble) {
  const Input input = input_on(ragged(9), 5);
  auto o = options(3);
  o.dropout = 0.3;
  o.drop_edge = 0.3;
  for (const auto& [name, network] : all_networks(o)) {
    const auto loss = [&, &net = *network] {
      return net.forward(input, Draw{3, 1}).square().sum();
    };
    for (const auto& item : network->named_parameters())
      EXPECT_LT(gradient_error(loss, item.value()), 1e-6) << name << " " << item.key();
  }
}

TEST(Baselines, FollowARelabellingOfTheNodes) {
  const Graph graph = ragged(16);
  const Input input = input_on(graph, 5);
  std::vector<NodeId> to(16);
  for (NodeId v = 0; v < 16; ++v) to[v] = (5 * v + 3) % 16;
  std::vector<Edge> edges;
  for (const Edge& e : graph.edges()) edges.push_back({to[e.j], to[e.i]});
  auto moved = input_on(Graph::from_edges(16, edges), 5);
  auto x = torch::empty({16, 5}, torch::kFloat64);
  for (NodeId v = 0; v < 16; ++v) x[to[v]] = std::get<torch::Tensor>(input.features)[v];
  moved.features = x;
  for (const auto& [name, network] : all_networks(options(4))) {
    network->eval();
    const auto before = network->forward(input);
    const auto after = network->forward(moved);
    for (NodeId v = 0; v < 16; ++v)
      EXPECT_LT(distance(after[to[v]], before[v]), 1e-13) << name << " node " << v;
  }
}

TEST(Baselines, WorkOnEveryGraph) {
  for (const auto& [graph_name, given] : special_graphs()) {
    const Input input = input_on(given.build(), 5);
    for (const auto& [name, network] : all_networks(options(3))) {
      const auto logits = network->forward(input, {1, 1});
      EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{given.nodes, 3}))
          << name << " on " << graph_name;
      EXPECT_TRUE(torch::isfinite(logits).all().item<bool>()) << name << " on " << graph_name;
    }
  }
}

TEST(Baselines, DropoutFollowsTheDrawInTrainingOnly) {
  const Input input = input_on(ragged(16), 5);
  for (const auto& [name, network] : all_networks(options(3))) {
    EXPECT_TRUE(network->forward(input, {1, 1}).equal(network->forward(input, {1, 1}))) << name;
    EXPECT_FALSE(network->forward(input, {1, 1}).equal(network->forward(input, {1, 2}))) << name;
    network->eval();
    EXPECT_TRUE(network->forward(input, {1, 1}).equal(network->forward(input, {1, 2}))) << name;
  }
}

// As in the code of DropEdge's authors, whose values the two have.
TEST(Baselines, JKNetAndInceptionSeeTheWholeInputInTraining) {
  BaselineOptions o = options(4);
  o.dropout = 0.8;
  const Input input = input_on(ragged(20), 5);
  for (auto& [name, network] : all_networks(o)) {
    if (name != "gcn" && name != "jknet" && name != "inception") continue;
    std::vector<torch::Tensor> training, evaluation;
    network->train();
    network->forward(input, {1, 2}, &training);
    network->eval();
    network->forward(input, {1, 2}, &evaluation);
    EXPECT_EQ(training[0].equal(evaluation[0]), name != "gcn") << name;
    EXPECT_FALSE(training[1].equal(evaluation[1])) << name;
  }
}

// Glorot's range for 8 inputs and outputs is 0.61, that of DropEdge's authors 0.35.
TEST(Baselines, JKNetAndInceptionBeginInANarrowerRangeAndWithBiases) {
  for (const auto& [name, network] : all_networks(options(12))) {
    if (name != "gcn" && name != "jknet" && name != "inception") continue;
    const bool narrow = name != "gcn";
    double largest = 0;
    for (const auto& item : network->named_parameters())
      if (item.key().find("hidden") != std::string::npos)
        largest = std::max(largest, item.value().abs().max().item<double>());
    EXPECT_LE(largest, std::sqrt(narrow ? 1.0 / 8 : 6.0 / 16)) << name;
    EXPECT_GE(largest, 0.95 * std::sqrt(narrow ? 1.0 / 8 : 6.0 / 16)) << name;
    const auto parameters = network->named_parameters();
    EXPECT_EQ(parameters.contains("opening_bias"), narrow) << name;
    if (!narrow) continue;
    EXPECT_GT(parameters["opening_bias"].abs().min().item<double>(), 0) << name;
    // By the outputs: of the closing layer, 3, it is wider than Glorot's.
    const double closing = parameters["closing.weight"].abs().max().item<double>();
    EXPECT_LE(closing, 1 / std::sqrt(3.0)) << name;
    EXPECT_GE(closing, 0.95 / std::sqrt(3.0)) << name;
  }
}

TEST(Baselines, EveryParameterIsInOneGroupAndInTheTable) {
  for (const auto& [name, network] : all_networks(options(5))) {
    std::size_t grouped = 0;
    for (const auto& group : network->parameter_groups()) grouped += group.parameters.size();
    EXPECT_EQ(grouped, network->parameters().size()) << name;
    std::int64_t total = 0;
    for (const auto& p : network->parameters()) total += p.numel();
    const std::string table = network->table();
    EXPECT_NE(table.find(fmt::format(" {}", total)), std::string::npos) << name << "\n" << table;
  }
  const auto groups = nn::Gcnii(options(2), true)->parameter_groups();
  EXPECT_EQ(groups[0].name, "convolution");
  EXPECT_EQ(groups[0].parameters.size(), 2);
  EXPECT_EQ(nn::Convolutions(Stacking::gcn, options(4))->parameter_groups()[0].parameters.size(),
            1);
}

TEST(Baselines, GiveTheFeaturesOfEveryLayer) {
  const Input input = input_on(ragged(16), 5);
  const std::map<std::string, std::size_t> expected{
      {"mlp", 5}, {"gcn", 5},   {"jknet", 5}, {"inception", 5},
      {"gat", 5}, {"appnp", 6}, {"gcnii", 6}, {"gcnii-star", 6}};
  for (const auto& [name, network] : all_networks(options(5))) {
    network->eval();
    std::vector<torch::Tensor> states;
    const auto logits = network->forward(input, {}, &states);
    EXPECT_EQ(states.size(), expected.at(name)) << name;
    EXPECT_TRUE(logits.equal(network->forward(input))) << name;
  }
}

TEST(Baselines, TheBitsDoNotDependOnTheThreads) {
  const int before = at::get_num_threads();
  const Graph graph = ragged(3000);
  const Input input = input_on(graph, 5, torch::kFloat32);
  auto o = options(3);
  o.channels = 32;
  o.drop_edge = 0.2;
  std::vector<torch::Tensor> first;
  for (const int threads : {1, 2, 4}) {
    at::set_num_threads(threads);
    std::vector<torch::Tensor> all;
    for (const auto& [name, network] : all_networks(o, torch::kFloat32)) {
      const auto logits = network->forward(input, {1, 2});
      logits.backward(torch::sin(logits.detach()));
      all.push_back(logits.detach());
      for (const auto& p : network->parameters()) all.push_back(p.grad());
    }
    if (first.empty()) first = all;
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_TRUE(all[k].equal(first[k])) << "tensor " << k << " with " << threads << " threads";
  }
  at::set_num_threads(before);
}

TEST(Baselines, RefuseBadOptionsByName) {
  PDEGCN_EXPECT_ERROR(nn::Convolutions(Stacking::gcn, options(1)), "layers", "at least 2");
  auto o = options(2);
  o.dropout = 1;
  PDEGCN_EXPECT_ERROR(nn::Appnp(o), "dropout");
  o = options(2);
  o.teleport = -0.1;
  PDEGCN_EXPECT_ERROR(nn::Gcnii(o, false), "teleport");
  o = options(2);
  o.lambda = 0;
  PDEGCN_EXPECT_ERROR(nn::Gcnii(o, false), "lambda");
  o = options(2);
  o.channels = 12;
  PDEGCN_EXPECT_ERROR(nn::Gat(o), "multiple of 8", "12");
}

}  // namespace
}  // namespace pdegcn::tests
