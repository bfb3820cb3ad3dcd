#include "pdegcn/train/flow.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "pdegcn/data/clouds.h"
#include "pdegcn/data/feature_file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/graph/transform.h"
#include "pdegcn/kernels/random.h"
#include "pdegcn/pde/integrate.h"
#include "pdegcn/report/layout.h"
#include "pdegcn/train/checkpoint.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/run.h"

namespace pdegcn::train {
namespace {

// States of a march are all kept until its energies are known.
constexpr double kMostBytes = 4.0 * (1 << 30);

// Between these a flow ends by itself.
constexpr std::int64_t kFewestSteps = 10;
constexpr std::int64_t kMostSteps = 5000;

// Lengths of the edges over their mean, or 1 where nodes have no places.
std::vector<double> relative_lengths(const data::Sample& shape) {
  const auto edges = static_cast<std::size_t>(shape.graph.num_edges());
  if (shape.positions.empty()) return std::vector<double>(edges, 1.0);
  std::vector<double> lengths = edge_lengths(shape.graph, shape.positions);
  double mean = 0;
  for (const double length : lengths) mean += length / static_cast<double>(edges);
  if (!(mean > 0)) throw Error("{}: all points lie on one spot", shape.name);
  for (double& length : lengths) length /= mean;
  return lengths;
}

// The way along the edges from a node to all others; infinite where there is none (Dijkstra).
std::vector<double> distances_from(const Graph& graph, const std::vector<double>& lengths,
                                   NodeId start) {
  std::vector<double> distance(static_cast<std::size_t>(graph.num_nodes()), INFINITY);
  std::priority_queue<std::pair<double, NodeId>, std::vector<std::pair<double, NodeId>>,
                      std::greater<>>
      queue;
  distance[start] = 0;
  queue.emplace(0, start);
  while (!queue.empty()) {
    const auto [d, i] = queue.top();
    queue.pop();
    if (d > distance[i]) continue;
    for (EdgeId k = graph.offsets()[i]; k < graph.offsets()[i + 1]; ++k) {
      const NodeId j = graph.neighbors()[k];
      const double further = d + lengths[graph.edge_ids()[k]];
      if (further < distance[j]) queue.emplace(distance[j] = further, j);
    }
  }
  return distance;
}

// Of the nodes that can be reached, the one farthest away.
NodeId farthest(const std::vector<double>& distance) {
  NodeId best = 0;
  double most = -1;
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (std::isfinite(distance[i]) && distance[i] > most) {
      best = static_cast<NodeId>(i);
      most = distance[i];
    }
  return best;
}

void check_shape(const data::Sample& shape) {
  const Graph& graph = shape.graph;
  if (graph.num_edges() == 0)
    throw Error(
        "{}: {} and no edges: nothing can flow", shape.name,
        graph.num_nodes() == 1 ? "a single point" : fmt::format("{} points", graph.num_nodes()));
  for (std::size_t k = 0; k < shape.positions.size(); ++k)
    if (!std::isfinite(shape.positions[k]))
      throw Error("{}: a coordinate of point {} is {}", shape.name, k / 3, shape.positions[k]);
}

// What a user should know of the shape; and places for its nodes.
void describe(Flow& flow) {
  data::Sample& shape = flow.shape;
  const NodeId alone = shape.graph.report().isolated;
  if (alone > 0)
    flow.notes.push_back(fmt::format("vertices without edges, where nothing moves: {}", alone));
  if (const NodeId parts = connected_components(shape.graph).count - alone; parts > 1)
    flow.notes.push_back(
        fmt::format("{} parts are not connected: a field stays in the part it begins in", parts));
  if (!shape.positions.empty()) return;
  flow.notes.emplace_back(
      "the graph has no positions: nodes are drawn where their distances put them");
  flow.laid_out = true;
  shape.positions = report::graph_layout(shape.graph);
}

// A number behind "bump:".
NodeId vertex_of(const std::string& source, NodeId nodes) {
  const std::string_view text = std::string_view(source).substr(5);
  NodeId v = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size() || v < 0 || v >= nodes)
    throw Error("source {}: '{}' is not one of the vertices 0 to {}", source, text, nodes - 1);
  return v;
}

// Where a hill shows most: the end of the largest part that is farthest from everything.
NodeId tip_of(const Graph& graph, const std::vector<double>& lengths) {
  const Components parts = connected_components(graph);
  std::vector<NodeId> sizes(static_cast<std::size_t>(parts.count));
  for (const NodeId c : parts.of_node) ++sizes[c];
  const auto largest = static_cast<NodeId>(std::ranges::max_element(sizes) - sizes.begin());
  const auto start =
      static_cast<NodeId>(std::ranges::find(parts.of_node, largest) - parts.of_node.begin());
  return farthest(distances_from(graph, lengths, start));
}

// Rows of a table in the order of the nodes, which are named by their ids if the table has any.
data::DenseMatrix read_field(const std::string& path, const data::Sample& shape) {
  const data::File file{std::filesystem::path(path)};
  data::FeatureTable table = data::read_features(file);
  if (!std::holds_alternative<data::DenseMatrix>(table.features))
    throw Error("{}: a field is a dense table, not a sparse one", path);
  auto given = std::get<data::DenseMatrix>(std::move(table.features));
  const std::int64_t n = shape.graph.num_nodes();
  if (given.rows != n) throw Error("{}: {} rows for the {} nodes", path, given.rows, n);
  if (given.cols < 1) throw Error("{}: the table has no columns of numbers", path);
  for (std::size_t k = 0; k < given.values.size(); ++k)
    if (!std::isfinite(given.values[k]))
      throw Error("{}: row {} has the value {}", path, static_cast<std::int64_t>(k) / given.cols,
                  given.values[k]);
  if (table.ids.empty()) return given;
  std::map<std::string, std::int64_t, std::less<>> rows;
  for (std::size_t r = 0; r < table.ids.size(); ++r)
    if (!rows.emplace(table.ids[r], static_cast<std::int64_t>(r)).second)
      throw Error("{}: there are two rows for node {}", path, table.ids[r]);
  data::DenseMatrix field{n, given.cols, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string name = shape.node_names.empty()
                                 ? std::to_string(i)
                                 : shape.node_names[static_cast<std::size_t>(i)];
    const auto row = rows.find(name);
    if (row == rows.end()) throw Error("{}: there is no row for node {}", path, name);
    const auto from = given.values.begin() + row->second * given.cols;
    field.values.insert(field.values.end(), from, from + given.cols);
  }
  return field;
}

struct Source {
  torch::Tensor field;  // n x c, double
  NodeId origin = 0;    // where it begins to spread from
};

Source source_of(const data::Sample& shape, const std::vector<double>& lengths,
                 const FlowOptions& options) {
  const std::string& source = options.source;
  const std::int64_t n = shape.graph.num_nodes();
  const NodeId tip = tip_of(shape.graph, lengths);
  if (source == "bump" || source.starts_with("bump:")) {
    const NodeId origin = source == "bump" ? tip : vertex_of(source, shape.graph.num_nodes());
    const std::vector<double> distance = distances_from(shape.graph, lengths, origin);
    const double width =
        options.width > 0 ? options.width : std::max(2.0, 0.05 * distance[farthest(distance)]);
    torch::Tensor field = torch::empty({n, 1}, torch::kFloat64);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = distance[static_cast<std::size_t>(i)] / width;
      field.data_ptr<double>()[i] = std::exp(-0.5 * x * x);
    }
    return {field, origin};
  }
  if (source == "random") {
    kernels::Random random(static_cast<std::uint64_t>(options.seed));
    torch::Tensor field = torch::empty({n, 1}, torch::kFloat64);
    for (std::int64_t i = 0; i < n; ++i) field.data_ptr<double>()[i] = random.normal();
    return {field, tip};
  }
  data::DenseMatrix given;
  if (source == "xyz") {
    if (shape.positions.empty()) throw Error("source xyz: {} has no positions", shape.name);
    given = {n, 3, shape.positions};
    data::normalize_to_unit_sphere(given.values);
  } else {
    given = read_field(source, shape);
  }
  const auto values =
      torch::tensor(std::vector<double>(given.values.begin(), given.values.end()), torch::kFloat64);
  return {values.reshape({given.rows, given.cols}), tip};
}

