#pragma once

#include <cstdint>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// A data set for inductive learning with many labels per node: graphs that are drawn alike, some of
// which are never seen in training. A label is a community, the same in all graphs: a node belongs
// to a few, is joined mostly to nodes of its communities, and shows some of their marks as
// features.
struct InductiveSet {
  int train_graphs = 20;
  int validation_graphs = 2;
  int test_graphs = 2;
  NodeId nodes = 200;  // on average; a graph has between half and one and a half as many
  double degree = 12;  // on average
  int labels = 20;
  double labels_per_node = 3;  // on average
  int features = 50;           // 0 or 1
  double togetherness = 0.85;  // share of the edges that join two nodes of one community
  double clarity = 0.4;        // chance that a node shows a mark of a community of its own
  double confusion = 0.1;      // chance that it shows any other mark
};

Dataset inductive_graphs(const InductiveSet& set = {}, std::uint64_t seed = 0);

}  // namespace pdegcn::data
