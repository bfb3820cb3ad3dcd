// The operators of the paper's section 3.2 on a triangle mesh: a file that is given, or a generated
// shape. The field is the height of every vertex.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pdegcn/data/mesh.h"
#include "pdegcn/data/shape_generator.h"
#include "pdegcn/graph/operators.h"
#include "pdegcn/graph/weights.h"

using namespace pdegcn;

namespace {

data::Mesh generated_shape() {
  const data::Sample shape = data::shape_meshes({.train_per_class = 1}).samples.front();
  return {shape.positions, shape.triangles};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

int run(int argc, char** argv) {
  const data::Mesh mesh = argc > 1 ? data::read_mesh(argv[1]) : generated_shape();
  const Graph graph = Graph::from_triangles(mesh.num_vertices(), mesh.triangles);
  // With γ = 1 / length, G takes the derivative along every edge.
  const auto gamma = edge_weights(graph, WeightKind::distance, mesh.positions);

  std::vector<double> height(graph.num_nodes());
  for (NodeId i = 0; i < graph.num_nodes(); ++i) height[i] = mesh.positions[3 * i + 2];

  const auto slope = gradient<double>(graph, gamma, height, 1);
  const auto inflow = divergence<double>(graph, gamma, slope, 1);
  const auto curvature = laplacian<double>(graph, gamma, height, 1);
  const double lambda = lambda_max(graph, gamma);

  fmt::print("{} vertices, {} edges\n", graph.num_nodes(), graph.num_edges());
  fmt::print("steepest edge: rises {:.3f} per unit of length\n", largest(slope));
  fmt::print("energy of the slopes: {:.6g}\n", dot(slope, slope));
  fmt::print("λmax(GᵀG) = {:.6g}, at most {:.6g}\n", lambda, lambda_bound(graph, gamma));
  fmt::print("diffusion is stable for steps h up to {:.3g}\n", 2 / lambda);

  // What must hold, up to rounding.
  bool all_hold = true;
  const auto check = [&](const char* what, double a, double b, double scale) {
    const bool holds = std::abs(a - b) <= 1e-10 * (1 + scale);
    fmt::print("{}: {}\n", what, holds ? "yes" : fmt::format("NO, {} and {}", a, b));
    all_hold &= holds;
  };
  std::vector<double> wave(graph.num_edges());  // any edge field
  for (std::size_t e = 0; e < wave.size(); ++e) wave[e] = std::sin(1.0 + static_cast<double>(e));
  const auto gathered = gradient_adjoint<double>(graph, gamma, wave, 1);
  check("⟨Gf, q⟩ = ⟨f, Gᵀq⟩", dot(slope, wave), dot(height, gathered),
        std::sqrt(dot(slope, slope) * dot(wave, wave)));
  check("⟨f, GᵀGf⟩ = ‖Gf‖²", dot(height, curvature), dot(slope, slope), dot(slope, slope));
  check("what flows in somewhere flows out elsewhere", std::reduce(inflow.begin(), inflow.end()), 0,
        largest(inflow) * static_cast<double>(inflow.size()));
  const std::vector<double> level(graph.num_nodes(), 1.0);
  check("a constant has no gradient", largest(gradient<double>(graph, gamma, level, 1)), 0, 0);
  check("no edge is steeper than the vertical", std::max(1.0, largest(slope)), 1, 0);
  return all_hold ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // an unreadable file, or two ends on one spot
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
