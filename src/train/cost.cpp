#include "pdegcn/train/cost.h"

#include <algorithm>

#include "pdegcn/kernels/targets.h"

namespace pdegcn::train {
namespace {

// Before anything is measured: a run that stops after a third of its epochs.
constexpr double kFirstShare = 1.0 / 3;

// What one core with AVX-512 took, in seconds: for an epoch, for an entry of the features and a
// channel, for a layer's edge and channel, node and channel, and an operation of its products,
// those on the matrix unit apart. D, M, GCN, GCNII and JKNet with 16 to 256 channels on Cora,
// CiteSeer, PubMed and Chameleon took that within a third.
constexpr double kEpoch = 2e-3;
constexpr double kEntry = 3.5e-10;
constexpr double kEdge = 4e-9;
constexpr double kNode = 3e-9;
constexpr double kProduct = 8e-12;
constexpr double kTileProduct = 4e-12;

constexpr double kHeadWidth = 512;  // of the hidden layer of table 10

// Seconds of an epoch on that core.
double nominal(const RunConfig& config, const data::Dataset& data) {
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
  const double product = c >= 128 && kernels::target() == "AMX" ? kTileProduct : kProduct;
  // A correspondence ends in a product with all vertices of the template, which outweighs the rest.
  const double head = config.task == "correspondence"
                          ? 6 * nodes * kHeadWidth * (c + static_cast<double>(data.num_classes()))
                          : 0;
  return kEpoch + kEntry * inputs * c + product * head +
         layers * c * (product * 12 * nodes * c + kEdge * edges + kNode * nodes);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The median of what was seen of a model, or of all models when it was not.
double typical(const std::map<std::string, std::vector<double>>& seen, const std::string& model,
               double otherwise) {
  if (const auto own = seen.find(model); own != seen.end()) return median(own->second);
  std::vector<double> all;
  for (const auto& [name, values] : seen) all.insert(all.end(), values.begin(), values.end());
  return all.empty() ? otherwise : median(all);
}

}  // namespace

void CostModel::time(const RunConfig& config, const data::Dataset& data, double seconds_per_epoch) {
  rates_[config.model].push_back(seconds_per_epoch / nominal(config, data));
}

void CostModel::end(const RunConfig& config, std::int64_t epochs) {
  if (config.patience == 0) return;
  shares_[config.model].push_back(static_cast<double>(epochs) / static_cast<double>(config.epochs));
}

double CostModel::seconds(const RunConfig& config, const data::Dataset& data) const {
  const double share = config.patience == 0 ? 1 : typical(shares_, config.model, kFirstShare);
  return typical(rates_, config.model, 1) * nominal(config, data) * share *
         static_cast<double>(config.epochs);
}

}  // namespace pdegcn::train
