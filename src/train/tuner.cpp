#include "pdegcn/train/tuner.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/duration.h"
#include "pdegcn/report/metrics_log.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {

namespace fs = std::filesystem;

namespace {

// The splits that a search can use, for people.
std::string judgeable(const data::Dataset& data) {
  std::string names;
  for (const data::Split& split : data.splits)
    if (!split.validation.empty()) names += fmt::format(" {},", split.name);
  return names + (names.empty() ? "" : " or") + " random:0";
}

// What the search starts from: without it among the trials, all of them may be worse.
Settings given_settings(const Space& space, const RunConfig& base) {
  Settings settings;
  for (const Dimension& dimension : space)
    settings[dimension.name] = {text_of(base, field(dimension.name, dimension.where)),
                                "the settings given"};
  return settings;
}

bool is_better(const Trial* a, const Trial* b) {
  const auto key = [](const Trial* trial) {
    const bool failed = !std::isfinite(trial->value);
    return std::tuple(failed, -trial->rounds, failed ? 0 : -trial->score, trial->value,
                      -trial->epochs);
  };
  return key(a) < key(b);
}

}  // namespace

Tuner::Tuner(RunConfig base, const data::Dataset& data, std::string space,
             const std::string& space_name, std::int64_t trials, fs::path folder, bool resume)
    : base_(std::move(base)),
      data_(data),
      space_text_(std::move(space)),
      folder_(std::move(folder)),
      space_(read_space(space_text_, space_name)) {
  if (base_.protocol != "validation")
    throw Error("--protocol: a search never looks at the test part");
  if (base_.model.find(',') != std::string::npos) throw Error("--model: tune one at a time");
  Settings searched;
  for (const Dimension& dimension : space_) searched[dimension.name] = {"", dimension.where};
  check_fit(searched, base_, parse_task(base_.task), true);
  if (searched.contains("knn") && base_.augment == "none" &&
      (parse_models(base_.model) & (kDgcnn | kDgcnnDiffusion)) == 0)
    throw Error("{}: the data set, with its neighbours, is opened once", searched["knn"].where);
  for (const RunConfig& run : single_runs(base_, data_))
    if (find_split(data_, run.split).validation.empty())
      throw Error("split {} has no validation part to judge by: choose another with --split{}",
                  run.split, judgeable(data_));
  trials_.resize(static_cast<std::size_t>(trials));
  for (std::size_t k = 0; k < trials_.size(); ++k) {
    trials_[k].number = static_cast<std::int64_t>(k) + 1;
    place(trials_[k], k == 0 ? given_settings(space_, base_) : draw(trials_[k], nullptr));
  }
  claim_folder(resume);
}

Settings Tuner::draw(const Trial& trial, const Settings* near) const {
  return draw_trial(space_, static_cast<std::uint64_t>(base_.seed), trial.number, near);
}

void Tuner::place(Trial& trial, Settings settings) {
  trial.settings = std::move(settings);
  trial.config = base_;
  apply_settings(trial.config, trial.settings);
  trial.config = settle(std::move(trial.config), data_);
}

std::string Tuner::description() const {
  return fmt::format("# A search of pdegcn: {} trials over this space\n{}\n# from this config\n{}",
                     trials_.size(), space_text_, to_toml(base_));
}

void Tuner::claim_folder(bool resume) {
  const fs::path path = folder_ / "tune.toml";
  // Two searches that begin at once are told apart by the lock, which must not appear in a folder
  // of something else.
  if (!fs::exists(path)) {
    if (resume) throw Error("{}: there is no search to go on with", folder_.string());
    if (fs::exists(folder_) && (!fs::is_directory(folder_) || !report::occupant(folder_).empty()))
      throw Error("{}: the folder is not empty: choose another (--out)", folder_.string());
    fs::create_directories(folder_);
  }
  lock_.emplace(folder_);
  if (fs::exists(path)) {
    if (!resume)
      throw Error(
          "{}: there is a search already: go on with it (--resume), or choose another "
          "folder (--out)",
          folder_.string());
    if (data::File(path).content() != description())
      throw Error("{}: the search there has another space, config or number of trials",
                  folder_.string());
    return;
  }
  report::write_atomically(path, description());
}

bool Tuner::run(report::Progress& progress, const std::function<bool()>& stop) {
  std::vector<Trial*> field;
  for (Trial& trial : trials_) field.push_back(&trial);
  const auto rungs =
      halving(static_cast<std::int64_t>(trials_.size()), base_.epochs, base_.patience);
  double ahead = 0, behind = 0, spent = 0;  // epochs of all trials, and the seconds behind
  for (std::size_t r = 0; r < rungs.size(); ++r)
    ahead += static_cast<double>(rungs[r].trials *
                                 (rungs[r].epochs - (r == 0 ? 0 : rungs[r - 1].epochs)));
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const Rung& rung = rungs[r];
    field.resize(std::min(field.size(), static_cast<std::size_t>(rung.trials)));
    for (std::size_t k = 0; k < field.size(); ++k) {
      if (r == 0 && k >= (field.size() + 1) / 2) {
        const Trial& best = **std::min_element(field.begin(), field.begin() + k, is_better);
        place(*field[k], draw(*field[k], std::isfinite(best.value) ? &best.settings : nullptr));
      }
      const double start = report::Progress::steady_seconds();
      const std::string name = fmt::format(
          "round {}/{}, trial {}/{}{}", r + 1, rungs.size(), k + 1, field.size(),
          behind > 0
              ? fmt::format(", {} left in all", report::format_duration(spent / behind * ahead))
              : "");
      if (stop() || !advance(*field[k], rung.epochs, name, progress, stop)) return false;
      field[k]->rounds = static_cast<std::int64_t>(r) + 1;
      const auto epochs = static_cast<double>(rung.epochs - (r == 0 ? 0 : rungs[r - 1].epochs));
      ahead -= epochs;
      behind += epochs;
      spent += report::Progress::steady_seconds() - start;
      write_table();
    }
    std::ranges::stable_sort(field, is_better);
  }
  return true;
}

