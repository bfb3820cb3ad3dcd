#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "pdegcn/nn/batch_norm.h"
#include "pdegcn/nn/linear.h"
#include "pdegcn/nn/pde_stack.h"
#include "pdegcn/nn/shape_head.h"

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

// What the training loop needs of a network.
class Network : public torch::nn::Module {
 public:
  // Logits: a row per node or per graph. `draw` is used in training only. Where `states` is not
  // null, the node features of every layer are appended to it.
  virtual torch::Tensor forward(const Input& input, const Draw& draw = {},
                                std::vector<torch::Tensor>* states = nullptr) = 0;

  // All parameters, each in one group: "dense" learns with weight decay, "convolution" with a decay
  // of its own, "plain" with none; "pde" and "alpha" have rates of their own.
  virtual std::vector<ParameterGroup> parameter_groups() const = 0;

  // The layers as the paper's tables list them, with shapes and numbers of parameters.
  std::string table() const;

 protected:
  // K u, with dropout p of the input in training.
  torch::Tensor enter(Linear layer, const Input& input, double p, const Draw& draw) const;

  virtual std::vector<LayerRow> rows() const = 0;  // of the table
  static LayerRow row_of(const std::string& name, const Linear& layer, const char* rows = "n");
  static LayerRow dropout_row(double p, std::int64_t channels);
};

// A network of appendix B: an opening layer, a PDE stack, a closing layer and a head.
class PdeNetwork : public Network {
 public:
  PdeNetwork(std::int64_t inputs, std::int64_t closing_outputs, const StackOptions& stack);

  // "dense" with all layers around the stack, "pde" with K and learnt weights, and "alpha".
  std::vector<ParameterGroup> parameter_groups() const override;

  Linear opening{nullptr};
  PdeStack pde{nullptr};
  Linear closing{nullptr};

 protected:
  // ReLU(K_o u), with dropout p of the input in training, marched through the stack.
  torch::Tensor march(const Input& input, double p, const Draw& draw,
                      std::vector<torch::Tensor>* states);

  virtual std::vector<LayerRow> head_rows() const = 0;  // what follows the stack
  virtual double input_dropout() const { return 0; }

 private:
  std::vector<LayerRow> rows() const override;
};

// Table 8, for node classification: dropout, opening, ReLU, stack, dropout, closing.
class NodeClassifierImpl : public PdeNetwork {
 public:
  NodeClassifierImpl(std::int64_t inputs, std::int64_t classes, double dropout,
                     const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;

 private:
  std::vector<LayerRow> head_rows() const override;
  double input_dropout() const override { return dropout_; }
  double dropout_;
};
TORCH_MODULE(NodeClassifier);

// Table 9, for shapes: opening, ReLU, stack, closing, ReLU and ShapeHead.
class ShapeClassifierImpl : public PdeNetwork {
 public:
  ShapeClassifierImpl(std::int64_t inputs, std::int64_t classes, const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;

 private:
  std::vector<LayerRow> head_rows() const override;
  ShapeHead head{nullptr};
};
TORCH_MODULE(ShapeClassifier);

// Table 10, for dense correspondence: opening, ReLU, stack, closing, ReLU, 512 units, ELU, and a
// fully connected layer to the vertices of the template.
class CorrespondenceImpl : public PdeNetwork {
 public:
  CorrespondenceImpl(std::int64_t inputs, std::int64_t template_vertices,
                     const StackOptions& stack);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;

  // What the last layer sees, n x 512: enough to learn and to answer from without the n x n logits,
  // see nn/classification.h.
  torch::Tensor descriptors(const Input& input, const Draw& draw = {},
                            std::vector<torch::Tensor>* states = nullptr);

  Linear output{nullptr};

 private:
  std::vector<LayerRow> head_rows() const override;
  Linear hidden{nullptr};
};
TORCH_MODULE(Correspondence);

}  // namespace pdegcn::nn
