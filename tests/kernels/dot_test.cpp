#include "pdegcn/kernels/dot.h"

#include <cmath>

#include "tests/kernels/each_target.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

template <class T>
class Dot : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Dot, Types);

TYPED_TEST(Dot, SumsInDoubleForEveryShape) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t rows : {0, 1, 3, 48})
      for (const std::int64_t cols : {1, 8, 16, 17, 63, 64, 65}) {
        const auto x = tests::random_values<T>(rows * cols, 1);
        const auto y = tests::random_values<T>(rows * cols, 2);
        const Buffer<T> a(rows * padded(cols)), b(rows * padded(cols));
        const Matrix<T> A{a.data(), rows, cols, padded(cols)},
            B{b.data(), rows, cols, padded(cols)};
        copy_rows<T>({x.data(), rows, cols, cols}, A, 0, rows);
        copy_rows<T>({y.data(), rows, cols, cols}, B, 0, rows);
        long double sum = 0;
        for (std::size_t at = 0; at < x.size(); ++at)
          sum += static_cast<long double>(x[at]) * y[at];
        EXPECT_NEAR(dot<T>(A, B), static_cast<double>(sum), 1e-14 * std::sqrt(rows * cols));
      }
  });
}

}  // namespace
}  // namespace pdegcn::kernels
