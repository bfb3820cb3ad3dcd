#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/report/progress.h"
#include "pdegcn/report/run_folder.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/search.h"

namespace pdegcn::train {

inline constexpr std::int64_t kUsualTrials = 27;

// One point of a space and how it did.
struct Trial {
  std::int64_t number = 0;
  Settings settings;
  RunConfig config;
  std::int64_t rounds = 0;                                  // of the search that it took part in
  std::int64_t epochs = 0;                                  // run so far, at most
  double value = std::numeric_limits<double>::infinity();   // mean of what selects, less is better
  double score = std::numeric_limits<double>::quiet_NaN();  // of the validation part, at that epoch
  std::int64_t best_epoch = 0;                              // that epoch; of several runs, the mean
  std::string note;                                         // why it failed
};

// A search by successive halving, in a folder. The first trial has the settings given, the others
// of the first half are drawn from anywhere in a space, and each of the second half close to the
// best before it. They are judged by their score on the validation part, at the epoch that the run
// itself selects; of equal scores by what selects. A loss alone would not do: settings that keep
// the outputs small, such as a strong weight decay, have a high one and may classify best. The test
// part is never looked at. A trial that came to a later round is the better one: a score of few
// epochs is not one of many.
class Tuner {
 public:
  // `base` is settled and names one model; the data set must outlive this. `resume` goes on with
  // the search that the folder holds, which must be the same. Throws Error when that does not fit,
  // or when there is no validation part to judge by.
  Tuner(RunConfig base, const data::Dataset& data, std::string space, const std::string& space_name,
        std::int64_t trials, std::filesystem::path folder, bool resume);

  // Runs until the end, or until `stop`, which is asked before every trial and after every epoch,
  // and tells whether it came to the end. A trial that is cut short keeps the value it had before.
  bool run(report::Progress& progress, const std::function<bool()>& stop);

  // The best first; none that has not run.
  std::vector<const Trial*> ranking() const;

  // The first of them, or nullptr when none came to a score.
  const Trial* best() const;

  // The best trials, at most so many; numbers to all digits if `exact`.
  report::Table table(std::size_t most, bool exact = false) const;

 private:
  // Gives a trial its place in the space.
  void place(Trial& trial, Settings settings);
  // Draws it, from anywhere or near other settings.
  Settings draw(const Trial& trial, const Settings* near) const;
  std::string description() const;
  // What selects, as people see it; "failed" or nothing when the trial has no value.
  std::string shown(const Trial& trial, bool exact) const;
  void claim_folder(bool resume);
  bool advance(Trial& trial, std::int64_t epochs, const std::string& name,
               report::Progress& progress, const std::function<bool()>& stop);
  struct Judgement {
    double value, score;
    std::int64_t epoch;
  };
  Judgement judge(const report::RunFiles& files, std::int64_t epochs) const;
  void write_table() const;

  RunConfig base_;
  const data::Dataset& data_;
  std::string space_text_;
  std::filesystem::path folder_;
  Space space_;
  std::vector<Trial> trials_;
  std::optional<report::FolderLock> lock_;
};

}  // namespace pdegcn::train
