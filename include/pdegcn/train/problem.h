#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/nn/network.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/loss.h"
#include "pdegcn/train/scaling.h"

namespace pdegcn::train {

enum class Part { kTrain, kValidation, kTest };

// What a network is shown at once, and what it should answer.
struct Batch {
  nn::Input input;
  Answers answers;
};

// The same as in loss.h for a tensor of floats; `gradient` becomes a new one.
Outcome judge(const torch::Tensor& logits, const Answers& answers,
              torch::Tensor* gradient = nullptr);

// Shows a network in training a batch and leaves the derivatives of the mean loss in the gradients
// of its parameters.
Outcome teach(nn::Network& network, const Batch& batch, const nn::Draw& draw);

// A data set with one split, made ready for a network: one graph of which some nodes are learnt
// from, or many graphs of which some are. The answers of a part are read when they are first asked
// for, and not before. The data set must outlive it.
class Problem {
 public:
  // Features that are to be standardised are scaled as the split asks for. Throws Error when the
  // data set, the split and the settled config do not fit together.
  Problem(const data::Dataset& data, data::Split split, const RunConfig& config);

  // The same for a network that was trained with a scaling.
  Problem(const data::Dataset& data, data::Split split, const RunConfig& config, Scaling scaling);

  // Without a split and answers, for what a network of that many outputs says.
  Problem(const data::Dataset& data, std::int64_t outputs, const RunConfig& config,
          Scaling scaling = {});

  // A network with the weights that the seed of the config gives.
  std::shared_ptr<nn::Network> make_network() const;

  // An epoch is that many batches; which graphs they hold depends on seed and epoch alone.
  std::int64_t batches_per_epoch() const;
  Batch training_batch(std::int64_t epoch, std::int64_t k) const;

  // What a network sees of one sample.
  nn::Input input(std::int32_t sample) const { return input_of({&sample, 1}, 0); }

  const Scaling& scaling() const { return scaling_; }

  // The share of the most common label of a part, which who knows nothing else can answer with; NaN
  // where there are several labels per node.
  double most_common(Part part) const;

  bool has(Part part) const { return !indices(part).empty(); }

  // How a network does on some parts and, where `answered` is not null, what it says of each: a
  // class per row, unless rows have several labels.
  std::vector<Outcome> evaluate(nn::Network& network, std::span<const Part> parts,
                                std::vector<Answered>* answered = nullptr);

  // All graphs, one batch after the other.
  void for_each_input(const std::function<void(const nn::Input&)>& action) const;

  // The best class of every node or graph and, if wanted, all logits, row by row.
  struct Said {
    std::vector<std::int64_t> classes;
    std::vector<float> logits;
  };
  Said say(nn::Network& network, bool logits) const;

  // A checksum of what a run learns from: graphs, features, split, and the answers of all but the
  // test part. Eight hexadecimal digits.
  std::string fingerprint() const;

  // A checksum of the graph whose edges have learnt weights; empty where there are none. Throws
  // Error when weights belong to another; `where` begins the message.
  std::string edges_fingerprint() const;
  void check_edges(const std::string& fingerprint, const std::string& where) const;

  // Parameters that the network will have at least, known before it is made.
  std::int64_t least_parameters() const;

  double stability_ratio(const nn::PdeNetwork& network) const;

 private:
  const std::vector<std::int32_t>& indices(Part part) const;
  nn::Input input_of(std::span<const std::int32_t> samples, std::int64_t epoch) const;
  Answers answers_of(std::span<const std::int32_t> nodes_or_samples) const;
  std::vector<std::vector<std::int32_t>> batches_of(std::vector<std::int32_t> samples) const;
  Batch batch_of(std::span<const std::int32_t> samples, std::int64_t epoch) const;
  void visit(Part part, const std::function<void(const Batch&)>& see);

  const data::Dataset& data_;
  data::Split split_;
  RunConfig config_;
  Scaling scaling_;
  Task task_;
  std::int64_t outputs_;
  std::int64_t inputs_ = 0;                  // channels of a node
  bool one_graph_;                           // nodes are split, not graphs
  std::vector<std::int64_t> first_node_;     // of every sample, and the end
  std::optional<nn::Input> whole_;           // the only graph
  std::array<std::vector<Batch>, 3> cache_;  // of the parts that are evaluated in every epoch
};

}  // namespace pdegcn::train
