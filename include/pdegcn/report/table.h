#pragma once

#include <string>
#include <vector>

namespace pdegcn::report {

// A table for the terminal: columns as wide as their widest cell, words to the left and numbers to
// the right, a rule under the head.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}

  // Adds a row; one that is shorter than the head is filled with empty cells.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const;
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the head first
};

}  // namespace pdegcn::report
