#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "case.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"

namespace pdegcn::bench {

// The learnt matrices; opening and closing are undefined where the stack stands alone.
struct Weights {
  torch::Tensor opening;  // channels x inputs
  torch::Tensor K;        // layers x channels x channels
  torch::Tensor closing;  // classes x channels
};

// A case made ready: what all sides that are compared compute with.
class Workload {
 public:
  Workload(const Case& what, bool quick);
  // Further settings, such as the memory mode.
  Workload(const Case& what, bool quick, const train::RunConfig& settings);

  Case what;
  train::RunConfig config;
  data::Dataset data;
  data::Split split;
  std::unique_ptr<train::Problem> problem;  // null where the stack stands alone
  nn::StackOptions stack;
  nn::Input input;
  Weights weights;         // K is not the identity, so that K and its transpose can be told apart
  torch::Tensor f0;        // the stack alone: where it starts, and
  torch::Tensor last_bar;  // the gradient at its end

  std::int64_t nodes() const { return input.domain.graph().num_nodes(); }
  std::int64_t edges() const { return input.domain.graph().num_edges(); }
  // The bag-of-words features, or null.
  const data::SparseMatrix* words() const;
};

}  // namespace pdegcn::bench