// What selects, smaller is better, among the first epochs of a run: one that an earlier call took
// farther is judged as it stood then.
Tuner::Judgement Tuner::judge(const report::RunFiles& files, std::int64_t epochs) const {
  const report::Metrics metrics = report::read_metrics(files.metrics());
  const std::vector<double>& losses = *metrics.find("val_loss");
  const std::vector<double>& scores = *metrics.find("val_score");
  Judgement best{std::numeric_limits<double>::infinity(), 0, 0};
  for (std::size_t k = 0; k < scores.size() && metrics.epochs[k] <= epochs; ++k)
    if (const double value = base_.select == "val-loss" ? losses[k] : -scores[k];
        value < best.value)
      best = {value, scores[k], metrics.epochs[k]};
  return best;
}

// Runs a trial up to an epoch, on every split and with every seed; tells whether it came there.
bool Tuner::advance(Trial& trial, std::int64_t epochs, const std::string& name,
                    report::Progress& progress, const std::function<bool()>& stop) {
  const auto runs = single_runs(trial.config, data_);
  double sum = 0, scores = 0, best_epochs = 0;
  for (const RunConfig& run : runs) {
    const fs::path folder = folder_ / fmt::format("trial-{:03}", trial.number) / run_name(run);
    const auto open_folder = [&] {
      return fs::exists(report::RunFiles{folder}.config())
                 ? report::RunFolder::resume(folder)
                 : report::RunFolder::create(folder, to_toml(run));
    };
    Audience audience;
    audience.progress = &progress;
    audience.quiet = true;
    audience.introduce = false;
    audience.test = false;
    audience.name = name;
    audience.until = epochs;
    audience.stop = stop;
    try {
      const Result result = train(run, data_, open_folder, audience);
      if (result.interrupted && result.epochs < epochs) return false;
      const Judgement judged = judge(report::RunFiles{folder}, epochs);
      sum += judged.value;
      scores += judged.score;
      best_epochs += static_cast<double>(judged.epoch);
      trial.epochs = std::max(trial.epochs, std::min(result.epochs, epochs));
    } catch (const NotFinite& error) {  // a bad draw; all else is no matter of one trial
      progress.message(fmt::format("trial {} failed: {}", trial.number, error.what()));
      sum = std::numeric_limits<double>::infinity();
      trial.note = error.what();
    }
  }
  trial.value = sum / static_cast<double>(runs.size());
  trial.score = scores / static_cast<double>(runs.size());
  trial.best_epoch = std::llround(best_epochs / static_cast<double>(runs.size()));
  return true;
}

std::string Tuner::shown(const Trial& trial, bool exact) const {
  if (!std::isfinite(trial.value)) return trial.note.empty() ? "" : "failed";
  const double value = base_.select == "val-loss" ? trial.value : -trial.value;
  return exact ? fmt::format("{}", value) : fmt::format("{:.4f}", value);
}

report::Table Tuner::table(std::size_t most, bool exact) const {
  std::vector<std::string> head{"trial", "epochs", "best epoch", base_.select,
                                exact ? "validation" : "validation %"};
  for (const Dimension& dimension : space_) head.push_back(dimension.name);
  report::Table table(head);
  auto order = ranking();
  order.resize(std::min(order.size(), most));
  for (const Trial* trial : order) {
    std::vector<std::string> row{
        fmt::format("{}", trial->number), fmt::format("{}", trial->epochs),
        std::isfinite(trial->value) ? fmt::format("{}", trial->best_epoch) : "",
        shown(*trial, exact),
        !std::isfinite(trial->value) ? ""
        : exact                      ? fmt::format("{}", trial->score)
                                     : fmt::format("{:.1f}", 100 * trial->score)};
    for (const Dimension& dimension : space_)
      row.push_back(trial->settings.at(dimension.name).text);
    table.add(row);
  }
  return table;
}

std::vector<const Trial*> Tuner::ranking() const {
  std::vector<const Trial*> order;
  for (const Trial& trial : trials_)
    if (trial.rounds > 0) order.push_back(&trial);
  std::ranges::stable_sort(order, is_better);
  return order;
}

const Trial* Tuner::best() const {
  const auto order = ranking();
  return order.empty() || !std::isfinite(order.front()->value) ? nullptr : order.front();
}

void Tuner::write_table() const {
  report::write_atomically(folder_ / "trials.csv", table(trials_.size(), true).csv());
  if (const Trial* trial = best())
    report::write_atomically(
        folder_ / "best.toml",
        fmt::format("# The best of a search: trial {}, {:.2f} % on the validation part.\n{}",
                    trial->number, 100 * trial->score, to_toml(trial->config)));
}

}  // namespace pdegcn::train
