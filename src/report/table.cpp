#include "pdegcn/report/table.h"

#include <algorithm>

namespace pdegcn::report {
namespace {

// What one sees of UTF-8 text: code points, which is right for the letters and signs used here.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") < 2 &&
         text.find_first_not_of("0123456789.,eE+-% ±×−") == std::string::npos;
}

const std::string& cell(const std::vector<std::string>& row, std::size_t k) {
  static const std::string empty;
  return k < row.size() ? row[k] : empty;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t k = 0; k < columns; ++k) {
      const std::string& value = cell(rows_[r], k);
      widths[k] = std::max(widths[k], width(value));
      if (r > 0 && !value.empty() && !is_number(value)) right[k] = false;
    }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t k = 0; k < columns; ++k) {
      const std::string& value = cell(rows_[r], k);
      const std::string pad(widths[k] - width(value), ' ');
      line += (k > 0 ? "  " : "") + (right[k] ? pad + value : value + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r > 0) continue;
    for (std::size_t k = 0; k < columns; ++k) {
      if (k > 0) out += "  ";
      for (std::size_t w = 0; w < widths[k]; ++w) out += "─";
    }
    out += "\n";
  }
  return out;
}

std::string Table::markdown() const {
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out += "|";
    for (std::size_t k = 0; k < rows_.front().size(); ++k) out += " " + cell(rows_[r], k) + " |";
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (std::size_t k = 0; k < rows_.front().size(); ++k) out += "---|";
    out += "\n";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < rows_.front().size(); ++k)
      out += (k > 0 ? "," : "") + csv_cell(cell(row, k));
    out += "\n";
  }
  return out;
}

}  // namespace pdegcn::report