pde::Domain domain_of(const data::Sample& shape, const std::vector<double>& lengths,
                      const std::string& weights) {
  const WeightKind kind = parse_weight_kind(weights);
  if (kind == WeightKind::distance && shape.positions.empty())
    throw Error("weights distance: {} has no positions", shape.name);
  const std::vector<double> gamma =
      kind == WeightKind::distance ? distance_weights(lengths) : edge_weights(shape.graph, kind);
  return {std::make_shared<const Graph>(shape.graph), torch::tensor(gamma, torch::kFloat64)};
}

// How far a long wave travels in a unit of time, in mean edges: on a surface GᵀG is about
// -¼ Σ_j γ_ij² l_ij² Δ, and waves of f_tt = c²Δf have the speed c.
double wave_speed(const pde::Domain& domain, const std::vector<double>& lengths) {
  double sum = 0;
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    const double gamma = domain.gamma().data_ptr<double>()[e];
    sum += 2 * gamma * gamma * lengths[e] * lengths[e];  // it counts at both ends
  }
  return std::sqrt(sum / 4 / static_cast<double>(domain.graph().num_nodes()));
}

std::unique_ptr<pde::Dynamics> dynamics_of(const std::string& name, double step, double alpha) {
  switch (nn::parse_equation(name)) {
    case nn::Equation::diffusion:
      return std::make_unique<pde::Diffusion>(step);
    case nn::Equation::hyperbolic:
      return std::make_unique<pde::Hyperbolic>(step);
    default:
      return std::make_unique<pde::Mixture>(
          step, torch::full({1}, std::log(alpha / (1 - alpha)), torch::kFloat64));
  }
}

