#include "pdegcn/data/generate.h"

#include "pdegcn/data/block_model.h"
#include "pdegcn/data/body_generator.h"
#include "pdegcn/data/inductive_generator.h"
#include "pdegcn/data/karate.h"
#include "pdegcn/data/shape_generator.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

Dataset preset(const char* name, std::uint64_t seed) {
  return block_model(block_model_preset(name), seed);
}

}  // namespace

std::vector<GeneratedSet> generated_sets() {
  using Seed = std::uint64_t;
  return {
      {"karate", "Zachary's karate club, 34 members", [](Seed) { return karate_club(); }},
      {"demo", "block model, 2,000 nodes, 5 classes", [](Seed s) { return preset("demo", s); },
       true},
      {"like-cora", "homophilic block model of Cora's size",
       [](Seed s) { return preset("like-cora", s); }, true},
      {"like-citeseer", "homophilic block model of CiteSeer's size",
       [](Seed s) { return preset("like-citeseer", s); }, true},
      {"like-pubmed", "homophilic block model of PubMed's size",
       [](Seed s) { return preset("like-pubmed", s); }, true},
      {"like-texas", "heterophilic block model of Texas' size",
       [](Seed s) { return preset("like-texas", s); }, true},
      {"shape-clouds", "ten classes of shapes as clouds of points",
       [](Seed s) { return shape_clouds({}, s); }},
      {"shape-meshes", "ten classes of shapes as meshes",
       [](Seed s) { return shape_meshes({}, s); }},
      {"bodies", "a body in many poses, for correspondence", [](Seed s) { return bodies({}, s); }},
      {"inductive", "24 graphs with many labels per node",
       [](Seed s) { return inductive_graphs({}, s); }},
  };
}

Dataset generate(const std::string& name, std::uint64_t seed) {
  std::string names;
  for (const GeneratedSet& set : generated_sets()) {
    if (set.name == name) return set.make(seed);
    names += (names.empty() ? "" : ", ") + set.name;
  }
  throw Error("there is no generated data set '{}'; there are {}", name, names);
}

}  // namespace pdegcn::data
