#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/report/run_folder.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/result.h"

namespace pdegcn::train {

// The config that is stored with the chosen weights of a run. Throws Error unless it is that of
// config.toml.
RunConfig config_of_run(const report::RunFiles& run);

// The chosen network of a run on a data set, which need not be the one it was trained on: the
// scores of train, validation and test part.
Result evaluate(const RunConfig& config, const data::Dataset& data, const report::RunFiles& run);

// What the chosen network of a run says of all nodes, or all graphs, which need no labels.
struct Prediction {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> logits;          // rows x columns, where wanted or needed
  std::vector<std::int64_t> classes;  // the best column of every row
  std::vector<std::string> class_names;
  bool multi_label = false;  // then every column above 0 is a label
};
Prediction predict(const RunConfig& config, const data::Dataset& data, const report::RunFiles& run,
                   bool logits);

}  // namespace pdegcn::train
