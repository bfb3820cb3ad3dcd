#include "pdegcn/kernels/classify.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pdegcn/kernels/softmax.h"
#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

struct Case {
  std::int64_t rows, inputs, classes;
  bool has_bias = true;

  std::vector<float> x = tests::random_values<float>(rows * inputs, 1);
  std::vector<float> w = tests::random_values<float>(classes * inputs, 2);
  std::vector<float> b = tests::random_values<float>(classes, 3);
  std::vector<std::int32_t> labels = [this] {
    std::vector<std::int32_t> all(rows);
    for (std::int64_t r = 0; r < rows; ++r) all[r] = static_cast<std::int32_t>(5 * r % classes);
    return all;
  }();

  Classifier layer() const {
    return {{w.data(), classes, inputs, inputs}, has_bias ? b.data() : nullptr};
  }
  Matrix<const float> view() const { return {x.data(), rows, inputs, inputs}; }
};

struct Found {
  std::vector<RowVerdict> verdicts;
  std::vector<float> x, w, b;
  bool operator==(const Found& other) const {
    for (std::size_t k = 0; k < verdicts.size(); ++k)
      if (verdicts[k].loss != other.verdicts[k].loss || verdicts[k].best != other.verdicts[k].best)
        return false;
    return x == other.x && w == other.w && b == other.b;
  }
};

Found fused(const Case& c) {
  Found f{std::vector<RowVerdict>(c.rows), std::vector<float>(c.x.size()),
          std::vector<float>(c.w.size()), std::vector<float>(c.b.size())};
  classify(c.layer(), c.view(), c.labels, f.verdicts,
           {{f.x.data(), c.rows, c.inputs, c.inputs},
            {f.w.data(), c.classes, c.inputs, c.inputs},
            f.b.data()});
  return f;
}

// A sum, and what it may be wrong by: `units` of the size of its terms.
struct Sum {
  double value = 0, size = 0;
  void add(double term) {
    value += term;
    size += std::abs(term);
  }
};

void expect_near(const std::vector<float>& found, const std::vector<Sum>& sums, double units) {
  for (std::size_t k = 0; k < sums.size(); ++k)
    ASSERT_NEAR(found[k], sums[k].value, 1e-6 + units * sums[k].size) << k;
}

// By the formulas, in double. The target that halves its factors may be wrong by 1/2¹⁵ of every
// term, and its softmax by what that makes of the logits.
void expect_by_formula(const Case& c) {
  const Found found = fused(c);
  const double rounding = target() == "AMX" ? std::ldexp(1.0, -15) : 0;
  std::vector<Sum> gx(c.x.size()), gw(c.w.size()), gb(c.b.size());
  double shift = 0;  // of logits, at most
  for (std::int64_t r = 0; r < c.rows; ++r) {
    std::vector<double> z(c.classes);
    double sum = 0;
    for (std::int64_t k = 0; k < c.classes; ++k) {
      Sum logit;
      for (std::int64_t i = 0; i < c.inputs; ++i)
        logit.add(double{c.x[r * c.inputs + i]} * c.w[k * c.inputs + i]);
      z[k] = logit.value + (c.has_bias ? c.b[k] : 0);
      shift = std::max(shift, rounding * logit.size);
      sum += std::exp(z[k]);
    }
    EXPECT_NEAR(found.verdicts[r].loss, std::log(sum) - z[c.labels[r]], 1e-5 + 2 * shift);
    EXPECT_EQ(found.verdicts[r].best, std::max_element(z.begin(), z.end()) - z.begin());
    for (std::int64_t k = 0; k < c.classes; ++k) {
      const double g = (std::exp(z[k]) / sum - (k == c.labels[r])) / static_cast<double>(c.rows);
      gb[k].add(g);
      for (std::int64_t i = 0; i < c.inputs; ++i) {
        gx[r * c.inputs + i].add(g * c.w[k * c.inputs + i]);
        gw[k * c.inputs + i].add(g * c.x[r * c.inputs + i]);
      }
    }
  }
  expect_near(found.x, gx, rounding + 2 * shift);
  expect_near(found.w, gw, rounding + 2 * shift);
  expect_near(found.b, gb, 2 * shift);
}

