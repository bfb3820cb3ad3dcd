#include "pdegcn/train/scaling.h"

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::train {

bool has_dense_features(const data::Dataset& data) {
  return std::ranges::all_of(data.samples, [](const data::Sample& sample) {
    const auto* dense = std::get_if<data::DenseMatrix>(&sample.features);
    return dense != nullptr && dense->cols > 0 && sample.positions.empty();
  });
}

Scaling standardizing(const data::Dataset& data, const data::Split& split) {
  if (!has_dense_features(data))
    throw Error(
        "--features standardized: this is for a row of numbers per node, which data set {} does "
        "not have",
        data.name);
  std::vector<const data::DenseMatrix*> seen;
  if (data.samples.size() == 1)
    seen.push_back(&std::get<data::DenseMatrix>(data.samples.front().features));
  else
    for (const std::int32_t id : split.train)
      seen.push_back(&std::get<data::DenseMatrix>(data.samples[id].features));
  const std::int64_t columns = data.num_features();
  Scaling scaling;
  for (std::int64_t c = 0; c < columns; ++c) {
    const auto sum = [&](const auto& of) {
      double total = 0;
      for (const auto* matrix : seen)
        for (std::int64_t row = 0; row < matrix->rows; ++row)
          total += of(static_cast<double>(matrix->values[row * columns + c]));
      return total;
    };
    const double count = sum([](double) { return 1.0; });
    const double mean = sum([](double x) { return x; }) / std::max(count, 1.0);
    const double squares = sum([&](double x) { return (x - mean) * (x - mean); });
    scaling.mean.push_back(static_cast<float>(mean));
    const auto deviation = static_cast<float>(std::sqrt(squares / std::max(count, 1.0)));
    scaling.deviation.push_back(deviation > 0 ? deviation : 1.0f);
  }
  return scaling;
}

}  // namespace pdegcn::train
