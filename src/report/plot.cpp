#include "pdegcn/report/plot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>

#include "pdegcn/report/atomic_file.h"
#include "posix.h"

extern char** environ;

namespace pdegcn::report {
namespace {

// The palette of Okabe and Ito, which colour-blind people can tell apart, darkest hues first.
constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "#000000"};
constexpr int kWidth = 960;
constexpr int kPanelHeight = 400;
constexpr int kLegendLine = 24;
constexpr int kTitleHeight = 40;

// A text in gnuplot's single quotes, in which nothing is special but the quote itself. Doubling it
// is the documented way out, but gnuplot 5.4 takes a doubled one at the beginning for an empty
// text, and what follows for a command; so it becomes a typographic one. Control characters could
// end the line.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "’";
    else
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return out + "'";
}

// Where a curve's colour and dashes come from: its place among all names of the figure.
std::vector<std::string> names_of(const Figure& figure) {
  std::vector<std::string> names;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (std::find(names.begin(), names.end(), curve.name) == names.end())
        names.push_back(curve.name);
  return names;
}

// Only a spread of more than this factor makes a logarithmic axis worth reading.
constexpr double kLogSpread = 20;
constexpr std::size_t kLongestName = 36;

// The rectangle that a panel shows, and whether its y axis is logarithmic.
struct Range {
  double x_low = INFINITY, x_high = -INFINITY;
  double y_low = INFINITY, y_high = -INFINITY;
  bool log = false;
};

Range range_of(const Panel& panel) {
  Range range;
  double least_positive = INFINITY;
  for (const Curve& curve : panel.curves)
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      const double x = curve.x[k], y = curve.y[k];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      range.x_low = std::min(range.x_low, x);
      range.x_high = std::max(range.x_high, x);
      range.y_low = std::min(range.y_low, y);
      range.y_high = std::max(range.y_high, y);
      if (y > 0) least_positive = std::min(least_positive, y);
    }
  if (!(range.x_low <= range.x_high))
    throw Error("there is nothing to plot for '{}'", panel.y_label);
  range.log = panel.log_y && range.y_high > kLogSpread * least_positive;
  if (!panel.x_names.empty()) {
    range.x_low = 0.5;
    range.x_high = static_cast<double>(panel.x_names.size()) + 0.5;
    // Quantities side by side are compared by their height over zero.
    range.y_low = std::min(range.y_low, 0.0);
    range.y_high = std::max(range.y_high, 0.0);
  }
  if (range.x_low == range.x_high) {
    range.x_low -= 1;
    range.x_high += 1;
  }
  if (range.x_low > 0 && range.x_low < 0.05 * range.x_high) range.x_low = 0;
  if (range.log) {
    range.y_low = least_positive / 1.2;
    range.y_high *= 1.2;
  } else {
    const double spread = range.y_high - range.y_low;
    const double pad = spread > 0 ? 0.04 * spread : std::max(1e-3, 0.1 * std::abs(range.y_high));
    range.y_low -= pad;
    range.y_high += pad;
  }
  if (panel.y_range) std::tie(range.y_low, range.y_high) = *panel.y_range;
  return range;
}

// A legend needs names to tell apart.
bool has_legend(const Panel& panel) {
  return panel.curves.size() > 1;
}

// In pixels: gnuplot leaves out the names that a panel has no room for.
int height_of(const Panel& panel) {
  std::set<std::string_view> names;
  for (const Curve& curve : panel.curves) names.insert(curve.name);
  return std::max(kPanelHeight, kLegendLine * (static_cast<int>(names.size()) + 3));
}

// The end of a name that is too long: runs differ there, and begin with the same folders.
std::string shortened(const std::string& name) {
  const auto is_start = [](char c) { return (c & 0xC0) != 0x80; };
  auto letters = static_cast<std::size_t>(std::count_if(name.begin(), name.end(), is_start));
  if (letters <= kLongestName) return name;
  std::size_t at = 0;
  for (; letters >= kLongestName || !is_start(name[at]); ++at)
    if (is_start(name[at])) --letters;
  return "…" + name.substr(at);
}

