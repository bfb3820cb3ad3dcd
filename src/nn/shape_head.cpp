#include "pdegcn/nn/shape_head.h"

#include "pdegcn/graph/error.h"

namespace pdegcn::nn {
namespace {

// Sites of random draws that no network's own layers use, see Draw.
enum Site : std::uint64_t { kHidden1 = 2000, kHidden2 };

}  // namespace

ShapeHeadImpl::ShapeHeadImpl(std::int64_t width, std::int64_t classes) {
  hidden1 = register_module("hidden1", Linear(width, 128));
  norm1 = register_module("norm1", BatchNorm(128));
  hidden2 = register_module("hidden2", Linear(128, 64));
  norm2 = register_module("norm2", BatchNorm(64));
  output = register_module("output", Linear(64, classes, true));
}

torch::Tensor ShapeHeadImpl::forward(const torch::Tensor& nodes,
                                     std::vector<std::int64_t> graph_sizes, const Draw& draw) {
  if (graph_sizes.empty()) graph_sizes.push_back(nodes.size(0));
  std::int64_t sum = 0;
  for (const std::int64_t size : graph_sizes) {
    if (size < 1) throw Error("a graph of {} nodes has nothing to pool", size);
    sum += size;
  }
  if (sum != nodes.size(0))
    throw Error("graph_sizes add up to {}, the domain has {} nodes", sum, nodes.size(0));
  std::vector<torch::Tensor> pooled;
  for (const auto& part : nodes.split_with_sizes(graph_sizes, 0))
    pooled.push_back(std::get<0>(part.max(0)));
  auto f = torch::stack(pooled);
  const double p = is_training() ? 0.5 : 0;
  f = dropout(torch::relu(norm1->forward(hidden1->forward(f))), p, draw, kHidden1);
  f = dropout(torch::relu(norm2->forward(hidden2->forward(f))), p, draw, kHidden2);
  return output->forward(f);
}

}  // namespace pdegcn::nn
