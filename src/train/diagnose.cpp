#include "pdegcn/train/diagnose.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pdegcn/nn/propagation.h"
#include "pdegcn/report/table.h"

namespace pdegcn::train {
namespace {

struct Sums {
  double energy = 0;
  double square = 0;
  double cosines = 0;  // over ordered pairs of different nodes
  double pairs = 0;
};

// Adds one graph, rows of f and of Â f. The cosines of all pairs are ‖Σ u‖² less those of nodes
// with themselves, u being the unit rows.
void add_graph(Sums& sums, const double* f, const double* spread, std::int64_t nodes,
               std::int64_t channels) {
  std::vector<double> unit_sum(channels, 0);
  double count = 0;
  for (std::int64_t i = 0; i < nodes; ++i, f += channels, spread += channels) {
    double square = 0;
    for (std::int64_t k = 0; k < channels; ++k) {
      square += f[k] * f[k];
      sums.energy += f[k] * (f[k] - spread[k]);
    }
    sums.square += square;
    if (square == 0) continue;
    ++count;
    for (std::int64_t k = 0; k < channels; ++k) unit_sum[k] += f[k] / std::sqrt(square);
  }
  double square = 0;
  for (const double value : unit_sum) square += value * value;
  sums.cosines += square - count;
  sums.pairs += count * (count - 1);
}

}  // namespace

std::vector<LayerReading> diagnose(const Problem& problem, nn::Network& network) {
  const torch::NoGradGuard no_grad;
  network.eval();
  std::vector<Sums> sums;
  problem.for_each_input([&](const nn::Input& input) {
    std::vector<torch::Tensor> states;
    network.forward(input, {}, &states);
    const nn::Propagation propagation(input.domain.graph(), torch::kFloat64);
    sums.resize(states.size());
    for (std::size_t l = 0; l < states.size(); ++l) {
      const auto f = states[l].to(torch::kFloat64).contiguous();
      const auto spread = propagation(f).contiguous();
      std::int64_t first = 0;
      for (const std::int64_t nodes : input.graph_sizes) {
        add_graph(sums[l], f.data_ptr<double>() + first * f.size(1),
                  spread.data_ptr<double>() + first * f.size(1), nodes, f.size(1));
        first += nodes;
      }
    }
  });
  std::vector<LayerReading> readings;
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const Sums& s : sums)
    readings.push_back({s.square > 0 ? s.energy / s.square : nothing, std::sqrt(s.square),
                        s.pairs > 0 ? s.cosines / s.pairs : nothing});
  return readings;
}

std::string layers_csv(const std::vector<LayerReading>& readings) {
  report::Table table({"layer", "energy", "norm", "similarity"});
  const auto cell = [](double value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
  };
  for (std::size_t l = 0; l < readings.size(); ++l)
    table.add({fmt::format("{}", l), cell(readings[l].energy), cell(readings[l].norm),
               cell(readings[l].similarity)});
  return table.csv();
}

}  // namespace pdegcn::train
