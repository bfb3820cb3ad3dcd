#include "pdegcn/data/karate.h"

#include <numeric>

namespace pdegcn::data {
namespace {

constexpr NodeId kMembers = 34;
constexpr NodeId kInstructor = 0;
constexpr NodeId kPresident = 33;

// By member, counted from 0, the friends that come after them.
std::vector<std::vector<NodeId>> friends() {
  return {
      {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31},
      {2, 3, 7, 13, 17, 19, 21, 30},
      {3, 7, 8, 9, 13, 27, 28, 32},
      {7, 12, 13},
      {6, 10},
      {6, 10, 16},
      {16},
      {},
      {30, 32, 33},
      {33},
      {},
      {},
      {},
      {33},
      {32, 33},
      {32, 33},
      {},
      {},
      {32, 33},
      {33},
      {32, 33},
      {},
      {32, 33},
      {25, 27, 29, 32, 33},
      {25, 27, 31},
      {31},
      {29, 33},
      {33},
      {31, 33},
      {32, 33},
      {32, 33},
      {32, 33},
      {33},
      {},
  };
}

// Those who stayed with the instructor; the others went with the president.
constexpr NodeId kStayed[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21};

}  // namespace

Dataset karate_club() {
  const std::vector<std::vector<NodeId>> later_friends = friends();
  std::vector<Edge> edges;
  for (NodeId i = 0; i < kMembers; ++i)
    for (const NodeId j : later_friends[i]) edges.push_back({i, j});

  SparseMatrix identity{kMembers, kMembers, {}, {}, {}};
  identity.offsets.resize(kMembers + 1);
  identity.columns.resize(kMembers);
  identity.values.assign(kMembers, 1.0f);
  std::iota(identity.offsets.begin(), identity.offsets.end(), 0);
  std::iota(identity.columns.begin(), identity.columns.end(), 0);

  std::vector<std::int32_t> label(kMembers, 1);
  for (const NodeId i : kStayed) label[i] = 0;

  Split split{"leaders", {kInstructor, kPresident}, {}, {}};
  for (NodeId i = 1; i < kPresident; ++i) (i % 4 == 0 ? split.validation : split.test).push_back(i);

  Sample sample;
  sample.graph = Graph::from_edges(kMembers, std::move(edges));
  sample.features = std::move(identity);
  Dataset set;
  set.name = "karate";
  set.source = "Zachary, 1977";
  set.samples.push_back(std::move(sample));
  set.targets = NodeLabels{std::move(label)};
  set.class_names = {"instructor", "president"};
  set.splits = {std::move(split)};
  set.check();
  return set;
}

}  // namespace pdegcn::data
