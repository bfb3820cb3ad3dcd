// Gradients: against finite differences in double, and one path against the other.
#include "setting.h"

namespace pdegcn::tests {
namespace {

using pde::Activation;
using pde::Options;
using pde::Path;

// A scalar that weighs every entry differently.
torch::Tensor scalar_of(const torch::Tensor& result) {
  return (result * normal(result.sizes(), 77).to(result.scalar_type())).sum();
}

struct Learnable : Setting {
  explicit Learnable(const Setting& s, bool learn_gamma = true) : Setting(s) {
    for (torch::Tensor* t : {&f0, &K, &beta}) t->requires_grad_();
    if (learn_gamma) domain = domain.with_gamma(domain.gamma().clone().requires_grad_());
  }
  std::vector<torch::Tensor> parameters() const {
    std::vector<torch::Tensor> all{f0, K};
    if (domain.gamma().requires_grad()) all.push_back(domain.gamma());
    if (kind == Kind::m || kind == Kind::m_per_layer) all.push_back(beta);
    return all;
  }
};

TEST(Gradient, OfEveryParameterAgainstFiniteDifferences) {
  const char* mode = std::getenv("PDEGCN_TEST_MEMORY");
  const bool reverse = mode != nullptr && std::string_view(mode) == "reverse";
  for (const Path path : {Path::kernels, Path::aten})
    for (const Kind kind : kKinds)
      for (const Activation activation : kActivations)
        for (const bool symmetric : {true, false})
          for (const double p : {0.0, 0.3})
            for (const bool trajectory : {false, true}) {
              if (path == Path::aten && (p > 0 || trajectory)) continue;  // autograd's own work
              Options options;
              options.activation = activation;
              options.symmetric = symmetric;
              options.dropout = {p, 3, 1, 0};
              options.path = path;
              options.trajectory = trajectory;
              const Learnable s(
                  Setting(Graph::from_edges(5, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}), 2, 3, kind));
              const auto f = [&] {
                const auto solution = s.run(options);
                return scalar_of(trajectory ? solution.trajectory : solution.last);
              };
              for (const auto& parameter : s.parameters())
                // The differences of a wave on a grid are rounded to it.
                EXPECT_LT(gradient_error(f, parameter), reverse && kind == Kind::h ? 1e-6 : 1e-7)
                    << "kind " << int(kind) << ", activation " << int(activation) << ", symmetric "
                    << symmetric << ", p " << p << ", parameter of " << parameter.sizes();
            }
}

std::vector<torch::Tensor> gradients(const Learnable& s, Options options, Path path) {
  options.path = path;
  return torch::autograd::grad({scalar_of(s.run(options).last)}, s.parameters());
}

RC_GTEST_PROP(Gradient, OnePathAgainstTheOther, (const RandomGraph& given)) {
  const auto kind = *rc::gen::elementOf(kKinds);
  const auto channels = *rc::gen::element<std::int64_t>(1, 3, 16, 63, 65);
  const auto layers = *rc::gen::inRange<std::int64_t>(1, 6);
  Options options;
  options.activation = *rc::gen::elementOf(kActivations);
  options.symmetric = *rc::gen::arbitrary<bool>();
  options.dropout.p = *rc::gen::element(0.0, 0.5);
  const Graph graph = given.build();
  RC_PRE(graph.num_nodes() > 0);
  const Learnable s(Setting(graph, channels, layers, kind));
  const auto a = gradients(s, options, Path::kernels);
  const auto b = gradients(s, options, Path::aten);
  for (std::size_t k = 0; k < a.size(); ++k) RC_ASSERT(distance(a[k], b[k]) < 1e-11);
}

TEST(Gradient, InFloatAgreesWithTheOtherPath) {
  for (const Kind kind : kKinds) {
    const Learnable s(Setting(mixed_graph(), 32, 16, kind, torch::kFloat32));
    const auto a = gradients(s, {}, Path::kernels);
    const auto b = gradients(s, {}, Path::aten);
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_LT((a[k] - b[k]).norm().item<double>(), 1e-5 * b[k].norm().item<double>());
  }
}

TEST(Gradient, OfASharedMatrixIsTheSumOverItsCopies) {
  const Setting s(mixed_graph(), 6, 5, Kind::m);
  const auto one = s.K.slice(0, 0, 1).clone().requires_grad_();
  const auto many = one.detach().repeat({5, 1, 1}).requires_grad_();
  scalar_of(pde::integrate(s.domain, s.f0, one, *s.dynamics(), 5).last).backward();
  scalar_of(pde::integrate(s.domain, s.f0, many, *s.dynamics(), 5).last).backward();
  EXPECT_LT(distance(one.grad(), many.grad().sum(0, true)), 1e-12);
}

TEST(Gradient, CanBeTakenTwiceFromOneGraphAndNotDifferentiatedAgain) {
  const Learnable s(Setting(mixed_graph(), 3, 4, Kind::h));
  const auto loss = scalar_of(s.run().last);
  const auto first = torch::autograd::grad({loss}, {s.f0, s.K}, {}, true);
  const auto second = torch::autograd::grad({loss}, {s.f0, s.K}, {}, true);
  EXPECT_TRUE(first[0].equal(second[0]));
  EXPECT_TRUE(first[1].equal(second[1]));
  EXPECT_THROW(torch::autograd::grad({loss}, {s.f0}, {}, true, true), std::exception);
}

TEST(Gradient, OfTheGradientThroughTheAtenPath) {
  const Learnable s(Setting(Graph::from_edges(3, {{0, 1}, {1, 2}}), 2, 2, Kind::m), false);
  Options options;
  options.path = Path::aten;
  const auto f = [&] {
    const auto inner =
        torch::autograd::grad({scalar_of(s.run(options).last)}, {s.f0}, {}, true, true);
    return inner[0].square().sum();
  };
  EXPECT_LT(gradient_error(
                [&] {
                  const torch::AutoGradMode enabled(true);
                  return f();
                },
                s.K),
            1e-6);
}

TEST(Gradient, IsRefusedAfterTheWeightsWereOverwritten) {
  const Learnable s(Setting(mixed_graph(), 3, 4, Kind::d));
  const auto loss = scalar_of(s.run().last);
  {
    const torch::NoGradGuard no_grad;
    torch::Tensor(s.K).add_(1);
  }
  EXPECT_THROW(loss.backward(), std::exception);
}

}  // namespace
}  // namespace pdegcn::tests
