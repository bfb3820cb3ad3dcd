#include "pdegcn/report/image.h"

#include "pdegcn/graph/error.h"

namespace pdegcn::report {

Image::Image(int width, int height, Colour fill) : width_(width), height_(height) {
  constexpr int kMost = 32768;
  if (width < 1 || height < 1 || width > kMost || height > kMost)
    throw Error("a picture of {} x {} pixels: both must be between 1 and {}", width, height, kMost);
  pixels_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), fill);
}

void Image::paste(const Image& other, int x, int y) {
  for (int v = std::max(0, -y); v < other.height() && y + v < height_; ++v)
    for (int u = std::max(0, -x); u < other.width() && x + u < width_; ++u)
      at(x + u, y + v) = other.at(u, v);
}

void Image::blend(int x, int y, Colour colour, double share) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const auto part = static_cast<float>(share);
  at(x, y) = colour_of(light_of(colour) * part + light_of(at(x, y)) * (1 - part));
}

}  // namespace pdegcn::report
