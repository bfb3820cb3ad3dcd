#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/report/table.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/loss.h"

namespace pdegcn::train {

// How well a network does on a part of the data; NaN where there is nothing to measure.
struct Score {
  double loss = std::numeric_limits<double>::quiet_NaN();
  double score = std::numeric_limits<double>::quiet_NaN();  // accuracy or micro-F1, 0 to 1
  std::int64_t count = 0;                                   // answers it is the mean of
};

// The best test score of all epochs, as the protocol test-peek has it.
struct Peeked {
  std::int64_t epochs = 0;
  std::int64_t best_epoch = 0;
  double score = std::numeric_limits<double>::quiet_NaN();
};

// What came of a run.
struct Result {
  RunConfig config;
  std::string metric;           // "accuracy" or "micro-F1"
  std::int64_t epochs = 0;      // after which the protocol looked no further
  std::int64_t best_epoch = 0;  // the one that was chosen, whose weights these scores belong to
  Score train, validation, test;
  std::optional<Peeked> peeked;                                   // protocol both
  double most_common = std::numeric_limits<double>::quiet_NaN();  // label of the validation part
  Answered answered;          // evaluate(): what was said of the test part
  std::vector<double> alpha;  // of the mixture, one value or one per layer
  std::int64_t parameters = 0;
  double seconds = 0;            // of this call
  double seconds_per_epoch = 0;  // NaN when it ran none
  bool interrupted = false;      // stopped before its end: there are no scores yet
};

// Why the run ended where it did, for people.
std::string why_ended(const Result& result);

// The result as a JSON object, for result.json. It holds no times: the same run leaves the same
// bytes.
std::string to_json(const Result& result);

// One row per run, with times, for results.csv; `peak_memory` is that of the process, in bytes.
report::Table results_table(std::span<const Result> results, std::int64_t peak_memory);

// Of the program and of this library.
std::string version();

}  // namespace pdegcn::train
