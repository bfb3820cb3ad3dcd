#include "pdegcn/report/png.h"

#include <zlib.h>

#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"

namespace pdegcn::report {
namespace {

void put_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

// Length, type, data, and the checksum of the last two.
void put_chunk(std::string& out, const char* type, const std::string& data) {
  const std::string body = type + data;
  put_big_endian(out, static_cast<std::uint32_t>(data.size()));
  out += body;
  put_big_endian(out,
                 static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                    static_cast<uInt>(body.size()))));
}

// Rows as the format has them: each begins with the number of its filter. "Up", the difference to
// the row above, suits flat areas and smooth shading.
std::string filtered(const Image& image) {
  constexpr char kUp = 2;
  std::string rows;
  rows.reserve(static_cast<std::size_t>(image.height()) *
               (1 + 3 * static_cast<std::size_t>(image.width())));
  for (int y = 0; y < image.height(); ++y) {
    rows += kUp;
    for (int x = 0; x < image.width(); ++x) {
      const Colour c = image.at(x, y), above = y > 0 ? image.at(x, y - 1) : Colour{};
      rows += static_cast<char>(c.r - above.r);
      rows += static_cast<char>(c.g - above.g);
      rows += static_cast<char>(c.b - above.b);
    }
  }
  return rows;
}

std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int result = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw Error("zlib cannot compress {} bytes: {}", bytes.size(), result);
  out.resize(size);
  return out;
}

}  // namespace

std::string png(const Image& image) {
  std::string header;
  put_big_endian(header, static_cast<std::uint32_t>(image.width()));
  put_big_endian(header, static_cast<std::uint32_t>(image.height()));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue, no interlacing
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", deflated(filtered(image)));
  put_chunk(out, "IEND", "");
  return out;
}

void write_png(const std::filesystem::path& path, const Image& image) {
  write_atomically(path, png(image));
}

}  // namespace pdegcn::report
