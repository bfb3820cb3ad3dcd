// An equation of one's own: a plucked string that loses its energy, f_tt + η f_t = ∇·Kᵀσ(K∇f), the
// telegraph equation. The damping η is found again from where the string ends up.
#include <fmt/format.h>

#include <cmath>

#include "pdegcn/pde/integrate.h"

using namespace pdegcn;

// By central differences, with d = ηh/2:
//   (1 + d) f^{l+1} = 2 f^l - (1 - d) f^{l-1} - h² r_l
class Telegraph : public pde::Dynamics {
 public:
  Telegraph(double step, torch::Tensor log_damping)
      : Dynamics(step), log_damping_(std::move(log_damping)) {}

  std::string name() const override { return "telegraph"; }

  torch::Tensor coefficients(std::int64_t layers) const override {
    const auto d = log_damping_.exp() * step() / 2;  // η = exp(...) stays positive
    const auto row = torch::stack({2 / (1 + d), (d - 1) / (1 + d), -step() * step() / (1 + d)});
    return row.expand({layers, 3});
  }

  // That of the wave: where the roots z of (1 + d) z² - (2 - h²λ) z + (1 - d) leave the unit disc.
  double stability_limit() const override { return 4 / (step() * step()); }

 private:
  torch::Tensor log_damping_;
};

int main() {
  std::vector<Edge> edges;
  for (NodeId i = 0; i + 1 < 64; ++i) edges.push_back({i, i + 1});
  const pde::Domain string(Graph::from_edges(64, edges), WeightKind::unit, {}, torch::kFloat64);
  const auto place = torch::arange(64, torch::kFloat64);
  const auto plucked = (-(place - 20).square() / 18).exp().unsqueeze(1);  // 64 nodes, 1 channel
  const auto K = torch::eye(1, torch::kFloat64).unsqueeze(0);             // one for all layers

  const auto after = [&](const torch::Tensor& log_damping) {
    return pde::integrate(string, plucked, K, Telegraph(0.5, log_damping), 100).last;
  };
  const auto truth = torch::tensor(0.05, torch::kFloat64).log();
  const auto seen = after(truth);
  const auto misfit = [&](const torch::Tensor& guess) {
    return (after(guess) - seen).square().sum();
  };

  auto guess = torch::tensor(0.2, torch::kFloat64).log().requires_grad_();
  misfit(guess).backward();
  const double slope = guess.grad().item<double>();
  const torch::Tensor up = guess.detach() + 1e-5, down = guess.detach() - 1e-5;
  const double difference = (misfit(up) - misfit(down)).item<double>() / 2e-5;
  fmt::print("derivative of the misfit: {:.9f}, by differences {:.9f}\n", slope, difference);

  torch::optim::Adam adam({guess}, torch::optim::AdamOptions(0.05));
  for (int step = 0; step < 200; ++step) {
    adam.zero_grad();
    misfit(guess).backward();
    adam.step();
  }
  const double found = guess.exp().item<double>();
  fmt::print("damping: 0.05, first guess 0.2, found {:.5f}\n", found);
  fmt::print("λmax = {:.4f}, stable up to {}\n", string.lambda_max(),
             Telegraph(0.5, guess).stability_limit());
  return std::abs(slope - difference) < 1e-6 && std::abs(found - 0.05) < 1e-3 ? 0 : 1;
}