TEST(Classify, FollowsTheFormulas) {
  tests::each_target([] {
    expect_by_formula({1, 1, 1});
    expect_by_formula({7, 16, 64});
    expect_by_formula({50, 21, 130});
    expect_by_formula({3, 40, 300, false});
  });
}

// More rows than a block has and more classes than stay in the cache.
TEST(Classify, FollowsTheFormulasOverSeveralBlocks) {
  tests::each_target([] {
    expect_by_formula({1000, 12, 37});
    expect_by_formula({60, 70, 700});
  });
}

TEST(Classify, BitsDoNotDependOnThreads) {
  const int before = omp_get_max_threads();
  const Case c{900, 33, 210};
  omp_set_num_threads(1);
  const Found one = fused(c);
  for (const int threads : {2, 3, 5}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(fused(c) == one) << threads;
  }
  omp_set_num_threads(before);
}

TEST(Classify, WithoutGradientsSaysTheSame) {
  Case c{800, 20, 90};
  const Found with = fused(c);
  c.labels[4] = -1;
  std::vector<RowVerdict> verdicts(c.rows);
  classify(c.layer(), c.view(), c.labels, verdicts);
  for (std::int64_t r = 0; r < c.rows; ++r) {
    EXPECT_EQ(verdicts[r].best, with.verdicts[r].best);
    EXPECT_EQ(verdicts[r].loss, r == 4 ? 0 : with.verdicts[r].loss);
  }
}

TEST(Classify, LargeLogitsDoNotOverflow) {
  Case c{2, 1, 3};
  c.x = {1, 1};
  c.w = {300, 299, -1e30f};
  c.b = {0, 0, 0};
  c.labels = {0, 2};
  const Found f = fused(c);
  EXPECT_NEAR(f.verdicts[0].loss, std::log1p(std::exp(-1.0)), 1e-6);
  EXPECT_GT(f.verdicts[1].loss, 1e29);
  EXPECT_EQ(f.verdicts[0].best, 0);
}

TEST(Classify, ALogitThatIsNoNumberShowsInTheLoss) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Case c{2, 1, 40};
    c.w[17] = bad;
    c.x = {1, 1};
    const Found f = fused(c);
    EXPECT_TRUE(std::isnan(f.verdicts[0].loss));
    EXPECT_GE(f.verdicts[0].best, 0);
    EXPECT_LT(f.verdicts[0].best, 40);
  }
}

TEST(Classify, OfEqualsTheFirstIsBest) {
  tests::each_target([] {
    Buffer<float> row(48);
    std::fill(row.data(), row.data() + 48, -1.0f);
    row.data()[20] = row.data()[33] = 2;
    EXPECT_EQ(softmax_row(row.data(), nullptr, 40, 0).best, 20);
  });
}

TEST(Classify, RefusesWhatDoesNotFit) {
  Case c{3, 4, 5};
  std::vector<RowVerdict> verdicts(3);
  c.labels[1] = 5;
  PDEGCN_EXPECT_ERROR(classify(c.layer(), c.view(), c.labels, verdicts), "label 5 of 5 classes");
  c.labels[1] = -1;
  PDEGCN_EXPECT_ERROR(fused(c), "label -1");
  c.labels[1] = 0;
  verdicts.resize(2);
  PDEGCN_EXPECT_ERROR(classify(c.layer(), c.view(), c.labels, verdicts), "2 verdicts for 3 rows");
  const Matrix<const float> narrow{c.x.data(), 3, 3, 4};
  verdicts.resize(3);
  PDEGCN_EXPECT_ERROR(classify(c.layer(), narrow, c.labels, verdicts), "3 values", "4 inputs");
}

}  // namespace
}  // namespace pdegcn::kernels
