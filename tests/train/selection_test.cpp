#include "pdegcn/train/selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace pdegcn::train {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

RunConfig config_of(const std::string& protocol, std::int64_t epochs, std::int64_t patience,
                    const std::string& select = "val-accuracy") {
  RunConfig config;
  config.protocol = protocol;
  config.epochs = epochs;
  config.patience = patience;
  config.select = select;
  return config;
}

Score score(double value, double loss = 1) {
  return {loss, value, 10};
}

// One epoch as a run sees it.
struct Epoch {
  Score validation, test;
};

// Both parts with scores of their own.
std::vector<Epoch> epochs_of(const std::vector<double>& validation,
                             const std::vector<double>& test) {
  std::vector<Epoch> epochs;
  for (std::size_t k = 0; k < validation.size(); ++k)
    epochs.push_back({score(validation[k]), score(test[k])});
  return epochs;
}

// Shows epochs until all rules have ended, or there are no more.
Standing show(const Selection& selection, const std::vector<Epoch>& epochs) {
  Standing standing;
  for (const auto& [validation, test] : epochs) {
    if (selection.has_ended(standing)) break;
    ++standing.epoch;
    const bool best = selection.look(standing, validation, test);
    EXPECT_EQ(best, standing.chosen.epoch == standing.epoch) << standing.epoch;
  }
  return standing;
}

TEST(Selection, TiesKeepTheEarlierEpoch) {
  const auto epochs = epochs_of({0.5, 0.75, 0.75, 0.25, 0.75}, {0.25, 0.25, 0.5, 0.5, 0.5});
  const Selection both(config_of("both", 5, 0), true, true);
  const Standing standing = show(both, epochs);
  EXPECT_EQ(standing.chosen, (Choice{2, -0.75, 5}));
  EXPECT_EQ(standing.peeked, (Choice{3, -0.5, 5}));
  EXPECT_TRUE(both.has_ended(standing));
  const Selection by_test(config_of("test-peek", 5, 0), true, true);
  EXPECT_EQ(show(by_test, epochs).chosen, (Choice{3, -0.5, 5}));
}

TEST(Selection, MinimisesTheLossOrMaximisesTheScore) {
  const std::vector<Epoch> epochs{{score(0.5, 2), {}}, {score(0.75, 4), {}}, {score(0.25, 1), {}}};
  const Selection by_loss(config_of("validation", 3, 0, "val-loss"), true, true);
  EXPECT_EQ(show(by_loss, epochs).chosen, (Choice{3, 1, 3}));
  const Selection by_score(config_of("validation", 3, 0), true, true);
  EXPECT_EQ(show(by_score, epochs).chosen, (Choice{2, -0.75, 3}));
}

TEST(Selection, PatienceCountsFromTheBestEpochAndZeroIsNever) {
  const auto epochs = epochs_of({0.5, 0.25, 0.75, 0.5, 0.5, 0.5, 1}, {0, 0, 0, 0, 0, 0, 0});
  const auto chosen = [&](std::int64_t patience) {
    return show(Selection(config_of("validation", 100, patience), true, true), epochs).chosen;
  };
  EXPECT_EQ(chosen(1), (Choice{1, -0.5, 2}));
  EXPECT_EQ(chosen(3), (Choice{3, -0.75, 6}));
  EXPECT_EQ(chosen(4), (Choice{7, -1, 0}));
  EXPECT_EQ(chosen(0), (Choice{7, -1, 0}));
}

TEST(Selection, ARuleThatHasEndedLooksAtNothingMore) {
  const Selection selection(config_of("both", 100, 1), true, true);
  Standing standing = show(selection, epochs_of({0.5, 0.25}, {0.25, 0.5}));
  const Choice chosen = standing.chosen;
  EXPECT_EQ(chosen, (Choice{1, -0.5, 2}));
  EXPECT_EQ(standing.peeked.ended, 0);
  EXPECT_FALSE(selection.has_ended(standing));
  standing.epoch = 3;
  EXPECT_FALSE(selection.look(standing, score(1), score(0.5)));
  EXPECT_EQ(standing.chosen, chosen);
  EXPECT_TRUE(selection.has_ended(standing));
  const Choice peeked = standing.peeked;
  EXPECT_EQ(peeked, (Choice{2, -0.5, 3}));
  standing.epoch = 4;
  for (const Score& test : {score(1), score(1, kNaN)}) {
    EXPECT_FALSE(selection.look(standing, score(1), test));
    EXPECT_EQ(standing.chosen, chosen);
    EXPECT_EQ(standing.peeked, peeked);
  }
}

