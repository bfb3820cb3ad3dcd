#include "pdegcn/report/plot.h"

#include <cmath>
#include <limits>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;
namespace fs = std::filesystem;

Figure sample() {
  Curve train{"training", {1, 2, 3, 4}, {2.0, 1.0, 0.5, 0.01}};
  Curve val{"validation", {1, 2, 3, 4}, {2.0, NAN, INFINITY, 0.75}};
  Curve alpha{"α", {1, 2}, {0.5, 0.51}};
  return {"Cora", {{"epoch", "loss", {train, val}, true}, {"epoch", "α", {alpha}}}};
}

// Runs something with another PATH, in a child so that the tests beside it keep theirs.
template <class Call>
int with_path(const std::string& path, const Call& call) {
  return in_child([&] {
    ::setenv("PATH", path.c_str(), 1);
    return call();
  });
}

TEST(WritePlot, DrawsPng) {
  const Scratch scratch;
  write_plot(scratch / "a.png", sample());
  const std::string bytes = content(scratch / "a.png");
  ASSERT_GT(bytes.size(), 1000u);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(16, 8), std::string("\0\0\x03\xC0\0\0\x03\x48", 8));  // 960 x 840
}

TEST(WritePlot, DrawsSvgWithItsTexts) {
  const Scratch scratch;
  write_plot(scratch / "a.svg", sample());
  const std::string svg = content(scratch / "a.svg");
  EXPECT_TRUE(mentions(svg, "</svg>"));
  for (const char* text :
       {"Cora", "epoch", "loss", "training", "validation", "α", "rgb(  0, 114, 178)"})
    EXPECT_TRUE(mentions(svg, text)) << text;
}

TEST(WritePlot, CurvesOfOneNameShareColourAndLegend) {
  const Curve dashed{"D", {1, 2}, {3, 2}, true}, solid{"D", {1, 2}, {2, 1}}, dot{"D", {2}, {1}};
  const Curve other{"M", {1, 2}, {5, 4}};
  const std::string script =
      gnuplot_script({"", {{"epoch", "loss", {dashed, solid, dot, other}}}}, true);
  EXPECT_TRUE(mentions(script, "lines linewidth 2 dashtype 2 linecolor rgb '#0072B2' title 'D'"));
  EXPECT_TRUE(mentions(script, "lines linewidth 2 dashtype 1 linecolor rgb '#0072B2' notitle"));
  EXPECT_TRUE(mentions(script, "title 'M'")) << script;
}

TEST(WritePlot, NamesPlacesAndPutsPointsThere) {
  const Scratch scratch;
  const Curve d{"D", {1, 2}, {0.7, 5.6}}, m{"M", {2}, {4.0}};
  const Figure figure{"gap", {{"", "points", {d, m}, false, {"Cora", "it's"}}}};
  write_plot(scratch / "a.svg", figure);
  const std::string svg = content(scratch / "a.svg");
  for (const char* text : {"Cora", "it’s", "points"}) EXPECT_TRUE(mentions(svg, text)) << text;
  const std::string script = gnuplot_script(figure, true);
  EXPECT_FALSE(mentions(script, "with lines"));
  EXPECT_TRUE(mentions(script, "set xrange [0.5:2.5]")) << script;
  EXPECT_TRUE(mentions(script, "set yrange [-0.22")) << script;  // zero is seen
}

TEST(WritePlot, ShowsAnyTextAsItIsAndRunsNone) {
  const Scratch scratch;
  const std::vector<std::string> texts{"`touch pwned`",
                                       "'",
                                       "''",
                                       "$(touch pwned)",
                                       "'; system('touch pwned') #",
                                       "a_b^c{d}~e",
                                       "\"quoted\" 'it'",
                                       "@macro %s \\n back\\",
                                       "EOD",
                                       "line\nsystem 'x'"};
  Figure figure = sample();
  for (const std::string& text : texts) {
    figure.panels[0].curves[0].name = text;
    figure.panels[0].y_label = text;
    figure.panels[1].x_label = text;
    figure.title = text;
    EXPECT_EQ(in_child([&] {
                if (::chdir(scratch.path().c_str()) != 0) return 1;
                write_plot("a.svg", figure);
                return 0;
              }),
              0)
        << text;
    EXPECT_EQ(scratch.count(), 1u) << text;
    if (text.find_first_of("\n\"'&<") == std::string::npos) {
      EXPECT_TRUE(mentions(content(scratch / "a.svg"), text)) << text;
    }
  }
}

TEST(WritePlot, DrawsTheSmallestThings) {
  const Scratch scratch;
  const auto draw = [&](const Curve& curve, bool log) {
    write_plot(scratch / "a.svg", {"", {{"", "", {curve}, log}}});
  };
  EXPECT_NO_THROW(draw({"one point", {1}, {5}}, false));
  EXPECT_NO_THROW(draw({"constant", {1, 2}, {0, 0}}, true));
  EXPECT_NO_THROW(draw({"some not positive", {1, 2, 3, 4}, {-1, 0, 1, 100}}, true));
  EXPECT_NO_THROW(draw({"huge", {1, 2}, {1e-300, 1e300}}, true));
  EXPECT_NO_THROW(draw({"wide", {1, 2}, {-1e300, 1e300}}, false));
}

