#include "pdegcn/report/plot.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/metrics_log.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  pdegcn plot runs/cora
      losses, scores and alpha over the epochs, in runs/cora/curves.png
  pdegcn plot runs/demo-dhm
      all runs of one call in one picture, runs/demo-dhm/curves.png
  pdegcn plot runs/demo-dhm/d-public-0 runs/demo-dhm/m-public-0 --out compare.svg
      some of them
  pdegcn plot runs/deep/d-public-0 runs/deep/gcn-public-0 --layers --out layers.svg
      what 'train --diagnose' found in their layers, side by side)";

using report::Panel;
using report::RunFiles;

// More runs than there are colours share one by model.
constexpr std::size_t kMostColours = 7;

// The folder that all runs lie in, or the only run.
fs::path common_folder(const std::vector<RunFiles>& runs) {
  fs::path common = runs.front().folder;
  for (const RunFiles& run : runs) {
    const auto end = std::ranges::mismatch(common, run.folder).in1;
    fs::path shorter;
    for (auto part = common.begin(); part != end; ++part) shorter /= *part;
    common = shorter;
  }
  return common;
}

// What a run is called beside others; its whole path where nothing is common to all.
std::string name_below(const fs::path& common, const RunFiles& run) {
  const fs::path below = run.folder.lexically_relative(common);
  return (below.empty() ? run.folder : below).string();
}

// What result.json says; nothing while the run goes on.
nlohmann::json result_of(const RunFiles& run) {
  if (!fs::exists(run.result())) return nlohmann::json::object();
  const data::File file(run.result());
  auto json = nlohmann::json::parse(file.content(), nullptr, false);
  if (!json.is_object()) throw Error("{}: this is not a result", run.result().string());
  return json;
}

// A curve for a column of a run's metrics, if it holds any number.
void add_curve(Panel& panel, report::Curve curve, const report::Metrics& metrics,
               const std::string& column, double factor = 1) {
  const std::vector<double>* values = metrics.find(column);
  if (values == nullptr ||
      std::ranges::none_of(*values, [](double value) { return std::isfinite(value); }))
    return;
  curve.x.assign(metrics.epochs.begin(), metrics.epochs.end());
  for (const double value : *values) curve.y.push_back(factor * value);
  panel.curves.push_back(std::move(curve));
}

// A dot on the last curve, at the epoch that was chosen.
void mark_choice(Panel& panel, double epoch) {
  if (panel.curves.empty()) return;
  const report::Curve& curve = panel.curves.back();
  const auto at = std::ranges::find(curve.x, epoch);
  if (at == curve.x.end()) return;
  panel.curves.push_back({curve.name, {epoch}, {curve.y[at - curve.x.begin()]}});
}

// What --diagnose recorded, by layer.
report::Figure layer_figure(const std::vector<RunFiles>& runs) {
  const fs::path common = common_folder(runs);
  report::Figure figure{
      common.empty() ? "Features by layer" : common.string() + ": features by layer",
      {{"layer", "Dirichlet energy", {}, true},
       {"layer", "norm", {}, true},
       {"layer", "cosine similarity", {}, false}}};
  for (const RunFiles& run : runs) {
    if (!fs::exists(run.layers()))
      throw Error(
          "{0}: there is no layers.csv: 'pdegcn train --resume --diagnose --out {0}' adds it",
          run.folder.string());
    const report::Metrics layers = report::read_metrics(run.layers(), "layer");
    std::size_t panel = 0;
    for (const char* column : {"energy", "norm", "similarity"})
      add_curve(figure.panels[panel++], {name_below(common, run), {}, {}}, layers, column);
  }
  return figure;
}

report::Figure epoch_figure(const std::vector<RunFiles>& runs) {
  const fs::path common = common_folder(runs);
  const bool several = runs.size() > 1;
  Panel loss{"epoch", several ? "validation loss (train dashed)" : "loss", {}, true};
  Panel score{"epoch", "score, %", {}, false};
  Panel alpha{"epoch", "α", {}, false};
  alpha.y_range = {0, 1};  // from diffusion to wave
  bool chosen = false;
  std::set<std::string> metrics_shown;
  for (const RunFiles& run : runs) {
    const report::Metrics metrics = report::read_metrics(run.metrics());
    const auto result = result_of(run);
    std::string name;
    if (several)
      name = runs.size() > kMostColours && result.contains("model")
                 ? std::string(train::model_info(result["model"].get<std::string>()).title)
                 : name_below(common, run);
    if (result.contains("metric")) metrics_shown.insert(result["metric"].get<std::string>());
    for (const auto& [column, title] :
         {std::pair("val", "validation"), {"test", "test"}, {"train", "train"}}) {
      const bool dashed = several && column == std::string("train");
      const bool peeked = several && column == std::string("test");
      const report::Curve curve{!several ? title : peeked ? name + ", test" : name, {}, {}, dashed};
      for (const auto& [panel, what, factor] :
           {std::tuple(&loss, "loss", 1.0), std::tuple(&score, "score", 100.0)}) {
        const std::size_t before = panel->curves.size();
        add_curve(*panel, curve, metrics, fmt::format("{}_{}", column, what), factor);
        if (panel->curves.size() == before || column == std::string("train") ||
            !result.contains("selected_epoch"))
          continue;
        mark_choice(*panel, result["selected_epoch"].get<double>());
        chosen = true;
      }
    }
    for (const std::string& column : metrics.columns)
      if (column.starts_with("alpha"))
        add_curve(alpha, {several ? name : column, {}, {}}, metrics, column);
  }
  if (!metrics_shown.empty())
    score.y_label =
        fmt::format("{}{}, %", several ? "validation " : "", fmt::join(metrics_shown, " or "));
  if (several && alpha.curves.size() == 1) alpha.y_label += " of " + alpha.curves.front().name;
  report::Figure figure{common.string() + (chosen ? " (dot: the chosen epoch)" : ""), {}};
  for (Panel* panel : {&loss, &score, &alpha})
    if (!panel->curves.empty()) figure.panels.push_back(std::move(*panel));
  return figure;
}

int run(const std::vector<std::string>& folders, std::string out, bool layers) {
  if (out.empty()) {
    if (folders.size() > 1) throw Error("--out: say where the picture of several runs should go");
    out = (fs::path(folders.front()) / (layers ? "layers.png" : "curves.png")).string();
  }
  const auto runs = find_runs(folders);
  report::write_plot(out, layers ? layer_figure(runs) : epoch_figure(runs));
  fmt::print("{}\n", out);
  return kOk;
}

}  // namespace

void add_plot(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("plot", "Curves of runs, as PNG or SVG");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  command->add_option("runs", *folders, "Folders of runs, or of several")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--out", *out,
                   "File to write, .png or .svg [curves.png or layers.png in the run]")
      ->type_name("FILE");
  auto layers = std::make_shared<bool>(false);
  command->add_flag("--layers", *layers, "What 'train --diagnose' recorded, over the layers");
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folders, *out, *layers); }; });
}

}  // namespace pdegcn::app
