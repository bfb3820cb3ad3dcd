// The implementations against the paper's equations (6), (7) and (9), written out in edge space.
#include "setting.h"

namespace pdegcn::tests {
namespace {

using pde::Activation;
using pde::Options;
using pde::Path;

// σ itself, both orientations of each edge averaged by hand.
double sigma(double x, Activation activation) {
  switch (activation) {
    case Activation::tanh:
      return std::tanh(x);
    case Activation::relu:
      return std::max(x, 0.0);
    default:
      return x;
  }
}

using Rows = std::vector<std::vector<double>>;

Rows rows_of(const torch::Tensor& t) {
  const auto wide = t.to(torch::kFloat64).contiguous();
  Rows rows(t.size(0), std::vector<double>(t.size(1)));
  for (std::int64_t i = 0; i < t.size(0); ++i)
    for (std::int64_t k = 0; k < t.size(1); ++k) rows[i][k] = wide[i][k].item<double>();
  return rows;
}

// Gᵀ Kᵀ σ(K G f), literally: the gradient on every edge, K on the edge, the mask, σ, Kᵀ on the
// edge, and back to both ends. Done for the edge as (i, j) and as (j, i), then averaged.
Rows right_hand_side(const Setting& s, const Rows& f, const Rows& K, const Options& options,
                     std::int64_t layer) {
  const std::size_t c = K.size();
  Rows r(f.size(), std::vector<double>(c, 0));
  auto dropout = options.dropout;
  dropout.layer = static_cast<std::uint32_t>(layer);
  const auto& edges = s.domain.graph().edges();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const double gamma = s.domain.gamma()[e].item<double>();
    for (const int orientation : {1, -1}) {
      std::vector<double> gradient(c), on_edge(c, 0), back(c, 0);
      for (std::size_t k = 0; k < c; ++k)
        gradient[k] = orientation * gamma * (f[edges[e].i][k] - f[edges[e].j][k]);
      for (std::size_t a = 0; a < c; ++a) {
        for (std::size_t b = 0; b < c; ++b) on_edge[a] += K[a][b] * gradient[b];
        on_edge[a] =
            sigma(on_edge[a] * kernels::edge_dropout_factor(dropout, e, a), options.activation);
      }
      for (std::size_t a = 0; a < c; ++a)
        for (std::size_t b = 0; b < c; ++b)
          back[b] += options.symmetric ? K[a][b] * on_edge[a] : (a == b ? on_edge[a] : 0);
      for (std::size_t k = 0; k < c; ++k) {
        r[edges[e].i][k] += 0.5 * orientation * gamma * back[k];
        r[edges[e].j][k] -= 0.5 * orientation * gamma * back[k];
      }
    }
  }
  return r;
}

Rows literal(const Setting& s, const Options& options) {
  Rows now = rows_of(s.f0);
  Rows before = now;  // f^{-1} = f^0
  const double h = s.step;
  for (std::int64_t l = 0; l < s.depth; ++l) {
    const Rows r = right_hand_side(s, now, rows_of(s.K[l]), options, l);
    const double beta = s.beta[s.beta.numel() == 1 ? 0 : l].item<double>();
    const double alpha = 1 / (1 + std::exp(-beta));
    Rows next = now;
    for (std::size_t i = 0; i < now.size(); ++i)
      for (std::size_t k = 0; k < now[i].size(); ++k) {
        const double f = now[i][k], p = before[i][k];
        if (s.kind == Kind::d)
          next[i][k] = f - h * r[i][k];
        else if (s.kind == Kind::h)
          next[i][k] = 2 * f - p - h * h * r[i][k];
        else  // equation (9), solved for f^{l+1}
          next[i][k] = (alpha * (2 * f - p) + h * (1 - alpha) * f - h * h * r[i][k]) /
                       (alpha + h * (1 - alpha));
      }
    before = now;
    now = next;
  }
  return now;
}

double error(const Rows& expected, const torch::Tensor& got) {
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      worst = std::max(worst, std::abs(expected[i][k] - got[i][k].item<double>()));
      size = std::max(size, std::abs(expected[i][k]));
    }
  return worst / size;
}

