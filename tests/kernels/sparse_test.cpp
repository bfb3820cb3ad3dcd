#include "pdegcn/kernels/sparse.h"

#include <omp.h>

#include <cmath>
#include <vector>

#include "pdegcn/kernels/random.h"
#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

template <class T>
class Sparse : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Sparse, Types);

// Random rows with some empty, some full, some values zero.
template <class T>
struct Csr {
  Csr(std::int64_t rows, std::int64_t cols) {
    Random random(3);
    for (std::int64_t i = 0; i < rows; ++i) {
      const double density = i % 5 == 0 ? 0 : i % 7 == 0 ? 1 : 0.2;
      for (std::int32_t k = 0; k < cols; ++k) {
        if (random.uniform() >= density) continue;
        columns.push_back(k);
        values.push_back(random.uniform() < 0.2 ? T{0} : static_cast<T>(random.uniform(-1, 1)));
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    view = {rows, cols, offsets.data(), columns.data(), values.data()};
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<T> values;
  SparseRows<T> view;
};

TYPED_TEST(Sparse, ProductMatchesTheDefinitionWithAnyThreads) {
  using T = TypeParam;
  const int before = omp_get_max_threads();
  tests::each_target([&] {
    for (const std::int64_t rows : {0, 1, 100})
      for (const std::int64_t cols : {1, 16, 65}) {
        const Csr<T> s(rows, 131);
        const auto b = tests::random_values<T>(131 * (cols + 1), 2);
        std::vector<T> first;
        for (const int threads : {1, 2, 4}) {
          omp_set_num_threads(threads);
          std::vector<T> c(rows * (cols + 2), T{9});
          multiply_sparse<T>(s.view, {b.data(), 131, cols, cols + 1},
                             {c.data(), rows, cols, cols + 2});
          if (threads == 1) first = c;
          EXPECT_EQ(c, first);
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t k = 0; k < cols; ++k) {
              double sum = 0;
              for (std::int64_t at = s.offsets[i]; at < s.offsets[i + 1]; ++at)
                sum += double{s.values[at]} * double{b[s.columns[at] * (cols + 1) + k]};
              ASSERT_NEAR(c[i * (cols + 2) + k], sum, 80 * std::numeric_limits<T>::epsilon());
            }
            ASSERT_EQ(c[i * (cols + 2) + cols], 9) << "between rows";
          }
        }
      }
  });
  omp_set_num_threads(before);
}

TYPED_TEST(Sparse, ValuesMayStandInAnotherOrder) {
  using T = TypeParam;
  const Csr<T> s(50, 31);
  const auto count = static_cast<std::int64_t>(s.values.size());
  std::vector<T> elsewhere(count);
  std::vector<std::int64_t> order(count);
  for (std::int64_t k = 0; k < count; ++k) {
    order[k] = (k * 17 + 5) % count;
    elsewhere[order[k]] = s.values[k];
  }
  ASSERT_NE(count % 17, 0);
  const auto b = tests::random_values<T>(31 * 20, 2);
  std::vector<T> straight(50 * 20), turned(50 * 20);
  multiply_sparse<T>(s.view, {b.data(), 31, 20, 20}, {straight.data(), 50, 20, 20});
  SparseRows<T> view = s.view;
  view.values = elsewhere.data();
  view.order = order.data();
  multiply_sparse<T>(view, {b.data(), 31, 20, 20}, {turned.data(), 50, 20, 20});
  EXPECT_EQ(straight, turned);
}

TYPED_TEST(Sparse, DropoutIsAFunctionOfTheCounterOnEveryTarget) {
  using T = TypeParam;
  const std::uint64_t seed = 0x1234567890abcdef, step = 0xfedcba0987654321;
  const std::int64_t count = 20007;
  const auto values = tests::random_values<T>(count, 3);
  tests::each_target([&] {
    std::vector<T> out = values;
    dropout(out.data(), count, 0.3, seed, step, out.data());  // in place
    for (std::int64_t k = 0; k < count; ++k) {
      const auto words = philox({static_cast<std::uint32_t>(k / 4), 0, 0x87654321, 0xfedcba09},
                                {0x90abcdef, 0x12345678});
      const bool drops = words[k % 4] < static_cast<std::uint32_t>(0.3 * 4294967296.0);
      ASSERT_EQ(out[k], drops ? T{0} : static_cast<T>(1 / (1 - 0.3)) * values[k]) << k;
    }
  });
}

TEST(Sparse, ShapesThatDoNotFitAreErrors) {
  const Csr<float> s(4, 5);
  std::vector<float> m(100);
  PDEGCN_EXPECT_ERROR(multiply_sparse<float>(s.view, {m.data(), 6, 2, 2}, {m.data() + 50, 4, 2, 2}),
                      "4 x 5", "6 x 2");
  PDEGCN_EXPECT_ERROR(multiply_sparse<float>(s.view, {m.data(), 5, 2, 2}, {m.data() + 50, 4, 3, 3}),
                      "4 x 3");
}

TYPED_TEST(Sparse, DropoutKeepsTheRightShareAndScalesIt) {
  using T = TypeParam;
  const int before = omp_get_max_threads();
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    for (const std::int64_t count : {0, 1, 3, 200001}) {
      const std::vector<T> values(count, T{2});
      std::vector<T> out(count + 1, T{7}), again(count + 1, T{7}), later(count + 1, T{7});
      omp_set_num_threads(1);
      dropout(values.data(), count, p, 5, 9, out.data());
      omp_set_num_threads(4);
      dropout(values.data(), count, p, 5, 9, again.data());
      dropout(values.data(), count, p, 5, 10, later.data());
      EXPECT_EQ(out, again);
      EXPECT_EQ(out[count], 7) << "past the end";
      std::int64_t kept = 0, both = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        if (out[k] != 0) {
          ASSERT_EQ(out[k], static_cast<T>(2 * static_cast<T>(1 / (1 - p))));
        }
        kept += out[k] != 0;
        both += out[k] != 0 && later[k] != 0;
      }
      if (count < 1000) continue;
      const double deviation = 5 * std::sqrt(0.25 / static_cast<double>(count));
      EXPECT_NEAR(static_cast<double>(kept) / count, 1 - p, deviation);
      EXPECT_NEAR(static_cast<double>(both) / count, (1 - p) * (1 - p), deviation);
    }
  }
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace pdegcn::kernels
