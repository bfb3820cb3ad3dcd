#include "reproduction.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "command.h"
#include "flow.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/statistics.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/duration.h"
#include "reproduction_record.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;
using train::Cell;
using train::RunConfig;
using train::Settings;

constexpr std::int64_t kTimedEpochs = 5;

double count_of(const data::Dataset& data, const std::string& what) {
  const auto statistics = data::statistics(data);
  const std::map<std::string, std::int64_t> counts{
      {"classes", data.num_classes()},    {"nodes", statistics.nodes},
      {"edges", statistics.edges},        {"features", statistics.features},
      {"listed", statistics.edges_given}, {"loops", statistics.self_loops},
      {"graphs", statistics.samples}};
  const auto found = counts.find(what);
  if (found == counts.end()) throw Error("nothing is known as '{}' to be counted", what);
  return static_cast<double>(found->second);
}

bool has_trouble(const Line& line) {
  return !line.trouble.empty() ||
         std::ranges::any_of(line.runs, [](const CellRun& run) { return !run.trouble.empty(); });
}

}  // namespace

Reproduction::Reproduction(ReproduceWishes wishes)
    : wishes_(std::move(wishes)),
      table_(train::read_experiment_table(table_text(wishes_.name), wishes_.name)) {
  if (table_.title.empty()) table_.title = fs::path(wishes_.name).stem();
  if (wishes_.out.empty()) {
    wishes_.out = usual_folder(wishes_);
    if (const auto folder = fs::path(wishes_.out).filename(); folder == "." || folder == "..")
      throw Error("--out: say where the results of '{}' should go", wishes_.name);
  }
  RunConfig given;
  train::apply_settings(given, wishes_.flags);
  quiet_ = given.quiet;
  use_threads(given.threads);
  auto options = report::Progress::options_for(STDERR_FILENO, quiet_);
  // In a log one line for each run says enough, unless it takes long.
  if (options.style == report::Progress::Style::kPlain)
    options.style = report::Progress::Style::kSparse;
  progress_ = std::make_unique<report::Progress>(std::cerr, options);

  if (wishes_.quick && table_.quick_cells.empty())
    throw Error("--quick: {} does not say what is quick, in a part [quick]", wishes_.name);
  for (const std::string& pattern : train::parts_of(wishes_.cells))
    if (std::ranges::none_of(table_.cells,
                             [&](const Cell& cell) { return train::matches(cell.name, pattern); }))
      throw Error("--cells: no cell of {} fits '{}'; they have names like {}", wishes_.name,
                  pattern, table_.cells.front().name);
  for (const Cell& cell : table_.cells) {
    const bool quick = !wishes_.quick || cell.published ||
                       std::ranges::any_of(table_.quick_cells, [&](const std::string& pattern) {
                         return train::matches(cell.name, pattern);
                       });
    if (quick && train::matches(cell.name, wishes_.cells)) cells_.push_back(&cell);
  }
  if (cells_.empty())
    throw Error("--quick: none of the quick cells of {} fits '{}'; they are {}", wishes_.name,
                wishes_.cells, fmt::join(table_.quick_cells, ", "));

  take_folder();
  const fs::path own = fs::path(wishes_.out) / "tuned.toml";
  if (fs::exists(own))
    tuned_ = train::read_tuned(data::File(own).content(), own.string());
  else if (!wishes_.tune)  // a search begins anew, whatever an earlier one has found
    tuned_ = train::read_tuned(train::experiment("tuned/" + wishes_.name), "tuned");
  start_ = report::Progress::steady_seconds();
}

// The results and settings of another table, or a page that is somebody else's, are not written
// over: from here on the folder has a page that says which table it belongs to.
void Reproduction::take_folder() const {
  const fs::path page = fs::path(wishes_.out) / "table.md";
  const std::string heading = page_heading(wishes_, table_);
  std::error_code ignored;  // where there is no folder, the lock says why
  fs::create_directories(wishes_.out, ignored);
  const auto lock = wait_for(wishes_.out);
  if (!fs::exists(page)) {
    report::write_atomically(page, heading + "\nNothing has been run yet.\n");
    return;
  }
  const data::File file(page);
  const std::string_view text = file.content();
  if (!text.starts_with(heading))
    throw Error("--out: {} is not of \"{}\"{}, it begins with '{}'; say another folder",
                page.string(), table_.title, wishes_.quick ? " with --quick" : "",
                text.substr(0, std::min<std::size_t>(text.find('\n'), 80)));
}

