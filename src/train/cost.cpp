#include "pdegcn/train/cost.h"

#include <algorithm>

namespace pdegcn::train {
namespace {

// Before anything is measured: a step of Cora with 8 layers of 64 channels in 30 ms, and a run that
// stops after a third of its epochs.
constexpr double kFirstRate = 2.4e-11;
constexpr double kFirstShare = 1.0 / 3;

constexpr double kHeadWidth = 512;  // of the hidden layer of table 10

// Operations of an epoch, a pass over an edge counted as worth twenty of a product.
double operations(const RunConfig& config, const data::Dataset& data) {
  double nodes = 0, edges = 0, inputs = 0;
  for (const data::Sample& sample : data.samples) {
    nodes += static_cast<double>(sample.graph.num_nodes());
    edges += static_cast<double>(sample.graph.num_edges());
    if (const auto* sparse = std::get_if<data::SparseMatrix>(&sample.features))
      inputs += static_cast<double>(sparse->values.size());
    else
      inputs += static_cast<double>(std::get<data::DenseMatrix>(sample.features).values.size());
  }
  const auto c = static_cast<double>(config.channels);
  // Inception has branches of 1, 2, ... layers.
  const auto given = static_cast<double>(config.layers);
  const double layers = config.model == "inception" ? given * (given + 1) / 2 : given;
  // A correspondence ends in a product with all vertices of the template, which outweighs the rest.
  const double head = config.task == "correspondence"
                          ? 6 * nodes * kHeadWidth * (c + static_cast<double>(data.num_classes()))
                          : 0;
  return head + 6 * inputs * c + layers * (12 * nodes * c * c + 40 * edges * c + 40 * nodes * c);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void CostModel::time(const RunConfig& config, const data::Dataset& data, double seconds_per_epoch) {
  rates_[config.model].push_back(seconds_per_epoch / operations(config, data));
}

void CostModel::end(const RunConfig& config, std::int64_t epochs) {
  if (config.patience == 0) return;
  shares_ += static_cast<double>(epochs) / static_cast<double>(config.epochs);
  ++ends_;
}

double CostModel::seconds(const RunConfig& config, const data::Dataset& data) const {
  double rate = kFirstRate;
  if (const auto own = rates_.find(config.model); own != rates_.end()) {
    rate = median(own->second);
  } else if (!rates_.empty()) {
    std::vector<double> all;
    for (const auto& [model, rates] : rates_) all.insert(all.end(), rates.begin(), rates.end());
    rate = median(all);
  }
  const double share = config.patience == 0 ? 1
                       : ends_ == 0         ? kFirstShare
                                            : shares_ / static_cast<double>(ends_);
  return rate * operations(config, data) * share * static_cast<double>(config.epochs);
}

}  // namespace pdegcn::train
