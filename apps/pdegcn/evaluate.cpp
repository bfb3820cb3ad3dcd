#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "command.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/mean_std.h"
#include "pdegcn/report/plot.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/correspondence.h"
#include "pdegcn/train/trained_run.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  pdegcn evaluate runs/cora
      loss and score of the chosen epoch on the train, validation and test part
  pdegcn evaluate runs/demo-dhm
      all runs of one call, with mean and standard deviation of every network
  pdegcn evaluate runs/cora --split 3 --json
      the same network on another split of its data set
  pdegcn evaluate runs/mine --data new-graph
      on other data with the same features and classes
  pdegcn evaluate runs/shapes --out report
      of shapes also the accuracy by class and who was taken for whom; of a correspondence the
      share of exact vertices and the curve of the geodesic error)";

constexpr const char* kPeeked =
    "protocol test-peek: epochs were chosen by their test score, which is no measure of quality";

// Rows are what was right, columns what was said.
std::vector<std::vector<std::int64_t>> confusion(const train::Answered& answered,
                                                 std::size_t classes) {
  std::vector counts(classes, std::vector<std::int64_t>(classes));
  for (std::size_t k = 0; k < answered.truth.size(); ++k)
    if (answered.truth[k] != data::kUnlabelled) ++counts[answered.truth[k]][answered.said[k]];
  return counts;
}

// The accuracy of every class, and where its members went; returns the lines for people.
std::string tell_classes(const data::Dataset& data, const train::Answered& answered,
                         const fs::path& out, nlohmann::ordered_json& json) {
  const auto counts = confusion(answered, data.class_names.size());
  std::vector<std::string> head{"right \\ said"};
  head.insert(head.end(), data.class_names.begin(), data.class_names.end());
  report::Table matrix(head), shares({"class", "test accuracy %", "answers", "often taken for"});
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::vector<std::string> row{data.class_names[c]};
    std::int64_t all = 0;
    std::size_t other = c;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      row.push_back(fmt::format("{}", counts[c][k]));
      all += counts[c][k];
      if (k != c && counts[c][k] > (other == c ? 0 : counts[c][other])) other = k;
    }
    matrix.add(std::move(row));
    const double share = static_cast<double>(counts[c][c]) / static_cast<double>(all);
    shares.add(
        {data.class_names[c], percent(share), fmt::format("{}", all),
         other == c ? "" : fmt::format("{} ({})", data.class_names[other], counts[c][other])});
    json["classes"].push_back(
        {{"name", data.class_names[c]},
         {"accuracy", all > 0 ? nlohmann::ordered_json(share) : nlohmann::ordered_json()},
         {"count", all}});
  }
  json["confusion"] = counts;
  if (out.empty()) return shares.text() + "\nwho was taken for whom: --out DIR writes it\n";
  report::write_atomically(out / "confusion.csv", matrix.csv());
  return fmt::format("{}\nwho was taken for whom: {}\n", shares.text(),
                     (out / "confusion.csv").string());
}

std::string tell_geodesics(const data::Dataset& data, const train::Answered& answered,
                           const fs::path& out, nlohmann::ordered_json& json) {
  const auto errors = train::geodesic_errors(data, answered);
  json["geodesic"] = {{"exact", errors.exact()},
                      {"mean_error", errors.mean()},
                      {"within_0.01", errors.within(0.01)},
                      {"within_0.1", errors.within(0.1)}};
  const std::string told = fmt::format(
      "test vertices with zero geodesic error {} %, within 0.01 {} %, within 0.1 {} %, mean error "
      "{:.4f}\n",
      percent(errors.exact()), percent(errors.within(0.01)), percent(errors.within(0.1)),
      errors.mean());
  if (out.empty()) return told + "the curve: --out DIR writes and draws it\n";
  report::write_atomically(out / "geodesic.csv", errors.csv());
  report::Curve curve{data.name, train::GeodesicErrors::curve_errors(), {}};
  for (const double error : curve.x) curve.y.push_back(100 * errors.within(error));
  std::string files = (out / "geodesic.csv").string();
  try {
    report::Panel panel{
        "geodesic error / square root of the area", "vertices within it, %", {std::move(curve)}};
    panel.y_range = {0, 100};
    report::write_plot(out / "geodesic.png",
                       {"Correspondence, test shapes of " + data.name, {std::move(panel)}});
    files += ", " + (out / "geodesic.png").string();
  } catch (const Error& error) {
    warn(error.what());  // the numbers are there without it
  }
  return told + "the curve: " + files + "\n";
}

// More classes than a table can show are told by their numbers alone.
constexpr std::size_t kMostClasses = 50;

std::string tell_answers(const train::RunConfig& config, const data::Dataset& data,
                         const train::Answered& answered, const fs::path& out,
                         nlohmann::ordered_json& json) {
  if (answered.said.empty()) return "";
  if (!out.empty()) fs::create_directories(out);
  if (config.task == "correspondence")
    return data.template_vertex.empty() ? "" : tell_geodesics(data, answered, out, json);
  return data.class_names.size() > kMostClasses ? "" : tell_classes(data, answered, out, json);
}

using Parts = std::vector<std::pair<const char*, const train::Score*>>;

Parts parts_of(const train::Result& r) {
  return {{"train", &r.train}, {"validation", &r.validation}, {"test", &r.test}};
}

// A data set and what it was opened by: runs of one call mostly share it.
struct Opened {
  std::string by;
  data::Dataset data;
};

