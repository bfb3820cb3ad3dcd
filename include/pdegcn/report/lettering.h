#pragma once

#include <string_view>

#include "pdegcn/report/image.h"

namespace pdegcn::report {

enum class Align { left, centre, right };

// Writes into a picture: digits, small letters and . , : - + = / ( ). Capitals are drawn as small
// letters, all other characters as blanks. `size` is the height of a digit in pixels. Letters are
// strokes of a pen, so that they have smooth edges at any size.
void draw_text(Image& image, double x, double baseline, double size, std::string_view text,
               Colour colour, Align align = Align::left);

// How wide that is, in pixels.
double text_width(double size, std::string_view text);

}  // namespace pdegcn::report
