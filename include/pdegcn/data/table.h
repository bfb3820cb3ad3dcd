#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pdegcn/data/file.h"
#include "pdegcn/data/text.h"

namespace pdegcn::data {

// A table in text: comma, tab, semicolon or blanks between the fields, whichever the first row
// shows. Empty lines and lines that begin with # are passed over; quotes around a field are taken
// off.
class TableReader {
 public:
  explicit TableReader(const File& file);

  // Moves to the next row; false at the end. A row of headings, when there is one, is passed over
  // as well. Throws Error when a row has more or fewer fields than the first.
  bool next_row();
  std::span<const std::string_view> row() const { return row_; }

  // The first row when it is one of headings, else empty. It is one when its first field is a word
  // that usually stands there (id, node, source, label, ...), or when the second row has a number
  // where the first has none.
  std::span<const std::string_view> heading() const { return heading_; }

  // Overrides that judgement; before the first row.
  void set_heading(bool is_there);

  std::size_t columns() const { return columns_; }  // 0 when there is no row

  template <class T>
  T parse(std::string_view field, const char* what) const {
    return reader_.parse<T>(field, what);
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    reader_.fail(format, std::forward<Args>(args)...);
  }

 private:
  bool read_row();

  TextReader reader_;
  TextReader start_;
  char separator_ = ',';
  std::size_t columns_ = 0;
  std::vector<std::string_view> row_;
  std::vector<std::string_view> first_;
  std::vector<std::string_view> heading_;
};

// True when the field is a whole number that fits.
bool is_integer(std::string_view field);

// True for a heading that stands over ids: id, node, node_id, name and the like, in any case.
bool is_id_heading(std::string_view field);

}  // namespace pdegcn::data
