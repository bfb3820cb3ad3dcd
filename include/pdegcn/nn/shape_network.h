#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "pdegcn/nn/network.h"

namespace pdegcn::nn {

// A network for graphs made of one for nodes: its outputs, of which there are `width`, go through
// ReLU and the head of table 9. It has the parameter groups of that network, and the head learns as
// its dense layers do.
class ShapeNetworkImpl : public Network {
 public:
  ShapeNetworkImpl(std::shared_ptr<Network> nodes, std::int64_t width, std::int64_t classes);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

 private:
  std::vector<LayerRow> rows() const override;
  std::shared_ptr<Network> nodes_;
  ShapeHead head{nullptr};
};
TORCH_MODULE(ShapeNetwork);

}  // namespace pdegcn::nn
