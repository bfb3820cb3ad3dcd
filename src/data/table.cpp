#include "pdegcn/data/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>

namespace pdegcn::data {
namespace {

template <class T>
bool is_number(std::string_view field) {
  T value;
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size();
}

char separator_of(std::string_view line) {
  for (const char separator : {'\t', ',', ';'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

constexpr std::array<std::string_view, 8> kIdHeadings = {"id",      "ids",    "node", "nodes",
                                                         "node_id", "nodeid", "name", "vertex"};
constexpr std::array<std::string_view, 13> kOtherHeadings = {
    "source", "src",   "from", "target", "dst",  "to", "label",
    "labels", "class", "y",    "split",  "part", "set"};

bool is_among(std::span<const std::string_view> words, std::string_view field) {
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(words, lower) != words.end();
}

}  // namespace

bool is_integer(std::string_view field) {
  return is_number<std::int64_t>(field);
}

bool is_id_heading(std::string_view field) {
  return is_among(kIdHeadings, field);
}

TableReader::TableReader(const File& file) : reader_(file), start_(file) {
  if (!read_row()) return;
  first_ = row_;
  columns_ = row_.size();
  bool heading = is_id_heading(row_[0]) || is_among(kOtherHeadings, row_[0]);
  if (!heading && read_row() && row_.size() == columns_)
    for (std::size_t k = 0; k < columns_; ++k)
      heading |= !first_[k].empty() && !is_number<double>(first_[k]) && is_number<double>(row_[k]);
  set_heading(heading);
}

void TableReader::set_heading(bool is_there) {
  reader_ = start_;
  heading_.clear();
  if (is_there && read_row()) heading_ = row_;
}

bool TableReader::next_row() {
  if (!read_row()) return false;
  if (row_.size() != columns_) fail("{} fields where the first row has {}", row_.size(), columns_);
  return true;
}

bool TableReader::read_row() {
  do {
    if (!reader_.next_filled_line()) return false;
  } while (reader_.line().starts_with('#'));
  if (first_.empty()) separator_ = separator_of(reader_.line());
  if (!is_utf8(reader_.line())) fail("this line is not text in UTF-8");
  row_.clear();
  std::string_view field;
  while (reader_.next_field(separator_, field)) {
    if (field.starts_with('"')) {
      if (field.size() < 2 || !field.ends_with('"'))
        fail("a quote that does not end in its field: {:.40}", field);
      field = field.substr(1, field.size() - 2);
    }
    row_.push_back(field);
  }
  return true;
}

}  // namespace pdegcn::data
