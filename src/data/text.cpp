#include "pdegcn/data/text.h"

#include <cstring>

namespace pdegcn::data {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

TextReader::TextReader(const File& file) : file_(&file), rest_(file.content()) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool TextReader::next_line() {
  if (rest_.empty()) return false;
  ++number_;
  const void* newline = std::memchr(rest_.data(), '\n', rest_.size());
  const std::size_t length =
      newline == nullptr ? rest_.size() : static_cast<const char*>(newline) - rest_.data();
  line_ = rest_.substr(0, length);
  rest_.remove_prefix(newline == nullptr ? length : length + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  fields_ = line_;
  more_fields_ = true;
  return true;
}

bool TextReader::next_filled_line() {
  while (next_line())
    if (!trimmed(line_).empty()) return true;
  return false;
}

bool TextReader::next_field(char separator, std::string_view& field) {
  if (separator == ' ') {
    fields_ = trimmed(fields_);
    if (fields_.empty()) return false;
    std::size_t length = 0;
    while (length < fields_.size() && !is_blank(fields_[length])) ++length;
    field = fields_.substr(0, length);
    fields_.remove_prefix(length);
    return true;
  }
  if (!more_fields_) return false;
  const void* found = std::memchr(fields_.data(), separator, fields_.size());
  const std::size_t length =
      found == nullptr ? fields_.size() : static_cast<const char*>(found) - fields_.data();
  field = trimmed(fields_.substr(0, length));
  more_fields_ = found != nullptr;
  fields_.remove_prefix(found == nullptr ? length : length + 1);
  return true;
}

void TextReader::expect_end_of_line(char separator) {
  std::string_view field;
  if (next_field(separator, field)) fail("unexpected '{:.40}' at the end of the line", field);
}

}  // namespace pdegcn::data