void check(const Figure& figure) {
  if (figure.panels.empty()) throw Error("there is nothing to plot");
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (curve.x.size() != curve.y.size())
        throw Error("curve '{}' has {} x for {} y", curve.name, curve.x.size(), curve.y.size());
}

// A file that has no name and is gone when it is closed.
struct Scrap {
  Scrap() : file(std::tmpfile(), &std::fclose) {
    if (!file) fail_with_errno("a temporary file", "be made");
  }

  std::string content() const {
    std::string out;
    std::array<char, 1 << 16> buffer{};
    std::rewind(file.get());
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
      out.append(buffer.data(), got);
    return out;
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file;
};

// Runs gnuplot, without a shell between: the script on its standard input, the picture from its
// standard output.
std::string run_gnuplot(const std::string& script) {
  const Scrap in, out, messages;
  if (std::fwrite(script.data(), 1, script.size(), in.file.get()) != script.size() ||
      std::fflush(in.file.get()) != 0)
    fail_with_errno("a temporary file", "be written");
  std::rewind(in.file.get());

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(in.file.get()), 0);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(out.file.get()), 1);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(messages.file.get()), 2);
  // -d: what a user has in ~/.gnuplot must not change the picture.
  std::array<std::string, 3> words{"gnuplot", "-d", "-"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, "gnuplot", &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure == ENOENT)
    throw Error("gnuplot, which draws the plots, is not installed (Debian: gnuplot-nox)");
  if (failure != 0) throw Error("gnuplot cannot be started: {}", std::strerror(failure));

  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string picture = out.content();
  if (WIFSIGNALED(status)) throw Error("gnuplot was ended by signal {}", WTERMSIG(status));
  if (const std::string said = messages.content(); WEXITSTATUS(status) != 0 || picture.empty())
    throw Error("gnuplot failed (exit code {}) and says {:.400}", WEXITSTATUS(status),
                said.empty() ? "nothing" : said);
  return picture;
}

}  // namespace

