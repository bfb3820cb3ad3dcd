// The shapes that flows begin on, and the files they end in.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pdegcn/data/body_generator.h"
#include "pdegcn/data/clouds.h"
#include "pdegcn/data/mesh.h"
#include "pdegcn/data/open.h"
#include "pdegcn/data/shapes.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/graph/weights.h"
#include "pdegcn/kernels/random.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/contact_sheet.h"
#include "pdegcn/report/plot.h"
#include "pdegcn/report/png.h"
#include "pdegcn/report/table.h"
#include "pdegcn/report/vtk.h"
#include "pdegcn/train/flow.h"
#include "pdegcn/train/run.h"
#include "pdegcn/train/shapes.h"
#include "pdegcn/train/trained_run.h"

namespace pdegcn::train {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostChannels = 16;  // in the files for ParaView

// A file with one shape in it, and not a data set.
bool is_shape_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const std::string ending = fs::path(path).extension().string();
  return data::has_mesh_extension(path) || ending == ".csv" || ending == ".txt" || ending == ".pts";
}

// The sample of that name or number.
data::Sample take(data::Dataset data, const std::string& part, std::int64_t k) {
  std::size_t at = 0;
  if (!part.empty()) {
    for (at = 0; at < data.samples.size(); ++at)
      if (data.samples[at].name == part || std::to_string(at) == part) break;
    if (at == data.samples.size())
      throw Error("there is no shape '{}' in {}: there are {}, such as '{}', or by number from 0",
                  part, data.name, data.samples.size(), data.samples.front().name);
  }
  data::Sample sample = std::move(data.samples.at(at));
  if (sample.name.empty()) sample.name = data.name;
  // A set of clouds may leave the graphs to whoever needs them.
  if (sample.graph.num_edges() == 0 && sample.triangles.empty() && !sample.positions.empty())
    sample.graph = Graph::from_points(sample.positions, 3, static_cast<int>(k));
  return sample;
}

// One body, finely meshed, in the pose it was built in.
data::Sample generated_body() {
  data::BodySet set;
  set.train_subjects = set.test_subjects = 1;  // the fewest that make a set
  set.validation_subjects = 0;
  set.poses = 1;
  set.spacing = 0.02;
  data::Sample body = std::move(data::bodies(set).samples.front());
  body.name = "body";
  return body;
}

data::Sample as_cloud(const std::string& name, const data::Mesh& mesh, NodeId points,
                      std::int64_t k) {
  kernels::Random random(0);
  return data::cloud_sample(name, mesh, {points, static_cast<int>(k)}, random);
}

std::vector<float> channel_of(const std::vector<float>& field, std::int64_t channels,
                              std::int64_t channel) {
  std::vector<float> values;
  for (std::size_t k = static_cast<std::size_t>(channel); k < field.size();
       k += static_cast<std::size_t>(channels))
    values.push_back(field[k]);
  return values;
}

double time_of(const FlowRow& row, std::int64_t step) {
  return row.step * static_cast<double>(step);
}

void write_series(const fs::path& folder, const Flow& flow, const FlowRow& row,
                  std::int64_t shown) {
  fs::create_directories(folder / row.name);
  const auto file = [&](std::size_t k) { return fmt::format("{}/{:04}.vtp", row.name, k); };
  std::vector<report::VtkFrame> frames;
  for (std::size_t k = 0; k < row.frames.size(); ++k) {
    std::vector<std::int64_t> channels;
    if (flow.channels > kMostChannels)
      channels.push_back(shown);
    else
      for (std::int64_t c = 0; c < flow.channels; ++c) channels.push_back(c);
    std::vector<std::vector<float>> values;
    for (const std::int64_t c : channels)
      values.push_back(channel_of(row.frames[k], flow.channels, c));
    report::VtkMesh mesh{flow.shape.positions, flow.shape.triangles, {}, {}};
    if (flow.laid_out) mesh.edges = flow.shape.graph.edges();
    for (std::size_t c = 0; c < channels.size(); ++c)
      mesh.scalars.push_back(
          {flow.channels == 1 ? "f" : fmt::format("f{}", channels[c]), values[c]});
    report::write_vtp(folder / file(k), mesh);
    frames.push_back({file(k), time_of(row, row.frame_steps[k])});
  }
  report::write_vtp_series(folder / (row.name + ".vtp.series"), frames);
  // What a longer flow has left behind.
  for (std::size_t k = row.frames.size(); fs::remove(folder / file(k)); ++k) {
  }
}

