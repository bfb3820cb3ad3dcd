#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workload.h"

namespace pdegcn::bench {

// Loss and gradients, in the order of Weights; those that are not there are left out.
struct Derivatives {
  double loss = 0;
  std::vector<torch::Tensor> gradients;
};

// How far two derivatives lie apart: the largest relative difference of the losses and, by their
// norms, of the gradients.
double difference(const Derivatives& a, const Derivatives& b);

// One of those that compute the same step and are compared. All start with the workload's weights.
class Side {
 public:
  virtual ~Side() = default;

  // Forward, loss, backward and Adam; forward and backward for the stack alone.
  virtual void train() = 0;

  // Forward, and loss and accuracy on the validation part.
  virtual void evaluate() = 0;

  // Without dropout, at the weights of now.
  virtual Derivatives derivatives() = 0;
};

// The classes that `pdegcn train` uses.
std::unique_ptr<Side> ours(const Workload& workload);

// The same networks written with tensor operations of ATen, each as fast as its way of writing
// allows.
enum class Formulation {
  paper,  // edge tensors in both directions, K applied to edges, dense input
  torch,  // K applied to nodes, each edge once, index_select and index_add, sparse input if faster
  tuned,  // what ATen can do at best: G and Gᵀ as embedding bags, their adjoint written by hand
};
// The stack alone as the paper's formulation has it: f0 (n x c) through one layer for each row of
// the coefficients, see pde/dynamics.h.
torch::Tensor march_on_edges(const pde::Domain& domain, const torch::Tensor& f0,
                             const torch::Tensor& K, const torch::Tensor& coefficients);

// What the machine has left to give, in bytes.
std::int64_t available_memory();

// The bytes that a formulation holds at its peak, edge tensors alone.
std::int64_t edge_bytes(Formulation formulation, const Workload& workload);

// `tuned` computes its edge tensors again on the way back where all of them would not fit into the
// memory given.
std::unique_ptr<Side> formulated(Formulation formulation, const Workload& workload,
                                 std::int64_t memory = available_memory());

}  // namespace pdegcn::bench
