#include "pdegcn/train/selection.h"

#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::train {

Selection::Selection(const RunConfig& config, bool has_validation, bool has_test)
    : epochs_(config.epochs),
      patience_(config.patience),
      by_loss_(config.select == "val-loss"),
      has_validation_(has_validation),
      by_test_(config.protocol == "test-peek"),
      peeks_beside_(config.protocol == "both" && has_test) {
  if (by_test_ && !has_test)
    throw Error("protocol test-peek needs a test part, split {} has none", config.split);
}

bool Selection::look(Standing& standing, const Score& validation, const Score& test) const {
  if (peeks_beside_ && standing.peeked.ended == 0) {
    if (std::isfinite(test.loss))
      consider(standing.peeked, standing.epoch, -test.score);
    else
      give_up_peeking(standing);
  }
  const double value = by_test_           ? -test.score
                       : !has_validation_ ? -static_cast<double>(standing.epoch)
                       : by_loss_         ? validation.loss
                                          : -validation.score;
  return consider(standing.chosen, standing.epoch, value);
}

void Selection::give_up_peeking(Standing& standing) {
  standing.peeked = {0, 0, standing.epoch};
}

bool Selection::has_ended(const Standing& standing) const {
  return standing.chosen.ended > 0 && (!peeks_beside_ || standing.peeked.ended > 0);
}

std::optional<Peeked> Selection::peeked(const Standing& standing) const {
  if (!peeks_beside_) return std::nullopt;
  const Choice& choice = standing.peeked;
  Peeked result{choice.ended, choice.epoch};
  if (choice.epoch > 0) result.score = -choice.value;
  return result;
}

bool Selection::consider(Choice& choice, std::int64_t epoch, double value) const {
  if (choice.ended > 0) return false;
  const bool better = choice.epoch == 0 || value < choice.value;
  if (better) choice = {epoch, value, 0};
  if (epoch >= epochs_ || (patience_ > 0 && epoch - choice.epoch >= patience_))
    choice.ended = epoch;
  return better;
}

}  // namespace pdegcn::train
