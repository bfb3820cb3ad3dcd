#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pdegcn/nn/network.h"
#include "pdegcn/train/adam.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/scaling.h"
#include "pdegcn/train/selection.h"

namespace pdegcn::train {

// Tensors by the names they have in a network: "opening.weight", "pde.K", ...
using Weights = std::map<std::string, torch::Tensor>;

// Copies of the parameters and buffers of a network; and back. Throws Error that names the tensor
// when names or shapes differ; `where` begins the message.
Weights weights_of(const nn::Network& network);
void load_weights(nn::Network& network, const Weights& weights, const std::string& where);

// What last.safetensors holds.
struct Checkpoint {
  RunConfig config;
  std::string fingerprint;  // of the data, see Problem
  Standing standing;
  Weights weights;
  Weights best;  // those of the chosen epoch
  Weights mean;  // the moments of Adam
  Weights square;
  std::int64_t steps = 0;  // of Adam
};

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::filesystem::path& path);

// What best.safetensors holds: weights for others to use.
struct Trained {
  RunConfig config;
  std::int64_t epoch = 0;
  std::vector<std::string> classes;  // names of the outputs
  bool multi_label = false;
  Weights weights;
  std::string graph;     // see Problem::edges_fingerprint()
  Scaling scaling = {};  // of the features, where they are standardised
};

void write_trained(const std::filesystem::path& path, const Trained& trained);
Trained read_trained(const std::filesystem::path& path);

}  // namespace pdegcn::train