// Names and titles of the equations.
std::string file_name(nn::Equation equation) {
  return equation == nn::Equation::diffusion    ? "diffusion"
         : equation == nn::Equation::hyperbolic ? "wave"
                                                : "mixture";
}

std::vector<double> doubles(const torch::Tensor& values) {
  const auto x = values.to(torch::kFloat64).contiguous();
  return {x.data_ptr<double>(), x.data_ptr<double>() + x.numel()};
}

// What a row keeps of a solution.
void keep(FlowRow& row, const pde::Solution& solution, std::int64_t frames) {
  row.norm = doubles(solution.energies.norm);
  row.energy = doubles(solution.energies.energy);
  row.conserved = doubles(solution.energies.conserved);
  // A norm bounds every value, which has to fit the float that files have.
  constexpr double kMost = std::numeric_limits<float>::max();
  for (std::size_t l = 0; l < row.norm.size(); ++l)
    if (!(std::sqrt(row.norm[l]) < kMost))
      throw Error("{}: the field has overflown after {} steps of {}; choose a smaller --step",
                  row.title, l, row.step);
  const std::int64_t count = std::clamp<std::int64_t>(frames, 2, row.steps + 1);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto l = static_cast<std::int64_t>(std::llround(
        static_cast<double>(k) * static_cast<double>(row.steps) / static_cast<double>(count - 1)));
    const auto field = solution.trajectory[l].to(torch::kFloat32).contiguous();
    row.frame_steps.push_back(l);
    row.frames.emplace_back(field.data_ptr<float>(), field.data_ptr<float>() + field.numel());
  }
}

std::int64_t most_varied(const torch::Tensor& field) {
  const auto spread = (field - field.mean(0, true)).square().sum(0);
  return spread.argmax().item<std::int64_t>();
}

void check_memory(std::int64_t steps, const torch::Tensor& field) {
  const double bytes =
      static_cast<double>(steps + 1) * static_cast<double>(field.numel() * field.element_size());
  if (bytes > kMostBytes)
    throw Error("{} steps of {} x {} numbers are {:.1f} GB: choose fewer --steps", steps,
                field.size(0), field.size(1), bytes / 1e9);
}

}  // namespace

