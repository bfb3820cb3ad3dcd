#include "implementations.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/march.h"

namespace pdegcn::pde {
namespace {

// What backward needs, kept by the autograd graph.
template <class T>
struct Kept : torch::CustomClassHolder {
  Kept(const Domain& d, const torch::Tensor& weights, const torch::Tensor& weights_of_edges,
       const torch::Tensor& coefficients, const Options& options)
      : domain(d), K(weights.contiguous()), gamma(weights_of_edges.contiguous()) {
    kernels::MarchProblem<T> problem;
    const Domain::Walk& walk = domain.walk();
    problem.graph = walk.graph.get();
    problem.plan = &walk.plan;
    if (!walk.order.empty()) {
      problem.order = walk.order.data();
      problem.edge_ids = walk.edge_ids.data();
    }
    problem.gamma = gamma.template data_ptr<T>();
    problem.channels = K.size(1);
    problem.activation = options.activation;
    problem.symmetric = options.symmetric;
    problem.dropout = options.dropout;
    problem.grid = options.grid;
    problem.workspace = options.workspace;
    // A trajectory is every state.
    problem.memory = options.trajectory ? kernels::Memory::store : options.memory;
    const auto steps = coefficients.to(torch::kCPU, torch::kFloat64).contiguous();
    for (std::int64_t l = 0; l < steps.size(0); ++l) {
      const double* row = steps.template data_ptr<double>() + 3 * l;
      problem.steps.push_back({row[0], row[1], row[2]});
      problem.K.push_back(K.template data_ptr<T>() + (K.size(0) == 1 ? 0 : l) * K[0].numel());
    }
    march = std::make_unique<kernels::March<T>>(std::move(problem));
  }

  Domain domain;
  torch::Tensor K;
  torch::Tensor gamma;
  std::unique_ptr<kernels::March<T>> march;
};

template <class T>
torch::Tensor run(Kept<T>& kept, const torch::Tensor& f0, std::int64_t layers, bool trajectory,
                  bool keep) {
  const auto input = f0.contiguous();
  auto last = torch::empty_like(input);
  kept.march->forward(input.template data_ptr<T>(), last.template data_ptr<T>(),
                      keep || trajectory);
  if (!trajectory) return last;
  auto states = torch::empty({layers + 1, f0.size(0), f0.size(1)}, f0.options());
  for (std::int64_t l = 0; l <= layers; ++l) kept.march->state(l, states[l].template data_ptr<T>());
  return states;
}

template <class T>
class MarchFunction : public torch::autograd::Function<MarchFunction<T>> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& f0,
                               const torch::Tensor& K, const torch::Tensor& coefficients,
                               const torch::Tensor& gamma, const Domain& domain,
                               const Options& options) {
    auto kept = c10::make_intrusive<Kept<T>>(domain, K, gamma, coefficients, options);
    const auto result = run(*kept, f0, coefficients.size(0), options.trajectory, true);
    // The saved tensors are not read again, but autograd then notices when one was overwritten.
    context->save_for_backward({K, gamma});
    context->saved_data["kept"] = torch::IValue::make_capsule(std::move(kept));
    context->saved_data["trajectory"] = options.trajectory;
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list outputs) {
    if (torch::GradMode::is_enabled())
      throw Error("the kernels are differentiable once; for more use Path::aten");
    context->get_saved_variables();
    auto& kept = static_cast<Kept<T>&>(*context->saved_data["kept"].toCapsule());
    const auto given = outputs[0].contiguous();
    const bool trajectory = context->saved_data["trajectory"].toBool();
    const auto last = trajectory ? torch::zeros_like(given[0]) : given;

    torch::Tensor f0, K, coefficients, gamma;
    kernels::MarchGradients<T> gradients;
    std::vector<kernels::StepCoefficients> steps;
    if (context->needs_input_grad(0)) {
      f0 = torch::zeros_like(last);
      gradients.f0 = f0.template data_ptr<T>();
    }
    const std::int64_t layers = kept.march->layers();
    if (context->needs_input_grad(1)) {
      K = torch::zeros_like(kept.K);
      for (std::int64_t l = 0; l < layers; ++l)
        gradients.K.push_back(K.template data_ptr<T>() + (K.size(0) == 1 ? 0 : l) * K[0].numel());
    }
    if (context->needs_input_grad(2)) gradients.steps = &steps;
    if (context->needs_input_grad(3)) {
      gamma = torch::zeros_like(kept.gamma);
      gradients.gamma = gamma.template data_ptr<T>();
    }
    kept.march->backward(last.template data_ptr<T>(),
                         trajectory ? given.template data_ptr<T>() : nullptr, gradients);
    if (gradients.steps != nullptr) {
      coefficients = torch::empty({layers, 3}, torch::kFloat64);
      double* out = coefficients.template data_ptr<double>();
      for (const auto& step : steps) {
        *out++ = step.a;
        *out++ = step.b;
        *out++ = step.s;
      }
    }
    return {f0, K, coefficients, gamma, {}, {}};
  }
};

template <class T>
torch::Tensor march(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                    const torch::Tensor& coefficients, const Options& options) {
  const auto& gamma = domain.gamma();
  const bool differentiate =
      torch::GradMode::is_enabled() && (f0.requires_grad() || K.requires_grad() ||
                                        coefficients.requires_grad() || gamma.requires_grad());
  if (differentiate) return MarchFunction<T>::apply(f0, K, coefficients, gamma, domain, options);
  Kept<T> kept(domain, K, gamma, coefficients, options);
  return run(kept, f0, coefficients.size(0), options.trajectory, false);
}

}  // namespace

torch::Tensor march_kernels(const Domain& domain, const torch::Tensor& f0, const torch::Tensor& K,
                            const torch::Tensor& coefficients, const Options& options) {
  const auto steps = coefficients.to(torch::kFloat64);
  return f0.scalar_type() == torch::kFloat32 ? march<float>(domain, f0, K, steps, options)
                                             : march<double>(domain, f0, K, steps, options);
}

}  // namespace pdegcn::pde
