#include "pdegcn/report/dataset_info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pdegcn/data/block_model.h"
#include "pdegcn/data/karate.h"

namespace pdegcn::report {
namespace {

using data::statistics;

// Whether these lines stand in the text; how wide the columns are is the table's business.
void expect_lines(const std::string& text, std::initializer_list<std::vector<std::string>> lines) {
  std::vector<std::vector<std::string>> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    found.emplace_back();
    for (std::string word; words >> word;) found.back().push_back(word);
  }
  for (const auto& line : lines)
    EXPECT_EQ(std::ranges::count(found, line), 1)
        << fmt::format("{}", fmt::join(line, " ")) << " in\n"
        << text;
}

std::string blocks(int count) {
  std::string bar;
  while (count-- > 0) bar += "█";
  return bar;
}

TEST(DatasetInfo, ShowsEverythingAboutOneSet) {
  expect_lines(dataset_info(statistics(data::karate_club())),
               {{"karate", "Zachary,", "1977"},
                {"nodes", "34"},
                {"edges", "78"},
                {"edges", "as", "given", "78"},
                {"features", "34"},
                {"non-zero", "values", "34", "(2.94", "%)"},
                {"degree", "4.59", "on", "average,", "from", "1", "to", "17"},
                {"components", "1,", "the", "largest", "of", "34", "nodes"},
                {"isolated", "nodes", "0"},
                {"homophily", "0.859"},
                {"task", "one", "label", "per", "node"},
                {"classes", "2"},
                {"degree", "nodes"},
                {"0", "0"},
                {"1", "1", blocks(4)},
                {"2", "11", blocks(37)},
                {"3-4", "12", blocks(40)},
                {"17-32", "1", blocks(4)},
                {"class", "nodes"},
                {"instructor", "17"},
                {"president", "17"},
                {"split", "train", "validation", "test"},
                {"leaders", "2", "8", "24"}});
}

TEST(DatasetInfo, TellsWhatWasMergedAndDropped) {
  data::DatasetStatistics s;
  s.edges_given = 1234567;
  s.self_loops = 16;
  s.merged = 1000;
  expect_lines(dataset_info(s), {{"edges", "as", "given", "1,234,567,", "16", "of", "them",
                                  "self-loops,", "1,000", "repeated", "or", "reversed"}});
}

TEST(DatasetInfo, SumsUpManyClasses) {
  data::DatasetStatistics s;
  s.task = data::DatasetStatistics::Task::kNodeLabels;
  s.class_counts.assign(6890, 100);
  s.class_counts[6000] = 99;
  const std::string text = dataset_info(s);
  EXPECT_NE(text.find("6,890 classes with 99 to 100 nodes each\n"), std::string::npos);
  EXPECT_LT(text.size(), 3000u);
}

TEST(DatasetInfo, ListsManySets) {
  const data::DatasetStatistics sets[] = {
      statistics(data::karate_club()),
      statistics(data::block_model(data::block_model_preset("like-cora")))};
  expect_lines(dataset_overview(sets),
               {{"karate", "1", "34", "78", "34", "2.94", "2", "4.59", "1", "0", "0.859", "1"},
                {"like-cora", "1", "2,708", "5,278", "1,433", "1.27", "7", "3.90", "1", "0",
                 "0.810", "11"}});
}

TEST(DatasetInfo, WritesJson) {
  data::DatasetStatistics sets[] = {statistics(data::karate_club()), {}};
  sets[1].name = "\xff not UTF-8";
  const auto json = nlohmann::json::parse(dataset_json(sets));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "karate");
  EXPECT_EQ(json[0]["nodes"], 34);
  EXPECT_EQ(json[0]["edges"], 78);
  EXPECT_EQ(json[0]["degrees"][2]["nodes"], 11);
  EXPECT_EQ(json[0]["class_counts"], (std::vector<int>{17, 17}));
  EXPECT_EQ(json[0]["splits"][0]["train"], 2);
  EXPECT_TRUE(json[1]["homophily"].is_null());
}

}  // namespace
}  // namespace pdegcn::report
