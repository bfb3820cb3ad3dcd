#include "pdegcn/train/adam.h"
#include "side.h"

namespace pdegcn::bench {
namespace {

class Classifier : public Side {
 public:
  explicit Classifier(const Workload& w)
      : problem_(*w.problem),
        network_(std::dynamic_pointer_cast<nn::PdeNetwork>(problem_.make_network())),
        adam_(*network_, {w.config.lr, w.config.lr_pde, w.config.lr_alpha, w.config.weight_decay}) {
    const torch::NoGradGuard no_grad;
    network_->opening->weight.copy_(w.weights.opening);
    network_->pde->K.copy_(w.weights.K);
    network_->closing->weight.copy_(w.weights.closing);
  }

  void train() override {
    network_->train();
    backward();
    adam_.step();
  }

  void evaluate() override {
    const train::Part part = train::Part::kValidation;
    problem_.evaluate(*network_, {&part, 1});
  }

  Derivatives derivatives() override {
    network_->eval();
    const double loss = backward();
    return {loss,
            {network_->opening->weight.grad(), network_->pde->K.grad(),
             network_->closing->weight.grad()}};
  }

 private:
  double backward() {
    const train::Batch batch = problem_.training_batch(++step_, 0);
    adam_.zero_grad();
    const auto logits = network_->forward(batch.input, {0, step_});
    torch::Tensor gradient;
    const train::Outcome outcome = train::judge(logits, batch.answers, &gradient);
    logits.backward(gradient);
    return outcome.loss();
  }

  train::Problem& problem_;
  std::shared_ptr<nn::PdeNetwork> network_;
  train::Adam adam_;
  std::uint64_t step_ = 0;
};

class StackAlone : public Side {
 public:
  explicit StackAlone(const Workload& w)
      : domain_(w.input.domain),
        stack_(w.stack),
        f0_(w.f0.clone().set_requires_grad(true)),
        last_bar_(w.last_bar) {
    const torch::NoGradGuard no_grad;
    stack_->K.copy_(w.weights.K);
  }

  void train() override { run(); }

  void evaluate() override {
    const torch::NoGradGuard no_grad;
    stack_->forward(domain_, f0_);
  }

  Derivatives derivatives() override {
    const auto last = run();
    return {last.flatten().dot(last_bar_.flatten()).item<double>(), {stack_->K.grad()}};
  }

 private:
  torch::Tensor run() {
    f0_.mutable_grad() = stack_->K.mutable_grad() = torch::Tensor();
    const auto last = stack_->forward(domain_, f0_);
    last.backward(last_bar_);
    return last.detach();
  }

  pde::Domain domain_;
  nn::PdeStack stack_;
  torch::Tensor f0_, last_bar_;
};

}  // namespace

std::unique_ptr<Side> ours(const Workload& workload) {
  if (workload.problem == nullptr) return std::make_unique<StackAlone>(workload);
  return std::make_unique<Classifier>(workload);
}

double difference(const Derivatives& a, const Derivatives& b) {
  std::vector<double> parts{std::abs(a.loss - b.loss) / std::abs(b.loss)};
  for (std::size_t k = 0; k < b.gradients.size(); ++k)
    parts.push_back(
        ((a.gradients[k] - b.gradients[k]).norm() / b.gradients[k].norm()).item<double>());
  for (double& part : parts)
    if (!std::isfinite(part)) part = std::numeric_limits<double>::infinity();
  return *std::max_element(parts.begin(), parts.end());
}

}  // namespace pdegcn::bench
