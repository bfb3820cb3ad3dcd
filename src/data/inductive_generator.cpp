#include "pdegcn/data/inductive_generator.h"

#include <algorithm>
#include <cmath>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

using kernels::Random;

void check_share(double value, const char* what) {
  if (!(value >= 0 && value <= 1)) throw Error("{} must be within 0 and 1, it is {}", what, value);
}

void check(const InductiveSet& set) {
  if (set.train_graphs < 0 || set.validation_graphs < 0 || set.test_graphs < 0)
    throw Error("train_graphs, validation_graphs and test_graphs must not be negative");
  if (set.train_graphs + set.validation_graphs + set.test_graphs < 2)
    throw Error("an inductive set needs at least two graphs");
  if (set.nodes < 2) throw Error("nodes must be at least 2, it is {}", set.nodes);
  if (!(set.degree >= 0 && set.degree <= set.nodes / 4.0))
    throw Error("degree must be within 0 and a quarter of the {} nodes, it is {}", set.nodes,
                set.degree);
  if (set.labels < 1) throw Error("labels must be at least 1, it is {}", set.labels);
  if (!(set.labels_per_node >= 0 && set.labels_per_node <= set.labels / 2.0))
    throw Error("labels_per_node must be within 0 and half of the {} labels, it is {}", set.labels,
                set.labels_per_node);
  if (set.features < 1) throw Error("features must be at least 1, it is {}", set.features);
  check_share(set.togetherness, "togetherness");
  check_share(set.clarity, "clarity");
  check_share(set.confusion, "confusion");
}

// Chance that a node carries each label: some are three times as common as others.
std::vector<double> label_chances(const InductiveSet& set) {
  std::vector<double> chance(set.labels);
  double sum = 0;
  for (int l = 0; l < set.labels; ++l) sum += chance[l] = 1.5 - 1.0 * l / set.labels;
  for (double& c : chance) c = std::min(1.0, c * set.labels_per_node / sum);
  return chance;
}

// Which features are marks of which label: each is the mark of one or two.
std::vector<std::vector<bool>> draw_marks(const InductiveSet& set, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<std::vector<bool>> marks(set.labels, std::vector<bool>(set.features));
  for (int f = 0; f < set.features; ++f) {
    marks[f % set.labels][f] = true;
    marks[random.below(set.labels)][f] = true;
  }
  return marks;
}

Graph draw_graph(const InductiveSet& set, std::span<const std::vector<NodeId>> communities,
                 NodeId n, Random& random) {
  // A community is as likely to gain an edge as it has members.
  std::vector<std::int32_t> chances;
  for (std::size_t l = 0; l < communities.size(); ++l)
    if (communities[l].size() > 1)
      chances.insert(chances.end(), communities[l].size(), static_cast<std::int32_t>(l));

  std::vector<Edge> edges(static_cast<std::size_t>(std::llround(set.degree * n / 2)));
  for (Edge& e : edges) {
    const bool together = !chances.empty() && random.uniform() < set.togetherness;
    do {
      if (together) {
        const auto& members = communities[chances[random.below(chances.size())]];
        e = {members[random.below(members.size())], members[random.below(members.size())]};
      } else {
        e = {static_cast<NodeId>(random.below(n)), static_cast<NodeId>(random.below(n))};
      }
    } while (e.i == e.j);
  }
  return Graph::from_edges(n, std::move(edges));
}

}  // namespace

Dataset inductive_graphs(const InductiveSet& set, std::uint64_t seed) {
  check(set);
  const std::vector<double> chance = label_chances(set);
  const std::vector<std::vector<bool>> marks = draw_marks(set, seed);

  Dataset out;
  out.name = "inductive";
  out.source = fmt::format("generated multi-label graphs, seed {}", seed);
  NodeMultiLabels targets{set.labels, {}};
  const int graphs = set.train_graphs + set.validation_graphs + set.test_graphs;
  for (int g = 0; g < graphs; ++g) {
    Random random(seed, g + 1);
    const auto n = std::max<NodeId>(2, static_cast<NodeId>(set.nodes * random.uniform(0.5, 1.5)));

    std::vector<std::vector<NodeId>> communities(set.labels);
    DenseMatrix features{n, set.features, {}};
    for (NodeId i = 0; i < n; ++i) {
      std::vector<bool> own(set.features);
      for (int l = 0; l < set.labels; ++l) {
        const bool member = random.uniform() < chance[l];
        targets.values.push_back(member);
        if (!member) continue;
        communities[l].push_back(i);
        for (int f = 0; f < set.features; ++f) own[f] = own[f] || marks[l][f];
      }
      for (int f = 0; f < set.features; ++f)
        features.values.push_back(random.uniform() < (own[f] ? set.clarity : set.confusion));
    }

    Sample sample;
    sample.name = std::to_string(g + 1);
    sample.graph = draw_graph(set, communities, n, random);
    sample.features = std::move(features);
    out.samples.push_back(std::move(sample));
  }
  out.targets = std::move(targets);
  for (int l = 0; l < set.labels; ++l) out.class_names.push_back(std::to_string(l));

  Split split{"default", {}, {}, {}};
  for (int g = 0; g < graphs; ++g)
    (g < set.train_graphs                           ? split.train
     : g < set.train_graphs + set.validation_graphs ? split.validation
                                                    : split.test)
        .push_back(g);
  out.splits = {std::move(split)};
  out.check();
  return out;
}

}  // namespace pdegcn::data
