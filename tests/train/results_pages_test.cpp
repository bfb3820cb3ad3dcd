// The pages of docs/results are put together by hand from what many calls of `pdegcn reproduce`
// wrote. That nothing was left out on the way, and that every number stands beside the paper's own,
// is checked here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "pdegcn/report/mean_std.h"
#include "pdegcn/train/experiment_table.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {
namespace {

using Row = std::map<std::string, std::string>;  // by the names in the head

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

// The tables of a page that have settings in their head.
std::vector<std::vector<Row>> tables_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  std::vector<std::vector<Row>> tables;
  std::vector<std::string> head;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("|")) {
      head.clear();
    } else if (const auto cells = cells_of(line); head.empty()) {
      head = cells;
      if (std::ranges::find(head, "settings") != head.end()) tables.emplace_back();
    } else if (std::ranges::find(head, "settings") != head.end() && !line.starts_with("|--")) {
      EXPECT_EQ(cells.size(), head.size()) << page << "\n" << line;
      Row row;
      for (std::size_t k = 0; k < std::min(cells.size(), head.size()); ++k) row[head[k]] = cells[k];
      tables.back().push_back(row);
    }
  }
  return tables;
}

// The scores of the runs in docs/results/runs, by cell, settings and protocol.
using Runs = std::map<std::array<std::string, 3>, std::vector<double>>;

Runs runs_of(const std::filesystem::path& path) {
  Runs runs;
  std::ifstream file(path);
  std::vector<std::string> head;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (line.ends_with(',')) cells.emplace_back();  // no time is known
    if (head.empty()) {
      head = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), head.size()) << path << "\n" << line;
    Row row;
    for (std::size_t k = 0; k < std::min(cells.size(), head.size()); ++k) row[head[k]] = cells[k];
    for (const char* protocol : {"test", "test_peek"})
      if (!row[protocol].empty())
        runs[{row["cell"], row["settings"], protocol}].push_back(std::stod(row[protocol]));
  }
  return runs;
}

// How many runs make a number of a table.
std::size_t runs_wanted(const Cell& cell) {
  const RunConfig config = resolve(cell.settings, {});
  return config.split == "all" ? 10 : static_cast<std::size_t>(config.seeds);
}

class ResultsPage : public testing::TestWithParam<const char*> {};

TEST_P(ResultsPage, HasEveryCellBesideThePapersNumber) {
  const std::string name = GetParam();
  const ExperimentTable table = read_experiment_table(experiment("tables/" + name), name);
  const std::string_view found = experiment("tuned/" + name);
  const TunedCells tuned = found.empty() ? TunedCells() : read_tuned(found, name);
  const auto folder = std::filesystem::path(PDEGCN_SOURCE_FOLDER) / "docs" / "results";
  auto tables = tables_of(folder / (name + ".md"));
  Runs runs = runs_of(folder / "runs" / (name + ".csv"));
  EXPECT_EQ(runs.empty(), name == "table-7");
  ASSERT_EQ(tables.size(), 2) << "one for each protocol";
  for (const bool peeked : {false, true})
    for (const Cell& cell : table.cells)
      for (const std::string settings :
           {cell.published ? "as published, not run" : "paper", "tuned"}) {
        if (settings == "tuned" && !tuned.contains(cell.name)) continue;
        const std::string column =
            table.columns == "data" ? cell.data : cell.settings.at(table.columns).text;
        auto& rows = tables[peeked];
        const auto row = std::ranges::find_if(rows, [&](const Row& r) {
          return r.at("method") == cell.method && r.at("settings") == settings &&
                 (table.columns == "data" || r.at("data set") == cell.data);
        });
        ASSERT_NE(row, rows.end()) << cell.name << " " << settings;
        ASSERT_TRUE(row->contains(column)) << cell.name << " " << settings;
        const std::string text = std::exchange(row->at(column), "");
        const std::string paper =
            cell.paper ? fmt::format(" ({:.{}f})", *cell.paper, table.decimals) : "";
        EXPECT_TRUE(text.ends_with(paper)) << cell.name << " " << settings << ": " << text;
        const std::string ours = text.substr(0, text.size() - paper.size());
        EXPECT_TRUE(cell.published
                        ? ours == "–"
                        : ours.starts_with("not run, ") || ours.find_first_of("0123456789") == 0)
            << cell.name << " " << settings << ": " << text;
        const auto measured = runs.find({cell.name, settings, peeked ? "test_peek" : "test"});
        if (measured == runs.end()) continue;
        const auto mean = report::mean_std(measured->second);
        std::string expected = report::format_percent(mean, table.decimals);
        if (mean.count != runs_wanted(cell))
          expected += fmt::format(" [{} of {}]", mean.count, runs_wanted(cell));
        EXPECT_EQ(ours, expected) << cell.name << " " << settings;
        runs.erase(measured);
      }
  for (const auto& [key, scores] : runs) ADD_FAILURE() << key[0] << " is no cell of " << name;
  for (const auto& rows : tables)
    for (const Row& row : rows)
      for (const auto& [column, left] : row)
        if (column != "method" && column != "settings" && column != "data set") {
          EXPECT_EQ(left, "") << "no cell of " << name << ": " << row.at("method") << " " << column;
        }
}

INSTANTIATE_TEST_SUITE_P(All, ResultsPage,
                         testing::Values("table-1", "table-3", "table-4", "table-5", "table-7"),
                         [](const auto& name) {
                           return "Table" + std::string(name.param).substr(6);
                         });

}  // namespace
}  // namespace pdegcn::train
