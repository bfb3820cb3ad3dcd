#pragma once

#include <charconv>
#include <concepts>
#include <string_view>

#include "pdegcn/data/file.h"

namespace pdegcn::data {

// Whether all bytes together are text in UTF-8, without a null.
bool is_utf8(std::string_view bytes);

// Throws Error, which names the line, when a key of TOML text has so many parts that the parser
// would run out of stack.
void check_toml_keys(std::string_view toml, const std::string& name);

// Walks through a text file line by line and field by field. A byte-order mark, CRLF line ends and
// a missing last newline are all the same to it.
class TextReader {
 public:
  explicit TextReader(const File& file);

  // Moves to the next line; false at the end.
  bool next_line();

  // Moves to the next line that holds more than blanks; false at the end.
  bool next_filled_line();

  // The line, without its end, and its number from 1 (0 before the first).
  std::string_view line() const { return line_; }
  std::size_t line_number() const { return number_; }

  // The next field of the line: up to the separator, without blanks around it. ' ' as the separator
  // means any run of blanks and tabs. False when the line is used up; "a,b," has three fields.
  bool next_field(char separator, std::string_view& field);

  // The next field as a number; throws Error naming file, line and field when there is none, when
  // it is not a number, or when it does not fit the type. `what` says what was looked for.
  template <class T>
  T number(char separator, const char* what) {
    std::string_view field;
    if (!next_field(separator, field)) fail("{} is missing", what);
    return parse<T>(field, what);
  }

  // A whole field as a number.
  template <class T>
  T parse(std::string_view field, const char* what) const;

  // Throws unless the line is used up.
  void expect_end_of_line(char separator);

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    file_->fail_at_line(number_, format, std::forward<Args>(args)...);
  }

 private:
  const File* file_;
  std::string_view rest_;  // of the file, after this line
  std::string_view line_;
  std::string_view fields_;  // of the line, not yet taken
  bool more_fields_ = false;
  std::size_t number_ = 0;
};

template <class T>
T TextReader::parse(std::string_view field, const char* what) const {
  T value{};
  std::string_view digits = field;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    // A floating-point number too close to zero is as good as zero.
    if constexpr (std::floating_point<T>) {
      long double wide = 1;
      std::from_chars(digits.data(), digits.data() + digits.size(), wide);
      if (wide > -1 && wide < 1) return T{};
    }
    fail("{} '{:.40}' is out of range", what, field);
  }
  if (error != std::errc{} || end != digits.data() + digits.size())
    fail("{} '{:.40}' is not {}", what, field, std::integral<T> ? "a whole number" : "a number");
  return value;
}

}  // namespace pdegcn::data
