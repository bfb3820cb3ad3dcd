#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pdegcn::train {

// What is right, for some rows of a network's output.
struct Answers {
  std::vector<std::int64_t> rows;    // of the output
  std::vector<std::int32_t> labels;  // one per row; data::kUnlabelled counts for nothing
  std::vector<std::uint8_t> multi;   // or rows x columns of the output, each 0 or 1
};

// How a network did on some rows. Outcomes of several batches add up.
struct Outcome {
  double loss_sum = 0;
  std::int64_t count = 0;  // answers: labelled rows, or labels of all rows
  std::int64_t hits = 0;   // right ones; for multi-label those both said and true
  std::int64_t said = 0;   // multi-label: labels that the network gave
  std::int64_t truth = 0;  // and those there are

  double loss() const;   // mean
  double score() const;  // accuracy, or the micro-averaged F1
  void add(const Outcome& other);
};

// What was right and what was said of the rows of some batches, one label each.
struct Answered {
  std::vector<std::int32_t> truth;  // data::kUnlabelled where it is not known
  std::vector<std::int64_t> said;
};

// Judges logits, rows of that many columns: by cross-entropy, or by the binary cross-entropy of
// every column where the answers are multi-labels. `gradient`, where it is not null, has the size
// of the logits, is zero, and becomes the derivative of the mean loss. Sums are taken in a fixed
// order in double: the bits do not depend on the number of threads.
Outcome judge(std::span<const float> logits, std::int64_t columns, const Answers& answers,
              float* gradient = nullptr);

// The best column of every row, the first of equals.
std::vector<std::int64_t> best_columns(std::span<const float> logits, std::int64_t columns);

}  // namespace pdegcn::train
