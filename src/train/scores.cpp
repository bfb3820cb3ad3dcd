#include "scores.h"

namespace pdegcn::train {

Score score_of(const Outcome& outcome) {
  return {outcome.loss(), outcome.score(), outcome.count};
}

std::vector<double> alphas(const nn::Network& network) {
  const auto* pde = dynamic_cast<const nn::PdeNetwork*>(&network);
  const auto alpha = pde == nullptr ? torch::Tensor() : pde->pde->alpha();
  if (!alpha.defined()) return {};
  const auto wide = alpha.to(torch::kFloat64);
  return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

std::int64_t parameters_of(const nn::Network& network) {
  std::int64_t count = 0;
  for (const auto& p : network.parameters()) count += p.numel();
  return count;
}

void fill_scores(Result& result, Problem& problem, nn::Network& network, const data::Dataset& data,
                 bool test, bool answers) {
  std::vector<Part> parts;
  std::vector<Score*> scores;
  const std::pair<Part, Score*> all[] = {{Part::kTrain, &result.train},
                                         {Part::kValidation, &result.validation},
                                         {Part::kTest, &result.test}};
  for (const auto& [part, score] : all) {
    if (!problem.has(part) || (part == Part::kTest && !test)) continue;
    parts.push_back(part);
    scores.push_back(score);
  }
  std::vector<Answered> answered;
  const auto outcomes = problem.evaluate(network, parts, answers ? &answered : nullptr);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    *scores[k] = score_of(outcomes[k]);
    if (answers && parts[k] == Part::kTest) result.answered = std::move(answered[k]);
  }
  result.metric =
      std::holds_alternative<data::NodeMultiLabels>(data.targets) ? "micro-F1" : "accuracy";
  result.alpha = alphas(network);
  result.parameters = parameters_of(network);
}

}  // namespace pdegcn::train
