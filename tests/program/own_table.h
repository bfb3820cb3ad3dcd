#pragma once

#include "tests/program/program.h"

namespace pdegcn::tests {

// The lines of a CSV table as maps from the names in its head.
inline std::vector<std::map<std::string, std::string>> read_table(
    const std::filesystem::path& path) {
  std::istringstream lines(read_text(path));
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    return cells;
  };
  std::string line;
  std::getline(lines, line);
  const auto head = cells_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    std::map<std::string, std::string> row;
    for (std::size_t k = 0; k < head.size(); ++k) {
      EXPECT_FALSE(row.contains(head[k])) << head[k];
      row[head[k]] = cells.at(k);
    }
    rows.push_back(row);
  }
  return rows;
}

inline bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

// A small table of one's own, with rows that are searched for, run as they are, and published.
class OwnTable : public testing::Test {
 protected:
  void SetUp() override {
    graph.write(folder.path() / "own");
    folder.write("mine.toml", R"(
title = "A table of one's own"
columns = "layers"
[settings]
channels = 8
epochs = 60
patience = 0
seeds = 2
[[tune]]
models = ["d"]
trials = 3
time = {from = 0.5, until = 4}
space = "lr = {low = 0.01, high = 0.1, log = true}\n"
judge = {seeds = 1}
with = {channels = 4}
[[row]]
method = "PDE-GCN_D"
name = "d"
data = "own"
model = "d"
cells = [{layers = 2, paper = 70}, {layers = 3}]
[[row]]
method = "PDE-GCN_H"
name = "h"
data = "own"
model = "h"
step = 0.3
cells = [{layers = 2}]
[[row]]
method = "Another"
name = "other"
published = true
data = "own"
cells = [{paper = 61.5}]
)");
  }

  // The runs below a folder, by their path in it.
  static std::vector<std::filesystem::path> runs_of(const std::filesystem::path& out) {
    std::vector<std::filesystem::path> runs;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out / "runs"))
      if (entry.path().filename() == "config.toml")
        runs.push_back(std::filesystem::relative(entry.path().parent_path(), out));
    std::sort(runs.begin(), runs.end());
    return runs;
  }

  // Commands at once, each in a folder of its own.
  std::vector<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& commands) const {
    std::vector<std::unique_ptr<ChildProcess>> processes;
    for (const std::string& command : commands) {
      const std::filesystem::path own = folder.path() / fmt::format("process-{}", processes.size());
      std::filesystem::remove_all(own);
      std::filesystem::create_directories(own);
      std::filesystem::create_directory_symlink(folder.path() / "own", own / "own");
      std::filesystem::copy(folder.path() / "mine.toml", own / "mine.toml");
      processes.push_back(
          std::make_unique<ChildProcess>(command_of(command), ChildProcess::Options{own}));
    }
    return processes;
  }

  const std::string line = "reproduce mine.toml --threads 1 --quiet --out ";
  TemporaryFolder folder;
  OwnGraph graph;
};

}  // namespace pdegcn::tests
