#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "pdegcn/nn/network.h"
#include "pdegcn/nn/propagation.h"

namespace pdegcn::nn {

// The methods that the paper compares itself with, for node classification.
struct BaselineOptions {
  std::int64_t inputs = 1;
  std::int64_t classes = 2;
  std::int64_t layers = 2;
  std::int64_t channels = 64;
  double dropout = 0.5;   // before every layer, in training
  double drop_edge = 0;   // the share of edges that a training step leaves out
  double teleport = 0.1;  // APPNP, GCNII: the share of the first features in every step
  double lambda = 0.5;    // GCNII: its weights count with log(lambda / l + 1) in layer l
};

// What they share.
class Baseline : public Network {
 protected:
  explicit Baseline(const BaselineOptions& options, std::int64_t fewest_layers = 2);

  Propagation propagation(const Input& input, const Draw& draw) const;

  // Dropout in training; the layers' sites count from 1, which is the input's.
  torch::Tensor drop(const torch::Tensor& x, const Draw& draw, std::uint64_t site) const;

  std::vector<LayerRow> rows() const override;  // a row per bias, one per layer

  const BaselineOptions options_;
};

// Stacks of graph convolutions f ↦ ReLU(Â f Wᵀ + b).
enum class Stacking {
  mlp,        // without Â: sees no graph
  gcn,        // Kipf and Welling (2017)
  jknet,      // the last convolution sees all hidden layers (Xu et al., 2018)
  inception,  // the last convolution sees the ends of branches of 0 to L - 2 layers, all from the
              // first hidden one (Rong et al., 2020)
};

// L layers: opening, L - 2 hidden ones (the longest branch), and closing to the classes. MLP and
// GCN are as Kipf and Welling have them: no bias, weights from Glorot's distribution, decay of the
// opening. The others are as DropEdge's authors have them: weights and bias from other ranges,
// decay of all.
class ConvolutionsImpl : public Baseline {
 public:
  ConvolutionsImpl(Stacking stacking, const BaselineOptions& options);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

 private:
  struct Layer {
    Linear features{nullptr};
    torch::Tensor bias;  // undefined in MLP and GCN
  };
  Layer make_layer(const std::string& name, std::int64_t inputs, std::int64_t outputs);

  Stacking stacking_;
  Layer opening_, closing_;
  std::vector<std::vector<Layer>> branches_;
};
TORCH_MODULE(Convolutions);

// APPNP (Klicpera et al., 2019): a perceptron with one hidden layer gives Z⁰, then
// Z ← (1 - teleport) Â Z + teleport Z⁰, L times. Dropout acts on Â too.
class AppnpImpl : public Baseline {
 public:
  explicit AppnpImpl(const BaselineOptions& options);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

 private:
  Linear opening{nullptr}, closing{nullptr};
};
TORCH_MODULE(Appnp);

// GCNII (Chen et al., 2020): H⁰ = ReLU(X Wᵀ + b), then L layers
//   H ← ReLU(((1 - β) I + β W) P),  P = (1 - teleport) Â H + teleport H⁰,  β = log(lambda / l + 1)
// and a closing layer. In GCNII* the two parts of P have a W each.
class GcniiImpl : public Baseline {
 public:
  GcniiImpl(const BaselineOptions& options, bool star);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

 private:
  Linear opening{nullptr}, closing{nullptr};
  torch::Tensor weight;   // L x c x c
  torch::Tensor initial;  // L x c x c, of GCNII*
};
TORCH_MODULE(Gcnii);

// GAT (Veličković et al., 2018): layers of 8 heads with channels / 8 units each, joined and put
// through ELU, and a last layer of one head to the classes. Dropout acts on the attention too.
class GatImpl : public Baseline {
 public:
  explicit GatImpl(const BaselineOptions& options);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

  static constexpr std::int64_t heads = 8;

 private:
  struct Layer {
    Linear features{nullptr};
    torch::Tensor own, other;  // attention: heads x units, for the node and for its neighbour
    torch::Tensor bias;
  };
  std::vector<Layer> layers_;
};
TORCH_MODULE(Gat);

}  // namespace pdegcn::nn