// How many of what a split tests the network has learnt from, in another split of the same data.
std::int64_t known_answers(const train::RunConfig& trained, const train::RunConfig& asked,
                           const data::Dataset& data) {
  if (trained.data != asked.data || trained.split == asked.split) return 0;
  const auto learnt = train::find_split(data, trained.split).train;
  const std::set<std::int32_t> known(learnt.begin(), learnt.end());
  return std::ranges::count_if(train::find_split(data, asked.split).test,
                               [&](std::int32_t id) { return known.contains(id); });
}

// The chosen network of a run; `opened` is used again where it serves.
train::Result measure(const report::RunFiles& files, const train::Settings& flags,
                      std::optional<Opened>& opened) {
  auto [trained, config] = configs_of(files, flags);
  use_threads(config.threads);
  if (const std::string by = train::opened_by(config); !opened || opened->by != by)
    opened = Opened{by, train::open_data(config)};
  config = train::settle(std::move(config), opened->data);
  if (const auto known = known_answers(trained, config, opened->data); known > 0)
    warn(
        fmt::format("{}: the network was trained on {} of what split {} tests: its test score "
                    "there says nothing of new data",
                    files.folder.string(), known, config.split));
  return train::evaluate(config, opened->data, files);
}

nlohmann::ordered_json json_of(const train::Result& r, const data::Dataset& data) {
  nlohmann::ordered_json json{{"data", data.name},
                              {"model", r.config.model},
                              {"split", r.config.split},
                              {"seed", r.config.seed},
                              {"protocol", r.config.protocol},
                              {"metric", r.metric},
                              {"selected_epoch", r.best_epoch}};
  for (const auto& [name, score] : parts_of(r))
    if (score->count > 0)
      json[name] = {{"loss", score->loss}, {"score", score->score}, {"count", score->count}};
  return json;
}

int run_one(const report::RunFiles& files, const std::string& out, const train::Settings& flags) {
  std::optional<Opened> opened;
  const train::Result r = measure(files, flags, opened);
  nlohmann::ordered_json json = json_of(r, opened->data);
  const std::string told = tell_answers(r.config, opened->data, r.answered, out, json);
  if (r.config.json) {
    fmt::print("{}\n", json.dump(2));
    return kOk;
  }
  report::Table table({"part", r.metric + " %", "loss", "answers"});
  for (const auto& [name, score] : parts_of(r))
    if (score->count > 0)
      table.add({name, percent(score->score), fmt::format("{:.4f}", score->loss),
                 fmt::format("{}", score->count)});
  fmt::print("{}\ndata {}, split {}, epoch {} of {}\n", table.text(), opened->data.name,
             r.config.split, r.best_epoch, files.folder.string());
  if (!told.empty()) fmt::print("\n{}", told);
  if (r.config.protocol == "test-peek") fmt::print("{}\n", kPeeked);
  return kOk;
}

// A table with a line for every run and one for the mean of every model on every data set.
int run_many(const std::vector<report::RunFiles>& runs, const train::Settings& flags) {
  std::optional<Opened> opened;
  std::vector<train::Result> results;
  auto list = nlohmann::ordered_json::array();
  report::Table table({"run", "epoch", "train %", "validation %", "test %"});
  for (const report::RunFiles& files : runs) {
    if (!fs::exists(files.best())) {
      warn(fmt::format("{} has no chosen epoch yet and is left out", files.folder.string()));
      continue;
    }
    const train::Result& r = results.emplace_back(measure(files, flags, opened));
    list.push_back(json_of(r, opened->data));
    list.back()["folder"] = files.folder.string();
    table.add({files.folder.string(), fmt::format("{}", r.best_epoch), percent(r.train.score),
               percent(r.validation.score), percent(r.test.score)});
  }
  if (results.empty()) throw Error("none of the runs has a chosen epoch yet");
  if (results.front().config.json) {
    fmt::print("{}\n", list.dump(2));
    return kOk;
  }
  std::map<std::pair<std::string, std::string>, std::vector<const train::Result*>> groups;
  for (const train::Result& r : results) groups[{r.config.model, r.config.data}].push_back(&r);
  for (const auto& [about, group] : groups) {
    const auto mean = [&](train::Score train::Result::*part) {
      std::vector<double> values;
      for (const train::Result* r : group)
        if (std::isfinite((r->*part).score)) values.push_back((r->*part).score);
      return values.empty() ? "" : report::format_percent(report::mean_std(values));
    };
    if (group.size() > 1)
      table.add({fmt::format("mean of {} on {}, {} runs", train::model_info(about.first).title,
                             fs::path(about.second).filename().string(), group.size()),
                 "", mean(&train::Result::train), mean(&train::Result::validation),
                 mean(&train::Result::test)});
  }
  fmt::print("{}\n{}{}\n", table.text(), results.front().metric,
             groups.size() < results.size() ? ", ± is the sample standard deviation" : "");
  if (std::ranges::any_of(results, [](const auto& r) { return r.config.protocol == "test-peek"; }))
    fmt::print("{}\n", kPeeked);
  return kOk;
}

int run(const std::vector<std::string>& folders, const std::string& out,
        const train::Settings& flags) {
  const auto runs = find_runs(folders);
  if (runs.size() == 1) return run_one(runs.front(), out, flags);
  if (!out.empty())
    throw Error("--out: this is for the files of one run, here are {}", runs.size());
  return run_many(runs, flags);
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("evaluate", "Measure the chosen network of runs");
  auto folders = std::make_shared<std::vector<std::string>>();
  command->add_option("runs", *folders, "Folders of runs, or of several")
      ->required()
      ->type_name("RUN");
  auto out = std::make_shared<std::string>();
  command->add_option("--out", *out, "Folder for confusion.csv, geodesic.csv and geodesic.png")
      ->type_name("DIR");
  auto flags = add_settings(*command, {"data", "data-dir", "split", "threads", "json"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folders, *out, *flags); }; });
}

}  // namespace pdegcn::app
