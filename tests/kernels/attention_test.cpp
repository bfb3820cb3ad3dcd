#include "pdegcn/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "pdegcn/kernels/random.h"
#include "tests/support/random_graph.h"

namespace pdegcn::kernels {
namespace {

using Values = std::vector<double>;

// A graph with everything that attention needs on it.
struct Setting {
  Graph graph;
  std::int64_t heads = 2;
  std::int64_t units = 3;
  Values x, own, other, factors;

  explicit Setting(Graph g) : graph(std::move(g)) {
    Random random(4);
    const auto draw = [&](std::int64_t count) {
      Values values(count);
      for (double& value : values) value = random.normal();
      return values;
    };
    x = draw(graph.num_nodes() * heads * units);
    own = draw(graph.num_nodes() * heads);
    other = draw(graph.num_nodes() * heads);
    factors = draw(attention_entries(graph) * heads);
  }

  Matrix<const double> rows(const Values& values, std::int64_t columns) const {
    return {values.data(), graph.num_nodes(), columns, columns};
  }
  Matrix<double> rows(Values& values, std::int64_t columns) const {
    return {values.data(), graph.num_nodes(), columns, columns};
  }
  Attention<double> attention() const {
    return {&graph,        heads, 0.2, rows(x, heads * units), rows(own, heads), rows(other, heads),
            factors.data()};
  }
  Values attend_to(Values& a) const {
    Values y(x.size());
    a.resize(factors.size());
    attend<double>(attention(), a.data(), rows(y, heads * units));
    return y;
  }
};

TEST(Attention, WeightsOfANodeAddUpToOne) {
  for (const auto& [name, given] : tests::special_graphs()) {
    const Setting s(given.build());
    Values a;
    s.attend_to(a);
    for (NodeId i = 0; i < s.graph.num_nodes(); ++i)
      for (std::int64_t h = 0; h < s.heads; ++h) {
        double sum = a[(2 * s.graph.num_edges() + i) * s.heads + h];
        for (const NodeId j : s.graph.neighbors(i))
          sum += a[(2 * s.graph.find_edge(i, j) + (i > j)) * s.heads + h];
        EXPECT_NEAR(sum, 1, 1e-14) << name;
      }
  }
}

// All derivatives of a weighted sum of the output, by central differences.
TEST(Attention, TheAdjointIsTheDerivative) {
  for (const auto& [name, given] : tests::special_graphs()) {
    Setting s(given.build());
    Values a;
    Values y_bar(s.x.size());
    for (std::size_t k = 0; k < y_bar.size(); ++k) y_bar[k] = std::sin(1.0 + k);
    const auto value = [&] {
      Values scratch;
      const Values y = s.attend_to(scratch);
      return std::inner_product(y.begin(), y.end(), y_bar.begin(), 0.0);
    };
    s.attend_to(a);
    Values scores(a.size()), x_bar(s.x.size()), own_bar(s.own.size()), other_bar(s.other.size());
    attend_adjoint<double>(s.attention(), a.data(), s.rows(std::as_const(y_bar), s.heads * s.units),
                           scores.data(), s.rows(x_bar, s.heads * s.units),
                           s.rows(own_bar, s.heads), s.rows(other_bar, s.heads));
    for (auto [variable, exact] :
         {std::pair(&s.x, &x_bar), std::pair(&s.own, &own_bar), std::pair(&s.other, &other_bar)})
      for (std::size_t k = 0; k < variable->size(); ++k) {
        const double before = (*variable)[k];
        (*variable)[k] = before + 1e-6;
        const double above = value();
        (*variable)[k] = before - 1e-6;
        const double below = value();
        (*variable)[k] = before;
        EXPECT_NEAR((above - below) / 2e-6, (*exact)[k], 1e-7) << name << " entry " << k;
      }
  }
}

TEST(Attention, LargeScoresDoNotOverflow) {
  Setting s(tests::star(9).build());
  for (double& value : s.own) value *= 1000;
  for (double& value : s.other) value *= 1000;
  Values a;
  for (const double value : s.attend_to(a)) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace pdegcn::kernels