// Whichever of the two is the first to end.
TEST(Selection, EachRuleOfBothEndsAsItWouldAlone) {
  const std::vector<double> rising{0.25, 0.5, 0.5, 0.625, 0.75, 0.75, 0.75, 0.75},
      falling{0.5, 0.375, 0.25, 0.75, 0.75, 1, 1, 1};
  for (const std::int64_t patience : {0, 1, 2, 3, 4})
    for (const auto& epochs : {epochs_of(rising, falling), epochs_of(falling, rising)}) {
      const auto selection = [&](const char* protocol) {
        return Selection(config_of(protocol, 8, patience), true, true);
      };
      const Standing both = show(selection("both"), epochs);
      EXPECT_EQ(both.chosen, show(selection("validation"), epochs).chosen) << patience;
      EXPECT_EQ(both.peeked, show(selection("test-peek"), epochs).chosen) << patience;
      EXPECT_EQ(both.epoch, std::max(both.chosen.ended, both.peeked.ended)) << patience;
      const auto peeked = selection("both").peeked(both);
      ASSERT_TRUE(peeked);
      EXPECT_EQ(peeked->epochs, both.peeked.ended);
      EXPECT_EQ(peeked->best_epoch, both.peeked.epoch);
      EXPECT_EQ(peeked->score, epochs[both.peeked.epoch - 1].test.score);
      EXPECT_FALSE(selection("validation").peeked(both));
    }
}

TEST(Selection, ATestLossThatIsNotFiniteEndsThePeekingAlone) {
  auto epochs = epochs_of({0.5, 0.25, 0.75, 0.5}, {0.5, 0.75, 1, 1});
  epochs[1].test.loss = std::numeric_limits<double>::infinity();
  const Selection selection(config_of("both", 4, 0), true, true);
  const Standing standing = show(selection, epochs);
  EXPECT_EQ(standing.chosen, (Choice{3, -0.75, 4}));
  EXPECT_EQ(standing.peeked, (Choice{0, 0, 2}));
  EXPECT_TRUE(selection.has_ended(standing));
  const auto peeked = selection.peeked(standing);
  ASSERT_TRUE(peeked);
  EXPECT_EQ(peeked->epochs, 2);
  EXPECT_EQ(peeked->best_epoch, 0);
  EXPECT_TRUE(std::isnan(peeked->score));
}

// The weights themselves may come to nothing when validation has ended.
TEST(Selection, GivingUpPeekingEndsIt) {
  const Selection selection(config_of("both", 100, 1), true, true);
  Standing standing = show(selection, epochs_of({0.5, 0.25}, {0.25, 0.5}));
  ASSERT_FALSE(selection.has_ended(standing));
  Selection::give_up_peeking(standing);
  EXPECT_TRUE(selection.has_ended(standing));
  EXPECT_EQ(standing.chosen, (Choice{1, -0.5, 2}));
  EXPECT_EQ(standing.peeked, (Choice{0, 0, 2}));
}

TEST(Selection, WithoutAValidationPartTheLastEpochCounts) {
  const std::vector<Epoch> epochs{{{}, score(0.5)}, {{}, score(1)}, {{}, score(0.5)}};
  for (const char* select : {"val-loss", "val-accuracy"})
    for (const char* protocol : {"validation", "both"}) {
      // Patience never runs out, as every epoch is better than the one before.
      const Selection selection(config_of(protocol, 3, 1, select), false, true);
      const Standing standing = show(selection, epochs);
      EXPECT_EQ(standing.chosen, (Choice{3, -3, 3})) << protocol << " " << select;
      EXPECT_EQ(selection.peeked(standing).has_value(), std::string(protocol) == "both");
    }
}

TEST(Selection, SeesTheTestPartOnlyWhereTheProtocolPeeks) {
  const auto selection = [](const char* protocol, bool has_test) {
    return Selection(config_of(protocol, 1, 0), true, has_test);
  };
  EXPECT_FALSE(selection("validation", true).sees_test());
  EXPECT_TRUE(selection("test-peek", true).sees_test() && selection("test-peek", true).by_test());
  EXPECT_TRUE(selection("both", true).sees_test() && selection("both", true).peeks_beside());
  EXPECT_FALSE(selection("both", true).by_test() || selection("test-peek", true).peeks_beside());
  // Without one, both is validation.
  EXPECT_FALSE(selection("both", false).sees_test());
  EXPECT_TRUE(selection("both", false).has_ended(show(selection("both", false), {{score(1), {}}})));
  PDEGCN_EXPECT_ERROR(selection("test-peek", false), "test-peek needs a test part");
}

}  // namespace
}  // namespace pdegcn::train
