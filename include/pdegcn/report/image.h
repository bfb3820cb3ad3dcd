#pragma once

#include <cstddef>
#include <vector>

#include "pdegcn/report/colour.h"

namespace pdegcn::report {

// A picture in memory, row by row from the top left.
class Image {
 public:
  // Throws Error unless both are at least 1 and at most 32,768.
  Image(int width, int height, Colour fill);

  int width() const { return width_; }
  int height() const { return height_; }
  Colour& at(int x, int y) { return pixels_[index(x, y)]; }
  const Colour& at(int x, int y) const { return pixels_[index(x, y)]; }

  // Puts another picture into this one; what does not fit is cut off.
  void paste(const Image& other, int x, int y);

  // Mixes a colour into a pixel; outside the picture nothing happens.
  void blend(int x, int y, Colour colour, double share);

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  int width_;
  int height_;
  std::vector<Colour> pixels_;
};

}  // namespace pdegcn::report
