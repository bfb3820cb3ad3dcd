#include "pdegcn/data/block_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

using kernels::Random;

// Independent sequences, so that a change of one part leaves the others as they are.
enum Stream : std::uint64_t { kClasses, kDegrees, kEdges, kTopics, kBags, kSplits };

// Draws items in proportion to their weights.
class Lottery {
 public:
  void add(NodeId item, double weight) {
    items_.push_back(item);
    sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight);
  }
  NodeId draw(Random& random) const {
    const auto at = std::upper_bound(sums_.begin(), sums_.end(), random.uniform() * sums_.back());
    return items_[std::min<std::size_t>(at - sums_.begin(), items_.size() - 1)];
  }

 private:
  std::vector<NodeId> items_;
  std::vector<double> sums_;
};

void check_share(double value, const char* what) {
  if (!(value >= 0 && value <= 1)) throw Error("{} must be within 0 and 1, it is {}", what, value);
}

void check(const BlockModel& model) {
  if (model.class_sizes.empty()) throw Error("class_sizes must name at least one class");
  std::int64_t nodes = 0;
  for (const NodeId size : model.class_sizes) {
    if (size < 1) throw Error("class_sizes must be positive, one is {}", size);
    nodes += size;
  }
  if (nodes > std::numeric_limits<NodeId>::max())
    throw Error("class_sizes add up to {}, more than a graph can hold", nodes);
  if (model.edges < 0) throw Error("edges must not be negative, it is {}", model.edges);
  check_share(model.homophily, "homophily");
  check_share(model.ring, "ring");
  check_share(model.tail, "tail");
  check_share(model.topical, "topical");
  if (model.features < 1) throw Error("features must be at least 1, it is {}", model.features);
  if (!(model.words >= 1 && 1.5 * model.words <= static_cast<double>(model.features) / 2))
    throw Error("words must be at least 1 and at most a third of the {} features, it is {}",
                model.features, model.words);
  if (model.words_per_topic < 1 || model.words_per_topic > model.features)
    throw Error("words_per_topic must be within 1 and the {} features, it is {}", model.features,
                model.words_per_topic);
  if (model.train_per_class < 0 || model.validation < 0 || model.test < 0)
    throw Error("train_per_class, validation and test must not be negative");
  if (model.random_splits < 0)
    throw Error("random_splits must not be negative, it is {}", model.random_splits);
}

std::vector<std::int32_t> draw_classes(const BlockModel& model, std::uint64_t seed) {
  std::vector<std::int32_t> label;
  for (std::size_t c = 0; c < model.class_sizes.size(); ++c)
    label.insert(label.end(), model.class_sizes[c], static_cast<std::int32_t>(c));
  Random(seed, kClasses).shuffle(std::span(label));
  return label;
}

Graph draw_graph(const BlockModel& model, std::span<const std::int32_t> label, std::uint64_t seed) {
  const auto n = static_cast<NodeId>(label.size());
  const auto classes = static_cast<std::int32_t>(model.class_sizes.size());

  Random degrees(seed, kDegrees);
  Lottery all;
  std::vector<Lottery> of_class(classes);
  for (NodeId i = 0; i < n; ++i) {
    const double weight = std::pow(1 - degrees.uniform(), -model.tail);
    all.add(i, weight);
    of_class[label[i]].add(i, weight);
  }

  Random random(seed, kEdges);
  EdgeId inside_left = std::llround(model.homophily * static_cast<double>(model.edges));
  std::unordered_set<std::uint64_t> seen;
  std::vector<Edge> edges;
  edges.reserve(model.edges);
  std::int64_t failures_left = 100 * model.edges + 1000;
  while (static_cast<EdgeId>(edges.size()) < model.edges) {
    const auto placed = static_cast<EdgeId>(edges.size());
    const NodeId i = placed < n ? static_cast<NodeId>(placed) : all.draw(random);
    const bool inside = static_cast<EdgeId>(random.below(model.edges - placed)) < inside_left;
    const bool along_ring = random.uniform() < model.ring;
    const std::int32_t step = random.below(2) == 0 ? 1 : classes - 1;
    const std::int32_t next = (label[i] + step) % classes;
    const NodeId j = inside       ? of_class[label[i]].draw(random)
                     : along_ring ? of_class[next].draw(random)
                                  : all.draw(random);
    const bool fits = i != j && (label[i] == label[j]) == inside;
    const std::uint64_t key = static_cast<std::uint64_t>(std::min(i, j)) << 32 |
                              static_cast<std::uint64_t>(std::max(i, j));
    if (fits && seen.insert(key).second) {
      edges.push_back({i, j});
      inside_left -= inside;
    } else if (--failures_left == 0) {
      throw Error("edges is {}, too many for {} nodes with homophily {}", model.edges, n,
                  model.homophily);
    }
  }
  return Graph::from_edges(n, std::move(edges));
}

// Words by their frequency, which falls off as in a natural language: 1 / (rank + 10).
Lottery vocabulary(std::int64_t features, std::int64_t words, Random& random) {
  std::vector<NodeId> order(features);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  Lottery lottery;
  for (std::int64_t rank = 0; rank < words; ++rank)
    lottery.add(order[rank], 1 / (static_cast<double>(rank) + 10));
  return lottery;
}

