#pragma once

#include <span>
#include <string>
#include <vector>

#include "pdegcn/report/render.h"

namespace pdegcn::report {

// A field at some moment.
struct SheetFrame {
  std::string caption;
  std::span<const float> values;  // one per point
};

// Moments of one film, from left to right.
struct SheetRow {
  std::string title;
  std::vector<SheetFrame> frames;
};

// Colours for all frames of a row, so that the same colour is the same number everywhere in it.
// Where both signs occur the scale is symmetric about zero and diverging. A few extreme values,
// such as the peak that a wave starts from, may lie beyond its ends: they would leave no contrast
// to the others.
Scale row_scale(const SheetRow& row);

// All rows below each other, each with its title, its captions and the numbers that the colours
// stand for; the ends of a legend are pointed where values lie beyond.
Image contact_sheet(const View& view, std::span<const SheetRow> rows);

}  // namespace pdegcn::report
