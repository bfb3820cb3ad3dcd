#pragma once

#include <cstdint>
#include <optional>

#include "pdegcn/train/config.h"
#include "pdegcn/train/result.h"

namespace pdegcn::train {

// How far a rule that chooses an epoch has come.
struct Choice {
  std::int64_t epoch = 0;  // the best; 0: none yet
  double value = 0;        // of what selects, smaller is better
  std::int64_t ended = 0;  // the epoch at which it stopped looking; 0: it looks on

  friend bool operator==(const Choice&, const Choice&) = default;
};

// Where a run stands after an epoch; with the config, all that continuing it to the same bits
// needs: random numbers follow from seed and epoch.
struct Standing {
  std::int64_t epoch = 0;
  Choice chosen;  // by the protocol; its weights are kept
  Choice peeked;  // by the test score, beside the validation of the protocol both
};

// The protocol that chooses the epoch of a run. What it has seen is all in the standing, and so in
// the checkpoint.
class Selection {
 public:
  // Throws Error when the protocol has no test part to peek at. With nothing to choose by, the last
  // epoch is taken.
  Selection(const RunConfig& config, bool has_validation, bool has_test);

  bool by_test() const { return by_test_; }            // protocol test-peek
  bool peeks_beside() const { return peeks_beside_; }  // protocol both: a choice by the test, too
  bool sees_test() const { return by_test_ || peeks_beside_; }  // after every epoch

  // Shows an epoch, that of the standing, to the rules that look on; tells whether the protocol
  // chooses it until it sees a better one. A test loss that is not finite ends the peeking beside
  // validation, and not validation.
  bool look(Standing& standing, const Score& validation, const Score& test) const;

  // The test scores beside validation have come to nothing.
  static void give_up_peeking(Standing& standing);

  // Whether no rule looks on.
  bool has_ended(const Standing& standing) const;

  // What came of the peeking beside validation, where there is any.
  std::optional<Peeked> peeked(const Standing& standing) const;

 private:
  // A rule that has ended is what it would be had the run ended with it.
  bool consider(Choice& choice, std::int64_t epoch, double value) const;

  std::int64_t epochs_;
  std::int64_t patience_;
  bool by_loss_;  // of the validation part, not by its score
  bool has_validation_;
  bool by_test_;
  bool peeks_beside_;
};

}  // namespace pdegcn::train