std::string gnuplot_script(const Figure& figure, bool svg) {
  check(figure);
  const auto panels = static_cast<int>(figure.panels.size());
  const int title_height = figure.title.empty() ? 0 : kTitleHeight;
  int height = title_height;
  for (const Panel& panel : figure.panels) height += height_of(panel);
  const std::vector<std::string> names = names_of(figure);
  std::string out = "set encoding utf8\n";
  out += fmt::format("set terminal {} size {},{} noenhanced background rgb 'white' font '{}'\n",
                     svg ? "svg" : "pngcairo", kWidth, height,
                     svg ? "DejaVu Sans,Helvetica,Arial,sans-serif,13" : "DejaVu Sans,12");

  // Data first: a block cannot stand within a multiplot.
  int block = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) {
      out += fmt::format("$curve{} << EOD\n", block++);
      for (std::size_t k = 0; k < curve.x.size(); ++k)
        out += std::isfinite(curve.x[k]) && std::isfinite(curve.y[k])
                   ? fmt::format("{} {}\n", curve.x[k], curve.y[k])
                   : std::string("0 NaN\n");
      out += "EOD\n";
    }

  // Room for the legend, which is as wide as its longest name: about 8.5 pixels a letter.
  std::size_t longest = 0;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (has_legend(panel)) longest = std::max(longest, shortened(curve.name).size());
  const double right = 1 - (longest == 0 ? 30.0 : 95 + 8.5 * static_cast<double>(longest)) / kWidth;
  out +=
      "set border 3 linewidth 1 linecolor rgb '#666666'\n"
      "set format '%g'\n"
      "set tics nomirror scale 0.5 textcolor rgb '#333333'\n"
      "set grid xtics ytics mytics linewidth 1 linetype 1 linecolor rgb '#E0E0E0', "
      "linewidth 1 linetype 1 linecolor rgb '#F0F0F0'\n"
      "set key at graph 1.02,1 left top Left reverse samplen 3 spacing 1.2\n";
  out += fmt::format("set lmargin 11\nset rmargin at screen {:.4f}\n", right);
  out += "set multiplot\n";
  if (!figure.title.empty())
    out += fmt::format("set label 1 {} at screen 0.5,{:.4f} center font ',15'\n",
                       in_quotes(figure.title), 1 - 0.6 * title_height / height);

  block = 0;
  int above = title_height;
  for (int p = 0; p < panels; ++p) {
    const Panel& panel = figure.panels[static_cast<std::size_t>(p)];
    above += height_of(panel);
    out += fmt::format("set origin 0,{:.4f}\nset size 1,{:.4f}\n",
                       static_cast<double>(height - above) / height,
                       static_cast<double>(height_of(panel)) / height);
    // Panels with a common x axis name it once, at the bottom.
    const bool bottom =
        p + 1 == panels || figure.panels[static_cast<std::size_t>(p) + 1].x_label != panel.x_label;
    out += fmt::format("set xlabel {}\nset ylabel {}\n", in_quotes(bottom ? panel.x_label : ""),
                       in_quotes(panel.y_label));
    const Range range = range_of(panel);
    out += range.log ? "set logscale y\nset mytics 10\n" : "unset logscale y\nunset mytics\n";
    out += "set ytics autofreq\nset xtics autofreq\n";
    // Side by side on one line, more letters than this run into each other.
    std::size_t letters = 0;
    for (const std::string& name : panel.x_names) letters += name.size();
    if (letters > 40) out += "set xtics rotate by 20 right\n";
    for (std::size_t k = 0; k < panel.x_names.size(); ++k)
      out += fmt::format("set xtics {}({} {})\n", k == 0 ? "" : "add ", in_quotes(panel.x_names[k]),
                         k + 1);
    // Powers of ten alone would leave an axis of one or two decades nearly without numbers.
    if (range.log && range.y_high < 1000 * range.y_low)
      out += "set for [k=-300:300] ytics add (2 * 10.0**k, 5 * 10.0**k)\n";
    out += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", range.x_low, range.x_high,
                       range.y_low, range.y_high);
    std::string plots;
    std::set<std::string> listed;
    for (const Curve& curve : panel.curves) {
      const auto place = static_cast<std::size_t>(
          std::find(names.begin(), names.end(), curve.name) - names.begin());
      // Discs, squares, triangles and diamonds, as lines are whole, dashed and dotted.
      constexpr std::array<int, 4> kShapes{7, 5, 9, 13};
      const std::size_t turn = place / kColours.size() % kShapes.size();
      const std::string points = fmt::format("points pointtype {} pointsize 1.2", kShapes[turn]);
      plots +=
          fmt::format("{}$curve{} using 1:2 with {} linewidth 2 dashtype {} linecolor rgb '{}' {}",
                      plots.empty() ? "plot " : ", ", block++,
                      curve.x.size() == 1 || !panel.x_names.empty() ? points : "lines",
                      curve.dashed ? 2 : 1 + turn, kColours[place % kColours.size()],
                      has_legend(panel) && listed.insert(curve.name).second
                          ? "title " + in_quotes(shortened(curve.name))
                          : "notitle");
    }
    out += plots + "\nunset label 1\n";
  }
  return out + "unset multiplot\n";
}

void write_plot(const std::filesystem::path& path, const Figure& figure) {
  const std::string ending = path.extension().string();
  if (ending != ".png" && ending != ".svg")
    throw Error("{}: plots are written as .png or .svg", path.string());
  write_atomically(path, run_gnuplot(gnuplot_script(figure, ending == ".svg")));
}

}  // namespace pdegcn::report
