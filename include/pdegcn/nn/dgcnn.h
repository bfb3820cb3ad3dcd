#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pdegcn/nn/baselines.h"
#include "pdegcn/nn/batch_norm.h"

namespace pdegcn::nn {

// The k nearest rows of every row of x (n x c, floats), itself among them, as int32 (n x k); see
// kernels/neighbors.h. No gradient passes: neighbours are chosen, not learnt.
torch::Tensor feature_neighbors(const torch::Tensor& x, std::span<const std::int64_t> graph_sizes,
                                int k);

// out_i = max over the rows j in index_i of x_j, channel by channel.
torch::Tensor neighbor_max(const torch::Tensor& x, const torch::Tensor& index);

// EdgeConv (Wang et al., 2019): max over neighbours j of θ (x_j - x_i) + φ x_i, then batch
// normalisation and leaky ReLU. As the maximum does not touch what belongs to i it is
// max_j θ x_j + (φ - θ) x_i, two products on nodes; and normalisation follows the maximum, not the
// edges.
class EdgeConvImpl : public torch::nn::Module {
 public:
  EdgeConvImpl(std::int64_t inputs, std::int64_t outputs);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& index);

  Linear own{nullptr};    // φ - θ
  Linear other{nullptr};  // θ
  BatchNorm norm{nullptr};
};
TORCH_MODULE(EdgeConv);

// DGCNN: layers of EdgeConv, each on the k-nn graph of the features that it is given, and a closing
// layer that sees the outputs of all. The graph of the data set takes no part. With an opening
// layer, ReLU(K_o u), the first EdgeConv works on hidden features, else on the input.
class DgcnnImpl : public Baseline {
 public:
  DgcnnImpl(const BaselineOptions& options, int k, bool opens);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;
  std::vector<ParameterGroup> parameter_groups() const override;

 private:
  int k_;
  Linear opening{nullptr}, closing{nullptr};
  std::vector<EdgeConv> layers_;
};
TORCH_MODULE(Dgcnn);

// DGCNN with the dynamics of diffusion: its k-nn graphs, rebuilt from the features before every
// layer, and on them the paper's equation (6) in place of EdgeConv, with metropolis weights.
class DgcnnDiffusionImpl : public Baseline {
 public:
  DgcnnDiffusionImpl(const BaselineOptions& options, int k, double step);
  torch::Tensor forward(const Input& input, const Draw& draw = {},
                        std::vector<torch::Tensor>* states = nullptr) override;

  // "dense" with opening and closing, "pde" with K.
  std::vector<ParameterGroup> parameter_groups() const override;

  torch::Tensor K;  // L x c x c, from the identity

 private:
  int k_;
  pde::Diffusion dynamics_;
  Linear opening{nullptr}, closing{nullptr};
};
TORCH_MODULE(DgcnnDiffusion);

}  // namespace pdegcn::nn