Flow flow(data::Sample shape, const FlowOptions& options) {
  const torch::NoGradGuard no_grad;
  check_shape(shape);
  if (options.dynamics.empty()) throw Error("there is no equation to march");
  if (std::set<std::string>(options.dynamics.begin(), options.dynamics.end()).size() !=
      options.dynamics.size())
    throw Error("dynamics {}: one of them is named twice", fmt::join(options.dynamics, ","));
  if (!(options.alpha > 0) || !(options.alpha < 1))
    throw Error("alpha must lie strictly between 0 and 1, it is {}", options.alpha);

  const std::vector<double> lengths = relative_lengths(shape);
  const pde::Domain domain = domain_of(shape, lengths, options.weights);
  const auto [field, origin] = source_of(shape, lengths, options);
  const std::int64_t c = field.size(1);

  // The same step for all rows, so that they show the same moments: half of what heat allows, where
  // it does not overshoot, and a quarter of what a linear wave allows, where a non-linear one still
  // keeps its energy (docs/mathematics.md).
  const double lambda = domain.lambda_max();
  double step = options.step;
  for (const std::string& name : options.dynamics) {
    if (options.step > 0) break;
    const double most = name == "d"   ? 1 / lambda
                        : name == "h" ? 0.5 / std::sqrt(lambda)
                                      : std::min(1 / lambda, 0.5 / std::sqrt(lambda));
    step = step > 0 ? std::min(step, most) : most;
  }
  Flow result;
  std::int64_t steps = options.steps;
  if (steps == 0) {
    const std::vector<double> distance = distances_from(shape.graph, lengths, origin);
    const double across = distance[farthest(distance)] / wave_speed(domain, lengths) / step;
    steps = std::clamp<std::int64_t>(std::llround(across), kFewestSteps, kMostSteps);
    if (across > kMostSteps)
      result.notes.push_back(
          fmt::format("a wave needs {:.0f} steps to be everywhere, this stops after {}: edges of "
                      "very different weights make the stable step small",
                      across, steps));
  }
  check_memory(steps, field);
  result.shape = std::move(shape);
  result.channels = c;
  result.shown = most_varied(field);
  for (const std::string& name : options.dynamics) {
    const auto dynamics = dynamics_of(name, step, options.alpha);
    FlowRow row;
    row.name = file_name(nn::parse_equation(name));
    row.title = name == "m" ? fmt::format("mixture, alpha = {}", options.alpha) : row.name;
    row.steps = steps;
    row.step = step;
    row.stability = lambda / dynamics->stability_limit();
    pde::Options how;
    how.trajectory = how.energies = true;
    keep(row,
         pde::integrate(domain, field, torch::eye(c, torch::kFloat64).unsqueeze(0), *dynamics,
                        steps, how),
         options.frames);
    result.rows.push_back(std::move(row));
  }
  describe(result);
  return result;
}

Flow flow_through_runs(data::Sample shape, const std::vector<std::filesystem::path>& runs,
                       const FlowOptions& options) {
  const torch::NoGradGuard no_grad;
  check_shape(shape);
  data::Dataset data;
  data.name = shape.name;
  data.samples.push_back(std::move(shape));
  const data::Sample& sample = data.samples.front();

  Flow result;
  std::set<std::string> names;
  for (const std::filesystem::path& folder : runs) {
    const report::RunFiles files = report::find_run(folder);
    const Trained trained = read_trained(files.best());
    RunConfig config = trained.config;
    config.points = 0;  // the shape as it is
    const Problem problem(data, static_cast<std::int64_t>(trained.classes.size()), config,
                          trained.scaling);
    const auto network = std::dynamic_pointer_cast<nn::PdeNetwork>(problem.make_network());
    if (network == nullptr)
      throw Error("{}: a field flows through d, h and m, not {}", folder.string(),
                  trained.config.model);
    const nn::Equation equation = nn::parse_equation(trained.config.model);
    problem.check_edges(trained.graph, files.best().string());
    load_weights(*network, trained.weights, files.best().string());
    network->eval();
    const nn::Input input = problem.input(0);
    const std::int64_t c = trained.config.channels;

    torch::Tensor f = torch::relu(network->opening->forward(nn::node_input(input)));
    if (!options.source.empty()) {
      f = source_of(sample, relative_lengths(sample), options).field.to(torch::kFloat32);
      if (f.size(1) == 1) f = f.expand({f.size(0), c}).contiguous();
      if (f.size(1) != c)
        throw Error("source {}: it has {} channels, the network of {} has {}", options.source,
                    f.size(1), folder.string(), c);
    }
    if (result.rows.empty()) {
      result.channels = c;
      result.shown = most_varied(f);
    } else if (c != result.channels) {
      throw Error("{}: {} channels, where the run before has {}", folder.string(), c,
                  result.channels);
    }
    FlowRow row;
    row.name = file_name(equation);
    for (int k = 2; !names.insert(row.name).second; ++k)
      row.name = fmt::format("{}-{}", file_name(equation), k);
    row.steps = trained.config.layers;
    row.step = trained.config.step;
    row.title = fmt::format("{} network, {} layers", file_name(equation), row.steps);
    row.stability = network->pde->stability_ratio(input.domain);
    check_memory(row.steps, f);
    keep(row, network->pde->solve(input.domain, f, {}, true, true), options.frames);
    result.rows.push_back(std::move(row));
  }
  if (result.rows.empty()) throw Error("there is no run to flow through");
  result.shape = std::move(data.samples.front());
  describe(result);
  return result;
}

}  // namespace pdegcn::train
