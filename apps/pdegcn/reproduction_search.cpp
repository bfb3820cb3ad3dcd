// Searches for the hyper-parameters of a table's cells.
#include <algorithm>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "reproduction.h"

namespace pdegcn::app {

namespace fs = std::filesystem;
using train::Cell;
using train::RunConfig;
using train::Settings;

// What the best trial of a search says of a cell.
Settings Reproduction::settings_found(const Cell& cell, const train::TuneRule& rule,
                                      const train::Trial& best, const RunConfig& base) {
  Settings settings = best.settings;
  settings.insert(rule.with.begin(), rule.with.end());
  RunConfig own = config_of(cell, settings);
  const data::Dataset& data = dataset(own);
  own = train::settle(std::move(own), data);
  // T = h L is what counts where a search had other layers than the cell.
  if (settings.contains("step") && own.layers != base.layers)
    settings["step"].text = fmt::format(
        "{:.3g}", own.step * static_cast<double>(base.layers) / static_cast<double>(own.layers));
  // Where the cell itself has nothing to choose an epoch by, it learns as long as was best here,
  // unless the rule says how long.
  const std::string split = train::single_runs(own, data).front().split;
  if (!settings.contains("epochs") && train::find_split(data, split).validation.empty())
    settings["epochs"] = {std::to_string(best.best_epoch), "tuned"};
  return settings;
}

int Reproduction::tune() {
  // Cells whose searches would be the same, because they are judged with layers that are not their
  // own, have one.
  struct Search {
    std::vector<const Cell*> cells;
    train::TuneRule rule;
    const data::Dataset* data;
    RunConfig base;
    double cost;
  };
  std::vector<Search> searches;
  for (const Cell* cell : cells_) {
    const auto rule = train::find_rule(table_, *cell);
    if (!rule || tuned_.contains(cell->name)) continue;
    Settings more = rule->with;
    for (const auto& [name, setting] : rule->judge) more[name] = setting;
    RunConfig base = config_of(*cell, more);
    const data::Dataset& data = dataset(base);
    base = train::settle(std::move(base), data);
    const auto same = std::ranges::find_if(searches, [&](const Search& search) {
      return train::to_toml(search.base) == train::to_toml(base) &&
             train::space_for(search.rule, base.layers) == train::space_for(*rule, base.layers) &&
             search.rule.trials == rule->trials;
    });
    if (same != searches.end())
      same->cells.push_back(cell);
    else
      searches.push_back({{cell}, *rule, &data, base, cost_.seconds(base, data)});
  }
  if (searches.empty() && tuned_.empty())
    throw Error("--tune: {} has nothing to search for in the cells that are asked for",
                wishes_.name);
  std::ranges::stable_sort(searches, {}, &Search::cost);
  const fs::path path = fs::path(wishes_.out) / "tuned.toml";
  // Another process may have added to the file.
  const auto merge_tuned = [&] {
    if (fs::exists(path))
      tuned_.merge(train::read_tuned(data::File(path).content(), path.string()));
  };
  std::size_t ended = 0;
  bool failed = false;
  for (std::size_t k = 0; k < searches.size() && !is_over(); ++k) {
    const auto& [cells, rule, data, base, cost] = searches[k];
    merge_tuned();
    if (std::ranges::all_of(cells, [&](const Cell* one) { return tuned_.contains(one->name); })) {
      ++ended;
      continue;
    }
    const std::string& name = cells.front()->name;
    const fs::path folder = fs::path(wishes_.out) / "tune" / name;
    train::Tuned found;
    found.trials = wishes_.trials > 0 ? wishes_.trials : rule.trials.value_or(train::kUsualTrials);
    found.space = train::space_for(rule, base.layers);
    std::optional<train::Tuner> tuner;
    try {
      tuner.emplace(base, *data, found.space,
                    fmt::format("{}, the space of {}", wishes_.name, name), found.trials, folder,
                    fs::exists(folder / "tune.toml"));
    } catch (const report::InUse& error) {
      if (!quiet_) progress_->message(error.what());
      continue;
    }
    if (!quiet_) progress_->message(fmt::format("{}/{} {}", k + 1, searches.size(), name));
    if (!tuner->run(*progress_, [&] { return is_over(); })) break;
    const train::Trial* best = tuner->best();
    if (best == nullptr) {
      warn(fmt::format("{}: no trial came to an end", name));
      failed = true;
      continue;
    }
    found.command = command_line(wishes_);
    found.trial = best->number;
    found.validation = best->score;
    ++ended;
    merge_tuned();
    for (const Cell* cell : cells) {
      found.judge = train::find_rule(table_, *cell)->judge;
      found.settings = settings_found(*cell, rule, *best, base);
      tuned_[cell->name] = found;
    }
    report::write_atomically(path, train::write_tuned(tuned_));
    // The trials themselves have done their work; trials.csv tells of them.
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_directory()) fs::remove_all(entry.path());
    if (!quiet_)
      progress_->message(fmt::format("{}: trial {}, {} % on the validation part", name, found.trial,
                                     percent(found.validation)));
  }
  if (stop_requested()) return tell_stop();
  if (ended < searches.size())
    fmt::print("{} of {} searches came to their end; the same command goes on with the rest\n",
               ended, searches.size());
  if (!tuned_.empty())
    fmt::print("{} has settings for {} cells; 'pdegcn reproduce' with this --out runs them\n",
               path.string(), tuned_.size());
  return failed ? kUserError : kOk;
}

}  // namespace pdegcn::app
