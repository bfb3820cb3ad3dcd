#include <cmath>
#include <cstdio>

#include "command.h"
#include "pdegcn/data/npy.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn predict runs/cora
      the class of every node as CSV, on the screen
  pdegcn predict runs/cora --logits --out cora.npy
      the numbers behind it, for numpy
  pdegcn predict runs/mine --data new-graph --out classes.csv
      classes for other data with the same features)";

// A field of CSV.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// One line per node or graph: its place, its name, what was found, and the logits if wanted.
std::string csv(const data::Dataset& data, const train::Prediction& p, bool graphs, bool logits) {
  const bool many = data.samples.size() > 1;
  std::vector<std::string> names;
  for (const std::string& name : p.class_names) names.push_back(quoted(name));
  std::string text = graphs ? "graph" : many ? "graph,node" : "node";
  if (p.multi_label && !logits)
    for (std::int64_t k = 0; k < p.columns; ++k) text += "," + names[k];
  else if (!p.multi_label)
    text += ",class";
  if (logits)
    for (std::int64_t k = 0; k < p.columns; ++k) text += "," + names[k];
  text += '\n';

  std::int64_t row = 0;
  for (std::size_t s = 0; s < data.samples.size(); ++s) {
    const data::Sample& sample = data.samples[s];
    const std::string sample_name =
        quoted(sample.name.empty() ? fmt::format("{}", s) : sample.name);
    const std::int64_t rows = graphs ? 1 : sample.graph.num_nodes();
    for (std::int64_t v = 0; v < rows; ++v, ++row) {
      if (graphs || many) text += sample_name;
      if (!graphs) {
        if (many) text += ',';
        text += sample.node_names.empty() ? fmt::format("{}", v) : quoted(sample.node_names[v]);
      }
      const float* x = p.logits.data() + row * p.columns;
      if (!p.multi_label) text += "," + names[p.classes[row]];
      for (std::int64_t k = 0; k < p.columns; ++k) {
        if (logits)
          text += fmt::format(",{}", x[k]);
        else if (p.multi_label)
          text += x[k] > 0 ? ",1" : ",0";
      }
      text += '\n';
    }
  }
  return text;
}

std::string npy(const train::Prediction& p, bool logits) {
  if (logits) return data::npy<float>({p.rows, p.columns}, p.logits);
  if (!p.multi_label) return data::npy<std::int64_t>({p.rows}, p.classes);
  std::vector<std::uint8_t> labels(p.logits.size());
  for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = p.logits[k] > 0;
  return data::npy<std::uint8_t>({p.rows, p.columns}, labels);
}

int run(const std::string& folder, const std::string& out, bool logits,
        const train::Settings& flags) {
  const bool numpy = out.ends_with(".npy");
  if (!out.empty() && !numpy && !out.ends_with(".csv"))
    throw Error("--out {}: the name must end in .csv or .npy", out);
  const report::RunFiles files = report::find_run(folder);
  train::RunConfig config = train::config_of_run(files);
  if (flags.contains("data")) config.split.clear();
  train::apply_settings(config, flags);
  use_threads(config.threads);
  const data::Dataset data = train::open_data(config);
  const train::Prediction prediction = train::predict(config, data, files);
  const std::string text =
      numpy ? npy(prediction, logits) : csv(data, prediction, config.task == "graph", logits);
  if (out.empty())
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    report::write_atomically(out, text);
  return kOk;
}

}  // namespace

void add_predict(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("predict", "Classes for all nodes or graphs, by a trained network");
  auto folder = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  auto logits = std::make_shared<bool>(false);
  command->add_option("run", *folder, "Folder of the run")->required()->type_name("RUN");
  command->add_option("--out", *out, "File to write, .csv or .npy [CSV on the screen]")
      ->type_name("FILE");
  command->add_flag("--logits", *logits, "The outputs of the network, one column per class");
  auto flags = add_settings(*command, {"data", "data-dir", "threads"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folder, *out, *logits, *flags); }; });
}

}  // namespace pdegcn::app
