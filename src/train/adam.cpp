#include "pdegcn/train/adam.h"

#include <cmath>
#include <tuple>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/adam.h"

namespace pdegcn::train {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

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
        std::tie(slot.rate, slot.setting) = group.name == "pde" ? std::pair(rates.pde, "lr-pde")
                                            : group.name == "alpha"
                                                ? std::pair(rates.alpha, "lr-alpha")
                                                : std::pair(rates.rate, "lr");
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
  std::vector<torch::Tensor> gradients;  // some may be undefined
  for (const Slot& slot : slots) {
    gradients.push_back(slot.parameter.grad());
    if (!gradients.back().defined()) continue;
    gradients.back() = gradients.back().contiguous();
    const double sum =
        kernels::sum_of_squares(gradients.back().data_ptr<float>(), gradients.back().numel());
    if (!std::isfinite(sum)) return slot.name;
    total += sum;
  }
  const double norm = std::sqrt(total);

  ++steps;
  const double bias1 = 1 - std::pow(kBeta1, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(kBeta2, static_cast<double>(steps));
  kernels::AdamStep step;
  step.beta1 = static_cast<float>(kBeta1);
  step.beta2 = static_cast<float>(kBeta2);
  step.epsilon = static_cast<float>(kEpsilon);
  step.scale = static_cast<float>(clip > 0 && norm > clip ? clip / norm : 1);
  step.root = static_cast<float>(1 / std::sqrt(bias2));
  for (std::size_t s = 0; s < slots.size(); ++s) {
    Slot& slot = slots[s];
    step.rate = static_cast<float>(factor * slot.rate / bias1);
    step.decay = static_cast<float>(slot.decay);
    kernels::adam_step(step, slot.parameter.numel(),
                       gradients[s].defined() ? gradients[s].data_ptr<float>() : nullptr,
                       slot.parameter.data_ptr<float>(), slot.mean.data_ptr<float>(),
                       slot.square.data_ptr<float>());
  }
  return {};
}

void Adam::zero_grad() {
  for (Slot& slot : slots) slot.parameter.mutable_grad() = torch::Tensor();
}

}  // namespace pdegcn::train
