#include "pdegcn/kernels/neighbors.h"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

// By sorting all distances, in double.
std::vector<std::int32_t> by_sorting(const std::vector<float>& x, std::int64_t cols,
                                     const std::vector<std::int64_t>& groups, int k) {
  std::vector<std::int32_t> index;
  std::int64_t first = 0;
  for (const std::int64_t size : groups) {
    for (std::int64_t i = first; i < first + size; ++i) {
      std::vector<std::pair<double, std::int32_t>> all;
      for (std::int64_t j = first; j < first + size; ++j) {
        double sum = 0;
        for (std::int64_t c = 0; c < cols; ++c) {
          const double d = double{x[i * cols + c]} - x[j * cols + c];
          sum += d * d;
        }
        all.push_back({sum, static_cast<std::int32_t>(j)});
      }
      std::sort(all.begin(), all.end());
      for (int n = 0; n < k; ++n) index.push_back(n < size ? all[n].second : all[0].second);
    }
    first += size;
  }
  return index;
}

TEST(NearestRows, AreThoseOfAllDistances) {
  tests::each_target([] {
    for (const std::int64_t cols : {1, 3, 17, 64}) {
      const std::vector<std::int64_t> groups{60, 1, 4, 101};
      const auto x = tests::random_values<float>(166 * cols, 7 + cols);
      for (const int k : {1, 5, 24}) {
        std::vector<std::int32_t> index(166 * k);
        nearest_rows({x.data(), 166, cols, cols}, groups, k, index);
        EXPECT_EQ(index, by_sorting(x, cols, groups, k)) << cols << " channels, " << k;
      }
    }
  });
}

// Points on a grid, most of them several times.
TEST(NearestRows, OfManyEqualsTakeTheFirst) {
  tests::each_target([] {
    std::vector<float> x;
    for (int at = 0; at < 300; ++at) x.push_back(static_cast<float>(at * at % 7));
    const std::vector<std::int64_t> groups{300};
    for (const int k : {3, 10, 40}) {
      std::vector<std::int32_t> index(300 * k);
      nearest_rows({x.data(), 300, 1, 1}, groups, k, index);
      EXPECT_EQ(index, by_sorting(x, 1, groups, k)) << k;
    }
  });
}

TEST(NearestRows, AreRowsEvenAmongWhatIsNoNumber) {
  tests::each_target([] {
    auto x = tests::random_values<float>(200, 1);
    for (const std::size_t bad : {0, 17, 31, 32, 150})
      x[bad] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int64_t> groups{200};
    std::vector<std::int32_t> index(200 * 4, -1);
    nearest_rows({x.data(), 200, 1, 1}, groups, 4, index);
    for (const std::int32_t j : index) EXPECT_TRUE(j >= 0 && j < 200) << j;
  });
}

TEST(NearestRows, OfEqualsTakeTheFirst) {
  const std::vector<float> x(8, 1.5f);  // four times the same point
  const std::vector<std::int64_t> groups{4};
  std::vector<std::int32_t> index(8);
  nearest_rows({x.data(), 4, 2, 2}, groups, 2, index);
  EXPECT_EQ(index, (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(NearestRows, RefuseWhatDoesNotFit) {
  const std::vector<float> x(8);
  const std::vector<std::int64_t> groups{3};
  std::vector<std::int32_t> index(8);
  PDEGCN_EXPECT_ERROR(nearest_rows({x.data(), 4, 2, 2}, groups, 2, index), "4 rows");
  PDEGCN_EXPECT_ERROR(nearest_rows({x.data(), 4, 2, 2}, groups, 0, index), "at least 1");
}

TEST(NeighborMax, IsTheMaximumAndItsAdjoint) {
  const int before = omp_get_max_threads();
  const std::int64_t rows = 30, cols = 21;
  const auto x = tests::random_values<float>(rows * cols, 3);
  const auto g = tests::random_values<float>(rows * cols, 4);
  std::vector<std::int32_t> index;
  for (int at = 0; at < rows * 4; ++at) index.push_back((at * 7 + at / 5) % 30);
  std::vector<float> expected(rows * cols), back(rows * cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t c = 0; c < cols; ++c) {
      std::int32_t best = index[i * 4];
      for (int n = 1; n < 4; ++n)
        if (x[index[i * 4 + n] * cols + c] > x[best * cols + c]) best = index[i * 4 + n];
      expected[i * cols + c] = x[best * cols + c];
      back[best * cols + c] += g[i * cols + c];
    }
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    std::vector<float> out(rows * cols), adjoint(rows * cols, 9);
    std::vector<std::int32_t> from(rows * cols);
    neighbor_max({x.data(), rows, cols, cols}, index, 4, {out.data(), rows, cols, cols}, from);
    neighbor_max_adjoint({g.data(), rows, cols, cols}, from, {adjoint.data(), rows, cols, cols});
    EXPECT_EQ(out, expected);
    EXPECT_EQ(adjoint, back);
  }
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace pdegcn::kernels
