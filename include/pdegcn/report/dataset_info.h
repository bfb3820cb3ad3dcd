#pragma once

#include <span>
#include <string>

#include "pdegcn/data/statistics.h"

namespace pdegcn::report {

// One data set at length: sizes, degrees as a histogram, classes, splits.
std::string dataset_info(const data::DatasetStatistics& set);

// Many data sets, one line each, as in the paper's table 2.
std::string dataset_overview(std::span<const data::DatasetStatistics> sets);

// All that is known of the data sets, as a JSON array with one object each.
std::string dataset_json(std::span<const data::DatasetStatistics> sets);

}  // namespace pdegcn::report
