#include "pdegcn/kernels/adam.h"

#include <omp.h>

#include <cmath>
#include <vector>

#include "tests/kernels/each_target.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

using tests::random_values;

TEST(Adam, MatchesTheFormulaWithAnyThreads) {
  const AdamStep step{0.9f, 0.999f, 1e-8f, 0.5f, 0.01f, 0.1f, 3.0f};
  const int before = omp_get_max_threads();
  tests::each_target([&] {
    for (const std::int64_t count : {0, 1, 15, 40000}) {
      const auto g = random_values<float>(count, 1), p0 = random_values<float>(count, 2),
                 m0 = random_values<float>(count, 3);
      auto v0 = random_values<float>(count, 4);
      for (float& value : v0) value = std::abs(value);
      std::vector<float> first;
      for (const int threads : {1, 3}) {
        omp_set_num_threads(threads);
        auto p = p0, m = m0, v = v0;
        adam_step(step, count, g.data(), p.data(), m.data(), v.data());
        if (threads == 1) first = p;
        EXPECT_EQ(p, first);
        for (std::int64_t k = 0; k < count; ++k) {
          const double d = 0.5 * g[k] + 0.01 * p0[k];
          const double mean = 0.9 * m0[k] + 0.1 * d, square = 0.999 * v0[k] + 0.001 * d * d;
          ASSERT_NEAR(m[k], mean, 1e-6);
          ASSERT_NEAR(v[k], square, 1e-6);
          const double expected = p0[k] - 0.1 * mean / (std::sqrt(square) * 3 + 1e-8);
          ASSERT_NEAR(p[k], expected, 1e-5 * (1 + std::abs(expected - p0[k])));
        }
      }
      auto p = p0, m = m0, v = v0;
      const std::vector<float> none(count);
      adam_step(step, count, nullptr, p.data(), m.data(), v.data());
      auto q = p0;
      m = m0, v = v0;
      adam_step(step, count, none.data(), q.data(), m.data(), v.data());
      EXPECT_EQ(p, q) << "without a gradient";
    }
  });
  omp_set_num_threads(before);
}

TEST(Adam, SquaresAddUpToTheSameBitsWithAnyThreads) {
  const int before = omp_get_max_threads();
  tests::each_target([&] {
    for (const std::int64_t count : {0, 1, 77, 100001}) {
      const auto x = random_values<float>(count, 5);
      double expected = 0;
      for (const float value : x) expected += static_cast<double>(value) * value;
      omp_set_num_threads(1);
      const double one = sum_of_squares(x.data(), count);
      omp_set_num_threads(3);
      EXPECT_EQ(sum_of_squares(x.data(), count), one);
      EXPECT_NEAR(one, expected, 1e-12 * (1 + expected));
    }
  });
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace pdegcn::kernels
