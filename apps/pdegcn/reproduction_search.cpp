// Searches for the hyper-parameters of a table's cells.
#include <algorithm>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "reproduction_record.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;
using train::Cell;
using train::RunConfig;
using train::Settings;

// A search, and the cells that it is for: several where they are judged with layers that are not
// their own, so that their searches would be the same.
struct Search {
  std::vector<const Cell*> cells;
  RunConfig base;
  const data::Dataset* data = nullptr;
  std::string space;
  std::int64_t trials = 0;
  double cost = 0;
  bool failed = false;

  bool is_same(const Search& other) const {
    return train::to_toml(base) == train::to_toml(other.base) && space == other.space &&
           trials == other.trials;
  }
};

// Begins a search in a folder or goes on with the one there. Throws InUse when another process is
// at it.
train::Tuner open_search(const Search& search, const std::string& name, const fs::path& folder) {
  const auto open = [&](bool resume) {
    return train::Tuner(search.base, *search.data, search.space, name, search.trials, folder,
                        resume);
  };
  const bool resume = fs::exists(folder / "tune.toml");
  try {
    return open(resume);
  } catch (const report::InUse&) {
    throw;
  } catch (const Error&) {
    if (resume || !fs::exists(folder / "tune.toml")) throw;
    return open(true);  // another process was quicker
  }
}

}  // namespace

// What the best trial of a search says of a cell.
Settings Reproduction::settings_found(const Cell& cell, const train::Trial& best) {
  const train::TuneRule rule = *train::find_rule(table_, cell);
  Settings settings = best.settings;
  settings.insert(rule.with.begin(), rule.with.end());
  const auto [own, data] = settled(cell, settings);
  // T = h L is what counts where a search had other layers than the cell.
  if (settings.contains("step") && own.layers != best.config.layers)
    settings["step"].text =
        fmt::format("{:.3g}", best.config.step * static_cast<double>(best.config.layers) /
                                  static_cast<double>(own.layers));
  // Where the cell itself has nothing to choose an epoch by, it learns as long as was best here,
  // unless the rule says how long.
  const std::string split = train::single_runs(own, data).front().split;
  if (!settings.contains("epochs") && train::find_split(data, split).validation.empty())
    settings["epochs"] = {std::to_string(best.best_epoch), "tuned"};
  return settings;
}

