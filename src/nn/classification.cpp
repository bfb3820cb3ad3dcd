#include "pdegcn/nn/classification.h"

#include "pdegcn/graph/error.h"

namespace pdegcn::nn {
namespace {

kernels::Matrix<float> view(const torch::Tensor& m) {
  return {m.data_ptr<float>(), m.size(0), m.size(1), m.size(1)};
}

kernels::Classifier kernel_of(const Linear& layer, const torch::Tensor& x) {
  if (!x.device().is_cpu() || x.scalar_type() != torch::kFloat32 || x.dim() != 2)
    throw Error("rows of floats on the CPU are classified, not {} of {}", x.toString(),
                fmt::join(x.sizes(), " x "));
  return {view(layer->weight), layer->bias.defined() ? layer->bias.data_ptr<float>() : nullptr};
}

void add_gradient(const torch::Tensor& parameter, const torch::Tensor& gradient) {
  if (parameter.grad().defined())
    parameter.mutable_grad().add_(gradient);
  else
    parameter.mutable_grad() = gradient;
}

}  // namespace

std::vector<kernels::RowVerdict> classify(const torch::Tensor& x, const Linear& layer,
                                          std::span<const std::int32_t> labels) {
  const auto kernel = kernel_of(layer, x);
  const auto rows = x.detach().contiguous();
  std::vector<kernels::RowVerdict> verdicts(labels.size());
  kernels::classify(kernel, view(rows), labels, verdicts);
  return verdicts;
}

std::vector<kernels::RowVerdict> classify_and_learn(const torch::Tensor& x, const Linear& layer,
                                                    std::span<const std::int32_t> labels) {
  const auto kernel = kernel_of(layer, x);
  if (static_cast<std::int64_t>(labels.size()) != x.size(0))
    throw Error("{} labels for {} rows", labels.size(), x.size(0));
  std::vector<std::int64_t> which;
  std::vector<std::int32_t> known;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k] < 0) continue;
    which.push_back(static_cast<std::int64_t>(k));
    known.push_back(labels[k]);
  }
  std::vector<kernels::RowVerdict> found(known.size()), verdicts(labels.size());
  const bool all = known.size() == labels.size();
  const auto index = torch::tensor(which, torch::kInt64);
  const auto rows = all ? x.detach().contiguous() : x.detach().index_select(0, index);
  auto row_gradient = torch::empty_like(rows);
  const auto weight = torch::empty_like(layer->weight);
  const auto bias = layer->bias.defined() ? torch::empty_like(layer->bias) : torch::Tensor();
  kernels::classify(
      kernel, view(rows), known, found,
      {view(row_gradient), view(weight), bias.defined() ? bias.data_ptr<float>() : nullptr});
  for (std::size_t k = 0; k < which.size(); ++k) verdicts[which[k]] = found[k];
  add_gradient(layer->weight, weight);
  if (bias.defined()) add_gradient(layer->bias, bias);
  if (!all) row_gradient = torch::zeros_like(x).index_copy_(0, index, row_gradient);
  x.backward(row_gradient);
  return verdicts;
}

}  // namespace pdegcn::nn
