#include "pdegcn/nn/network.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/operators.h"
#include "pdegcn/graph/transform.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_graph.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {
namespace {

using nn::Draw;
using nn::Equation;
using nn::Input;
using nn::StackOptions;

Graph ring(NodeId n) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < n; ++i) edges.push_back({i, NodeId((i + 1) % n)});
  for (NodeId i = 0; i + 5 < n; i += 3) edges.push_back({i, i + 5});
  return Graph::from_edges(n, edges);
}

Input dense_input(NodeId nodes, std::int64_t features, torch::ScalarType type = torch::kFloat32) {
  return {pde::Domain(ring(nodes), WeightKind::metropolis, {}, type),
          normal({nodes, features}, 3, type),
          {},
          {},
          {}};
}

data::SparseMatrix sparse_matrix(std::int64_t rows, std::int64_t cols) {
  data::SparseMatrix m{rows, cols, {0}, {}, {}};
  kernels::Random random(9);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < cols; ++k)
      if (random.below(4) == 0) {
        m.columns.push_back(static_cast<std::int32_t>(k));
        m.values.push_back(static_cast<float>(random.normal()));
      }
    m.offsets.push_back(static_cast<std::int64_t>(m.columns.size()));
  }
  return m;
}

StackOptions stack(Equation equation, std::int64_t channels = 8, std::int64_t layers = 3) {
  StackOptions options;
  options.equation = equation;
  options.channels = channels;
  options.layers = layers;
  return options;
}

std::vector<std::string> parameter_names(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& item : module.named_parameters()) names.push_back(item.key());
  return names;
}

TEST(NodeClassifier, IsTable8LayerByLayer) {
  for (const Equation equation : {Equation::diffusion, Equation::hyperbolic, Equation::mixture}) {
    nn::NodeClassifier network(5, 4, 0.0, stack(equation));
    const Input input = dense_input(20, 5);
    const auto f0 =
        torch::relu(std::get<torch::Tensor>(input.features).matmul(network->opening->weight.t()));
    const auto f =
        pde::integrate(input.domain, f0, network->pde->K, *network->pde->dynamics(), 3).last;
    const auto logits = f.matmul(network->closing->weight.t());
    EXPECT_LT(distance(network->forward(input), logits), 1e-6);
    EXPECT_EQ(logits.size(1), 4);
  }
}

TEST(NodeClassifier, SparseAndDenseInputAgree) {
  nn::NodeClassifier network(40, 4, 0.0, stack(Equation::diffusion));
  Input input = dense_input(20, 40);
  const nn::SparseInput sparse(sparse_matrix(20, 40));
  input.features = sparse.dense();
  network->forward(input).square().sum().backward();
  const auto dense_result = network->forward(input);
  const auto dense_gradient = network->opening->weight.grad().clone();
  network->zero_grad();
  input.features = sparse;
  network->forward(input).square().sum().backward();
  EXPECT_LT(distance(network->forward(input), dense_result), 1e-6);
  EXPECT_LT(distance(network->opening->weight.grad(), dense_gradient), 1e-5);
}

TEST(SparseInput, BothProductsAreThoseOfTheDenseMatrix) {
  const nn::SparseInput sparse(sparse_matrix(20, 40), torch::kFloat64);
  const auto x = torch::randn({40, 7}, torch::kFloat64).requires_grad_();
  const auto g = torch::randn({20, 7}, torch::kFloat64);
  const auto truth = torch::autograd::grad({sparse.dense().matmul(x)}, {x}, {g}).front();
  for (const auto& y : {sparse.times(x), sparse.product(x.t())}) {
    EXPECT_LT(distance(y, sparse.dense().matmul(x)), 1e-14);
    EXPECT_LT(distance(torch::autograd::grad({y}, {x}, {g}).front(), truth), 1e-14);
  }
  PDEGCN_EXPECT_ERROR(sparse.times(torch::ones({20, 7}, torch::kFloat64)), "20 x 40", "20 x 7");
}

