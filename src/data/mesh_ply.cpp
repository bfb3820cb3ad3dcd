#include <algorithm>
#include <array>
#include <string>

#include "mesh_parts.h"

namespace pdegcn::data {
namespace {

struct Property {
  std::string_view name;
  Scalar type;
  std::optional<Scalar> count;  // of a list: the type of its length
};

struct Element {
  std::string_view name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

enum class Encoding { kAscii, kLittleEndian, kBigEndian };

struct Header {
  Encoding encoding;
  std::vector<Element> elements;
};

Scalar read_type(TextReader& text) {
  constexpr const char* names[][2] = {
      {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
      {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
  std::string_view field;
  if (!text.next_field(' ', field)) text.fail("a property needs a type");
  for (int k = 0; k < 8; ++k)
    if (field == names[k][0] || field == names[k][1]) return static_cast<Scalar>(k);
  text.fail("the type '{:.40}' is not known", field);
}

Encoding read_encoding(TextReader& text) {
  std::string_view field;
  text.next_field(' ', field);
  if (field == "ascii") return Encoding::kAscii;
  if (field == "binary_little_endian") return Encoding::kLittleEndian;
  if (field == "binary_big_endian") return Encoding::kBigEndian;
  text.fail("the format '{:.40}' is not known", field);
}

Element read_element(TextReader& text, const std::vector<Element>& before) {
  Element element;
  text.next_field(' ', element.name);
  element.count = text.number<std::int64_t>(' ', "the number of rows");
  if (element.count < 0) text.fail("element {} has {} rows", element.name, element.count);
  for (const Element& other : before)
    if (other.name == element.name) text.fail("element {} occurs twice", element.name);
  if (element.name == "tristrips") text.fail("triangle strips are not supported");
  return element;
}

Property read_property(TextReader& text) {
  Property property{};
  TextReader ahead = text;
  std::string_view field;
  if (ahead.next_field(' ', field) && field == "list") {
    text = ahead;
    property.count = read_type(text);
  }
  property.type = read_type(text);
  if (!text.next_field(' ', property.name)) text.fail("a property needs a name");
  return property;
}

Header read_header(TextReader& text) {
  std::string_view field;
  if (!text.next_line() || !text.next_field(' ', field) || field != "ply")
    text.fail("the file does not start with 'ply'");
  Header header{};
  bool has_format = false;
  for (;;) {
    if (!text.next_line()) text.fail("the header has no end");
    if (!text.next_field(' ', field) || field == "comment" || field == "obj_info") continue;
    if (field == "end_header") break;
    if (field == "format") {
      header.encoding = read_encoding(text);
      has_format = true;
    } else if (field == "element") {
      header.elements.push_back(read_element(text, header.elements));
    } else if (field == "property" && !header.elements.empty()) {
      header.elements.back().properties.push_back(read_property(text));
    } else {
      text.fail("unexpected '{:.40}' in the header", field);
    }
  }
  if (!has_format) text.fail("the header names no format");
  return header;
}

// The values of the body, one after the other: as text, or as bytes. row() moves to the next row
// of an element.
class TextBody {
 public:
  static constexpr std::size_t bytes_of(Scalar) { return 2; }  // a digit and a blank
  TextBody(const File& file, TextReader& text) : text_(text), available_(file.content().size()) {}

  std::size_t available() const { return available_; }
  void row() {
    if (!next_data_line(text_)) fail("the file ends too early");
  }
  double value(Scalar) { return text_.number<double>(' ', "a value"); }
  void expect_end() {
    if (next_data_line(text_)) fail("unexpected line after the last element");
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    text_.fail(format, std::forward<Args>(args)...);
  }

 private:
  TextReader& text_;
  std::size_t available_;
};

class BinaryBody {
 public:
  static constexpr std::size_t bytes_of(Scalar type) { return size_of(type); }
  BinaryBody(const File& file, std::size_t at, std::endian order)
      : file_(file), at_(at), order_(order) {}

  std::size_t available() const { return file_.content().size() - at_; }
  void row() {}
  double value(Scalar type) {
    if (available() < size_of(type)) fail("the file ends too early");
    const double value = load(type, file_.content().data() + at_, order_);
    at_ += size_of(type);
    return value;
  }
  void expect_end() {
    if (file_.content().find_first_not_of("\r\n", at_) != std::string_view::npos)
      fail("{} unexpected bytes after the last element", available());
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    file_.fail_at_byte(at_, format, std::forward<Args>(args)...);
  }

 private:
  const File& file_;
  std::size_t at_;
  std::endian order_;
};

// The next value as a whole number below `limit`.
template <class Body>
std::int64_t read_whole(Body& body, Scalar type, double limit, const char* what) {
  const double value = body.value(type);
  if (!(value >= 0 && value < limit) || value != std::floor(value))
    body.fail("{} {} is not a whole number below {}", what, value, limit);
  return static_cast<std::int64_t>(value);
}

// What a property of an element is to us.
enum class Role { kOther, kX, kY, kZ, kCorners };

Role role_of(const Element& element, const Property& property) {
  if (element.name == "vertex" && !property.count && property.name.size() == 1)
    for (const Role role : {Role::kX, Role::kY, Role::kZ})
      if (property.name.front() == "?xyz"[static_cast<int>(role)]) return role;
  if (element.name == "face" && property.count &&
      (property.name == "vertex_indices" || property.name == "vertex_index"))
    return Role::kCorners;
  return Role::kOther;
}

template <class Body>
Mesh read_body(const std::vector<Element>& elements, Body body) {
  Mesh mesh;
  std::int64_t vertices = 0;
  for (const Element& element : elements)
    if (element.name == "vertex") vertices = element.count;

  std::vector<NodeId> corners;
  for (const Element& element : elements) {
    std::size_t row_bytes = 0;
    std::array<int, 5> times{};
    std::vector<Role> roles;
    for (const Property& property : element.properties) {
      row_bytes += Body::bytes_of(property.count.value_or(property.type));
      roles.push_back(role_of(element, property));
      ++times[static_cast<int>(roles.back())];
    }
    const auto expect_once = [&](Role role, const char* what) {
      if (times[static_cast<int>(role)] != 1)
        body.fail("element {} needs one {}", element.name, what);
    };
    if (row_bytes == 0) body.fail("element {} has no property", element.name);
    if (element.name == "vertex") {
      expect_once(Role::kX, "property x");
      expect_once(Role::kY, "property y");
      expect_once(Role::kZ, "property z");
    }
    if (element.name == "face") expect_once(Role::kCorners, "list vertex_indices");
    if (!fits(element.count, row_bytes, body.available()))
      body.fail("{} rows of element {} do not fit into the {} bytes that follow", element.count,
                element.name, body.available());
    if (element.name == "vertex") mesh.positions.reserve(3 * element.count);
    if (element.name == "face") mesh.triangles.reserve(element.count);

    for (std::int64_t row = 0; row < element.count; ++row) {
      body.row();
      std::array<float, 3> point{};
      corners.clear();
      for (std::size_t p = 0; p < roles.size(); ++p) {
        const Property& property = element.properties[p];
        if (property.count) {
          const std::int64_t length = read_whole(body, *property.count, 0x1p32, "the length");
          for (std::int64_t k = 0; k < length; ++k)
            if (roles[p] == Role::kCorners)
              corners.push_back(static_cast<NodeId>(
                  read_whole(body, property.type, static_cast<double>(vertices), "corner")));
            else
              body.value(property.type);
          continue;
        }
        const double value = body.value(property.type);
        if (roles[p] == Role::kOther) continue;
        const std::optional<float> coordinate = as_coordinate(value);
        if (!coordinate) body.fail("the coordinate {} is not a finite float", value);
        point[static_cast<int>(roles[p]) - 1] = *coordinate;
      }
      if (element.name == "vertex")
        mesh.positions.insert(mesh.positions.end(), point.begin(), point.end());
      append_fan(corners, mesh.triangles);
    }
  }
  body.expect_end();
  return mesh;
}

}  // namespace

// Stanford PLY. Elements and properties of other names are stepped over; in the text form every
// row of an element has a line of its own.
Mesh read_ply(const File& file) {
  TextReader text(file);
  const Header header = read_header(text);
  if (header.encoding == Encoding::kAscii) return read_body(header.elements, TextBody(file, text));
  const std::endian order =
      header.encoding == Encoding::kBigEndian ? std::endian::big : std::endian::little;
  return read_body(header.elements, BinaryBody(file, offset_after_line(file, text), order));
}

}  // namespace pdegcn::data
