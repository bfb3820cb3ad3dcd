#include "pdegcn/nn/shape_network.h"

namespace pdegcn::nn {

ShapeNetworkImpl::ShapeNetworkImpl(std::shared_ptr<Network> nodes, std::int64_t width,
                                   std::int64_t classes)
    : nodes_(register_module("nodes", std::move(nodes))),
      head(register_module("head", ShapeHead(width, classes))) {}

torch::Tensor ShapeNetworkImpl::forward(const Input& input, const Draw& draw,
                                        std::vector<torch::Tensor>* states) {
  return head->forward(torch::relu(nodes_->forward(input, draw, states)), input.graph_sizes, draw);
}

std::vector<ParameterGroup> ShapeNetworkImpl::parameter_groups() const {
  std::vector<ParameterGroup> groups = nodes_->parameter_groups();
  groups.push_back({"dense", head->parameters()});
  return groups;
}

std::vector<LayerRow> ShapeNetworkImpl::rows() const {
  std::vector<LayerRow> rows;
  for (const auto& [name, output] :
       {std::pair("nodes", "n x " + std::to_string(head->hidden1->inputs())),
        {"head", "1 x " + std::to_string(head->output->outputs())}}) {
    LayerRow row{name, output, 0};
    for (const auto& item : named_parameters())
      if (item.key().rfind(name, 0) == 0) row.parameters += item.value().numel();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace pdegcn::nn
