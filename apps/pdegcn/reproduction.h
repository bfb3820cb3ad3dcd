#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pdegcn/report/progress.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/cost.h"
#include "pdegcn/train/experiment_table.h"
#include "pdegcn/train/flow.h"
#include "pdegcn/train/run.h"
#include "pdegcn/train/tuner.h"

namespace pdegcn::app {

// The protocols, as a record has them.
inline constexpr const char* kValidation = "validation";
inline constexpr const char* kPeek = "test-peek";

// What `pdegcn reproduce` is told.
struct ReproduceWishes {
  std::string name;  // of a table, or the path of one
  std::string out;
  std::string cells = "*";
  std::string settings = "both";
  std::string protocol = "both";
  std::int64_t seeds = 0;  // 0: as the table says
  double budget = 0;       // minutes; 0: none
  std::int64_t trials = 0;
  bool quick = false;
  bool tune = false;
  train::Settings flags;
};

// What is kept of a run that came to its end, beside its folder.
struct RunRecord {
  std::map<std::string, double> test;  // the score under each protocol that it was run for
  double validation = 0;
  std::int64_t epochs = 0;  // trained
  std::int64_t best_epoch = 0;
  std::vector<double> alpha;
  double seconds = 0;  // NaN when it is not known
};

// One run of a cell.
struct CellRun {
  train::RunConfig config;
  const data::Dataset* data = nullptr;
  std::filesystem::path folder;
  std::optional<RunRecord> record;  // once it has come to its end
  std::string trouble;              // why it did not
  bool elsewhere = false;           // another process is at it
};

// The seconds that a run which was not made is expected to take.
using Predicted = std::function<double(const CellRun&)>;

// A line of the output: a cell under one set of hyper-parameters.
struct Line {
  const train::Cell* cell = nullptr;
  std::string settings;  // "paper" or "tuned"; empty where nothing is trained
  std::vector<CellRun> runs;
  std::optional<double> count;
  std::vector<std::vector<std::string>> flow;  // as of flow_lines()
  std::string trouble;                         // why there are none
};

// A table on its way from the file to the results.
class Reproduction {
 public:
  explicit Reproduction(ReproduceWishes wishes);

  int run();   // the cells
  int tune();  // searches for their hyper-parameters

 private:
  void take_folder() const;
  void plan();
  void plan_runs(Line& line, const train::Settings& tuned);
  train::RunConfig config_of(const train::Cell& cell, const train::Settings& more) const;
  std::pair<train::RunConfig, const data::Dataset&> settled(const train::Cell& cell,
                                                            const train::Settings& more);
  const data::Dataset& dataset(const train::RunConfig& config);
  train::Flow flow_of(const train::Cell& cell) const;
  double seconds(const CellRun& run) const;
  double seconds_left(const Line& line) const;
  std::vector<std::pair<Line*, CellRun*>> pending();
  bool is_over() const;
  int tell_stop() const;  // how to go on
  bool perform(CellRun& run, const std::string& name, bool introduce, std::int64_t until);
  void run_pending();
  Predicted predicted() const {
    return [this](const CellRun& run) { return seconds(run); };
  }
  void write();
  void take_record(CellRun& run);
  void blame(CellRun& run, const Error& error);
  bool take_over(CellRun& run);
  bool take_over_all();
  train::Settings settings_found(const train::Cell& cell, const train::Trial& best);

  ReproduceWishes wishes_;
  train::ExperimentTable table_;
  train::TunedCells tuned_;
  std::vector<const train::Cell*> cells_;  // that are wished for
  std::vector<Line> lines_;
  std::map<std::string, data::Dataset> data_;
  train::CostModel cost_;
  std::unique_ptr<report::Progress> progress_;
  bool quiet_ = false;
  double start_ = 0;
};

// The text of a table or figure of the program's own, or of the .toml file that is meant.
std::string table_text(const std::string& name);

// The command that repeats it in the usual folder, fit for a shell.
std::string command_line(const ReproduceWishes& wishes);

// The same with its folder, where that is another one.
std::string whole_command(const ReproduceWishes& wishes);

// Where runs and results go unless one says otherwise.
std::filesystem::path usual_folder(const ReproduceWishes& wishes);

// What a table says in the end.
report::Table result_table(const std::vector<Line>& lines, int decimals,
                           const Predicted& predicted);

// The runs behind the means, a line for each that came to its end.
report::Table run_table(const std::vector<Line>& lines);

// What one must know of the numbers before comparing them with anything.
std::vector<std::string> remarks(const ReproduceWishes& wishes, const std::vector<Line>& lines);

// The first line of a table's page.
std::string page_heading(const ReproduceWishes& wishes, const train::ExperimentTable& table);

// The table as a page, with all that its numbers depend on.
std::string result_page(const ReproduceWishes& wishes, const train::ExperimentTable& table,
                        const std::vector<Line>& lines, const Predicted& predicted);

// Pictures of a table, as PNG and SVG in a folder; the paths of those that were drawn.
std::vector<std::string> draw_results(const train::ExperimentTable& table,
                                      const std::vector<Line>& lines,
                                      const std::filesystem::path& folder);

}  // namespace pdegcn::app
