#include "pdegcn/report/png.h"

#include <zlib.h>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

// The checksum of the format by its definition, one bit at a time.
std::uint32_t crc(const std::string& bytes) {
  std::uint32_t c = 0xFFFFFFFF;
  for (const char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xEDB88320 ^ c >> 1 : c >> 1;
  }
  return ~c;
}

std::string inflated(const std::string& bytes, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  return out;
}

// Reads a file back from the description of the format: what this project writes of it.
Image decoded(const std::string& file) {
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string header, data, order;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t size = number(file, at);
    const std::string body = file.substr(at + 4, 4 + size);
    EXPECT_EQ(number(file, at + 8 + size), crc(body));
    order += body.substr(0, 4) + " ";
    if (body.starts_with("IHDR")) header = body.substr(4);
    if (body.starts_with("IDAT")) data += body.substr(4);
    at += 12 + size;
  }
  EXPECT_EQ(order, "IHDR IDAT IEND ");
  EXPECT_EQ(header.size(), 13U);
  const auto width = static_cast<int>(number(header, 0)),
             height = static_cast<int>(number(header, 4));
  EXPECT_EQ(header.substr(8), std::string("\x08\x02\x00\x00\x00", 5));
  const std::size_t row = 1 + 3 * static_cast<std::size_t>(width);
  const std::string rows = inflated(data, row * static_cast<std::size_t>(height));
  Image image(width, height, {});
  for (int y = 0; y < height; ++y) {
    const char filter = rows[row * static_cast<std::size_t>(y)];
    EXPECT_TRUE(filter == 0 || filter == 2);
    for (int x = 0; x < width; ++x) {
      const std::size_t at =
          row * static_cast<std::size_t>(y) + 1 + 3 * static_cast<std::size_t>(x);
      const Colour above = filter == 2 && y > 0 ? image.at(x, y - 1) : Colour{};
      image.at(x, y) = {static_cast<std::uint8_t>(rows[at] + above.r),
                        static_cast<std::uint8_t>(rows[at + 1] + above.g),
                        static_cast<std::uint8_t>(rows[at + 2] + above.b)};
    }
  }
  return image;
}

TEST(Png, ReadsBackPixelByPixel) {
  Image image(37, 23, {1, 2, 3});
  for (int y = 0; y < 23; ++y)
    for (int x = 0; x < 37; ++x)
      image.at(x, y) = {static_cast<std::uint8_t>(7 * x * y), static_cast<std::uint8_t>(255 - x),
                        static_cast<std::uint8_t>(x * x + 31 * y)};
  const Scratch folder;
  write_png(folder / "a.png", image);
  const Image read = decoded(content(folder / "a.png"));
  ASSERT_EQ(read.width(), 37);
  ASSERT_EQ(read.height(), 23);
  for (int y = 0; y < 23; ++y)
    for (int x = 0; x < 37; ++x) ASSERT_EQ(read.at(x, y), image.at(x, y)) << x << " " << y;
}

TEST(Png, FlatPicturesAreSmallAndTheSmallestHasOnePixel) {
  EXPECT_LT(png(Image(1000, 800, {250, 250, 250})).size(), 10000U);
  EXPECT_EQ(decoded(png(Image(1, 1, {9, 8, 7}))).at(0, 0), (Colour{9, 8, 7}));
  EXPECT_TRUE(mentions(error_of([] { Image(0, 5, {}); }), "0 x 5"));
}

TEST(Image, PastesWhatFitsAndBlendsInside) {
  Image image(4, 3, {0, 0, 0});
  image.paste(Image(2, 2, {255, 0, 0}), 3, 2);
  image.paste(Image(2, 2, {0, 255, 0}), -1, -1);
  EXPECT_EQ(image.at(3, 2), (Colour{255, 0, 0}));
  EXPECT_EQ(image.at(0, 0), (Colour{0, 255, 0}));
  EXPECT_EQ(image.at(2, 2), Colour{});
  image.blend(1, 1, {255, 255, 255}, 0.5);
  EXPECT_EQ(image.at(1, 1), (Colour{188, 188, 188}));  // half of the light
  image.blend(-1, 7, {255, 255, 255}, 1);
}

}  // namespace
}  // namespace pdegcn::report