SparseMatrix draw_bags(const BlockModel& model, std::span<const std::int32_t> label,
                       std::uint64_t seed) {
  Random topics(seed, kTopics);
  const Lottery language = vocabulary(model.features, model.features, topics);
  std::vector<Lottery> topic;
  for (std::size_t c = 0; c < model.class_sizes.size(); ++c)
    topic.push_back(vocabulary(model.features, model.words_per_topic, topics));

  Random random(seed, kBags);
  SparseMatrix bags;
  bags.rows = static_cast<std::int64_t>(label.size());
  bags.cols = model.features;
  std::vector<std::int32_t> bag;
  for (const std::int32_t c : label) {
    bag.clear();
    const auto size =
        static_cast<std::size_t>(std::max(1.0, model.words * random.uniform(0.5, 1.5) + 0.5));
    // A topic may have fewer words than a long bag wants: then the language has the rest.
    for (int attempt = 0; bag.size() < size; ++attempt) {
      const bool on_topic = random.uniform() < model.topical && attempt < 100 * model.words;
      const NodeId word = (on_topic ? topic[c] : language).draw(random);
      if (std::find(bag.begin(), bag.end(), word) == bag.end()) bag.push_back(word);
    }
    std::sort(bag.begin(), bag.end());
    bags.columns.insert(bags.columns.end(), bag.begin(), bag.end());
    bags.offsets.push_back(static_cast<std::int64_t>(bags.columns.size()));
  }
  bags.values.assign(bags.columns.size(), 1.0f);
  return bags;
}

std::vector<Split> draw_splits(const BlockModel& model, std::span<const std::int32_t> label,
                               std::uint64_t seed) {
  Random random(seed, kSplits);
  std::vector<NodeId> order(label.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Split> splits;

  if (model.train_per_class > 0) {
    Split split{"public", {}, {}, {}};
    std::vector<NodeId> wanted(model.class_sizes.size(), model.train_per_class);
    random.shuffle(std::span(order));
    const auto has_room = [](const auto& part, NodeId size) {
      return part.size() < static_cast<std::size_t>(size);
    };
    for (const NodeId i : order) {
      if (wanted[label[i]] > 0) {
        --wanted[label[i]];
        split.train.push_back(i);
      } else if (has_room(split.validation, model.validation)) {
        split.validation.push_back(i);
      } else if (has_room(split.test, model.test)) {
        split.test.push_back(i);
      }
    }
    if (std::ranges::any_of(wanted, [](NodeId w) { return w > 0; }) ||
        has_room(split.validation, model.validation) || has_room(split.test, model.test))
      throw Error("{} nodes are too few for {} per class, {} for validation and {} for the test",
                  label.size(), model.train_per_class, model.validation, model.test);
    splits.push_back(std::move(split));
  }

  // The sizes are those of the splits that came with Geom-GCN.
  const std::size_t train = label.size() * 48 / 100;
  const std::size_t seen = label.size() * 80 / 100;
  for (int s = 0; s < model.random_splits; ++s) {
    random.shuffle(std::span(order));
    const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
    splits.push_back({std::to_string(s),
                      {order.begin(), at(train)},
                      {at(train), at(seen)},
                      {at(seen), order.end()}});
  }

  for (Split& split : splits)
    for (auto* part : {&split.train, &split.validation, &split.test}) std::ranges::sort(*part);
  return splits;
}

std::vector<BlockModel> presets() {
  BlockModel demo;
  demo.name = "demo";

  BlockModel cora;
  cora.name = "like-cora";
  cora.class_sizes = {351, 217, 418, 818, 426, 298, 180};
  cora.edges = 5278;
  cora.homophily = 0.81;
  cora.tail = 0.5;
  cora.features = 1433;
  cora.words = 18.17;
  cora.topical = 0.25;
  cora.words_per_topic = 150;
  cora.validation = 500;
  cora.random_splits = 10;

  BlockModel citeseer = cora;
  citeseer.name = "like-citeseer";
  citeseer.class_sizes = {264, 590, 668, 701, 596, 508};
  citeseer.edges = 4552;
  citeseer.homophily = 0.74;
  citeseer.features = 3703;
  citeseer.words = 31.6;
  citeseer.words_per_topic = 300;
  citeseer.topical = 0.2;

  BlockModel pubmed = cora;
  pubmed.name = "like-pubmed";
  pubmed.class_sizes = {4103, 7739, 7875};
  pubmed.edges = 44324;
  pubmed.homophily = 0.8;
  pubmed.features = 500;
  pubmed.words = 50.1;
  pubmed.words_per_topic = 100;
  pubmed.topical = 0.15;

  BlockModel texas;
  texas.name = "like-texas";
  texas.class_sizes = {33, 1, 18, 101, 30};
  texas.edges = 279;
  texas.homophily = 0.06;
  texas.ring = 0.5;
  texas.tail = 0.7;
  texas.features = 1703;
  texas.words = 83.4;
  texas.topical = 0.15;
  texas.words_per_topic = 300;
  texas.train_per_class = 0;
  texas.random_splits = 10;

  return {demo, cora, citeseer, pubmed, texas};
}

}  // namespace

Dataset block_model(const BlockModel& model, std::uint64_t seed) {
  check(model);
  std::vector<std::int32_t> label = draw_classes(model, seed);
  Sample sample;
  sample.graph = draw_graph(model, label, seed);
  sample.features = draw_bags(model, label, seed);

  Dataset set;
  set.name = model.name;
  set.source = fmt::format("block model, seed {}", seed);
  set.samples.push_back(std::move(sample));
  set.splits = draw_splits(model, label, seed);
  set.targets = NodeLabels{std::move(label)};
  for (std::size_t c = 0; c < model.class_sizes.size(); ++c)
    set.class_names.push_back(std::to_string(c));
  set.check();
  return set;
}

BlockModel block_model_preset(const std::string& name) {
  std::string names;
  for (const BlockModel& model : presets()) {
    if (model.name == name) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw Error("there is no block model '{}'; there are {}", name, names);
}

std::vector<std::string> block_model_presets() {
  std::vector<std::string> names;
  for (const BlockModel& model : presets()) names.push_back(model.name);
  return names;
}

}  // namespace pdegcn::data
