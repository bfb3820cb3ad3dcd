#include "pdegcn/report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <vector>

#include "pdegcn/report/duration.h"

namespace pdegcn::report {
namespace {

constexpr double kLiveInterval = 0.1;  // seconds between redraws: smooth, and free
constexpr double kPlainInterval = 30;  // the longest silence in a log
constexpr double kPlainShortest = 1;   // between the lines of each tenth of a run
constexpr double kSparseInterval = 60;
constexpr double kSmoothing = 0.05;  // weight of the newest epoch in the speed
constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kNormal = "\x1b[0m";

// One statement of the line, such as "loss 0.512". What ranks highest goes first when there is not
// enough room.
struct Part {
  int rank;
  std::string label;
  std::string value;
  bool strong = false;
};

std::size_t columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

std::size_t columns(const std::vector<Part>& parts) {
  std::size_t sum = 0;
  for (const Part& part : parts)
    sum += 2 + columns(part.label) + columns(part.value) + (part.label.empty() ? 0 : 1);
  return sum;
}

// The first columns of a text.
std::string_view clipped(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && seen++ == width) break;
  return text.substr(0, at);
}

std::string format_loss(double loss) {
  const double size = std::abs(loss);
  return size != 0 && (size < 1e-3 || size >= 1e4) ? fmt::format("{:.3e}", loss)
                                                   : fmt::format("{:.4f}", loss);
}

std::string format_speed(double per_epoch, const std::string& unit) {
  if (per_epoch > 1) return format_duration(per_epoch) + "/" + unit;
  return fmt::format("{:.{}f} {}s/s", 1 / per_epoch, per_epoch > 0.1 ? 1 : 0, unit);
}

int terminal_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

double Progress::steady_seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Progress::Options Progress::options_for(int descriptor, bool quiet) {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  Options options;
  const bool terminal =
      ::isatty(descriptor) == 1 && !environment("TERM").empty() && environment("TERM") != "dumb";
  options.style = quiet ? Style::kQuiet : terminal ? Style::kLive : Style::kPlain;
  options.colour = terminal && environment("NO_COLOR").empty();
  if (terminal) options.width = [descriptor] { return terminal_width(descriptor); };
  return options;
}

Progress::Progress(std::ostream& out, Options options) : out_(out), options_(std::move(options)) {}

Progress::~Progress() {
  erase();
}

void Progress::start(std::string name, std::string score, std::int64_t epochs, std::int64_t done,
                     std::string unit) {
  erase();
  name_ = std::move(name);
  score_ = std::move(score);
  unit_ = std::move(unit);
  epochs_ = epochs;
  done_ = done;
  latest_ = {};
  updated_ = options_.clock();
  per_epoch_ = 0;
  // The first epoch is always shown, but where lines are sparse.
  if (options_.style != Style::kSparse)
    shown_ = -1e300;
  else if (shown_ == 0)
    shown_ = updated_;
  shown_epoch_ = 0;
}

void Progress::update(const Epoch& epoch) {
  const double now = options_.clock();
  // The plain mean at first, so that one slow epoch does not colour the start for long.
  const double weight = std::max(
      kSmoothing, 1.0 / static_cast<double>(std::max<std::int64_t>(epoch.epoch - done_, 1)));
  per_epoch_ += weight * (now - updated_ - per_epoch_);
  updated_ = now;
  latest_ = epoch;
  const double silence = now - shown_;
  const bool next_tenth = epoch.epoch * 10 / std::max<std::int64_t>(epochs_, 1) !=
                          shown_epoch_ * 10 / std::max<std::int64_t>(epochs_, 1);
  const bool due = options_.style == Style::kLive ? silence >= kLiveInterval
                   : options_.style == Style::kSparse
                       ? silence >= kSparseInterval
                       : silence >= kPlainInterval || (next_tenth && silence >= kPlainShortest);
  if (due) draw();
}

std::string Progress::line(std::size_t width, bool colour) const {
  const std::string total = fmt::format("{}", epochs_);
  std::vector<Part> parts;
  if (!name_.empty()) parts.push_back({3, "", name_});
  parts.push_back({0, unit_, fmt::format("{:>{}}/{}", latest_.epoch, total.size(), total)});
  if (latest_.loss) parts.push_back({1, "loss", format_loss(*latest_.loss)});
  if (latest_.score)
    parts.push_back({2, score_, fmt::format("{:.1f} %", 100 * *latest_.score), true});
  if (latest_.alpha) parts.push_back({5, "α", fmt::format("{:.3f}", *latest_.alpha)});
  if (per_epoch_ > 0) {
    const auto left = static_cast<double>(epochs_ - latest_.epoch);
    parts.push_back({6, "", format_speed(per_epoch_, unit_)});
    if (left > 0) parts.push_back({4, "", format_duration(left * per_epoch_) + " left"});
  }
  while (parts.size() > 1 && columns(parts) > width + 2)
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));

  // A single part may still be too wide: then it is cut, and has no colour to cut through.
  const bool plain = !colour || columns(parts) > width + 2;
  std::string out;
  for (const Part& part : parts) {
    if (!out.empty()) out += "  ";
    if (!part.label.empty())
      out += plain ? part.label + " " : fmt::format("{}{}{} ", kDim, part.label, kNormal);
    out += plain || !part.strong ? part.value : fmt::format("{}{}{}", kBold, part.value, kNormal);
  }
  return plain ? std::string(clipped(out, width)) : out;
}

void Progress::draw() {
  if (options_.style == Style::kQuiet) return;
  if (options_.style == Style::kLive) {
    // The last column stays free: writing to it makes some terminals go to the next line.
    const auto width = static_cast<std::size_t>(std::max(options_.width() - 1, 1));
    out_ << kEraseLine << line(width, options_.colour) << std::flush;
    on_screen_ = true;
  } else {
    out_ << line(std::string::npos / 2, false) << '\n' << std::flush;
  }
  shown_ = options_.clock();
  shown_epoch_ = latest_.epoch;
}

void Progress::erase() {
  if (on_screen_) out_ << kEraseLine << std::flush;
  on_screen_ = false;
}

void Progress::message(std::string_view text) {
  const bool redraw = on_screen_;
  erase();
  out_ << text << '\n' << std::flush;
  if (options_.style == Style::kSparse) shown_ = options_.clock();
  if (redraw) draw();
}

void Progress::finish() {
  erase();
  if (options_.style == Style::kPlain && latest_.epoch > shown_epoch_) draw();
  shown_epoch_ = latest_.epoch;
}

}  // namespace pdegcn::report
