#include "pdegcn/train/adam.h"

#include <cmath>

#include "pdegcn/graph/error.h"

namespace pdegcn::train {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

// Σ g², in order.
double square_sum(const torch::Tensor& gradient) {
  const float* g = gradient.data_ptr<float>();
  double sum = 0;
  for (std::int64_t k = 0; k < gradient.numel(); ++k) sum += static_cast<double>(g[k]) * g[k];
  return sum;
}

}  // namespace

Adam::Adam(const nn::Network& network, const Rates& rates) {
  const auto groups = network.parameter_groups();
  for (const auto& item : network.named_parameters()) {
    if (item.value().scalar_type() != torch::kFloat32 || !item.value().is_contiguous())
      throw Error("parameter {} is not a plain tensor of floats", item.key());
    Slot slot{item.key(), item.value(), torch::zeros_like(item.value()),
              torch::zeros_like(item.value())};
    for (const auto& group : groups) {
      for (const auto& parameter : group.parameters) {
        if (!parameter.is_same(item.value())) continue;
        slot.rate = group.name == "pde"     ? rates.pde
                    : group.name == "alpha" ? rates.alpha
                                            : rates.rate;
        slot.decay = group.name == "dense"         ? rates.weight_decay
                     : group.name == "convolution" ? rates.convolution_decay
                                                   : 0;
      }
    }
    slots.push_back(std::move(slot));
  }
}

std::string Adam::step(double factor, double clip) {
  double total = 0;
  std::vector<torch::Tensor> gradients;
  for (const Slot& slot : slots) {
    gradients.push_back(slot.parameter.grad().defined() ? slot.parameter.grad().contiguous()
                                                        : torch::zeros_like(slot.parameter));
    const double sum = square_sum(gradients.back());
    if (!std::isfinite(sum)) return slot.name;
    total += sum;
  }
  const double norm = std::sqrt(total);
  const auto scale = static_cast<float>(clip > 0 && norm > clip ? clip / norm : 1);

  ++steps;
  const double bias1 = 1 - std::pow(kBeta1, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(kBeta2, static_cast<double>(steps));
  const auto root2 = static_cast<float>(1 / std::sqrt(bias2));
  for (std::size_t s = 0; s < slots.size(); ++s) {
    Slot& slot = slots[s];
    const auto rate = static_cast<float>(factor * slot.rate / bias1);
    const auto decay = static_cast<float>(slot.decay);
    const float* const g = gradients[s].data_ptr<float>();
    float* const p = slot.parameter.data_ptr<float>();
    float* const m = slot.mean.data_ptr<float>();
    float* const v = slot.square.data_ptr<float>();
    constexpr auto b1 = static_cast<float>(kBeta1);
    constexpr auto b2 = static_cast<float>(kBeta2);
    constexpr auto epsilon = static_cast<float>(kEpsilon);
    for (std::int64_t k = 0; k < slot.parameter.numel(); ++k) {
      const float d = scale * g[k] + decay * p[k];
      m[k] = b1 * m[k] + (1 - b1) * d;
      v[k] = b2 * v[k] + (1 - b2) * d * d;
      p[k] -= rate * m[k] / (std::sqrt(v[k]) * root2 + epsilon);
    }
  }
  return {};
}

void Adam::zero_grad() {
  for (Slot& slot : slots) slot.parameter.mutable_grad() = torch::Tensor();
}

}  // namespace pdegcn::train
