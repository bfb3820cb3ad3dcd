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
      several runs in one picture)";

// A curve for a column of a run's metrics, if it has it.
void add_curve(report::Panel& panel, const std::string& name, const report::Metrics& metrics,
               const std::string& column) {
  const std::vector<double>* values = metrics.find(column);
  if (values == nullptr) return;
  panel.curves.push_back({name, {metrics.epochs.begin(), metrics.epochs.end()}, *values});
}

int run(const std::vector<std::string>& folders, std::string out) {
  if (out.empty()) {
    if (folders.size() > 1) throw Error("--out: say where the picture of several runs should go");
    out = folders.front() + "/curves.png";
  }
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
  report::write_plot(out, figure);
  fmt::print("{}\n", out);
  return kOk;
}

}  // namespace

void add_plot(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("plot", "Curves of runs, as PNG or SVG");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  command->add_option("runs", *folders, "Folders of runs")->required()->type_name("RUN");
  command->add_option("--out", *out, "File to write, .png or .svg [curves.png in the run]")
      ->type_name("FILE");
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folders, *out); }; });
}

}  // namespace pdegcn::app