void check(const Setting& s, const Options& options, double tolerance) {
  const Rows expected = literal(s, options);
  for (const Path path : {Path::kernels, Path::aten}) {
    Options chosen = options;
    chosen.path = path;
    EXPECT_LT(error(expected, s.run(chosen).last), tolerance)
        << "kind " << int(s.kind) << ", activation " << int(options.activation) << ", symmetric "
        << options.symmetric << ", dropout " << options.dropout.p << ", path " << int(path);
  }
}

TEST(Formula, EquationsOfThePaperWrittenOutOnEdges) {
  for (const Kind kind : kKinds)
    for (const Activation activation : kActivations)
      for (const bool symmetric : {true, false})
        for (const double p : {0.0, 0.4}) {
          Options options;
          options.activation = activation;
          options.symmetric = symmetric;
          options.dropout = {p, 11, 3, 0};
          check(Setting(mixed_graph(), 5, 4, kind), options, 1e-12);
          check(Setting(mixed_graph(), 5, 4, kind, torch::kFloat32), options, 1e-5);
        }
}

TEST(Formula, HoldsForAnyNumberOfChannels) {
  for (const std::int64_t channels : {1, 2, 16, 17, 63, 65})
    for (const Kind kind : {Kind::d, Kind::m}) {
      Options options;
      options.dropout = {0.3, 5, 0, 0};
      check(Setting(mixed_graph(), channels, 2, kind), options, 1e-12);
    }
}

RC_GTEST_PROP(Formula, HoldsOnRandomGraphs, (const RandomGraph& given)) {
  const auto kind = *rc::gen::elementOf(kKinds);
  const auto channels = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto layers = *rc::gen::inRange<std::int64_t>(1, 5);
  Options options;
  options.activation = *rc::gen::elementOf(kActivations);
  options.symmetric = *rc::gen::arbitrary<bool>();
  options.dropout.p = *rc::gen::element(0.0, 0.5);
  check(Setting(given.build(), channels, layers, kind), options, 1e-12);
}

TEST(Formula, OneMatrixForAllLayersIsTheSameAsCopiesOfIt) {
  for (const Path path : {Path::kernels, Path::aten}) {
    Options options;
    options.path = path;
    const Setting s(mixed_graph(), 6, 3, Kind::h);
    const auto shared = s.K.slice(0, 0, 1);
    const auto a = pde::integrate(s.domain, s.f0, shared, *s.dynamics(), 3, options).last;
    const auto b =
        pde::integrate(s.domain, s.f0, shared.repeat({3, 1, 1}), *s.dynamics(), 3, options).last;
    EXPECT_TRUE(a.equal(b));
  }
}

TEST(Formula, TheMixtureIsDiffusionAtOneEndAndAWaveAtTheOther) {
  for (const Path path : {Path::kernels, Path::aten})
    for (const double h : {0.01, 0.3, 1.7}) {
      Options options;
      options.path = path;
      options.memory = pde::Memory::store;  // a wave that is rounded is not a mixture
      Setting m(mixed_graph(), 4, 6, Kind::m, torch::kFloat64, 1, h);
      Setting other = m;
      m.beta = torch::full({1}, -800.0, torch::kFloat64);
      other.kind = Kind::d;
      EXPECT_LT(distance(m.run(options).last, other.run(options).last), 1e-14);
      m.beta = torch::full({1}, 800.0, torch::kFloat64);
      other.kind = Kind::h;
      EXPECT_TRUE(m.run(options).last.equal(other.run(options).last));
      // And near the ends, close to them.
      m.beta = torch::full({1}, 30.0, torch::kFloat64);
      EXPECT_LT(distance(m.run(options).last, other.run(options).last), 1e-9);
      other.kind = Kind::d;
      m.beta = torch::full({1}, -30.0, torch::kFloat64);
      EXPECT_LT(distance(m.run(options).last, other.run(options).last), 1e-9);
    }
}

TEST(Formula, TheFirstStepOfTheWaveStartsAtRest) {
  const Setting s(mixed_graph(), 3, 1, Kind::h);
  const Rows r = right_hand_side(s, rows_of(s.f0), rows_of(s.K[0]), {}, 0);
  const auto got = s.run().last;
  for (std::int64_t i = 0; i < got.size(0); ++i)
    for (std::int64_t k = 0; k < 3; ++k)
      EXPECT_NEAR(got[i][k].item<double>(), s.f0[i][k].item<double>() - s.step * s.step * r[i][k],
                  1e-13);
}

}  // namespace
}  // namespace pdegcn::tests