TEST(WritePlot, RefusesWhatCannotBeDrawn) {
  const Scratch scratch;
  const fs::path path = scratch / "a.png";
  EXPECT_TRUE(mentions(error_of([&] { write_plot(scratch / "a.gif", sample()); }), ".png or .svg"));
  EXPECT_TRUE(mentions(error_of([&] { write_plot(path, {}); }), "nothing to plot"));
  EXPECT_TRUE(mentions(error_of([&] { write_plot(path, {"", {{"", "score", {}}}}); }), "'score'"));
  EXPECT_TRUE(mentions(error_of([&] {
                         write_plot(path, {"", {{"", "score", {{"a", {1}, {NAN}}}}}});
                       }),
                       "'score'"));
  EXPECT_TRUE(mentions(error_of([&] {
                         write_plot(path, {"", {{"", "score", {{"a", {1, 2}, {1}}}}}});
                       }),
                       "2 x for 1 y"));
  EXPECT_EQ(scratch.count(), 0u);
}

TEST(WritePlot, SaysWhenGnuplotIsMissing) {
  const Scratch scratch;
  put(scratch / "a.png", "old");
  EXPECT_EQ(with_path(scratch.path().string(),
                      [&] {
                        const std::string message =
                            error_of([&] { write_plot(scratch / "a.png", sample()); });
                        return mentions(message, "not installed") ? 0 : 1;
                      }),
            0);
  EXPECT_EQ(content(scratch / "a.png"), "old");
}

TEST(WritePlot, SaysWhyGnuplotFailed) {
  const Scratch scratch;
  put(scratch / "a.png", "old");
  put(scratch / "gnuplot", "#!/bin/sh\necho half a picture\necho no such font >&2\nexit 3\n");
  fs::permissions(scratch / "gnuplot", fs::perms::owner_all);
  EXPECT_EQ(with_path(scratch.path().string(),
                      [&] {
                        const std::string message =
                            error_of([&] { write_plot(scratch / "a.png", sample()); });
                        return mentions(message, "no such font") ? 0 : 1;
                      }),
            0);
  EXPECT_EQ(content(scratch / "a.png"), "old");
}

TEST(GnuplotScript, SharesAreShownOnAWholeAxis) {
  Panel panel{"error", "share, %", {{"a", {0, 1}, {97, 98}}}};
  EXPECT_EQ(gnuplot_script({"", {panel}}, true).find("yrange [0:100]"), std::string::npos);
  panel.y_range = {0, 100};
  EXPECT_NE(gnuplot_script({"", {panel}}, true).find("yrange [0:100]"), std::string::npos);
}

// gnuplot leaves names out that do not fit beside a panel.
TEST(WritePlot, HasRoomForALongLegend) {
  const Scratch scratch;
  Panel panel{"epoch", "score", {}};
  for (int k = 0; k < 30; ++k)
    panel.curves.push_back({fmt::format("method {}.", k), {0, 1}, {0, 1}});
  write_plot(scratch / "a.svg", {"", {panel, panel}});
  const std::string picture = content(scratch / "a.svg");
  for (const Curve& curve : panel.curves) {
    const std::size_t once = picture.find(curve.name + "<");
    ASSERT_NE(once, std::string::npos) << curve.name;
    EXPECT_NE(picture.find(curve.name + "<", once + 1), std::string::npos) << curve.name;
  }
}

TEST(GnuplotScript, GivesANameTheSameColourEverywhere) {
  Figure figure = sample();
  figure.panels[1].curves = {{"validation", {1}, {1}}, {"training", {1}, {1}}};
  const std::string script = gnuplot_script(figure, false);
  const auto colour_of = [&](const std::string& curve) {
    const std::size_t at = script.find("rgb '", script.find(curve + " using"));
    return script.substr(at, 13);
  };
  EXPECT_EQ(colour_of("$curve0"), colour_of("$curve3"));
  EXPECT_EQ(colour_of("$curve1"), colour_of("$curve2"));
  EXPECT_NE(colour_of("$curve0"), colour_of("$curve1"));
}

TEST(GnuplotScript, UsesALogarithmicAxisOnlyWhereItHelps) {
  EXPECT_TRUE(mentions(gnuplot_script(sample(), false), "\nset logscale y"));
  Figure narrow = sample();
  narrow.panels[0].curves[0].y.back() = 0.4;
  EXPECT_FALSE(mentions(gnuplot_script(narrow, false), "\nset logscale y"));
}

TEST(GnuplotScript, KeepsTheEndOfLongNames) {
  Figure figure = sample();
  std::string name = "runs/";
  for (int k = 0; k < 40; ++k) name += "é";
  figure.panels[0].curves[0].name = name + "-seed-7";
  const std::string script = gnuplot_script(figure, false);
  EXPECT_TRUE(mentions(script, "title '…é"));
  EXPECT_TRUE(mentions(script, "é-seed-7'"));
}

// Names on the x axis lie level while there is room for them.
TEST(GnuplotScript, SetsManyNamesAslant) {
  Panel panel{"", "points", {{"D", {1, 2}, {3, 4}}}, false, {}};
  panel.x_names = {"cora", "citeseer"};
  EXPECT_FALSE(mentions(gnuplot_script({"", {panel}}, true), "rotate"));
  panel.x_names = {"cora", "citeseer", "pubmed", "cornell", "cornell_gcnii", "wisconsin"};
  const std::string script = gnuplot_script({"", {panel}}, true);
  EXPECT_TRUE(mentions(script, "set xtics rotate"));
  EXPECT_TRUE(mentions(script, "'cornell_gcnii' 5"));
}

}  // namespace
}  // namespace pdegcn::report
