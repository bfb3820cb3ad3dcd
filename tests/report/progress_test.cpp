#include "pdegcn/report/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace pdegcn::report {
namespace {

using Style = Progress::Style;

// A progress that writes to memory, with a clock that is set by hand.
struct Stage {
  explicit Stage(Style style, int columns = 100, bool colour = false)
      : progress(out, {style, colour, [this] { return width; }, [this] { return now; }}),
        width(columns) {}

  // Some epochs of equal length.
  void epochs(std::int64_t from, std::int64_t to, double seconds) {
    for (std::int64_t epoch = from; epoch <= to; ++epoch) {
      now += seconds;
      progress.update({epoch, 0.5, 0.812, {}});
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

  std::ostringstream out;
  Progress progress;
  double now = 0;
  int width;
};

// What a terminal of that many columns shows after some output; wrapping is an error.
class Screen {
 public:
  explicit Screen(std::size_t width) : width_(width) {}

  void write(const std::string& text) {
    for (std::size_t k = 0; k < text.size(); ++k) {
      const char c = text[k];
      if (c == '\r') {
        column_ = 0;
      } else if (c == '\n') {
        lines_.emplace_back();
        column_ = 0;
      } else if (text.compare(k, 3, "\x1b[K") == 0) {
        lines_.back().resize(column_);
        k += 2;
      } else if (c == '\x1b') {
        while (text[k] != 'm') ++k;
      } else if ((c & 0xC0) == 0x80) {
        lines_.back()[column_ - 1] += c;
      } else {
        lines_.back().resize(column_++);
        lines_.back().emplace_back(1, c);
        EXPECT_LT(column_, width_ + 1);
      }
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& line : lines_) {
      out.emplace_back();
      for (const std::string& cell : line) out.back() += cell;
    }
    return out;
  }

 private:
  std::size_t width_;
  std::size_t column_ = 0;
  std::vector<std::vector<std::string>> lines_{1};
};

TEST(Progress, ShowsEverythingOnOneLiveLine) {
  Stage stage(Style::kLive);
  stage.progress.start("seed 2/10", "validation", 1500);
  stage.now = 0.25;
  stage.progress.update({1, 1.9459, 0.3, 0.5});
  stage.now = 0.5;
  stage.progress.update({2, 0.51234, 0.8123, 0.5118});
  Screen screen(100);
  screen.write(stage.out.str());
  EXPECT_EQ(screen.lines(),
            (std::vector<std::string>{"seed 2/10  epoch    2/1500  loss 0.5123  validation 81.2 %  "
                                      "α 0.512  4.0 epochs/s  6 min 15 s left"}));
  stage.progress.finish();
  screen.write(stage.out.str().substr(stage.out.str().rfind('\r')));
  EXPECT_EQ(screen.lines(), std::vector<std::string>{""});
}

TEST(Progress, CountsOtherThingsThanEpochs) {
  Stage stage(Style::kPlain);
  stage.progress.start("cora", "", 7, 0, "round");
  stage.now = 2;
  stage.progress.update({1, {}, {}, {}});
  EXPECT_EQ(stage.lines(), std::vector<std::string>{"cora  round 1/7  2.0 s/round  12 s left"});
}

TEST(Progress, RedrawsAtAPaceForEyes) {
  Stage stage(Style::kLive);
  stage.progress.start("", "validation", 10000);
  stage.epochs(1, 1000, 0.001);
  const std::string out = stage.out.str();
  const auto redraws = std::count(out.begin(), out.end(), '\r');
  EXPECT_GE(redraws, 8);
  EXPECT_LE(redraws, 11);
}

TEST(Progress, NeverWrapsHoweverNarrow) {
  for (const bool colour : {false, true})
    for (int width = 1; width < 110; ++width) {
      Stage stage(Style::kLive, width, colour);
      stage.progress.start("seed 2/10", "validation", 1500);
      stage.now = 1;
      stage.progress.update({2, 0.51234, 0.8123, 0.5118});
      Screen screen(std::max(width - 1, 1));
      screen.write(stage.out.str());
      ASSERT_EQ(screen.lines().size(), 1u);
      if (width > 20) {
        EXPECT_TRUE(screen.lines()[0].find("epoch    2/1500") != std::string::npos);
      }
      if (width > 40) {
        EXPECT_TRUE(screen.lines()[0].find("loss 0.5123") != std::string::npos);
      }
    }
}

TEST(Progress, ColoursOnlyWhenAsked) {
  for (const bool colour : {false, true}) {
    Stage stage(Style::kLive, 100, colour);
    stage.progress.start("", "validation", 10);
    stage.epochs(1, 1, 1);
    EXPECT_EQ(stage.out.str().find("\x1b[1m") != std::string::npos, colour);
  }
}

TEST(Progress, MessagesStandAboveTheLiveLine) {
  Stage stage(Style::kLive);
  stage.progress.start("", "validation", 10);
  stage.epochs(1, 1, 1);
  stage.progress.message("a warning");
  Screen screen(100);
  screen.write(stage.out.str());
  ASSERT_EQ(screen.lines().size(), 2u);
  EXPECT_EQ(screen.lines()[0], "a warning");
  EXPECT_TRUE(screen.lines()[1].starts_with("epoch  1/10"));
}

TEST(Progress, PlainLinesComeByTenthsAndNotTooOften) {
  Stage quick(Style::kPlain);  // 3 s in all
  quick.progress.start("", "validation", 1000);
  quick.epochs(1, 1000, 0.003);
  quick.progress.finish();
  EXPECT_GE(quick.lines().size(), 3u);
  EXPECT_LE(quick.lines().size(), 5u);
  EXPECT_EQ(quick.lines().front(),
            "epoch    1/1000  loss 0.5000  validation 81.2 %  333 epochs/s  3.0 s left");
  EXPECT_EQ(quick.lines().back(), "epoch 1000/1000  loss 0.5000  validation 81.2 %  333 epochs/s");

  Stage medium(Style::kPlain);
  medium.progress.start("", "validation", 100);
  medium.epochs(1, 100, 1);
  medium.progress.finish();
  EXPECT_EQ(medium.lines().size(), 11u);  // the first and every tenth

  Stage slow(Style::kPlain);
  slow.progress.start("", "validation", 100);
  slow.epochs(1, 5, 160);
  EXPECT_EQ(slow.lines().size(), 5u);
  EXPECT_TRUE(slow.lines()[4].find("2 min 40 s/epoch") != std::string::npos) << slow.lines()[4];
  EXPECT_EQ(slow.out.str().find('\x1b'), std::string::npos);
  EXPECT_EQ(slow.out.str().find('\r'), std::string::npos);
}

TEST(Progress, PlainLinesEndWithTheLastEpochOnce) {
  Stage stage(Style::kPlain);
  stage.progress.start("", "validation", 1000);
  stage.epochs(1, 123, 0.001);  // stopped early
  stage.progress.finish();
  stage.progress.finish();
  EXPECT_EQ(stage.lines().size(), 2u);
  EXPECT_TRUE(stage.lines()[1].starts_with("epoch  123/1000"));
}

// Many short runs make no lines but their own; a long one is heard of every minute.
TEST(Progress, SparseLinesComeAfterAMinuteOfSilence) {
  Stage stage(Style::kSparse);
  stage.now = 1000;
  for (int run = 0; run < 20; ++run) {
    stage.progress.start("short", "validation", 10);
    stage.epochs(1, 10, 5);
    stage.progress.finish();
    stage.progress.message("a run has ended");
  }
  EXPECT_EQ(stage.lines(), std::vector<std::string>(20, "a run has ended"));

  stage.progress.start("long", "validation", 100);
  stage.epochs(1, 100, 7);
  stage.progress.finish();
  const auto lines = stage.lines();
  ASSERT_EQ(lines.size(), 20 + 11u);  // every 63 s of 700
  EXPECT_TRUE(lines[20].starts_with("long  epoch   9/100")) << lines[20];
  EXPECT_TRUE(lines.back().starts_with("long  epoch  99/100")) << lines.back();
}

TEST(Progress, SpeedOfAResumedRunCountsItsOwnEpochs) {
  Stage stage(Style::kPlain);
  stage.now = 1000;
  stage.progress.start("", "validation", 1000, 900);
  stage.epochs(901, 901, 0.5);
  EXPECT_TRUE(stage.lines().at(0).find("2.0 epochs/s  50 s left") != std::string::npos)
      << stage.lines().at(0);
}

TEST(Progress, LeavesOutWhatIsNotThere) {
  Stage stage(Style::kPlain);
  stage.progress.start("", "validation", 5);
  stage.progress.update({5, 123456.0, {}, {}});
  EXPECT_EQ(stage.lines(), std::vector<std::string>{"epoch 5/5  loss 1.235e+05"});
}

TEST(Progress, QuietSaysNothingButMessages) {
  Stage stage(Style::kQuiet);
  stage.progress.start("", "validation", 10);
  stage.epochs(1, 10, 100);
  stage.progress.message("a warning");
  stage.progress.finish();
  EXPECT_EQ(stage.out.str(), "a warning\n");
}

TEST(Progress, IsPlainAndWithoutColourOffATerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(Progress::options_for(ends[1], false).style, Style::kPlain);
  EXPECT_FALSE(Progress::options_for(ends[1], false).colour);
  EXPECT_EQ(Progress::options_for(ends[1], true).style, Style::kQuiet);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A pseudo terminal stands in for a real one.
TEST(Progress, IsLiveOnATerminalAndHeedsTheEnvironment) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0);
  const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  const winsize size{24, 57, 0, 0};
  ASSERT_EQ(::ioctl(slave, TIOCSWINSZ, &size), 0);
  const auto restore = [](const char* name, const char* value) {
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  };
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  const std::string term_copy = term == nullptr ? "" : term;
  const std::string no_color_copy = no_color == nullptr ? "" : no_color;

  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  const Progress::Options options = Progress::options_for(slave, false);
  EXPECT_EQ(options.style, Style::kLive);
  EXPECT_TRUE(options.colour);
  EXPECT_EQ(options.width(), 57);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(Progress::options_for(slave, false).style, Style::kLive);
  EXPECT_FALSE(Progress::options_for(slave, false).colour);
  ::setenv("TERM", "dumb", 1);
  EXPECT_EQ(Progress::options_for(slave, false).style, Style::kPlain);

  restore("TERM", term == nullptr ? nullptr : term_copy.c_str());
  restore("NO_COLOR", no_color == nullptr ? nullptr : no_color_copy.c_str());
  ::close(slave);
  ::close(master);
}

}  // namespace
}  // namespace pdegcn::report
