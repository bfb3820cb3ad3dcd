#include <algorithm>
#include <array>

#include "mesh_parts.h"

namespace pdegcn::data {
namespace {

// Fields are separated by commas, by semicolons, or by blanks.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';'})
    if (line.find(separator) != line.npos) return separator;
  return ' ';
}

bool starts_with_number(std::string_view field) {
  return !field.empty() && std::string_view("0123456789+-.").find(field.front()) != field.npos;
}

// The columns that a line of names calls x, y and z.
std::array<std::int64_t, 3> named_columns(TextReader& text, char separator) {
  std::array<std::int64_t, 3> columns{-1, -1, -1};
  std::string_view name;
  for (std::int64_t column = 0; text.next_field(separator, name); ++column) {
    while (name.starts_with('/')) name.remove_prefix(1);  // some programs write "//X Y Z"
    if (name.size() != 1) continue;
    const char lower = static_cast<char>(name.front() | 0x20);
    if (lower >= 'x' && lower <= 'z' && columns[lower - 'x'] < 0) columns[lower - 'x'] = column;
  }
  if (std::find(columns.begin(), columns.end(), -1) != columns.end())
    text.fail("this line holds neither numbers nor columns named x, y and z");
  return columns;
}

}  // namespace

// Rows of numbers, as many in each. A first line of names says which columns are x, y and z;
// without one they are the first three.
Mesh read_xyz(const File& file) {
  Mesh mesh;
  TextReader text(file);
  if (!next_data_line(text)) return mesh;
  const char separator = separator_of(text.line());
  std::array<std::int64_t, 3> columns{0, 1, 2};
  const std::string_view first = text.line().substr(text.line().find_first_not_of(" \t"));
  bool more = true;
  if (!starts_with_number(first)) {
    columns = named_columns(text, separator);
    more = next_data_line(text);
  }

  std::int64_t width = -1;
  for (; more; more = next_data_line(text)) {
    std::array<float, 3> point{};
    std::int64_t column = 0;
    int found = 0;
    std::string_view field;
    for (; text.next_field(separator, field); ++column)
      for (int d = 0; d < 3; ++d) {
        if (columns[d] != column) continue;
        const std::optional<float> value =
            as_coordinate(text.parse<double>(field, "the coordinate"));
        if (!value) text.fail("the coordinate '{:.40}' is not a finite float", field);
        point[d] = *value;
        ++found;
      }
    if (found < 3) text.fail("a point needs three coordinates");
    if (width < 0) width = column;
    if (column != width) text.fail("{} columns where the lines before have {}", column, width);
    mesh.positions.insert(mesh.positions.end(), point.begin(), point.end());
  }
  return mesh;
}

}  // namespace pdegcn::data
