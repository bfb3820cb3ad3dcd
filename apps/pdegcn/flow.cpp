#include "flow.h"

#include <cmath>
#include <cstdlib>

#include "command.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/table.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn flow
      heat and a wave on a generated body, from a fingertip or a toe: figure 1 of the paper
  pdegcn flow cat.obj --dynamics d,h,m --alpha 0.98
      the three equations on a mesh of your own
  pdegcn flow chair.off --source bump:120 --steps 400 --frames 101
      from a vertex of your choice
  pdegcn flow karate --source random
      on a graph, which is laid out for the picture
  pdegcn flow --run runs/bodies --shape 3
      the field inside a trained network, on a shape of its data set)";

std::string check_angle(const std::string& text) {
  char* end = nullptr;
  const double angle = std::strtod(text.c_str(), &end);
  return *end == '\0' && std::abs(angle) <= 360 ? "" : text + " is no angle from -360 to 360";
}

struct Arguments {
  std::string mesh;
  std::string shape;
  std::vector<std::string> runs;
  std::string dynamics;
  std::string up;
  std::optional<double> azimuth, elevation;
  std::string out;
  std::int64_t k = 10;
  train::FlowOptions flow;
  train::FlowPicture picture;
};

int run(Arguments a, const train::Settings& flags) {
  train::RunConfig config;
  train::apply_settings(config, flags);
  use_threads(config.threads);
  if (!a.dynamics.empty()) a.flow.dynamics = train::parts_of(a.dynamics);
  a.flow.alpha = config.alpha;
  a.flow.weights = config.weights;
  a.flow.seed = config.seed;

  train::Flow flow;
  for (const char* name : {"weights", "alpha"})
    if (!a.runs.empty() && flags.contains(name))
      throw Error("--{}: the networks of --run have their own", name);
  if (a.runs.empty()) {
    if (a.flow.source.empty()) a.flow.source = "bump";
    flow = train::flow(train::open_shape(a.mesh, a.shape, config.data_dir, a.k), a.flow);
  } else {
    flow = train::flow_through_runs(
        train::open_shape_for_run(a.runs.front(), a.mesh, a.shape, config.data_dir),
        {a.runs.begin(), a.runs.end()}, a.flow);
  }
  a.picture.camera = train::likely_camera(flow);
  if (!a.up.empty()) a.picture.camera.up = a.up == "y" ? 1 : 2;
  if (a.azimuth) a.picture.camera.azimuth = *a.azimuth;
  if (a.elevation) a.picture.camera.elevation = *a.elevation;
  if (a.out.empty()) a.out = "flows/" + flow.shape.name;

  report::Table table(flow_head());
  for (const auto& line : flow_lines(flow)) table.add(line);
  train::write_flow(a.out, flow, a.picture);
  fmt::print("{}: {} nodes, {} edges, {} triangles, {} channel{}\n\n{}\nwritten to {}\n",
             flow.shape.name, flow.shape.graph.num_nodes(), flow.shape.graph.num_edges(),
             flow.shape.triangles.size(), flow.channels, flow.channels == 1 ? "" : "s",
             table.text(), a.out);
  return kOk;
}

}  // namespace

std::vector<std::string> flow_head() {
  return {"equation", "steps", "step", "time", "of the bound", "norm", "conserved"};
}

std::vector<std::vector<std::string>> flow_lines(const train::Flow& flow) {
  for (const std::string& note : flow.notes) warn(note);
  std::vector<std::vector<std::string>> lines;
  for (const train::FlowRow& row : flow.rows) {
    if (row.stability > 1)
      warn(fmt::format("{}: the step {:.4g} is outside the stability bound", row.title, row.step));
    const auto change = [](double from, double to) {
      return from != 0 ? fmt::format("{:+.2f} %", 100 * (to / from - 1)) : std::string();
    };
    lines.push_back({row.title, std::to_string(row.steps), fmt::format("{:.4g}", row.step),
                     fmt::format("{:.4g}", row.step * static_cast<double>(row.steps)),
                     fmt::format("{:.2f}", row.stability),
                     change(row.norm.front(), row.norm.back()),
                     change(row.conserved.front(), row.conserved.back())});
  }
  return lines;
}

void add_flow(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("flow", "Heat and waves on a shape, as pictures and for ParaView");
  auto a = std::make_shared<Arguments>();
  a->flow.source.clear();
  command->option_defaults()->take_last();
  command->add_option("shape", a->mesh, "A mesh, a cloud, or a data set [a generated body]")
      ->type_name("MESH");
  command->add_option("--shape", a->shape, "Which shape of a data set, by name or number [0]")
      ->type_name("NAME");
  command
      ->add_option("--dynamics", a->dynamics,
                   "Equations: d diffusion, h hyperbolic (a wave), m mixture; with commas [d,h]")
      ->type_name("D,H,M");
  command
      ->add_option("--source", a->flow.source,
                   "Field at the start: bump, bump:VERTEX, xyz, random, or a CSV with a row per "
                   "node [bump; of a run, what its opening layer makes]")
      ->type_name("FIELD");
  command->add_option("--width", a->flow.width, "Width of the bump, in edges [1/20 of the way]")
      ->type_name("W")
      ->check(check_positive);
  CLI::Option* steps =
      command->add_option("--steps", a->flow.steps, "Steps [until the wave is everywhere]")
          ->type_name("N")
          ->check(CLI::Range(1, 1 << 30));
  CLI::Option* step =
      command->add_option("--step", a->flow.step, "Step size h [well inside the stability bound]")
          ->type_name("H")
          ->check(check_positive);
  command->add_option("--run", a->runs, "Folders of runs: march through their networks instead")
      ->type_name("RUN")
      ->take_all()
      ->excludes("--dynamics")
      ->excludes(steps)
      ->excludes(step);
  command->add_option("--k", a->k, "Neighbours of a point of a cloud [10]")
      ->type_name("K")
      ->check(CLI::Range(1, 1000))
      ->excludes("--run");
  command->add_option("--frames", a->flow.frames, "Frames for ParaView [61]")
      ->type_name("N")
      ->check(CLI::Range(2, 10000));
  command->add_option("--columns", a->picture.columns, "Columns of the picture [6]")
      ->type_name("N")
      ->check(CLI::Range(2, 20));
  command
      ->add_option("--height", a->picture.height, "Height or width of one frame, in pixels [480]")
      ->type_name("PIXELS")
      ->check(CLI::Range(50, 2000));
  command->add_option("--channel", a->picture.channel, "Channel in it [the one that varies most]")
      ->type_name("K")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--up", a->up, "Axis that is up: y or z [the likely one]")
      ->check(CLI::IsMember({"y", "z"}))
      ->type_name("AXIS");
  command->add_option("--azimuth", a->azimuth, "Turns the camera, degrees [25; 65 for long shapes]")
      ->type_name("ANGLE")
      ->check(check_angle);
  command->add_option("--elevation", a->elevation, "Lifts it, degrees [10]")
      ->type_name("ANGLE")
      ->check(check_angle);
  command->add_option("--out", a->out, "Folder to write to [flows/NAME]")->type_name("FOLDER");
  auto flags = add_settings(*command, {"weights", "alpha", "seed", "data-dir", "threads"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*a, *flags); }; });
}

}  // namespace pdegcn::app
