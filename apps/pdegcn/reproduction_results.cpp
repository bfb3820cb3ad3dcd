// What `pdegcn reproduce` prints and draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "flow.h"
#include "pdegcn/report/duration.h"
#include "pdegcn/report/mean_std.h"
#include "pdegcn/report/metrics_log.h"
#include "pdegcn/report/plot.h"
#include "reproduction.h"

namespace pdegcn::app {
namespace {

using train::RunConfig;

// How many runs a line has that are for a protocol.
std::size_t count_of(const Line& line, const std::string& protocol) {
  return std::ranges::count_if(line.runs, [&](const CellRun& run) {
    return run.config.protocol == protocol || run.config.protocol == "both";
  });
}

std::vector<double> scores(const Line& line, const std::string& protocol) {
  std::vector<double> values;
  for (const CellRun& run : line.runs) {
    if (!run.record) continue;
    const auto found = run.record->test.find(protocol);
    if (found != run.record->test.end() && std::isfinite(found->second))
      values.push_back(found->second);
  }
  return values;
}

// The data set that a line was run on, where it is not the one that the paper means: generated, or
// with other labels. One's own data are what they are, whatever they are called.
const data::Dataset* stand_in(const Line& line) {
  const auto is_known = [](const std::string& name) { return !train::experiment(name).empty(); };
  for (const CellRun& run : line.runs)
    if (is_known(line.cell->data) ? run.data->name != line.cell->data : is_known(run.config.data))
      return run.data;
  return nullptr;
}

// What was chosen, of the settings that a reader wants to compare.
std::string hyper_parameters(const RunConfig& config) {
  std::string text;
  for (const char* name :
       {"layers",   "channels",     "step",      "weights",      "activation",
        "dropout",  "edge-dropout", "drop-edge", "teleport",     "lambda",
        "lr",       "lr-pde",       "lr-alpha",  "weight-decay", "conv-weight-decay",
        "schedule", "input",        "epochs",    "patience",     "select"}) {
    const train::Field& f = train::field(name, "hyper-parameters");
    const bool shown = (f.models & train::model_info(config.model).model) != 0 &&
                       (f.fits & train::parse_task(config.task)) != 0;
    const std::string value = train::text_of(config, f);
    if (shown && value != "0" && value != "tanh" && value != "none")
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// What stands in the place of a score where there is none.
std::string absence(const Line& line, const Predicted& predicted) {
  double missing = 0;
  for (const CellRun& run : line.runs) {
    if (!run.trouble.empty()) return "failed";
    if (!run.record) missing += predicted(run);
  }
  return missing == 0 ? "no score" : "not run, predicted " + report::format_duration(missing);
}

// A score, how many runs it is the mean of, and how far it is from the paper's.
void add_score(std::vector<std::string>& row, const Line& line, const std::string& protocol,
               int decimals, const Predicted& predicted) {
  const std::size_t all = count_of(line, protocol);
  const auto values = scores(line, protocol);
  std::string score, difference;
  if (!values.empty()) {
    const auto mean = report::mean_std(values);
    score = report::format_percent(mean, decimals);
    // Of the numbers as they are shown: a reader can check it.
    const double shown = std::stod(fmt::format("{:.{}f}", 100 * mean.mean, decimals));
    if (line.cell->paper && stand_in(line) == nullptr)
      difference = fmt::format("{:+.{}f}", shown - *line.cell->paper, decimals);
  } else if (all > 0) {
    score = absence(line, predicted);
  }
  const std::string count =
      values.size() == all ? fmt::format("{}", all) : fmt::format("{} of {}", values.size(), all);
  row.insert(row.end(), {score, all == 0 ? "" : count, difference});
}

// What a choice between depths or networks is made by.
std::string score_on_validation(const Line& line, int decimals) {
  std::vector<double> values;
  for (const CellRun& run : line.runs)
    if (run.record && run.config.protocol != kPeek && std::isfinite(run.record->validation))
      values.push_back(run.record->validation);
  return values.empty() ? ""
                        : fmt::format("{:.{}f}", 100 * report::mean_std(values).mean, decimals);
}

report::Table count_table(const std::vector<Line>& lines) {
  report::Table table({"cell", "data set", "paper", "ours", "difference"});
  for (const Line& line : lines) {
    const auto& paper = line.cell->paper;
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    table.add({line.cell->name, line.cell->method, paper ? whole(*paper) : "",
               line.count ? whole(*line.count) : "not counted: " + line.trouble,
               paper && line.count ? fmt::format("{:+.0f}", *line.count - *paper) : ""});
  }
  return table;
}

report::Table flow_table(const std::vector<Line>& lines) {
  auto head = flow_head();
  head.insert(head.begin(), "shape");
  report::Table table(head);
  for (const Line& line : lines) {
    if (line.flow.empty()) table.add({line.cell->name, "cannot run: " + line.trouble});
    for (auto row : line.flow) {
      row.insert(row.begin(), line.cell->name);
      table.add(row);
    }
  }
  return table;
}

// The scores of a protocol in the form of the paper's table, each with the paper's in brackets.
report::Table paper_form(const train::ExperimentTable& table, const std::vector<Line>& lines,
                         const std::string& protocol, const Predicted& predicted) {
  using Key = std::vector<std::string>;  // data set, method and settings, as far as columns differ
  const auto value_of = [&](const Line& line, const std::string& name) {
    const auto found = line.cell->settings.find(name);
    return found == line.cell->settings.end() ? std::string() : found->second.text;
  };
  const bool by_data = table.columns == "data";
  std::vector<std::string> head{"method", "settings"};
  if (!by_data) head.insert(head.begin(), "data set");
  const std::size_t before = head.size();
  std::vector<std::pair<Key, std::map<std::string, std::string>>> rows;
  for (const Line& line : lines) {
    const std::string column = value_of(line, table.columns);
    if (std::find(head.begin() + static_cast<std::ptrdiff_t>(before), head.end(), column) ==
        head.end())
      head.push_back(column);
    Key key{line.cell->method, line.cell->published ? "as published, not run" : line.settings};
    if (!by_data) key.insert(key.begin(), line.cell->data);
    // Cells that differ in something else stand below each other.
    auto row = std::ranges::find_if(
        rows, [&](const auto& r) { return r.first == key && !r.second.contains(column); });
    if (row == rows.end()) row = rows.insert(row, {key, {}});
    const auto values = scores(line, protocol);
    const std::size_t all = count_of(line, protocol);
    std::string text = line.cell->published ? "–" : "cannot run";
    if (!values.empty())
      text = report::format_percent(report::mean_std(values), table.decimals);
    else if (all > 0)
      text = absence(line, predicted);
    if (!values.empty() && values.size() < all)
      text += fmt::format(" [{} of {}]", values.size(), all);
    if (line.cell->paper) text += fmt::format(" ({:.{}f})", *line.cell->paper, table.decimals);
    row->second[column] = text;
  }
  report::Table form(head);
  for (auto& [key, cells] : rows) {
    std::vector<std::string> row = key;
    for (std::size_t k = before; k < head.size(); ++k) row.push_back(cells[head[k]]);
    form.add(row);
  }
  return form;
}

bool counts(const std::vector<Line>& lines) {
  return std::ranges::all_of(lines, [](const Line& line) { return !line.cell->count.empty(); });
}

bool flows(const std::vector<Line>& lines) {
  return std::ranges::all_of(lines, [](const Line& line) { return !line.cell->flow.empty(); });
}

// The picture of a flow, from the folder of the table.
std::string picture_of(const Line& line) {
  return line.cell->name + "/flow.png";
}

}  // namespace

report::Table result_table(const std::vector<Line>& lines, int decimals,
                           const Predicted& predicted) {
  if (counts(lines)) return count_table(lines);
  if (flows(lines)) return flow_table(lines);
  report::Table table({"cell", "method", "settings", "paper", "validation", "n", "vs paper",
                       "test-peek", "peek n", "peek vs paper", "on validation part", "time",
                       "hyper-parameters"});
  for (const Line& line : lines) {
    std::vector<std::string> row{
        line.cell->name, line.cell->method, line.settings,
        line.cell->paper ? fmt::format("{:.{}f}", *line.cell->paper, decimals) : ""};
    if (line.cell->published || !line.trouble.empty()) {
      row.push_back(line.cell->published ? "as published, not run" : "cannot run");
      table.add(row);
      continue;
    }
    add_score(row, line, kValidation, decimals, predicted);
    add_score(row, line, kPeek, decimals, predicted);
    row.push_back(score_on_validation(line, decimals));
    double seconds = 0;
    for (const CellRun& run : line.runs)
      if (run.record && std::isfinite(run.record->seconds)) seconds += run.record->seconds;
    row.push_back(seconds > 0 ? report::format_duration(seconds) : "");
    row.push_back(line.runs.empty() ? "" : hyper_parameters(line.runs.back().config));
    table.add(row);
  }
  return table;
}

report::Table run_table(const std::vector<Line>& lines) {
  report::Table table({"cell", "settings", "split", "seed", "test", "test_peek", "validation",
                       "selected_epoch", "epochs", "seconds"});
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
  };
  for (const Line& line : lines)
    for (const CellRun& run : line.runs) {
      if (!run.record) continue;
      const RunRecord& r = *run.record;
      const auto test = [&](const char* protocol) {
        const auto found = r.test.find(protocol);
        return found == r.test.end() ? "" : number(found->second);
      };
      table.add({line.cell->name, line.settings, run.config.split,
                 fmt::format("{}", run.config.seed), test(kValidation), test(kPeek),
                 number(r.validation), fmt::format("{}", r.best_epoch), fmt::format("{}", r.epochs),
                 number(r.seconds)});
    }
  return table;
}

std::vector<std::string> remarks(const ReproduceWishes& wishes, const std::vector<Line>& lines) {
  std::vector<std::string> said;
  if (wishes.quick)
    said.emplace_back(
        "Quick: one run of few epochs for each cell, with small networks on generated data. Not a "
        "result.");
  for (const Line& line : lines)
    if (const data::Dataset* other = stand_in(line)) {
      std::string text = fmt::format(
          "'{}' is {} here, read from {}: no number compares with the "
          "paper's.",
          line.cell->data, other->name, other->source);
      if (std::ranges::find(said, text) == said.end()) said.push_back(std::move(text));
    }
  return said;
}

std::string page_heading(const ReproduceWishes& wishes, const train::ExperimentTable& table) {
  return fmt::format("## {}{}\n", table.title, wishes.quick ? ", quick" : "");
}

std::string result_page(const ReproduceWishes& wishes, const train::ExperimentTable& table,
                        const std::vector<Line>& lines, const Predicted& predicted) {
  const report::Table results = result_table(lines, table.decimals, predicted);
  std::string page =
      fmt::format("{}\n```\n{}\n```\n\n", page_heading(wishes, table), whole_command(wishes));
  for (const std::string& remark : remarks(wishes, lines)) page += remark + "\n\n";
  if (counts(lines)) return page + results.markdown();
  if (flows(lines)) {
    page += results.markdown();
    for (const Line& line : lines)
      if (!line.flow.empty())
        page += fmt::format("\n![{}]({})\n", line.cell->method, picture_of(line));
    return page;
  }
  if (!table.columns.empty())
    for (const char* protocol : {kValidation, kPeek})
      if (std::ranges::any_of(lines,
                              [&](const Line& line) { return !scores(line, protocol).empty(); }))
        page += fmt::format("Protocol {}, the paper's number in brackets:\n\n{}\n", protocol,
                            paper_form(table, lines, protocol, predicted).markdown());
  page += fmt::format("All cells:\n\n{}\n", results.markdown());
  double seconds = 0;
  std::size_t finished = 0, all = 0;
  for (const Line& line : lines)
    for (const CellRun& run : line.runs) {
      ++all;
      finished += run.record.has_value();
      if (run.record && std::isfinite(run.record->seconds)) seconds += run.record->seconds;
    }
  page +=
      "- Settings: *paper* are the hyper-parameters that the paper prints, or for the methods it "
      "compares with those of their authors; *tuned* are those of a search judged on the "
      "validation part alone.\n"
      "- *validation* and *test-peek* are scores on the test part. *validation*: at the epoch that "
      "the validation part chose, by its loss or its accuracy, as `select` says. *test-peek*: the "
      "best of all epochs, chosen on the test part itself; it tells nothing of new data. Either "
      "rule ends when it has found nothing better for as many epochs as `patience` says, so that "
      "a peeked score can be the lower one. *on validation part* is the score there, at the epoch "
      "that it chose: what depths and networks are to be compared by before a test part is "
      "looked at.\n"
      "- Scores are in percent, mean ± standard deviation over n runs: n seeds from 0 on, or n of "
      "the "
      "ten splits with seed 0.\n";
  page +=
      fmt::format("- {} of {} runs, {} in all, on {} ({}).\n", finished, all,
                  report::format_duration(seconds), train::processor(), train::library_versions());
  return page;
}

std::vector<std::string> draw_results(const train::ExperimentTable& table,
                                      const std::vector<Line>& lines,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> drawn;
  for (const Line& line : lines)
    if (!line.flow.empty()) drawn.push_back((folder / picture_of(line)).string());
  const auto draw = [&](const char* name, const report::Figure& figure) {
    for (const char* ending : {".png", ".svg"}) {
      const auto path = folder / (std::string(name) + ending);
      report::write_plot(path, figure);
      drawn.push_back(path.string());
    }
  };
  if (!table.curve.empty()) {
    // A panel for each data set, a curve for each run that validation chose in.
    report::Figure figure{table.title, {}};
    std::map<std::string, report::Panel> panels;
    for (const Line& line : lines)
      for (const CellRun& run : line.runs) {
        if (!run.record || run.config.protocol == kPeek) continue;
        const auto metrics = report::read_metrics(report::RunFiles{run.folder}.metrics());
        const auto* values = metrics.find(table.curve);
        if (values == nullptr) continue;
        report::Panel& panel = panels[run.config.data];
        panel.x_label = "epoch";
        panel.y_label = fmt::format("{}, {}", table.curve, run.config.data);
        if (table.curve == "alpha") panel.y_range = {0, 1};  // from diffusion to wave
        panel.curves.push_back({fmt::format("{}, seed {}", line.settings, run.config.seed),
                                {metrics.epochs.begin(), metrics.epochs.end()},
                                *values});
      }
    for (auto& [data, panel] : panels) figure.panels.push_back(std::move(panel));
    if (!figure.panels.empty()) draw("curves", figure);
  }
  if (table.gap) {
    // How much higher a score is when the test part chooses, by data set and method.
    report::Panel panel{"", "test-peek − validation, points", {}};
    for (const Line& line : lines) {
      const auto fair = scores(line, kValidation), peeked = scores(line, kPeek);
      if (fair.empty() || peeked.empty()) continue;
      auto& names = panel.x_names;
      auto place = std::ranges::find(names, line.cell->data);
      if (place == names.end()) place = names.insert(names.end(), line.cell->data);
      const std::string name = fmt::format("{}, {}", line.cell->method, line.settings);
      auto curve = std::ranges::find(panel.curves, name, &report::Curve::name);
      if (curve == panel.curves.end()) curve = panel.curves.insert(curve, {name, {}, {}});
      curve->x.push_back(static_cast<double>(place - names.begin() + 1));
      curve->y.push_back(100 * (report::mean_std(peeked).mean - report::mean_std(fair).mean));
    }
    // Side by side, as methods that gain the same would hide each other.
    const auto count = static_cast<double>(panel.curves.size());
    for (std::size_t k = 0; k < panel.curves.size(); ++k)
      for (double& x : panel.curves[k].x) x += 0.7 * ((static_cast<double>(k) + 0.5) / count - 0.5);
    if (!panel.curves.empty())
      draw("gap", {"What choosing the epoch on the test part adds", {panel}});
  }
  return drawn;
}

}  // namespace pdegcn::app
