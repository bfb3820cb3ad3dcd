// What a Result says of a network: in the end of a training, and of one that was trained before.
#pragma once

#include <cstdint>
#include <vector>

#include "pdegcn/train/problem.h"
#include "pdegcn/train/result.h"

namespace pdegcn::train {

Score score_of(const Outcome& outcome);

// Of the mixture, one value or one per layer; none where a network has none.
std::vector<double> alphas(const nn::Network& network);

std::int64_t parameters_of(const nn::Network& network);

// The scores of the network as it is; that of the test part, and what was said of it, if wanted.
void fill_scores(Result& result, Problem& problem, nn::Network& network, const data::Dataset& data,
                 bool test, bool answers = false);

}  // namespace pdegcn::train