// The settings of a cell, with those that come on top.
RunConfig Reproduction::config_of(const Cell& cell, const Settings& more) const {
  Settings settings = cell.settings;
  for (const auto& [name, setting] : more) settings[name] = setting;
  if (wishes_.quick) {
    for (const auto& [name, setting] : table_.quick_settings) settings[name] = setting;
    if (const auto other = table_.quick_data.find(cell.data); other != table_.quick_data.end())
      settings["data"] = {other->second, wishes_.name};
  }
  RunConfig config = train::resolve(settings, wishes_.flags);
  if (cell.count.empty() && cell.flow.empty() && train::parts_of(config.model).size() != 1)
    throw Error("a cell has one model, not {}", config.model);
  return config;
}

// By the settings as they were given: settled ones name the same data set in another way.
const data::Dataset& Reproduction::dataset(const RunConfig& config) {
  const std::string key = train::opened_by(config);
  const auto found = data_.find(key);
  return found != data_.end() ? found->second
                              : data_.emplace(key, train::open_data(config)).first->second;
}

// Marches over a shape, and leaves pictures and films in a folder.
train::Flow Reproduction::flow_of(const Cell& cell) const {
  const RunConfig config = config_of(cell, {});
  train::FlowOptions options;
  options.dynamics = train::parts_of(cell.flow);
  train::Flow flow =
      train::flow(train::open_shape(config.data, cell.shape, config.data_dir, config.knn), options);
  train::FlowPicture picture;
  picture.camera = train::likely_camera(flow);
  train::write_flow(fs::path(wishes_.out) / cell.name, flow, picture);
  return flow;
}

// The record of a run that has come to its end, here or elsewhere.
void Reproduction::take_record(CellRun& run) {
  run.record = read_record(run);
  if (std::isfinite(run.record->seconds))
    cost_.time(run.config, *run.data,
               run.record->seconds / static_cast<double>(run.record->epochs));
  cost_.end(run.config, run.record->epochs);
}

void Reproduction::blame(CellRun& run, const Error& error) {
  run.trouble = error.what();
  progress_->message(fmt::format("warning: {}: {}", run.folder.string(), error.what()));
}

// Takes over what another process has made of a run since it was planned; tells whether there is
// nothing left to do.
bool Reproduction::take_over(CellRun& run) {
  if (!run.record && run.trouble.empty() && has_record(run)) {
    try {
      check_config(run);
      take_record(run);
    } catch (const Error& error) {
      blame(run, error);
    }
  }
  return run.record || !run.trouble.empty();
}

// Looks at all runs for that; tells whether any came to its end elsewhere.
bool Reproduction::take_over_all() {
  bool found = false;
  for (Line& line : lines_)
    for (CellRun& run : line.runs)
      if (!run.record && take_over(run)) found |= run.record.has_value();
  return found;
}

// The same with what the data set says, once all of it is known to fit, and the data set.
std::pair<RunConfig, const data::Dataset&> Reproduction::settled(const Cell& cell,
                                                                 const Settings& more) {
  RunConfig config = config_of(cell, more);
  const data::Dataset& data = dataset(config);
  config = train::settle(std::move(config), data);
  for (const Settings& settings : {cell.settings, more})
    train::check_fit(settings, config, train::parse_task(config.task), false);
  return {std::move(config), data};
}

void Reproduction::plan_runs(Line& line, const Settings& tuned) {
  auto [config, data] = settled(*line.cell, tuned);
  config.protocol = wishes_.protocol;
  // As many seeds as wished for, or as many of several splits.
  const std::int64_t wished = wishes_.seeds == 0 && wishes_.quick ? 1 : wishes_.seeds;
  const bool one_split = config.split != "all" && train::parts_of(config.split).size() == 1;
  if (wished > 0 && one_split) config.seeds = wished;
  auto configs = train::single_runs(config, data);
  if (wished > 0 && static_cast<std::size_t>(wished) < configs.size())
    configs.resize(static_cast<std::size_t>(wished));
  for (const RunConfig& single : configs) {
    CellRun run;
    run.data = &data;
    // A run for both protocols serves either of them.
    for (const std::string& protocol : {std::string("both"), wishes_.protocol}) {
      run.config = single;
      run.config.protocol = protocol;
      run.folder = fs::path(wishes_.out) / "runs" / line.settings / protocol / line.cell->name /
                   train::run_name(single);
      if (has_record(run)) break;
    }
    check_config(run);
    if (has_record(run)) {
      take_record(run);
      forget_optimiser(run);
      if (run.config.protocol != wishes_.protocol) {  // only one score is asked for
        run.config.protocol = wishes_.protocol;
        std::erase_if(run.record->test, [&](const auto& s) { return s.first != wishes_.protocol; });
      }
    }
    line.runs.push_back(std::move(run));
  }
}

