#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "pdegcn/nn/batch_norm.h"
#include "pdegcn/nn/linear.h"
#include "pdegcn/nn/pde_stack.h"

namespace pdegcn::nn {

// What a network sees: a domain and what lies on it.
struct Input {
  pde::Domain domain;
  std::variant<torch::Tensor, SparseInput> features;  // n x c_in
  torch::Tensor odd_attributes = {};           // m x p, or undefined; see data::EdgeAttributes
  torch::Tensor even_attributes = {};          // m x q, or undefined
  std::vector<std::int64_t> graph_sizes = {};  // nodes of each graph, where there are many
};

// u_V ⊕ Aᵀu_E ⊕ Gᵀu_E: node features with the edge attributes carried to the nodes, even ones by
// the average and odd ones by the gradient, so that the direction of an edge never matters. Dense.
torch::Tensor node_input(const Input& input);

// Parameters that share a learning rate and a weight decay.
struct ParameterGroup {
  std::string name;
  std::vector<torch::Tensor> parameters;
};

// One line of the table that a network prints of itself.
struct LayerRow {
  std::string layer;
  std::string output;
  std::int64_t parameters = 0;
};

// A network of appendix B: an opening layer, a PDE stack, a closing layer and a head.
class Network : public torch::nn::Module {
 public:
  Network(std::int64_t inputs, std::int64_t closing_outputs, const StackOptions& stack);

  // Logits: a row per node or per graph. `draw` is used in training only.
  virtual torch::Tensor forward(const Input& input, const Draw& draw = {}) = 0;

  // "opening_closing" with all layers around the stack, "pde" with K and learnt weights, and
  // "alpha".
  std::vector<ParameterGroup> parameter_groups() const;

  // The layers as the paper's tables list them, with shapes and numbers of parameters.
  std::string table() const;

  Linear opening{nullptr};
  PdeStack pde{nullptr};
  Linear closing{nullptr};

 protected:
  // ReLU(K_o u), with dropout p of the input in training.
  torch::Tensor open(const Input& input, double p, const Draw& draw);

  virtual std::vector<LayerRow> head_rows() const = 0;  // what follows the stack
  virtual double input_dropout() const { return 0; }
  static LayerRow row_of(const std::string& name, const Linear& layer, const char* rows);
};

// Table 8, for node classification: dropout, opening, ReLU, stack, dropout, closing.
class NodeClassifierImpl : public Network {
 public:
  NodeClassifierImpl(std::int64_t inputs, std::int64_t classes, double dropout,
                     const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {}) override;

 private:
  std::vector<LayerRow> head_rows() const override;
  double input_dropout() const override { return dropout_; }
  double dropout_;
};
TORCH_MODULE(NodeClassifier);

// Table 9, for shapes: opening, ReLU, stack, closing, ReLU, the largest value of each channel over
// a graph, then 128 and 64 units with batch normalisation, ReLU and dropout 0.5, and a fully
// connected layer.
class ShapeClassifierImpl : public Network {
 public:
  ShapeClassifierImpl(std::int64_t inputs, std::int64_t classes, const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {}) override;

 private:
  std::vector<LayerRow> head_rows() const override;
  Linear hidden1{nullptr}, hidden2{nullptr}, output{nullptr};
  BatchNorm norm1{nullptr}, norm2{nullptr};
};
TORCH_MODULE(ShapeClassifier);

// Table 10, for dense correspondence: opening, ReLU, stack, closing, ReLU, 512 units, ELU, and a
// fully connected layer to the vertices of the template.
class CorrespondenceImpl : public Network {
 public:
  CorrespondenceImpl(std::int64_t inputs, std::int64_t template_vertices,
                     const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {}) override;

 private:
  std::vector<LayerRow> head_rows() const override;
  Linear hidden{nullptr}, output{nullptr};
};
TORCH_MODULE(Correspondence);

}  // namespace pdegcn::nn
