#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// How many nodes have a degree from `least` to `most`.
struct DegreeBucket {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t nodes = 0;
};

// A data set in numbers, over all its samples.
struct DatasetStatistics {
  std::string name;
  std::string source;
  std::int64_t samples = 0;
  std::int64_t nodes = 0;

  std::int64_t edges_given = 0;  // as the source lists them: in both directions, with loops, ...
  std::int64_t self_loops = 0;
  std::int64_t merged = 0;
  std::int64_t edges = 0;  // distinct, undirected
  std::int64_t odd_attributes = 0;
  std::int64_t even_attributes = 0;
  std::int64_t triangles = 0;

  std::int64_t features = 0;
  std::int64_t nonzeros = 0;
  double density = 0;  // of non-zero feature values

  enum class Task { kNone, kNodeLabels, kNodeMultiLabels, kGraphLabels };
  Task task = Task::kNone;
  std::vector<std::string> class_names;
  std::vector<std::int64_t> class_counts;
  std::int64_t unlabelled = 0;

  std::int64_t least_degree = 0;
  std::int64_t most_degree = 0;
  double mean_degree = 0;
  std::vector<DegreeBucket> degrees;  // 0, 1, 2, 3 to 4, 5 to 8, ..., up to the largest degree
  std::int64_t isolated = 0;
  std::int64_t components = 0;
  std::int64_t largest_component = 0;  // nodes in it

  // The share of edges that join two nodes of one label, among those between labelled nodes; not
  // there when there are none, or when nodes have no single label.
  std::optional<double> homophily;

  struct SplitSizes {
    std::string name;
    std::int64_t train = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;
  };
  std::vector<SplitSizes> splits;
};

DatasetStatistics statistics(const Dataset& set);

}  // namespace pdegcn::data
