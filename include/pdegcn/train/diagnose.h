#pragma once

#include <string>
#include <vector>

#include "pdegcn/train/problem.h"

namespace pdegcn::train {

// How smooth the node features f of a layer are.
struct LayerReading {
  double energy = 0;      // ⟨f, (I - Â) f⟩ / ‖f‖², from 0 to 2; NaN where f is 0
  double norm = 0;        // ‖f‖
  double similarity = 0;  // mean cosine of the angles between the features of two nodes of a graph;
                          // NaN without two nodes that have any
};

// A network on all graphs, layer by layer: first what its opening layer gives, then each layer.
// The Laplacian is that of nn::Propagation whatever the network, so that networks can be compared.
std::vector<LayerReading> diagnose(const Problem& problem, nn::Network& network);

// layers.csv: a row per layer, from 0.
std::string layers_csv(const std::vector<LayerReading>& readings);

}  // namespace pdegcn::train
