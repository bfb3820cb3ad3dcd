#include "pdegcn/report/contact_sheet.h"

#include "pdegcn/report/lettering.h"
#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

const std::vector<float> kSquare{0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
const std::vector<Triangle> kHalves{{0, 1, 2}, {0, 2, 3}};

Scale scale_of(const std::vector<float>& values) {
  return row_scale({"row", {{"", values}}});
}

TEST(ContactSheet, ScalesFitTheirRows) {
  const Scale both = scale_of({-0.3F, 0, 0.5F});
  EXPECT_EQ(both.kind, ColourMap::Kind::diverging);
  EXPECT_DOUBLE_EQ(both.high, 0.6);
  EXPECT_DOUBLE_EQ(both.low, -0.6);
  const Scale positive = scale_of({0.01F, 0, 0.95F});
  EXPECT_EQ(positive.kind, ColourMap::Kind::sequential);
  EXPECT_DOUBLE_EQ(positive.low, 0);
  EXPECT_DOUBLE_EQ(positive.high, 1);
  const Scale apart = scale_of({20, 25, 30});
  EXPECT_DOUBLE_EQ(apart.low, 20);
  EXPECT_DOUBLE_EQ(apart.high, 30);
  const Scale constant = scale_of({0, 0});
  EXPECT_GT(constant.high, constant.low);
  // One value in a thousand does not decide.
  std::vector<float> peak(1000, 0.1F);
  peak[17] = 50;
  EXPECT_LT(scale_of(peak).high, 1);
}

TEST(ContactSheet, ARowHasOneScale) {
  const View view({kSquare, kHalves}, {2, 0, 0}, 102, 102);
  const std::vector<float> high{1, 1, 1, 1}, low{0.5F, 0.5F, 0.5F, 0.5F};
  const std::vector<SheetRow> rows{{"first", {{"t = 0", high}, {"t = 1", low}}},
                                   {"second", {{"t = 0", low}, {"t = 1", low}}}};
  const Image image = contact_sheet(view, rows);
  // The colour in the middle of every picture, found by its place.
  const int row_height = (image.height() - 48) / 2;
  const auto middle = [&](int row, int column) {
    return image.at(24 + column * (view.width() + 14) + view.width() / 2,
                    24 + row * row_height + 44 + view.height() / 2);
  };
  EXPECT_NE(middle(0, 0), middle(0, 1));
  EXPECT_EQ(middle(1, 0), middle(1, 1));
  EXPECT_NE(middle(0, 1), middle(1, 1));  // rows have their own
}

TEST(ContactSheet, RefusesWhatCannotBeDrawn) {
  const View view({kSquare, kHalves}, {2, 0, 0}, 52, 52);
  EXPECT_TRUE(mentions(error_of([&] { contact_sheet(view, {}); }), "nothing to draw"));
  const std::vector<float> nan{0, 0, 0, NAN};
  const std::vector<SheetRow> rows{{"heat", {{"", nan}}}};
  EXPECT_TRUE(mentions(error_of([&] { contact_sheet(view, rows); }), "'heat'"));
}

double ink(const std::string& text) {
  Image image(200, 40, {255, 255, 255});
  draw_text(image, 10, 28, 12, text, {0, 0, 0});
  double dark = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 200; ++x) dark += 1 - light_of(image.at(x, y)).g;
  return dark;
}

TEST(Lettering, EveryLetterThatIsPromisedLeavesInk) {
  for (const char c : std::string("0123456789abcdefghijklmnopqrstuvwxyz.,:-+=/()"))
    EXPECT_GT(ink(std::string(1, c)), 1) << c;
  EXPECT_EQ(ink(" "), 0);
  EXPECT_EQ(ink("A"), ink("a"));
  EXPECT_NEAR(ink("88"), 2 * ink("8"), 0.05 * ink("8"));
}

TEST(Lettering, IsAlignedByItsWidth) {
  const double width = text_width(12, "wave 0.5");
  EXPECT_NEAR(text_width(24, "wave 0.5"), 2 * width, 1e-9);
  const auto first_column = [](Align align, double x) {
    Image image(300, 40, {255, 255, 255});
    draw_text(image, x, 28, 12, "hh", {0, 0, 0}, align);
    for (int u = 0; u < 300; ++u)
      for (int v = 0; v < 40; ++v)
        if (image.at(u, v) != Colour{255, 255, 255}) return u;
    return -1;
  };
  const double hh = text_width(12, "hh");
  EXPECT_NEAR(first_column(Align::right, 200), first_column(Align::left, 200 - hh), 1);
  EXPECT_NEAR(first_column(Align::centre, 200), first_column(Align::left, 200 - hh / 2), 1);
}

}  // namespace
}  // namespace pdegcn::report