TEST(NodeClassifier, StartsAsThePlainEquation) {
  nn::NodeClassifier network(5, 4, 0.5, stack(Equation::mixture));
  EXPECT_TRUE(network->pde->K.equal(torch::eye(8).repeat({3, 1, 1})));
  EXPECT_NEAR(network->pde->alpha().item<double>(), 0.5, 1e-7);
  // Glorot's bound, and both signs.
  const auto weight = network->opening->weight;
  const double bound = std::sqrt(6.0 / (5 + 8));
  EXPECT_LE(weight.abs().max().item<double>(), bound);
  EXPECT_GT(weight.max().item<double>(), 0.3 * bound);
  EXPECT_LT(weight.min().item<double>(), -0.3 * bound);
  auto options = stack(Equation::mixture);
  options.alpha = 0.9;
  options.alpha_per_layer = true;
  EXPECT_LT(distance(nn::PdeStack(options)->alpha(), torch::full({3}, 0.9)), 1e-6);
}

TEST(NodeClassifier, DropoutActsInTrainingOnlyAndFollowsTheDraw) {
  auto options = stack(Equation::diffusion);
  options.edge_dropout = 0.3;
  nn::NodeClassifier network(5, 4, 0.5, options);
  const Input input = dense_input(20, 5);
  EXPECT_TRUE(network->forward(input, Draw{1, 1}).equal(network->forward(input, Draw{1, 1})));
  EXPECT_FALSE(network->forward(input, Draw{1, 1}).equal(network->forward(input, Draw{1, 2})));
  EXPECT_FALSE(network->forward(input, Draw{1, 1}).equal(network->forward(input, Draw{2, 1})));
  network->eval();
  EXPECT_TRUE(network->forward(input, Draw{1, 1}).equal(network->forward(input, Draw{2, 2})));
}

TEST(Dropout, KeepsTheMeanAndTheShareAsked) {
  const auto x = torch::ones({400, 500});
  for (const double p : {0.1, 0.5, 0.9}) {
    const auto y = nn::dropout(x, p, {4, 2}, 1);
    EXPECT_NEAR(y.eq(0).to(torch::kFloat64).mean().item<double>(), p, 0.005);
    EXPECT_NEAR(y.to(torch::kFloat64).mean().item<double>(), 1, 0.03);
    EXPECT_FALSE(y.equal(nn::dropout(x, p, {4, 2}, 2)));
  }
  EXPECT_TRUE(nn::dropout(x, 0, {4, 2}, 1).equal(x));
  EXPECT_THROW(nn::dropout(x, 1, {}, 1), Error);
  EXPECT_THROW(nn::dropout(x, -0.1, {}, 1), Error);
}

