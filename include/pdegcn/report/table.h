#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pdegcn::report {

// A whole number for people: "4,188,160".
std::string with_commas(std::int64_t number);

// A text as a field of CSV, in quotes where it needs them.
std::string csv_cell(const std::string& text);

// A table: words to the left, columns of numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}

  // Adds a row; one that is shorter than the head is filled with empty cells.
  void add(std::vector<std::string> row);

  std::string text() const;  // for the terminal, with a rule under the head, without empty columns
  std::string markdown() const;  // for documents
  std::string csv() const;       // for other programs

 private:
  std::vector<bool> number_columns() const;

  std::vector<std::vector<std::string>> rows_;  // the head first
};

}  // namespace pdegcn::report
