#include <array>
#include <string>

#include "mesh_parts.h"

namespace pdegcn::data {
namespace {

struct Field {
  std::string_view name;
  std::size_t size = 0;   // of one value, in bytes
  char type = 0;          // 'I', 'U' or 'F'
  std::size_t count = 1;  // values per point
};

struct Header {
  std::vector<Field> fields;
  std::uint64_t points = 0;
  std::string_view data;  // "ascii", "binary" or "binary_compressed"
};

Header read_header(TextReader& text) {
  Header header;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::optional<std::uint64_t> points;
  std::string_view field;
  // Reads one item per field of a point into `set`.
  const auto per_field = [&](const char* what, auto set) {
    if (header.fields.empty()) text.fail("{} comes before FIELDS", what);
    for (Field& f : header.fields) {
      if (!text.next_field(' ', field)) text.fail("{} has fewer entries than FIELDS", what);
      set(f);
    }
    text.expect_end_of_line(' ');
  };
  while (header.data.empty()) {
    if (!next_data_line(text)) text.fail("the header has no line DATA");
    text.next_field(' ', field);
    if (field == "VERSION" || field == "VIEWPOINT") continue;
    if (field == "FIELDS" || field == "COLUMNS") {
      header.fields.clear();
      while (text.next_field(' ', field)) header.fields.push_back({field});
    } else if (field == "SIZE") {
      per_field("SIZE", [&](Field& f) {
        f.size = text.parse<std::uint8_t>(field, "the size");
        if (f.size != 1 && f.size != 2 && f.size != 4 && f.size != 8)
          text.fail("the size {} is not 1, 2, 4 or 8", f.size);
      });
    } else if (field == "TYPE") {
      per_field("TYPE", [&](Field& f) {
        if (field != "I" && field != "U" && field != "F")
          text.fail("the type '{:.40}' is not I, U or F", field);
        f.type = field.front();
      });
    } else if (field == "COUNT") {
      per_field("COUNT", [&](Field& f) {
        f.count = text.parse<std::uint16_t>(field, "the count");
        if (f.count == 0) text.fail("the count is 0");
      });
    } else if (field == "WIDTH") {
      width = text.number<std::uint32_t>(' ', "the width");
    } else if (field == "HEIGHT") {
      height = text.number<std::uint32_t>(' ', "the height");
    } else if (field == "POINTS") {
      points = text.number<std::uint64_t>(' ', "the number of points");
    } else if (field == "DATA") {
      if (!text.next_field(' ', header.data)) text.fail("DATA needs a format");
    } else {
      text.fail("unexpected '{:.40}' in the header", field);
    }
  }
  header.points = width * height;
  if (points && *points != header.points)
    text.fail("{} points are not {} x {}", *points, width, height);
  for (const Field& f : header.fields)
    if (f.size == 0 || f.type == 0) text.fail("the header lacks SIZE or TYPE");
  return header;
}

// Where a coordinate lies.
struct Column {
  Scalar type;
  std::size_t number;  // values before it in a row of text
  std::size_t offset;  // bytes before it in a point
};

struct Layout {
  std::array<Column, 3> xyz{};
  std::size_t values = 0;  // per point
  std::size_t stride = 0;  // bytes per point
};

Layout layout_of(const Header& header, const TextReader& text) {
  Layout layout;
  std::array<int, 3> times{};
  for (const Field& f : header.fields) {
    if (f.name.size() == 1 && f.name.front() >= 'x' && f.name.front() <= 'z') {
      const int d = f.name.front() - 'x';
      constexpr struct {
        char type;
        unsigned char size;
        Scalar scalar;
      } known[] = {{'I', 1, Scalar::kInt8},    {'U', 1, Scalar::kUInt8},  {'I', 2, Scalar::kInt16},
                   {'U', 2, Scalar::kUInt16},  {'I', 4, Scalar::kInt32},  {'U', 4, Scalar::kUInt32},
                   {'F', 4, Scalar::kFloat32}, {'F', 8, Scalar::kFloat64}};
      for (const auto& k : known)
        if (k.type == f.type && k.size == f.size && f.count == 1) {
          layout.xyz[d] = {k.scalar, layout.values, layout.stride};
          ++times[d];
        }
    }
    layout.values += f.count;
    layout.stride += f.size * f.count;
  }
  if (times != std::array{1, 1, 1}) text.fail("FIELDS needs one x, one y and one z, as numbers");
  return layout;
}

// Whether all points, of that many bytes at least, fit into what there is.
bool fits(const Header& header, std::size_t bytes, std::size_t available) {
  return header.points <= std::numeric_limits<NodeId>::max() && header.points <= available / bytes;
}

// LZF: runs of literal bytes and copies of what came before, until exactly `size` bytes are out.
std::string expand(const File& file, std::size_t begin, std::size_t end, std::size_t size) {
  const std::string_view in = file.content().substr(0, end);
  std::string out;
  out.reserve(size);
  std::size_t at = begin;
  const auto next = [&] {
    if (at >= end) file.fail_at_byte(at, "the compressed data end too early");
    return static_cast<std::size_t>(static_cast<unsigned char>(in[at++]));
  };
  while (at < end) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t length = control + 1;
      if (length > end - at || length > size - out.size())
        file.fail_at_byte(at, "a run of {} bytes is too long", length);
      out.append(in.substr(at, length));
      at += length;
    } else {
      std::size_t length = (control >> 5) + 2;
      if (length == 9) length += next();
      const std::size_t back = ((control & 31) << 8 | next()) + 1;
      if (back > out.size() || length > size - out.size())
        file.fail_at_byte(at, "a copy of {} bytes from {} before does not fit", length, back);
      // Byte by byte: a copy may run into what it writes.
      for (std::size_t k = 0; k < length; ++k) out.push_back(out[out.size() - back]);
    }
  }
  if (out.size() != size)
    file.fail_at_byte(end, "{} bytes come out where {} are needed", out.size(), size);
  return out;
}