report::Image sheet_of(const Flow& flow, const FlowPicture& picture, std::int64_t shown) {
  const data::Sample& shape = flow.shape;
  report::Solid solid{shape.positions, shape.triangles, {}, 0};
  if (shape.triangles.empty()) {
    const std::vector<double> lengths = edge_lengths(shape.graph, shape.positions);
    double mean = 0;
    for (const double length : lengths) mean += length / static_cast<double>(lengths.size());
    solid.ball = (flow.laid_out ? 0.12 : 0.35) * mean;
    if (flow.laid_out) solid.edges = shape.graph.edges();
  }
  const report::View view(solid, picture.camera, picture.height, picture.height);
  std::vector<report::SheetRow> rows;
  std::vector<std::vector<float>> values;  // the rows only look at them
  values.reserve(flow.rows.size() * static_cast<std::size_t>(picture.columns));
  for (const FlowRow& row : flow.rows) {
    report::SheetRow& sheet_row = rows.emplace_back();
    sheet_row.title = row.title;
    if (flow.channels > 1) sheet_row.title += fmt::format(", channel {}", shown);
    const int columns = std::min(picture.columns, static_cast<int>(row.frames.size()));
    for (int k = 0; k < columns; ++k) {
      const auto at = static_cast<std::size_t>(
          std::lround(static_cast<double>(k) * static_cast<double>(row.frames.size() - 1) /
                      std::max(1, columns - 1)));
      values.push_back(channel_of(row.frames[at], flow.channels, shown));
      sheet_row.frames.push_back(
          {fmt::format("t = {:.3g}", time_of(row, row.frame_steps[at])), values.back()});
    }
  }
  return report::contact_sheet(view, rows);
}

void write_energies(const fs::path& folder, const Flow& flow) {
  report::Table table({"dynamics", "step", "time", "norm", "energy", "conserved"});
  report::Panel norm{"time", "squared norm", {}, false};
  report::Panel energy{"time", "energy of theorem 2", {}, false};
  report::Panel conserved{"time", "what a wave conserves", {}, false};
  for (const FlowRow& row : flow.rows) {
    const auto text = [](const std::vector<double>& values, std::size_t l) {
      return l < values.size() ? fmt::format("{:.10g}", values[l]) : std::string();
    };
    std::vector<double> times;
    for (std::size_t l = 0; l < row.norm.size(); ++l) {
      times.push_back(time_of(row, static_cast<std::int64_t>(l)));
      table.add({row.name, std::to_string(l), fmt::format("{:.10g}", times.back()),
                 text(row.norm, l), text(row.energy, l), text(row.conserved, l)});
    }
    norm.curves.push_back({row.name, times, row.norm});
    times.pop_back();
    energy.curves.push_back({row.name, times, row.energy});
    conserved.curves.push_back({row.name, times, row.conserved});
  }
  report::write_atomically(folder / "energies.csv", table.csv());
  report::write_plot(folder / "energies.png", {flow.shape.name, {norm, energy, conserved}});
}

}  // namespace

data::Sample open_shape(const std::string& path, const std::string& part,
                        const std::string& data_dir, std::int64_t k) {
  if (k < 1) throw Error("k must be at least 1, it is {}", k);
  if (path.empty()) return generated_body();
  if (!is_shape_file(path)) {
    const data::OpenOptions options{.data_dir = data_dir, .whole = true, .unrelated = true};
    return take(data::open(path, options), part, k);
  }
  if (!part.empty()) throw Error("{} holds one shape: there is no '{}' to choose", path, part);
  data::Mesh mesh = data::read_mesh(fs::path(path));
  const std::string name = fs::path(path).stem().string();
  if (mesh.triangles.empty()) return as_cloud(name, mesh, mesh.num_vertices(), k);
  return data::mesh_sample(name, std::move(mesh));
}

data::Sample open_shape_for_run(const fs::path& run, const std::string& path,
                                const std::string& part, const std::string& data_dir) {
  RunConfig config = config_of_run(report::find_run(run));
  const bool cloud = config.task == "graph";
  if (is_shape_file(path)) {
    if (!cloud) return open_shape(path, part, data_dir, config.knn);
    const std::int64_t points = config.points > 0 ? config.points : data::CloudOptions().points;
    return as_cloud(fs::path(path).stem().string(), data::read_mesh(fs::path(path)),
                    static_cast<NodeId>(points), config.knn);
  }
  if (!path.empty()) config.data = path;
  if (!data_dir.empty()) config.data_dir = data_dir;
  data::Sample sample = take(open_data(config, !path.empty()), part, config.knn);
  return cloud ? *prepare(sample, config, 0) : sample;
}

report::Camera likely_camera(const Flow& flow) {
  return flow.laid_out ? report::Camera{.up = 1} : report::likely_camera(flow.shape.positions);
}

void write_flow(const fs::path& folder, const Flow& flow, const FlowPicture& picture) {
  const std::int64_t shown = picture.channel < 0 ? flow.shown : picture.channel;
  if (shown >= flow.channels)
    throw Error("there is no channel {}: the field has {}, counted from 0", shown, flow.channels);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error("{}: {}", folder.string(), error.message());
  report::write_png(folder / "flow.png", sheet_of(flow, picture, shown));
  for (const FlowRow& row : flow.rows) write_series(folder, flow, row, shown);
  write_energies(folder, flow);
}

}  // namespace pdegcn::train
