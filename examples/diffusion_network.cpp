// A diffusion network on an edge list: Zachary's karate club, where the sides of its two leaders
// are known and those of all other members are to be found.
#include <fmt/format.h>

#include "pdegcn/data/karate.h"
#include "pdegcn/nn/network.h"

using namespace pdegcn;

int main() {
  const data::Dataset club = data::karate_club();
  const auto friends = club.samples[0].graph.edges();  // any list of pairs of nodes will do
  Graph graph = Graph::from_edges(34, {friends.begin(), friends.end()});
  const nn::Input input{.domain = pde::Domain(std::move(graph), WeightKind::metropolis),
                        .features = torch::eye(34)};
  const auto sides =
      torch::tensor(std::get<data::NodeLabels>(club.targets).label).to(torch::kInt64);
  const auto leaders = torch::tensor({0, 33});

  torch::manual_seed(1);
  nn::StackOptions stack;  // diffusion, unless another equation is asked for
  stack.layers = 8;
  stack.channels = 16;
  nn::NodeClassifier network(34, 2, /*dropout=*/0.5, stack);
  fmt::print("{}\n", network->table());

  std::vector<torch::optim::OptimizerParamGroup> groups;  // the equation learns slowly
  for (const auto& [name, parameters] : network->parameter_groups())
    groups.emplace_back(
        parameters, std::make_unique<torch::optim::AdamOptions>(name == "dense" ? 0.03 : 0.001));
  torch::optim::Adam adam(groups);
  for (std::uint64_t step = 0; step < 50; ++step) {
    const auto logits = network->forward(input, {.seed = 1, .step = step});
    const auto loss = torch::cross_entropy_loss(logits.index({leaders}), sides.index({leaders}));
    adam.zero_grad();
    loss.backward();
    adam.step();
  }

  network->eval();
  const auto right = network->forward(input).argmax(1).eq(sides).sum().item<std::int64_t>();
  const double ratio = network->pde->stability_ratio(input.domain);
  fmt::print("{} of 34 members on the right side; stability {:.2f}, at most 1\n", right, ratio);
  return right >= 31 && ratio <= 1 ? 0 : 1;
}