// The points of a text body, one per line.
std::vector<float> read_rows(TextReader& text, const Header& header, const Layout& layout,
                             std::size_t available) {
  if (!fits(header, 2 * layout.values, available + 1))
    text.fail("{} points do not fit into the {} bytes that follow", header.points, available);
  std::vector<float> positions;
  positions.reserve(3 * header.points);
  for (std::uint64_t p = 0; p < header.points; ++p) {
    if (!next_data_line(text)) text.fail("the file ends after {} of {} points", p, header.points);
    std::array<double, 3> point{};
    for (std::size_t number = 0; number < layout.values; ++number) {
      const auto value = text.number<double>(' ', "a value");
      for (int d = 0; d < 3; ++d)
        if (layout.xyz[d].number == number) point[d] = value;
    }
    text.expect_end_of_line(' ');
    for (const double value : point) {
      const std::optional<float> coordinate = as_coordinate(value);
      if (!coordinate) text.fail("the coordinate {} is not a finite float", value);
      positions.push_back(*coordinate);
    }
  }
  if (next_data_line(text)) text.fail("unexpected line after the last point");
  return positions;
}

// The bytes that a compressed body stands for: two sizes, then LZF.
std::string read_compressed(const File& file, std::size_t start, const Header& header,
                            const Layout& layout) {
  const std::size_t available = file.content().size() - start;
  if (available < 8) file.fail_at_byte(start, "the sizes of the compressed data are missing");
  const char* sizes = file.content().data() + start;
  const auto packed = static_cast<std::size_t>(load(Scalar::kUInt32, sizes));
  const auto size = static_cast<std::size_t>(load(Scalar::kUInt32, sizes + 4));
  if (packed > available - 8)
    file.fail_at_byte(start, "{} compressed bytes where {} follow", packed, available - 8);
  // Three bytes of LZF stand for 264 at most.
  if (size > 88 * packed || size % layout.stride != 0 || size / layout.stride != header.points)
    file.fail_at_byte(start, "{} bytes, {} compressed, do not hold {} points of {}", size, packed,
                      header.points, layout.stride);
  return expand(file, start + 8, start + 8 + packed, size);
}

}  // namespace

// Point clouds of PCL.
Mesh read_pcd(const File& file) {
  TextReader text(file);
  const Header header = read_header(text);
  const Layout layout = layout_of(header, text);
  const std::size_t start = offset_after_line(file, text);
  if (header.data == "ascii")
    return {read_rows(text, header, layout, file.content().size() - start), {}};

  const bool compressed = header.data == "binary_compressed";
  if (!compressed && header.data != "binary")
    text.fail("the format '{:.40}' of DATA is not known", header.data);
  std::string expanded;
  std::string_view bytes = file.content().substr(start);
  if (compressed) bytes = expanded = read_compressed(file, start, header, layout);
  if (!fits(header, layout.stride, bytes.size()) || header.points * layout.stride != bytes.size())
    text.fail("{} points of {} bytes are not the {} bytes that follow", header.points,
              layout.stride, bytes.size());

  Mesh mesh;
  mesh.positions.reserve(3 * header.points);
  for (std::uint64_t p = 0; p < header.points; ++p)
    for (const Column& column : layout.xyz) {
      // In the compressed form all values of a field lie together.
      const std::size_t at = compressed ? column.offset * header.points + p * size_of(column.type)
                                        : p * layout.stride + column.offset;
      const double value = load(column.type, bytes.data() + at);
      const std::optional<float> coordinate = as_coordinate(value);
      if (!coordinate)
        file.fail_at_byte(compressed ? start : start + at,
                          "the coordinate {} of point {} is not a finite float", value, p);
      mesh.positions.push_back(*coordinate);
    }
  return mesh;
}

}  // namespace pdegcn::data