void Reproduction::plan() {
  for (const Cell* cell : cells_) {
    if (stop_requested()) return;  // flows take their time
    Line line;
    line.cell = cell;
    if (cell->published) {
      lines_.push_back(line);
      continue;
    }
    for (const char* settings : {"paper", "tuned"}) {
      const bool trains = cell->count.empty() && cell->flow.empty();
      const auto found = tuned_.find(cell->name);
      const bool is_tuned = std::string_view(settings) == "tuned";
      const bool asked = wishes_.settings == "both" || wishes_.settings == settings;
      if (trains ? !asked : is_tuned) continue;
      if (is_tuned && found == tuned_.end()) continue;
      Line one = line;
      if (trains) one.settings = settings;
      try {
        if (trains)
          plan_runs(one, is_tuned ? found->second.settings : Settings{});
        else if (cell->flow.empty())
          one.count = count_of(dataset(config_of(*cell, {})), cell->count);
        else
          one.flow = flow_lines(flow_of(*cell));
      } catch (const Error& error) {
        // What is missing for one cell is so for others.
        const bool said = std::ranges::find(lines_, error.what(), &Line::trouble) != lines_.end();
        one.trouble = error.what();
        if (!said) warn(fmt::format("{}: {}", cell->name, error.what()));
      } catch (const fs::filesystem_error& error) {
        one.trouble = error.what();
        warn(fmt::format("{}: {}", cell->name, error.what()));
      }
      lines_.push_back(std::move(one));
    }
  }
}

double Reproduction::seconds(const CellRun& run) const {
  return cost_.seconds(run.config, *run.data);
}

double Reproduction::seconds_left(const Line& line) const {
  double sum = 0;
  for (const CellRun& run : line.runs)
    if (!run.record) sum += seconds(run);
  return sum;
}

// What is still to be run and has not failed, the cheapest cells first.
std::vector<std::pair<Line*, CellRun*>> Reproduction::pending() {
  std::vector<std::pair<double, Line*>> order;
  for (Line& line : lines_) order.emplace_back(seconds_left(line), &line);
  std::ranges::stable_sort(order, {}, &std::pair<double, Line*>::first);
  std::vector<std::pair<Line*, CellRun*>> all;
  for (const auto& [cost, line] : order)
    for (CellRun& run : line->runs)
      if (!run.record && run.trouble.empty()) all.emplace_back(line, &run);
  return all;
}

bool Reproduction::is_over() const {
  return stop_requested() ||
         (wishes_.budget > 0 && report::Progress::steady_seconds() - start_ > 60 * wishes_.budget);
}

// Takes a run to its end, or to an epoch, unless another process has it; tells whether it came to
// its end here.
bool Reproduction::perform(CellRun& run, const std::string& name, bool introduce,
                           std::int64_t until) {
  const data::Dataset& data = *run.data;
  // Held until the record is written: before that another process would take the run for one that
  // was stopped.
  std::optional<report::RunFolder> folder;
  const auto claim = [&] {
    folder = open_folder(run);
    check_config(run);
    if (has_record(run))
      throw report::InUse("{}: another process has ended the run", run.folder.string());
    return *folder;
  };
  run.elsewhere = false;
  train::Audience audience;
  audience.progress = progress_.get();
  audience.quiet = true;
  audience.introduce = introduce;
  audience.name = name;
  // An epoch is timed without the first, which makes room for what the others use.
  std::vector<double> ends;
  audience.until = until;
  audience.stop = [&] {
    ends.push_back(report::Progress::steady_seconds());
    return is_over();
  };
  try {
    const train::Result result = train::train(run.config, data, claim, audience);
    if (ends.size() > 2)
      cost_.time(run.config, data, (ends.back() - ends[1]) / static_cast<double>(ends.size() - 2));
    if (result.interrupted) return false;
    const std::int64_t epochs =
        std::max(result.epochs, result.peeked ? result.peeked->epochs : result.epochs);
    cost_.end(run.config, epochs);
    RunRecord record{{},           result.validation.score,
                     epochs,       result.best_epoch,
                     result.alpha, result.seconds_per_epoch * static_cast<double>(epochs)};
    for (const std::string& protocol : protocols_of(run.config))
      record.test[protocol] = std::nan("");
    record.test[run.config.protocol == kPeek ? kPeek : kValidation] = result.test.score;
    if (result.peeked) record.test[kPeek] = result.peeked->score;
    run.record = std::move(record);
    write_record(run);
    forget_optimiser(run);
    return true;
  } catch (const report::InUse&) {
    run.elsewhere = !take_over(run);
  } catch (const Error& error) {
    blame(run, error);
  }
  return false;
}

