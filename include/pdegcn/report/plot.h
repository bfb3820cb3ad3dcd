#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pdegcn::report {

// One curve: as many x as y; where y is not finite there is a gap.
struct Curve {
  // In the legend, which a panel of one curve does not have; curves of one name share its line.
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  bool dashed = false;
};

// Curves on common axes.
struct Panel {
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;
  bool log_y = false;                     // a logarithmic y axis, if the values are spread enough
  std::vector<std::string> x_names = {};  // of x = 1, 2, ...: points over zero, no lines
  // The y axis, where it is not what the values need: 0 to 100 for shares in percent.
  std::optional<std::pair<double, double>> y_range = {};
};

// Panels below each other under a title.
struct Figure {
  std::string title;
  std::vector<Panel> panels;
};

// Draws a figure with gnuplot as a PNG or SVG file, by the ending of the name. Curves of the same
// name have the same colour in every panel. Throws Error when gnuplot is missing or fails, and when
// there is nothing to draw.
void write_plot(const std::filesystem::path& path, const Figure& figure);

// What gnuplot is told: all texts quoted so that they are shown as they are, whatever they hold.
std::string gnuplot_script(const Figure& figure, bool svg);

}  // namespace pdegcn::report
