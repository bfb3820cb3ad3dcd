#include "pdegcn/report/plot.h"

#include "command.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/metrics_log.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn plot runs/cora
      losses, scores and alpha over the epochs, in runs/cora/curves.png
  pdegcn plot runs/demo-dhm/d-public-0 runs/demo-dhm/m-public-0 --out compare.svg
      several runs in one picture
  pdegcn plot runs/deep/d-public-0 runs/deep/gcn-public-0 --layers --out layers.svg
      what 'train --diagnose' found in their layers, side by side)";

// A curve for a column of a run's metrics, if it has it.
void add_curve(report::Panel& panel, const std::string& name, const report::Metrics& metrics,
               const std::string& column) {
  const std::vector<double>* values = metrics.find(column);
  if (values == nullptr) return;
  panel.curves.push_back({name, {metrics.epochs.begin(), metrics.epochs.end()}, *values});
}

// What --diagnose recorded, by layer.
report::Figure layer_figure(const std::vector<std::string>& folders) {
  report::Figure figure{"features by layer",
                        {{"layer", "Dirichlet energy", {}, true},
                         {"layer", "norm", {}, true},
                         {"layer", "cosine similarity", {}, false}}};
  for (const std::string& folder : folders) {
    const report::RunFiles files = report::find_run(folder);
    if (!std::filesystem::exists(files.layers()))
      throw Error("{}: there is no layers.csv: 'pdegcn train --resume --diagnose --out {}' adds it",
                  folder, folder);
    const report::Metrics layers = report::read_metrics(files.layers(), "layer");
    std::size_t panel = 0;
    for (const char* column : {"energy", "norm", "similarity"})
      add_curve(figure.panels[panel++], folder, layers, column);
  }
  return figure;
}

report::Figure epoch_figure(const std::vector<std::string>& folders) {
  report::Panel loss{"epoch", "loss", {}, true};
  report::Panel score{"epoch", "score", {}, false};
  report::Panel alpha{"epoch", "alpha", {}, false};
  for (const std::string& folder : folders) {
    const report::RunFiles files = report::find_run(folder);
    const report::Metrics metrics = report::read_metrics(files.metrics());
    const std::string before = folders.size() == 1 ? "" : folder + " ";
    for (const char* part : {"train", "val", "test"}) {
      add_curve(loss, before + part, metrics, std::string(part) + "_loss");
      add_curve(score, before + part, metrics, std::string(part) + "_score");
    }
    for (const std::string& column : metrics.columns)
      if (column.starts_with("alpha")) add_curve(alpha, before + column, metrics, column);
  }
  report::Figure figure{folders.size() == 1 ? folders.front() : "runs", {}};
  for (report::Panel* panel : {&loss, &score, &alpha})
    if (!panel->curves.empty()) figure.panels.push_back(std::move(*panel));
  return figure;
}

int run(const std::vector<std::string>& folders, std::string out, bool layers) {
  if (out.empty()) {
    if (folders.size() > 1) throw Error("--out: say where the picture of several runs should go");
    out = folders.front() + (layers ? "/layers.png" : "/curves.png");
  }
  report::write_plot(out, layers ? layer_figure(folders) : epoch_figure(folders));
  fmt::print("{}\n", out);
  return kOk;
}

}  // namespace

void add_plot(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("plot", "Curves of runs, as PNG or SVG");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  command->add_option("runs", *folders, "Folders of runs")->required()->type_name("RUN");
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
