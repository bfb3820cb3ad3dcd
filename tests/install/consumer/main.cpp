#include <pdegcn/graph/operators.h>
#include <pdegcn/graph/weights.h>

#include <cstdio>

int main() {
  const auto graph = pdegcn::Graph::from_edges(3, {{0, 1}, {1, 2}});
  const auto gamma = pdegcn::edge_weights(graph, pdegcn::WeightKind::unit);
  std::printf("%.3f\n", pdegcn::lambda_max(graph, gamma));
}
