#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// A random graph whose nodes belong to classes that show in its edges (a stochastic block model,
// degree-corrected, with as many edges as asked for) and in its features (bags of words).
struct BlockModel {
  std::string name = "blocks";

  std::vector<NodeId> class_sizes = {400, 400, 400, 400, 400};
  EdgeId edges = 5000;      // distinct; every node has one at least, while they last
  double homophily = 0.75;  // share of the edges with both ends in one class
  double ring = 0;          // share of the other edges that join a class to the next one, in a ring
  double tail = 0.3;        // unevenness of degrees: they fall off as a power, -1 - 1 / tail

  std::int64_t features = 500;  // words of the language
  double words = 12;            // of them, on average, in the bag of a node
  double topical = 0.25;        // share of the words in a bag that come from its class's topic
  std::int64_t words_per_topic = 60;  // topics may share words

  NodeId train_per_class = 20;  // the split "public"; none when 0
  NodeId validation = 300;
  NodeId test = 1000;
  int random_splits = 0;  // further splits "0", "1", ..., of 48, 32 and 20 per cent
};

// Generates a data set; equal arguments give equal data. Features are 0 or 1. Throws Error when an
// argument makes no sense or the graph cannot hold that many edges.
Dataset block_model(const BlockModel& model, std::uint64_t seed = 0);

// Models by name: "demo", small and quick, where the graph tells a lot that the features do not;
// and "like-cora", "like-citeseer", "like-pubmed" (homophilic) and "like-texas" (heterophilic),
// which have the sizes, class sizes and splits of these data sets. Throws Error on another name.
BlockModel block_model_preset(const std::string& name);
std::vector<std::string> block_model_presets();

}  // namespace pdegcn::data
