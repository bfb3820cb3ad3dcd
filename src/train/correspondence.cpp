#include "pdegcn/train/correspondence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pdegcn/data/mesh.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/graph/geodesics.h"
#include "pdegcn/graph/weights.h"
#include "pdegcn/report/table.h"

namespace pdegcn::train {

double GeodesicErrors::within(double error) const {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto end = std::upper_bound(values.begin(), values.end(), error);
  return static_cast<double>(end - values.begin()) / static_cast<double>(values.size());
}

double GeodesicErrors::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> GeodesicErrors::curve_errors() {
  std::vector<double> errors;
  for (int k = 0; k <= 100; ++k) errors.push_back(k / 400.0);
  return errors;
}

std::string GeodesicErrors::csv() const {
  report::Table table({"error", "share"});
  for (const double error : curve_errors())
    table.add({fmt::format("{}", error), fmt::format("{}", within(error))});
  return table.csv();
}

GeodesicErrors geodesic_errors(const data::Dataset& data, const Answered& answered) {
  if (data.template_vertex.empty()) throw Error("data set {} has no template", data.name);
  const data::Sample& shape = data.samples.front();
  const double scale = std::sqrt(data::surface_area(shape.positions, shape.triangles));
  if (!(scale > 0)) throw Error("{}: the template {} has no area", data.name, shape.name);

  // Errors by the right vertex: one search gives all of them. Vertices, not classes, are compared:
  // a remeshed template can show two classes by one vertex.
  GeodesicErrors out;
  std::vector<std::vector<NodeId>> wrong(shape.graph.num_nodes());
  for (std::size_t k = 0; k < answered.truth.size(); ++k) {
    if (answered.truth[k] == data::kUnlabelled) continue;
    const NodeId truth = data.template_vertex[answered.truth[k]];
    const NodeId said = data.template_vertex[answered.said[k]];
    if (answered.truth[k] == answered.said[k] || (truth == said && truth >= 0))
      out.values.push_back(0);
    else if (truth < 0 || said < 0)
      out.values.push_back(1);
    else
      wrong[truth].push_back(said);
  }
  const std::vector<double> lengths = edge_lengths(shape.graph, shape.positions);
  std::vector<std::vector<double>> found(wrong.size());
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t v = 0; v < wrong.size(); ++v)
    if (!wrong[v].empty())
      found[v] = path_lengths(shape.graph, lengths, static_cast<NodeId>(v), wrong[v]);
  for (const auto& row : found)
    for (const double length : row)
      out.values.push_back(std::isfinite(length) ? length / scale : 1);
  std::sort(out.values.begin(), out.values.end());
  return out;
}

}  // namespace pdegcn::train