// Runs what no other process is at, the cheapest cells first.
void Reproduction::run_pending() {
  const auto todo = pending();
  for (std::size_t k = 0; k < todo.size() && !is_over(); ++k) {
    const auto& [line, run] = todo[k];
    if (take_over(*run)) continue;
    const auto time_left = [&](std::size_t from) {
      double left = 0;
      for (std::size_t r = from; r < todo.size(); ++r)
        if (!todo[r].second->record) left += seconds(*todo[r].second);
      return left;
    };
    const double gone = report::Progress::steady_seconds() - start_;
    if (wishes_.budget > 0 && gone + seconds(*run) > 60 * wishes_.budget) continue;
    const std::string name = fmt::format("{}/{} {} {} {}", k + 1, todo.size(), line->cell->name,
                                         line->settings, train::run_name(run->config));
    const bool ended =
        perform(*run, fmt::format("{}, {} in all", name, report::format_duration(time_left(k))),
                k == 0 || todo[k - 1].first != line, train::Audience().until);
    if (ended && !quiet_) {
      std::string scores = "test";
      for (const char* protocol : {kValidation, kPeek})
        if (const auto found = run->record->test.find(protocol); found != run->record->test.end())
          scores += fmt::format("{} {} % by {}", scores.ends_with("test") ? "" : ",",
                                percent(found->second), protocol);
      progress_->message(fmt::format("{}: {}, {}; {} left", name, scores,
                                     report::format_duration(run->record->seconds),
                                     report::format_duration(time_left(k + 1))));
    }
    if (k + 1 == todo.size() || todo[k + 1].first != line) write();
  }
}

int Reproduction::run() {
  plan();
  if (stop_requested()) return tell_stop();
  if (wishes_.settings == "tuned" &&
      std::ranges::all_of(lines_, [](const Line& line) { return line.cell->published; })) {
    const bool searchable = std::ranges::any_of(
        cells_, [&](const Cell* cell) { return train::find_rule(table_, *cell).has_value(); });
    throw Error("no cell that is asked for has tuned settings{}",
                searchable ? ": search for some with --tune"
                           : fmt::format(", and {} does not say what to search over, in a part "
                                         "[[tune]]",
                                         wishes_.name));
  }
  write();  // before hours of work, not after
  for (const auto& [line, run] : pending())
    if (!cost_.measured() && !is_over()) perform(*run, "timing", false, kTimedEpochs);
  run_pending();
  run_pending();  // what other processes had, and have left unfinished
  std::vector<std::string> pictures;
  bool undrawn = false;
  do {
    write();
    try {
      pictures = draw_results(table_, lines_, wishes_.out);
    } catch (const Error& error) {  // the numbers are there without it
      warn(fmt::format("no picture: {}", error.what()));
      undrawn = true;
    }
  } while (take_over_all());  // the last process to look has all of it
  fmt::print("{}\n", table_.title);
  for (const std::string& remark : remarks(wishes_, lines_)) fmt::print("{}\n", remark);
  fmt::print("\n{}\n", result_table(lines_, table_.decimals, predicted()).text());
  for (const std::string& path : pictures) fmt::print("{}\n", path);
  std::size_t elsewhere = 0;
  for (const Line& line : lines_)
    for (const CellRun& run : line.runs) elsewhere += run.elsewhere && !run.record;
  if (elsewhere > 0)
    fmt::print("under way in other processes: {}; the last of these has the whole table\n",
               elsewhere);
  if (const auto left = pending(); left.size() > elsewhere && !stop_requested()) {
    double needed = 0;
    for (const auto& [line, run] : left)
      if (!run->elsewhere) needed += seconds(*run);
    fmt::print("the budget left out {} runs, predicted {}: the same command goes on with them\n",
               left.size() - elsewhere, report::format_duration(needed));
  }
  fmt::print("{0}/table.md and {0}/table.csv have the table\n", wishes_.out);
  if (stop_requested()) return tell_stop();
  return undrawn || std::ranges::any_of(lines_, has_trouble) ? kUserError : kOk;
}

int Reproduction::tell_stop() const {
  const bool flows =
      std::ranges::any_of(cells_, [](const Cell* cell) { return !cell->flow.empty(); });
  fmt::print(stderr, "stopped; the same command {}:\n  {}\n", flows ? "begins again" : "goes on",
             whole_command(wishes_));
  return kUserError;
}

void Reproduction::write() {
  take_over_all();
  std::error_code error;
  fs::create_directories(wishes_.out, error);
  report::write_atomically(fs::path(wishes_.out) / "table.csv",
                           result_table(lines_, table_.decimals, predicted()).csv());
  if (std::ranges::any_of(lines_, [](const Line& line) { return !line.runs.empty(); }))
    report::write_atomically(fs::path(wishes_.out) / "runs.csv", run_table(lines_).csv());
  report::write_atomically(fs::path(wishes_.out) / "table.md",
                           result_page(wishes_, table_, lines_, predicted()));
}

}  // namespace pdegcn::app
