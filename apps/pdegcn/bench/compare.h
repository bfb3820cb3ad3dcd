#pragma once

#include <nlohmann/json.hpp>

#include "case.h"
#include "limit.h"
#include "pdegcn/report/table.h"

namespace pdegcn::bench {

// How measurements are made.
struct Setting {
  bool quick = false;
  Rounds rounds;
  report::Progress& progress;
  std::function<bool()> stop;
  std::string place = {};  // among the cases: " (2 of 5)"

  std::int64_t product_size() const { return quick ? 256 : 2048; }
};

// The time of one side of a comparison.
struct Timed {
  std::string name;    // "ours", "paper", "torch", "tuned"
  double seconds = 0;  // of a training step and an evaluation; NaN when it did not fit into memory
  std::int64_t peak_bytes = 0;  // or, when it did not, what it would have needed
  double difference = 0;        // of loss and gradients from ours
};

// One line of the table.
struct Comparison {
  Case what;
  int threads = 1;
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
  std::vector<Timed> sides;  // ours first
  Limit limit;
  double openblas_flops = 0, own_flops = 0, tanhs = 0, bytes = 0;  // per second
};

// Measures a case with that many threads. First all sides are shown to have the same loss and
// gradients; throws Error when they have not.
Comparison compare(const Case& what, int threads, const Setting& setting);

report::Table table(const std::vector<Comparison>& comparisons);
nlohmann::ordered_json json(const std::vector<Comparison>& comparisons);

// What the sides that did not run would have needed, a sentence each.
std::vector<std::string> notes(const std::vector<Comparison>& comparisons);

}  // namespace pdegcn::bench
