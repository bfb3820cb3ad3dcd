#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/plot.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/correspondence.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  pdegcn evaluate runs/cora
      loss and score of the chosen epoch on the train, validation and test part
  pdegcn evaluate runs/cora --split 3 --json
      the same network on another split of its data set
  pdegcn evaluate runs/mine --data new-graph
      on other data with the same features and classes
  pdegcn evaluate runs/shapes
      of shapes also the accuracy by class and who was taken for whom; of a correspondence the
      share of exact vertices and the curve of the geodesic error)";

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
  report::write_atomically(out / "geodesic.csv", errors.csv());
  report::Curve curve{data.name, train::GeodesicErrors::curve_errors(), {}};
  for (const double error : curve.x) curve.y.push_back(100 * errors.within(error));
  std::string files = (out / "geodesic.csv").string();
  try {
    report::write_plot(out / "geodesic.png", {"Correspondence, test shapes of " + data.name,
                                              {{"geodesic error / square root of the area",
                                                "vertices within it, %",
                                                {std::move(curve)}}}});
    files += ", " + (out / "geodesic.png").string();
  } catch (const Error& error) {
    warn(error.what());  // the numbers are there without it
  }
  return fmt::format(
      "test vertices with zero geodesic error {} %, within 0.01 {} %, within 0.1 {} %, mean error "
      "{:.4f}\nthe curve: {}\n",
      percent(errors.exact()), percent(errors.within(0.01)), percent(errors.within(0.1)),
      errors.mean(), files);
}

// More classes than a table can show are told by their numbers alone.
constexpr std::size_t kMostClasses = 50;

std::string tell_answers(const train::RunConfig& config, const data::Dataset& data,
                         const train::Answered& answered, const fs::path& out,
                         nlohmann::ordered_json& json) {
  if (answered.said.empty()) return "";
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw Error("{}: {}", out.string(), error.message());
  if (config.task == "correspondence")
    return data.template_vertex.empty() ? "" : tell_geodesics(data, answered, out, json);
  return data.class_names.size() > kMostClasses ? "" : tell_classes(data, answered, out, json);
}

int run(const std::string& folder, const std::string& out, const train::Settings& flags) {
  const report::RunFiles files = report::find_run(folder);
  train::RunConfig config = train::config_of_run(files);
  // Another data set has its own splits.
  if (flags.contains("data")) config.split.clear();
  train::apply_settings(config, flags);
  use_threads(config.threads);
  const data::Dataset data = train::open_data(config);
  config = train::settle(std::move(config), data);
  const train::Result r = train::evaluate(config, data, files);

  auto details = nlohmann::ordered_json::object();
  const std::string told = tell_answers(config, data, r.answered,
                                        out.empty() ? fs::path(folder) : fs::path(out), details);
  const std::pair<const char*, const train::Score*> parts[] = {
      {"train", &r.train}, {"validation", &r.validation}, {"test", &r.test}};
  if (config.json) {
    nlohmann::ordered_json json{{"data", data.name},
                                {"split", config.split},
                                {"protocol", config.protocol},
                                {"metric", r.metric},
                                {"selected_epoch", r.best_epoch}};
    for (const auto& [name, score] : parts)
      if (score->count > 0)
        json[name] = {{"loss", score->loss}, {"score", score->score}, {"count", score->count}};
    json.update(details);
    fmt::print("{}\n", json.dump(2));
    return kOk;
  }
  report::Table table({"part", r.metric + " %", "loss", "answers"});
  for (const auto& [name, score] : parts)
    if (score->count > 0)
      table.add({name, percent(score->score), fmt::format("{:.4f}", score->loss),
                 fmt::format("{}", score->count)});
  fmt::print("{}\ndata {}, split {}, epoch {} of {}\n", table.text(), data.name, config.split,
             r.best_epoch, folder);
  if (!told.empty()) fmt::print("\n{}", told);
  if (config.protocol == "test-peek")
    fmt::print(
        "protocol test-peek: this epoch was chosen by its test score, which is no measure of "
        "quality\n");
  return kOk;
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("evaluate", "Measure the chosen network of a run");
  auto folder = std::make_shared<std::string>();
  command->add_option("run", *folder, "Folder of the run")->required()->type_name("RUN");
  auto out = std::make_shared<std::string>();
  command
      ->add_option("--out", *out, "Folder for confusion.csv, geodesic.csv, .png [that of the run]")
      ->type_name("DIR");
  auto flags = add_settings(*command, {"data", "data-dir", "split", "threads", "json"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folder, *out, *flags); }; });
}

}  // namespace pdegcn::app
