#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pdegcn/nn/network.h"

namespace pdegcn::train {

// How fast the groups of a network learn, see nn::Network::parameter_groups().
struct Rates {
  double rate = 0.01;  // of all groups but these
  double pde = 1e-4;
  double alpha = 0.01;
  double weight_decay = 5e-4;    // of "dense"
  double convolution_decay = 0;  // of "convolution"
};

// Adam (Kingma and Ba, 2015) with the L2 term in the gradient, which is how the paper means weight
// decay; as torch::optim::Adam, but its state is plain tensors by name, and its bits do not depend
// on the number of threads.
class Adam {
 public:
  Adam(const nn::Network& network, const Rates& rates);

  // One step along the gradients, with all rates times `factor`. A norm of all gradients above
  // `clip` is cut to it, unless `clip` is 0. When a gradient is not finite nothing is changed: then
  // the name of its parameter is returned, else an empty text.
  std::string step(double factor = 1, double clip = 0);

  // Forgets the gradients.
  void zero_grad();

  struct Slot {
    std::string name;
    torch::Tensor parameter;
    torch::Tensor mean;    // first moment
    torch::Tensor square;  // second moment
    double rate = 0;
    std::string_view setting = {};  // that the rate comes from
    double decay = 0;
  };
  std::vector<Slot> slots;
  std::int64_t steps = 0;
};

}  // namespace pdegcn::train
