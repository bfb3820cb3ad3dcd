#include "pdegcn/data/generate.h"

#include <gtest/gtest.h>

#include "tests/support/dataset_hash.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

TEST(Generate, EveryNameGivesASetOfThatNameWithASplit) {
  for (const GeneratedSet& known : generated_sets()) {
    const Dataset set = generate(known.name, 3);
    EXPECT_EQ(set.name, known.name);
    EXPECT_FALSE(known.about.empty());
    set.check();
    ASSERT_FALSE(set.splits.empty()) << known.name;
    EXPECT_FALSE(set.splits[0].train.empty()) << known.name;
    EXPECT_FALSE(set.splits[0].validation.empty()) << known.name;
    EXPECT_FALSE(set.splits[0].test.empty()) << known.name;
  }
}

TEST(Generate, FollowsTheSeed) {
  const auto hash = [](std::uint64_t seed) {
    return tests::DatasetHash(generate("inductive", seed)).value();
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(Generate, NamesWhatThereIs) {
  PDEGCN_EXPECT_ERROR(generate("cora"),
                      "there is no generated data set 'cora'; there are karate, demo, like-cora");
}

}  // namespace
}  // namespace pdegcn::data
