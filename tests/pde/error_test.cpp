// Wrong arguments: an exception with a sentence that names the argument and the value.
#include "pdegcn/graph/error.h"
#include "setting.h"

namespace pdegcn::tests {
namespace {

template <class F>
void expect_error(F&& f, std::initializer_list<const char*> words) {
  try {
    f();
    FAIL() << "no error";
  } catch (const Error& e) {
    for (const char* word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
          << "'" << word << "' in: " << e.what();
  }
}

TEST(Errors, NameTheArgumentAndTheValue) {
  const Setting s(mixed_graph(), 4, 3, Kind::d);
  const auto run = [&](const torch::Tensor& f0, const torch::Tensor& K, std::int64_t layers = 3,
                       pde::Options options = {}) {
    return pde::integrate(s.domain, f0, K, pde::Diffusion(0.1), layers, options);
  };
  expect_error([&] { run(normal({14, 4}, 1), s.K); }, {"f0", "14", "15"});
  expect_error([&] { run(normal({15}, 1), s.K); }, {"f0", "nodes x channels"});
  expect_error([&] { run(normal({15, 0}, 1), s.K); }, {"f0", "channels"});
  expect_error([&] { run(s.f0.to(torch::kInt32), s.K); }, {"f0"});
  expect_error([&] { run(s.f0, normal({3, 4, 5}, 1)); }, {"K", "3 x 4 x 5"});
  expect_error([&] { run(s.f0, normal({2, 4, 4}, 1)); }, {"K", "2 x 4 x 4"});
  expect_error([&] { run(s.f0, s.K.to(torch::kFloat32)); }, {"K", "Float"});
  expect_error([&] { run(s.f0, s.K, 0); }, {"layers", "0"});
  pde::Options options;
  options.dropout.p = 1;
  expect_error([&] { run(s.f0, s.K, 3, options); }, {"dropout", "1"});
  options.dropout.p = -0.1;
  expect_error([&] { run(s.f0, s.K, 3, options); }, {"dropout", "-0.1"});
  options.dropout.p = std::nan("");
  expect_error([&] { run(s.f0, s.K, 3, options); }, {"dropout", "nan"});
  options = {};
  options.path = pde::Path::kernels;
  pde::Domain half = s.domain.with_gamma(s.domain.gamma().to(torch::kFloat16));
  expect_error(
      [&] {
        pde::integrate(half, s.f0.to(torch::kFloat16), s.K.to(torch::kFloat16), pde::Diffusion(0.1),
                       3, options);
      },
      {"kernels", "Half"});
  expect_error(
      [&] {
        pde::integrate(s.domain, s.f0, s.K, normal({3, 2}, 1));
      },
      {"coefficients", "3 x 2"});
}

TEST(Errors, OfStepsWeightsAndMixtures) {
  for (const double h : {0.0, -1.0, std::nan(""), double(INFINITY)})
    expect_error([&] { pde::Diffusion{h}; }, {"step", fmt::format("{}", h).c_str()});
  expect_error([&] { pde::Mixture(0.1, torch::zeros({2}, torch::kFloat64)).coefficients(3); },
               {"beta", "2", "3"});
  expect_error([&] { pde::Mixture(0.1, torch::Tensor()); }, {"beta"});
  const auto graph = std::make_shared<const Graph>(mixed_graph());
  expect_error([&] { pde::Domain(graph, torch::ones({3})); }, {"gamma", "3"});
  auto gamma = torch::ones({graph->num_edges()});
  gamma[4] = std::nan("");
  expect_error([&] { pde::Domain(graph, gamma); }, {"gamma", "4", "nan"});
  gamma[4] = -2;
  expect_error([&] { pde::Domain(graph, gamma); }, {"gamma", "4", "-2"});
  expect_error([&] { pde::Domain(mixed_graph(), WeightKind::distance); }, {"coordinates"});
}

}  // namespace
}  // namespace pdegcn::tests
