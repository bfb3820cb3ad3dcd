#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace pdegcn::report {

// Tells how a training run goes: on a terminal as one line that is rewritten in place, else as
// plain lines, few enough for a log; where there are many runs, sparse ones, only after a minute in
// which nothing else was said.
class Progress {
 public:
  enum class Style { kQuiet, kSparse, kPlain, kLive };

  struct Options {
    Style style = Style::kPlain;
    bool colour = false;
    std::function<int()> width = [] { return 80; };  // columns of the terminal; it may be resized
    std::function<double()> clock = steady_seconds;
  };

  // What suits a file descriptor: live on a terminal that can, with colour unless the environment
  // has NO_COLOR.
  static Options options_for(int descriptor, bool quiet);

  struct Epoch {
    std::int64_t epoch = 0;  // from 1
    std::optional<double> loss;
    std::optional<double> score;  // between 0 and 1
    std::optional<double> alpha;  // of the mixture
  };

  Progress(std::ostream& out, Options options);

  // Erases the live line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a run of that many epochs, of which the first `done` lie behind it. The name, which may
  // be empty, tells it from others: "seed 2/10". `score` says what the score is: "validation", and
  // `unit` what is counted, where that is not epochs.
  void start(std::string name, std::string score, std::int64_t epochs, std::int64_t done = 0,
             std::string unit = "epoch");

  // Called after every epoch; writes only when it is time to.
  void update(const Epoch& epoch);

  // Prints a line for good, in every style; a live line goes on below it.
  void message(std::string_view line);

  // Ends the run: erases the live line; among plain lines the last epoch is printed if it is not
  // yet there.
  void finish();

  static double steady_seconds();

 private:
  std::string line(std::size_t width, bool colour) const;
  void draw();
  void erase();

  std::ostream& out_;
  Options options_;
  std::string name_;
  std::string score_;
  std::string unit_;
  std::int64_t epochs_ = 0;
  std::int64_t done_ = 0;
  Epoch latest_;
  double updated_ = 0;    // when the last epoch ended
  double per_epoch_ = 0;  // seconds, smoothed
  double shown_ = 0;      // when something was last written
  std::int64_t shown_epoch_ = 0;
  bool on_screen_ = false;  // whether a live line stands there
};

}  // namespace pdegcn::report
