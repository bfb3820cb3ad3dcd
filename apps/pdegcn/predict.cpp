#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "command.h"
#include "pdegcn/data/mesh.h"
#include "pdegcn/data/npy.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/trained_run.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  pdegcn predict runs/cora
      the class of every node as CSV, on the screen
  pdegcn predict runs/cora --logits --out cora.npy
      the numbers behind it, for numpy
  pdegcn predict runs/mine --data new-graph --out classes.csv
      classes for other data with the same features
  pdegcn predict runs/shapes --data my-scans
      classes for a folder of meshes or clouds
  pdegcn predict runs/bodies --out maps
      of a correspondence: the map of every shape as CSV and as PLY with the template's colours)";

// One line per node or graph: its place, its name, what was found, and the logits if wanted.
std::string csv(const data::Dataset& data, const train::Prediction& p, bool graphs, bool logits) {
  const bool many = data.samples.size() > 1;
  using report::csv_cell;
  std::vector<std::string> names;
  for (const std::string& name : p.class_names) names.push_back(csv_cell(name));
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
        csv_cell(sample.name.empty() ? fmt::format("{}", s) : sample.name);
    const std::int64_t rows = graphs ? 1 : sample.graph.num_nodes();
    for (std::int64_t v = 0; v < rows; ++v, ++row) {
      if (graphs || many) text += sample_name;
      if (!graphs) {
        if (many) text += ',';
        text += sample.node_names.empty() ? fmt::format("{}", v) : csv_cell(sample.node_names[v]);
      }
      if (!p.multi_label) text += "," + names[p.classes[row]];
      for (std::int64_t k = 0; (logits || p.multi_label) && k < p.columns; ++k) {
        if (logits)
          text += fmt::format(",{}", p.logits[row * p.columns + k]);
        else if (p.multi_label)
          text += p.logits[row * p.columns + k] > 0 ? ",1" : ",0";
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

// The colours of the template's vertices: red, green and blue grow along x, y and z. A class that
// it does not show is grey.
std::vector<std::array<std::uint8_t, 3>> class_colors(const data::Dataset& data) {
  const std::vector<float>& positions = data.samples.front().positions;
  std::array<float, 3> low{}, high{};
  for (int d = 0; d < 3; ++d) {
    low[d] = high[d] = positions[d];
    for (std::size_t at = d; at < positions.size(); at += 3) {
      low[d] = std::min(low[d], positions[at]);
      high[d] = std::max(high[d], positions[at]);
    }
  }
  std::vector<std::array<std::uint8_t, 3>> colors(data.template_vertex.size(), {128, 128, 128});
  for (std::size_t c = 0; c < colors.size(); ++c) {
    if (data.template_vertex[c] < 0) continue;
    const float* at = positions.data() + 3 * std::size_t(data.template_vertex[c]);
    for (int d = 0; d < 3; ++d)
      if (high[d] > low[d])
        colors[c][d] =
            static_cast<std::uint8_t>(std::lround(255 * (at[d] - low[d]) / (high[d] - low[d])));
  }
  return colors;
}

// The map of every shape: NAME.csv and NAME.ply in a folder, and the template beside them.
void write_maps(const fs::path& folder, const data::Dataset& data, const data::Dataset& trained_on,
                const train::Prediction& p) {
  if (trained_on.template_vertex.size() != p.class_names.size())
    throw Error("data set {} is not the correspondence that the run was trained on",
                trained_on.name);
  std::set<std::string> names{"template"};
  for (const data::Sample& sample : data.samples)
    if (!names.insert(sample.name).second)
      throw Error("a shape is called '{}', and so is {}: their maps cannot share a name, rename it",
                  sample.name, sample.name == "template" ? "the template" : "another");
  fs::create_directories(folder);
  const auto colors = class_colors(trained_on);
  const auto write = [&](const std::string& name, const data::Sample& sample,
                         std::span<const std::int64_t> classes) {
    std::vector<std::uint8_t> all;
    for (const std::int64_t c : classes)
      c < 0 ? all.insert(all.end(), 3, std::uint8_t{128})
            : all.insert(all.end(), colors[c].begin(), colors[c].end());
    data::write_ply(folder / (name + ".ply"), {sample.positions, sample.triangles}, all);
  };
  const data::Sample& first = trained_on.samples.front();
  std::vector<std::int64_t> shown(first.graph.num_nodes(), -1);
  for (std::size_t c = 0; c < trained_on.template_vertex.size(); ++c)
    if (const NodeId v = trained_on.template_vertex[c]; v >= 0)
      shown[v] = static_cast<std::int64_t>(c);
  write("template", first, shown);

  std::span<const std::int64_t> left(p.classes);
  for (const data::Sample& sample : data.samples) {
    const auto classes = left.first(sample.graph.num_nodes());
    left = left.subspan(classes.size());
    std::string text = "vertex,template_vertex\n";
    for (std::size_t v = 0; v < classes.size(); ++v)
      text += fmt::format("{},{}\n", v, p.class_names[classes[v]]);
    report::write_atomically(folder / (sample.name + ".csv"), text);
    write(sample.name, sample, classes);
  }
}

int run(const std::string& folder, const std::string& out, bool logits,
        const train::Settings& flags) {
  const bool numpy = out.ends_with(".npy");
  const bool file = out.empty() || numpy || out.ends_with(".csv");
  if (!file && !fs::path(out).extension().empty())
    throw Error("--out {}: the name must end in .csv or .npy", out);
  const report::RunFiles files = report::find_run(folder);
  const auto [trained, config] = configs_of(files, flags);
  const bool maps = !file;
  if (maps && config.task != "correspondence")
    throw Error("--out {}: the name must end in .csv or .npy; only a correspondence fills a folder",
                out);
  if (maps && logits) throw Error("--logits: a folder of maps has none; write a .csv or .npy");
  use_threads(config.threads);
  const bool unrelated = config.data != trained.data && config.task != "node";
  const data::Dataset data = train::open_data(config, unrelated);
  const train::Prediction prediction = train::predict(config, data, files, logits);
  if (maps) {
    const bool same = config.data == trained.data;
    write_maps(out, data, same ? data : train::open_data(trained), prediction);
    return kOk;
  }
  const std::string text =
      numpy ? npy(prediction, logits) : csv(data, prediction, config.task == "graph", logits);
  if (out.empty())
    fmt::print("{}", text);
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
  command
      ->add_option("--out", *out,
                   "File to write, .csv or .npy; of a correspondence also a folder for all maps "
                   "[CSV on the screen]")
      ->type_name("FILE");
  command->add_flag("--logits", *logits, "The outputs of the network, one column per class");
  auto flags = add_settings(*command, {"data", "data-dir", "threads"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*folder, *out, *logits, *flags); }; });
}

}  // namespace pdegcn::app
