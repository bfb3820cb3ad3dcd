#include "pdegcn/data/text.h"

#include <algorithm>
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

constexpr int kMostKeyParts = 256;

}  // namespace

bool is_utf8(std::string_view bytes) {
  unsigned char all = 0;  // most text is ASCII, which this finds out with vector instructions
  bool null = false;
  for (const char c : bytes) {
    all |= static_cast<unsigned char>(c);
    null |= c == '\0';
  }
  if (null) return false;
  if (all < 0x80) return true;
  for (std::size_t k = 0; k < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[k]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || k + length > bytes.size()) return false;
    std::uint32_t code = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t j = 1; j < length; ++j) {
      const auto next = static_cast<unsigned char>(bytes[k + j]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    // Too long a form, a half of a pair of UTF-16, beyond the last character.
    if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000))
      return false;
    k += length;
  }
  return true;
}

void check_toml_keys(std::string_view toml, const std::string& name) {
  int parts = 1;
  for (std::size_t k = 0; k < toml.size(); ++k) {
    if (toml[k] == '.')
      ++parts;
    else if (std::string_view("\n=,[]{}").find(toml[k]) != std::string_view::npos)
      parts = 1;
    if (parts > kMostKeyParts)
      throw Error("{}, line {}: a key of more than {} parts", name,
                  1 + std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(k), '\n'),
                  kMostKeyParts);
  }
}

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
