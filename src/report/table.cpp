#include "pdegcn/report/table.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace pdegcn::report {
namespace {

// What one sees of UTF-8 text: code points, which is right for the letters and signs used here.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// A number with what belongs to it: "-1.5e-3", "82.2 ± 0.6", "81.2 %".
bool is_number(std::string_view text) {
  for (const std::string_view sign : {"-", "+", "−"})
    if (text.starts_with(sign)) {
      text.remove_prefix(sign.size());
      break;
    }
  return text.find_first_of(".0123456789") == 0 &&
         text.find_first_not_of("0123456789.,eE+-% ±×−") == std::string_view::npos;
}

// A cell that says that there is nothing to say.
bool is_blank(std::string_view text) {
  return text.empty() || text == "-" || text == "–" || text == "—";
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

void Table::add(std::vector<std::string> row) {
  if (row.size() > rows_.front().size())
    throw std::logic_error("a row of a table has more cells than its head");
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::vector<bool> Table::number_columns() const {
  std::vector<bool> out(rows_.front().size(), false);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto all = [&](const auto& holds) {
      return std::all_of(rows_.begin() + 1, rows_.end(),
                         [&](const auto& row) { return holds(row[k]); });
    };
    out[k] = !all(is_blank) && all([](const auto& c) { return is_blank(c) || is_number(c); });
  }
  return out;
}

std::string Table::text() const {
  std::vector<std::size_t> columns;  // that hold anything
  for (std::size_t k = 0; k < rows_.front().size(); ++k)
    if (rows_.size() == 1 || std::any_of(rows_.begin() + 1, rows_.end(),
                                         [&](const auto& row) { return !row[k].empty(); }))
      columns.push_back(k);
  const std::vector<bool> numbers = number_columns();
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (const std::size_t k : columns) widths[k] = std::max(widths[k], width(row[k]));
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (const std::size_t k : columns) {
      const std::string& value = rows_[r][k];
      const std::string pad(widths[k] - width(value), ' ');
      line += (k != columns.front() ? "  " : "") + (numbers[k] ? pad + value : value + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r > 0) continue;
    for (const std::size_t k : columns) {
      if (k != columns.front()) out += "  ";
      for (std::size_t w = 0; w < widths[k]; ++w) out += "─";
    }
    out += "\n";
  }
  return out;
}

std::string Table::markdown() const {
  const std::vector<bool> numbers = number_columns();
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out += "|";
    for (const std::string& value : rows_[r]) out += " " + markdown_cell(value) + " |";
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (const bool number : numbers) out += number ? "---:|" : "---|";
    out += "\n";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) out += (k > 0 ? "," : "") + csv_cell(row[k]);
    out += "\n";
  }
  return out;
}

}  // namespace pdegcn::report