int Reproduction::tune() {
  const auto search_for = [&](const Cell& cell) {
    Search search;
    const auto rule = train::find_rule(table_, cell);
    if (!rule) return search;
    Settings more = rule->with;
    // What the rule keeps is checked before the search, not after.
    const auto [kept, data] = settled(cell, more);
    for (const RunConfig& run : train::single_runs(kept, data)) train::find_split(data, run.split);
    for (const auto& [name, setting] : rule->judge) more[name] = setting;
    search.base = config_of(cell, more);
    search.data = &dataset(search.base);
    search.base = train::settle(std::move(search.base), *search.data);
    search.cells = {&cell};
    search.space = train::space_for(*rule, search.base.layers);
    search.trials =
        wishes_.trials > 0 ? wishes_.trials : rule->trials.value_or(train::kUsualTrials);
    search.cost = cost_.seconds(search.base, *search.data);
    return search;
  };
  const auto is_same = [&](const Cell& cell, const Search& search) {
    try {
      return search_for(cell).is_same(search);
    } catch (const Error&) {
      return false;
    }
  };
  std::vector<Search> searches;
  bool troubled = false;
  for (const Cell* cell : cells_) {
    Search search;
    try {
      search = search_for(*cell);
    } catch (const Error& error) {
      warn(fmt::format("{}: {}", cell->name, error.what()));
      troubled = true;
    }
    if (search.cells.empty() || tuned_.contains(cell->name) ||
        std::ranges::any_of(searches, [&](const Search& s) { return s.is_same(search); }))
      continue;
    // Whichever cells are asked for, a search is for the same ones and in the same folder.
    search.cells.clear();
    for (const Cell& other : table_.cells)
      if (other.data == cell->data && train::find_rule(table_, other) &&
          other.settings.at("model").text == cell->settings.at("model").text &&
          is_same(other, search))
        search.cells.push_back(&other);
    searches.push_back(std::move(search));
  }
  if (searches.empty() && tuned_.empty() && !troubled)
    throw Error("--tune: {} has nothing to search for in the cells that are asked for",
                wishes_.name);
  std::ranges::stable_sort(searches, {}, &Search::cost);
  const fs::path path = fs::path(wishes_.out) / "tuned.toml";
  // Another process may have added to the file.
  const auto merge_tuned = [&] {
    if (fs::exists(path))
      tuned_.merge(train::read_tuned(data::File(path).content(), path.string()));
  };
  const auto is_done = [&](const Search& search) {
    return std::ranges::all_of(search.cells,
                               [&](const Cell* cell) { return tuned_.contains(cell->name); });
  };
  // False when it was stopped.
  const auto perform_search = [&](Search& search, std::size_t number) {
    const std::string& name = search.cells.front()->name;
    const fs::path folder = fs::path(wishes_.out) / "tune" / name;
    auto tuner =
        open_search(search, fmt::format("{}, the space of {}", wishes_.name, name), folder);
    merge_tuned();
    if (is_done(search)) return true;
    if (!quiet_) progress_->message(fmt::format("{}/{} {}", number, searches.size(), name));
    if (!tuner.run(*progress_, [&] { return is_over(); })) return false;
    const train::Trial* best = tuner.best();
    if (best == nullptr) {
      warn(fmt::format("{}: no trial came to an end", name));
      search.failed = true;
      return true;
    }
    train::TunedCells found;
    for (const Cell* cell : search.cells)
      found[cell->name] = {settings_found(*cell, *best),
                           train::find_rule(table_, *cell)->judge,
                           search.space,
                           command_line(wishes_),
                           search.trials,
                           best->number,
                           best->score};
    {
      const auto lock = wait_for(wishes_.out);
      merge_tuned();
      tuned_.merge(found);
      report::write_atomically(path, train::write_tuned(tuned_));
    }
    // The trials themselves have done their work; trials.csv tells of them.
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_directory()) fs::remove_all(entry.path());
    if (!quiet_)
      progress_->message(fmt::format("{}: trial {}, {} % on the validation part", name,
                                     best->number, percent(best->score)));
    return true;
  };
  const auto fail = [&](Search& search, const std::exception& error) {
    // The other searches go on.
    warn(fmt::format("{}: {}", search.cells.front()->name, error.what()));
    search.failed = true;
  };
  bool stopped = false;
  // The second time for what other processes had, and have left unfinished.
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < searches.size() && !stopped; ++k) {
      merge_tuned();
      if (is_done(searches[k]) || searches[k].failed) continue;
      try {
        stopped = is_over() || !perform_search(searches[k], k + 1);
      } catch (const report::InUse& error) {
        if (!quiet_) progress_->message(error.what());
      } catch (const Error& error) {
        fail(searches[k], error);
      } catch (const fs::filesystem_error& error) {
        fail(searches[k], error);
      }
    }
  if (stop_requested()) return tell_stop();
  merge_tuned();
  if (const auto ended = std::ranges::count_if(searches, is_done);
      ended < static_cast<std::ptrdiff_t>(searches.size()))
    fmt::print("{} of {} searches came to their end; the same command goes on with the rest\n",
               ended, searches.size());
  if (!tuned_.empty())
    fmt::print("{} has settings for {} cell{}; 'pdegcn reproduce' with this --out runs them\n",
               path.string(), tuned_.size(), tuned_.size() == 1 ? "" : "s");
  return troubled || std::ranges::any_of(searches, &Search::failed) ? kUserError : kOk;
}

}  // namespace pdegcn::app
