#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::tests {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs the program in a folder with the words of a line, which hold no blanks.
inline std::vector<std::string> command_of(const std::string& line) {
  std::vector<std::string> command{PDEGCN_PROGRAM};
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    // A word in quotes, as a shell needs it for a pattern.
    const bool quoted = word.size() > 1 && word.front() == '\'' && word.back() == '\'';
    command.push_back(quoted ? word.substr(1, word.size() - 2) : word);
  }
  return command;
}

inline Outcome pdegcn(const std::filesystem::path& folder, const std::string& line,
                      ChildProcess::Options options = {}) {
  options.folder = folder;
  ChildProcess child(command_of(line), options);
  const int code = child.wait();
  return {code, child.out(), child.err()};
}

// The same, for what must end well.
inline std::string pdegcn_ok(const std::filesystem::path& folder, const std::string& line) {
  const Outcome outcome = pdegcn(folder, line);
  EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
  return outcome.out;
}

inline nlohmann::json pdegcn_json(const std::filesystem::path& folder, const std::string& line) {
  return nlohmann::json::parse(
      pdegcn_ok(folder, line + " --json" + (line.starts_with("train") ? " --quiet" : "")));
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The files of a run that its result consists of, by name.
inline std::map<std::string, std::string> run_files(const std::filesystem::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(run))
    if (entry.is_regular_file() && entry.path().filename() != ".lock")
      files[entry.path().filename().string()] = read_text(entry.path());
  return files;
}

// Names of files that differ or are missing.
inline std::string differences(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::string names;
  const auto x = run_files(a), y = run_files(b);
  for (const auto& [name, bytes] : x)
    if (!y.contains(name) || y.at(name) != bytes) names += name + " ";
  for (const auto& [name, bytes] : y)
    if (!x.contains(name)) names += name + " ";
  return names;
}

// The same, but for the test scores in result.json.
inline std::string differences_beside_test(const std::filesystem::path& a,
                                           const std::filesystem::path& b) {
  std::string names = differences(a, b);
  const auto rest = [](const std::filesystem::path& run) {
    auto result = nlohmann::json::parse(read_text(run / "result.json"));
    result.erase("test");
    return result;
  };
  const std::string own = "result.json ";
  if (const auto at = names.find(own); at != std::string::npos && rest(a) == rest(b))
    names.erase(at, own.size());
  return names;
}

// A data set of one's own: three classes on a ring-like graph, with class-dependent features.
struct OwnGraph {
  int nodes = 90;
  int classes = 3;
  int features = 12;
  std::vector<std::pair<int, int>> edges;
  std::vector<std::vector<double>> x;
  std::vector<int> label;
  std::vector<std::string> part;

  OwnGraph() {
    std::mt19937 engine(7);
    const auto below = [&](int n) { return static_cast<int>(engine() % n); };
    for (int v = 0; v < nodes; ++v) {
      label.push_back(v % classes);
      part.push_back(v % 9 < 3 ? "train" : v % 9 < 6 ? "val" : "test");
      x.emplace_back(features);
      for (int k = 0; k < features; ++k)
        x[v][k] = below(100) < (k % classes == label[v] ? 50 : 20) ? 1 : 0;
      x[v][0] += 1;
    }
    for (int v = 0; v < nodes; ++v) {
      edges.emplace_back(v, (v + classes) % nodes);
      edges.emplace_back(v, (v + classes * (2 + below(8))) % nodes);
      if (below(4) == 0) edges.emplace_back(v, below(nodes));
    }
  }

  void write(const std::filesystem::path& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream edge_file(folder / "edges.csv"), feature_file(folder / "features.csv"),
        label_file(folder / "labels.csv"), split_file(folder / "splits.csv");
    edge_file << "source,target\n";
    for (const auto& [i, j] : edges) edge_file << i << "," << j << "\n";
    for (int v = 0; v < nodes; ++v) {
      for (int k = 0; k < features; ++k) feature_file << (k > 0 ? "," : "") << x[v][k];
      feature_file << "\n";
    }
    label_file << "node,label\n";
    split_file << "node,main\n";
    for (int v = 0; v < nodes; ++v) {
      label_file << v << "," << label[v] << "\n";
      split_file << v << "," << part[v] << "\n";
    }
  }
};

}  // namespace pdegcn::tests