TEST(ShapeClassifier, IsTable9LayerByLayer) {
  nn::ShapeClassifier network(3, 10, stack(Equation::diffusion));
  network->eval();
  const Graph parts[] = {ring(12), ring(20), ring(7)};
  const Graph* pointers[] = {&parts[0], &parts[1], &parts[2]};
  Input input{pde::Domain(disjoint_union(pointers).graph, WeightKind::metropolis),
              normal({39, 3}, 5, torch::kFloat32),
              {},
              {},
              {12, 20, 7}};
  const auto p = network->named_parameters();
  auto f = torch::relu(std::get<torch::Tensor>(input.features).matmul(p["opening.weight"].t()));
  f = network->pde->forward(input.domain, f);
  f = torch::relu(f.matmul(p["closing.weight"].t()));
  f = torch::stack(
      {f.slice(0, 0, 12).amax(0), f.slice(0, 12, 32).amax(0), f.slice(0, 32, 39).amax(0)});
  // In evaluation a fresh batch normalisation divides by sqrt(1 + 1e-5).
  const double norm = 1 / std::sqrt(1 + 1e-5);
  f = torch::relu(f.matmul(p["head.hidden1.weight"].t()) * norm);
  f = torch::relu(f.matmul(p["head.hidden2.weight"].t()) * norm);
  f = f.matmul(p["head.output.weight"].t()) + p["head.output.bias"];
  EXPECT_LT(distance(network->forward(input), f), 1e-5);
  EXPECT_EQ(p["head.hidden1.weight"].sizes(), (std::vector<std::int64_t>{128, 8}));
  EXPECT_EQ(p["head.hidden2.weight"].sizes(), (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(p["head.output.weight"].sizes(), (std::vector<std::int64_t>{10, 64}));

  input.graph_sizes = {12, 20};
  EXPECT_THROW(network->forward(input), Error);
  input.graph_sizes = {12, 20, 7, 0};
  EXPECT_THROW(network->forward(input), Error);
}

TEST(BatchNorm, IsThatOfTorch) {
  nn::BatchNorm ours(6);
  torch::nn::BatchNorm1d theirs(6);
  for (int step = 0; step < 3; ++step) {
    auto x = (3 + 2 * normal({9, 6}, step, torch::kFloat32)).requires_grad_();
    auto y = x.detach().clone().requires_grad_();
    const auto weights = normal({9, 6}, 50 + step, torch::kFloat32);
    (ours->forward(x) * weights).sum().backward();
    (theirs->forward(y) * weights).sum().backward();
    EXPECT_LT(distance(x.grad(), y.grad()), 1e-5);
  }
  for (const auto& item : theirs->named_parameters()) {
    EXPECT_LT(distance(ours->named_parameters()[item.key()].grad(), item.value().grad()), 1e-5);
  }
  EXPECT_LT(distance(ours->running_mean, theirs->running_mean), 1e-6);
  EXPECT_LT(distance(ours->running_var, theirs->running_var), 1e-6);
  ours->eval();
  theirs->eval();
  const auto x = normal({4, 6}, 9, torch::kFloat32);
  EXPECT_LT(distance(ours->forward(x), theirs->forward(x)), 1e-6);
  ours->train();
  EXPECT_THROW(ours->forward(x.slice(0, 0, 1)), Error);
}

TEST(Correspondence, IsTable10LayerByLayer) {
  nn::Correspondence network(4, 30, stack(Equation::hyperbolic));
  Input input = dense_input(30, 1);
  input.features = torch::ones({30, 1});
  input.odd_attributes = normal({input.domain.graph().num_edges(), 3}, 8, torch::kFloat32);
  const auto p = network->named_parameters();
  auto f = torch::relu(nn::node_input(input).matmul(p["opening.weight"].t()));
  f = network->pde->forward(input.domain, f);
  f = torch::relu(f.matmul(p["closing.weight"].t()));
  f = torch::elu(f.matmul(p["hidden.weight"].t()));
  f = f.matmul(p["output.weight"].t()) + p["output.bias"];
  EXPECT_LT(distance(network->forward(input), f), 1e-5);
  EXPECT_EQ(p["hidden.weight"].sizes(), (std::vector<std::int64_t>{512, 8}));
  EXPECT_EQ(f.size(1), 30);
}

// u_V ⊕ Aᵀu_E ⊕ Gᵀu_E, against the operators of the graph floor, and blind to the direction of
// edges.
TEST(NodeInput, CarriesEdgeAttributesToTheNodes) {
  Input input = dense_input(15, 2, torch::kFloat64);
  const std::int64_t m = input.domain.graph().num_edges();
  input.even_attributes = normal({m, 2}, 1);
  input.odd_attributes = normal({m, 3}, 2);
  const auto gamma = edge_weights(input.domain.graph(), WeightKind::metropolis);
  const auto span = [](const torch::Tensor& t) {
    return std::span<const double>(t.data_ptr<double>(), t.numel());
  };
  const auto even =
      average_adjoint<double>(input.domain.graph(), gamma, span(input.even_attributes), 2);
  const auto odd =
      gradient_adjoint<double>(input.domain.graph(), gamma, span(input.odd_attributes), 3);
  const auto got = nn::node_input(input);
  EXPECT_LT(distance(got.slice(1, 0, 2), std::get<torch::Tensor>(input.features)), 1e-15);
  EXPECT_LT(distance(got.slice(1, 2, 4), torch::tensor(even, torch::kFloat64).view({15, 2})),
            1e-12);
  EXPECT_LT(distance(got.slice(1, 4, 7), torch::tensor(odd, torch::kFloat64).view({15, 3})), 1e-12);
  input.odd_attributes = normal({m + 1, 3}, 2);
  EXPECT_THROW(nn::node_input(input), Error);
}

TEST(Network, NamesItsParametersAndGroupsThem) {
  nn::NodeClassifier network(5, 4, 0.5, stack(Equation::mixture));
  EXPECT_EQ(parameter_names(*network),
            (std::vector<std::string>{"opening.weight", "pde.K", "pde.beta", "closing.weight"}));
  network->pde->learn_weights(dense_input(20, 5).domain);
  const auto groups = network->parameter_groups();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "dense");
  EXPECT_EQ(groups[0].parameters.size(), 2u);
  EXPECT_EQ(groups[1].name, "pde");
  EXPECT_EQ(groups[1].parameters.size(), 2u);  // K and the logarithms of γ
  EXPECT_EQ(groups[2].name, "alpha");
  EXPECT_EQ(groups[2].parameters.size(), 1u);
  std::size_t all = 0;
  for (const auto& group : groups) all += group.parameters.size();
  EXPECT_EQ(all, network->parameters().size());
}

TEST(Network, PrintsItselfAsATable) {
  nn::NodeClassifier network(1433, 7, 0.6, stack(Equation::diffusion, 64, 8));
  const std::string table = network->table();
  for (const char* text : {"dropout 0.6", "opening 1x1 convolution", "n x 64", "91712",
                           "8 x PDE-GCN_D", "32768", "closing", "448", "124928"})
    EXPECT_NE(table.find(text), std::string::npos) << text << " in\n" << table;
  EXPECT_NE(nn::ShapeClassifier(3, 10, stack(Equation::diffusion))->table().find("global max-pool"),
            std::string::npos);
  EXPECT_NE(nn::Correspondence(4, 30, stack(Equation::hyperbolic))->table().find("ELU"),
            std::string::npos);
}

TEST(PdeStack, LearnsEdgeWeightsThatStayPositive) {
  const Input input = dense_input(20, 5);
  nn::NodeClassifier network(5, 4, 0.0, stack(Equation::diffusion));
  const auto before = network->forward(input);
  network->pde->learn_weights(input.domain);
  EXPECT_LT(distance(network->forward(input), before), 1e-5);  // starts where it was
  torch::optim::SGD optimizer(network->pde->parameters(), 0.05);
  for (int k = 0; k < 5; ++k) {
    network->zero_grad();
    network->forward(input).square().sum().backward();
    EXPECT_GT(network->pde->log_gamma.grad().abs().max().item<double>(), 0);
    optimizer.step();
  }
  EXPECT_GT(network->pde->effective(input.domain).gamma().min().item<double>(), 0);
}

TEST(PdeStack, KnowsHowFarItIsFromInstability) {
  const Input input = dense_input(20, 5);
  const double lambda = input.domain.lambda_max();
  auto options = stack(Equation::diffusion);
  options.step = 0.5;
  EXPECT_NEAR(nn::PdeStack(options)->stability_ratio(input.domain), lambda * 0.5 / 2, 1e-4);
  options.equation = Equation::hyperbolic;
  EXPECT_NEAR(nn::PdeStack(options)->stability_ratio(input.domain), lambda * 0.25 / 4, 1e-4);
  options.equation = Equation::mixture;
  EXPECT_NEAR(nn::PdeStack(options)->stability_ratio(input.domain),
              lambda * 0.25 / (4 * 0.5 + 2 * 0.5 * 0.5), 1e-4);
}

// Whole networks, forward and backward: the same bits for every number of threads.
TEST(Network, TheBitsDoNotDependOnTheThreads) {
  const int before = at::get_num_threads();
  const Graph cloud = ring(60);
  std::vector<const Graph*> parts(40, &cloud);
  const auto many = disjoint_union(parts);
  std::vector<torch::Tensor> first;
  for (const int threads : {1, 2, 4, 1}) {
    at::set_num_threads(threads);
    std::vector<torch::Tensor> all;
    const auto run = [&](auto network, const Input& input) {
      network->train();
      const auto logits = network->forward(input, Draw{1, 2});
      const auto labels = torch::arange(logits.size(0)).remainder(logits.size(1));
      torch::nn::functional::cross_entropy(logits, labels).backward();
      all.push_back(logits.detach());
      for (const auto& p : network->parameters()) all.push_back(p.grad());
    };
    torch::manual_seed(1);
    Input node = dense_input(3000, 1);
    node.features = nn::SparseInput(sparse_matrix(3000, 50));
    run(nn::NodeClassifier(50, 7, 0.5, stack(Equation::mixture, 32)), node);
    const Input shapes{pde::Domain(many.graph, WeightKind::metropolis),
                       normal({2400, 3}, 5, torch::kFloat32),
                       {},
                       {},
                       std::vector<std::int64_t>(40, 60)};
    run(nn::ShapeClassifier(3, 10, stack(Equation::diffusion, 32)), shapes);
    Input mesh = dense_input(1500, 1);
    mesh.odd_attributes = normal({mesh.domain.graph().num_edges(), 3}, 8, torch::kFloat32);
    run(nn::Correspondence(4, 1500, stack(Equation::hyperbolic, 32)), mesh);
    if (first.empty()) first = all;
    ASSERT_EQ(first.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_TRUE(all[k].equal(first[k]))
          << "tensor " << k << " of " << all[k].sizes() << " with " << threads;
  }
  at::set_num_threads(before);
}

TEST(Network, GradientsOfAllParametersInDouble) {
  for (const Equation equation : {Equation::diffusion, Equation::hyperbolic, Equation::mixture}) {
    nn::NodeClassifier network(3, 2, 0.3, stack(equation, 4, 2));
    network->to(torch::kFloat64);
    const Input input = dense_input(8, 3, torch::kFloat64);
    const auto loss = [&] { return network->forward(input, Draw{3, 1}).square().sum(); };
    for (const auto& item : network->named_parameters())
      EXPECT_LT(gradient_error(loss, item.value()), 1e-6) << item.key();
  }
}

TEST(Network, RefusesBadOptionsByName) {
  const auto refused = [](StackOptions options, const std::string& word) {
    try {
      nn::PdeStack{options};
      FAIL() << "no error for " << word;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  auto options = stack(Equation::mixture);
  options.layers = 0;
  refused(options, "layers");
  options = stack(Equation::mixture);
  options.channels = 0;
  refused(options, "channels");
  options = stack(Equation::mixture);
  options.step = 0;
  refused(options, "step");
  options = stack(Equation::mixture);
  options.alpha = 1;
  refused(options, "alpha");
  options = stack(Equation::mixture);
  options.edge_dropout = 1;
  refused(options, "edge_dropout");
  EXPECT_THROW(nn::NodeClassifier(5, 4, 1.0, stack(Equation::diffusion)), Error);
  EXPECT_THROW(nn::Linear(0, 4), Error);
  EXPECT_THROW(nn::parse_equation("x"), Error);
  nn::NodeClassifier network(5, 4, 0.0, stack(Equation::diffusion));
  EXPECT_THROW(network->forward(dense_input(20, 6)), Error);
}

}  // namespace
}  // namespace pdegcn::tests
