#include "pdegcn/kernels/product.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

// A matrix of random values with its memory. What lies between the rows is NaN, and shows when it
// is read; `zero_padding` puts zeros there, as the kernels want it.
template <class T>
struct Owned {
  Owned(std::int64_t rows, std::int64_t cols, std::int64_t stride, std::uint64_t seed,
        bool zero_padding = false)
      : memory(rows * stride), view{memory.data(), rows, cols, stride} {
    const auto values = tests::random_values<T>(rows * cols, seed);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < stride; ++k)
        view.row(i)[k] = k < cols       ? values[i * cols + k]
                         : zero_padding ? T{0}
                                        : std::numeric_limits<T>::quiet_NaN();
  }
  static Owned padded_to_line(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    return Owned(rows, cols, padded(cols), seed, true);
  }

  Buffer<T> memory;
  Matrix<T> view;
};

template <class T>
struct Tolerance {
  static constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
};

// What the matrix unit may lose of every term of a product of floats that is wide enough for it.
template <class T>
double rounding(std::int64_t terms, std::int64_t columns) {
  const bool tiles = sizeof(T) == sizeof(float) && target() == "AMX" &&
                     std::min(terms, columns) >= 128 && terms % 64 == 0 && columns % 64 == 0;
  return tiles ? std::ldexp(1.0, -15) : 0;
}

// Compares rows first..last of c with scale A B (or Aᵀ B) + x X + z Z, term by term in double.
template <class T>
void expect_product(Matrix<const T> a, Matrix<const T> b, Matrix<const T> c, bool transposed,
                    std::int64_t first, std::int64_t last, const Epilogue<T>& e = {},
                    const std::vector<T>& X = {}, const std::vector<T>& Z = {}, double loss = 0) {
  const std::int64_t terms = transposed ? a.rows : a.cols;
  for (std::int64_t i = first; i < last; ++i)
    for (std::int64_t k = 0; k < c.cols; ++k) {
      double sum = 0, size = 0;
      for (std::int64_t t = 0; t < terms; ++t) {
        const double term = double{transposed ? a.row(t)[i] : a.row(i)[t]} * double{b.row(t)[k]};
        sum += term;
        size += std::abs(term);
      }
      sum *= e.scale;
      size *= std::abs(e.scale);
      if (!X.empty()) sum += double{e.x} * X[i * c.stride + k], size += std::abs(e.x);
      if (!Z.empty()) sum += double{e.z} * Z[i * c.stride + k], size += std::abs(e.z);
      const double units = (4 + std::sqrt(terms)) * Tolerance<T>::kEpsilon + loss;
      ASSERT_NEAR(c.row(i)[k], sum, units * size)
          << a.rows << " x " << a.cols << " by " << b.cols << " at " << i << ", " << k;
    }
}

template <class T>
class Product : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Product, Types);

const std::vector<std::int64_t> kColumns{1,  2,  3,  7,  8,  15, 16, 17, 31, 32,  33,  47,
                                         48, 49, 63, 64, 65, 70, 79, 80, 96, 112, 128, 130};

TYPED_TEST(Product, RowsMatchTheDefinitionForEveryShape) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t cols : kColumns)
      for (const std::int64_t inner : {1, 5, 16, 65})
        for (const std::int64_t rows : {0, 1, 4, 5, 6, 7, 13, 25}) {
          const Owned<T> a(rows, inner, inner + rows % 3, 1);
          const auto b = Owned<T>::padded_to_line(inner, cols, 2);
          const auto c = Owned<T>::padded_to_line(rows, cols, 3);
          product_rows<T>(a.view, b.view, c.view, 0, rows);
          expect_product<T>(a.view, b.view, c.view, false, 0, rows);
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = cols; k < padded(cols); ++k)
              ASSERT_EQ(c.view.row(i)[k], 0) << "the padding";
        }
  });
}

TYPED_TEST(Product, RowsStayWithinTheirRangeAndHaveTheSameBitsInAny) {
  using T = TypeParam;
  tests::each_target([] {
    const std::int64_t rows = 29, inner = 33, cols = 40;
    const Owned<T> a(rows, inner, inner, 1);
    const auto b = Owned<T>::padded_to_line(inner, cols, 2);
    const auto whole = Owned<T>::padded_to_line(rows, cols, 3);
    product_rows<T>(a.view, b.view, whole.view, 0, rows);
    for (std::int64_t first = 0; first < rows; first += 3)
      for (std::int64_t last = first; last <= rows; last += 2) {
        const auto c = Owned<T>::padded_to_line(rows, cols, 3);
        const auto before = Owned<T>::padded_to_line(rows, cols, 3);
        product_rows<T>(a.view, b.view, c.view, first, last);
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t k = 0; k < cols; ++k)
            ASSERT_EQ(c.view.row(i)[k], (i >= first && i < last ? whole : before).view.row(i)[k]);
      }
  });
}

TYPED_TEST(Product, EpilogueJoinsOtherMatricesAlsoInPlace) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t cols : {1, 17, 64, 80}) {
      const std::int64_t rows = 14, inner = 9;
      const Owned<T> a(rows, inner, inner, 1);
      const auto b = Owned<T>::padded_to_line(inner, cols, 2);
      for (int terms = 0; terms < 8; ++terms) {
        const auto c = Owned<T>::padded_to_line(rows, cols, 3);
        const auto other = Owned<T>::padded_to_line(rows, cols, 4);
        Epilogue<T> e{T{-0.7}};
        const T* X = terms & 4 ? c.view.data : other.view.data;
        const T* Z = terms & 4 ? other.view.data : c.view.data;
        if (terms & 1) e.x = T{1.3}, e.X = X;
        if (terms & 2) e.z = T{-2.1}, e.Z = Z;
        const auto copy = [&](const T* from) {
          return from == nullptr ? std::vector<T>() : std::vector<T>(from, from + c.memory.count());
        };
        const auto x = copy(e.X), z = copy(e.Z);
        product_rows<T>(a.view, b.view, c.view, 2, rows, e);
        expect_product<T>(a.view, b.view, c.view, false, 2, rows, e, x, z);
      }
    }
  });
}

TYPED_TEST(Product, GramMatchesTheDefinitionForEveryShape) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t cols : kColumns)
      for (const std::int64_t left : {1, 5, 6, 16, 65})
        for (const std::int64_t rows : {0, 1, 30}) {
          const Owned<T> a(rows, left, left + left % 2, 1);
          const auto b = Owned<T>::padded_to_line(rows, cols, 2);
          const auto c = Owned<T>::padded_to_line(left, cols, 3);
          for (std::int64_t at = 0; at < c.memory.count(); ++at) c.memory.data()[at] = 0;
          // It adds, so that halves make the whole.
          gram_rows<T>(a.view, b.view, c.view, 0, rows / 2);
          gram_rows<T>(a.view, b.view, c.view, rows / 2, rows);
          expect_product<T>(a.view, b.view, c.view, true, 0, left);
        }
  });
}

TYPED_TEST(Product, WholeMatricesInAnyLayout) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t rows : {0, 1, 47, 48, 49, 600})
      for (const std::int64_t inner : {1, 16, 30})
        for (const std::int64_t cols : {1, 16, 63, 64, 65, 129})
          for (const std::int64_t gap : {0, 3}) {
            const Owned<T> a(rows, inner, inner + gap, 1);
            const Owned<T> b(inner, cols, cols + gap, 2);
            const Owned<T> c(rows, cols, cols + gap, 3);
            multiply<T>(a.view, b.view, c.view);
            expect_product<T>(a.view, b.view, c.view, false, 0, rows);
            if (gap > 0 && rows > 0) {
              ASSERT_TRUE(std::isnan(c.view.row(0)[cols])) << "between rows";
            }

            const Owned<T> d(rows, cols, cols + gap, 4);
            const Owned<T> e(inner, cols, cols + gap, 5);
            multiply_transposed<T>(a.view, d.view, e.view);
            expect_product<T>(a.view, d.view, e.view, true, 0, inner);
            if (gap > 0) {
              ASSERT_TRUE(std::isnan(e.view.row(0)[cols])) << "between rows";
            }
          }
  });
}

// Those that the matrix unit takes, and their neighbours.
TYPED_TEST(Product, WideMatrices) {
  using T = TypeParam;
  tests::each_target([] {
    for (const std::int64_t rows : {0, 1, 31, 32, 33, 128, 129, 700})
      for (const std::int64_t inner : {127, 128, 320})
        for (const std::int64_t cols : {128, 130, 192}) {
          const Owned<T> a(rows, inner, inner + rows % 3, 1);
          const Owned<T> b(inner, cols, cols, 2), c(rows, cols, cols, 3);
          multiply<T>(a.view, b.view, c.view);
          expect_product<T>(a.view, b.view, c.view, false, 0, rows, {}, {}, {},
                            rounding<T>(inner, cols));
          const Owned<T> d(rows, cols, cols, 4), e(inner, cols, cols, 5);
          multiply_transposed<T>(a.view, d.view, e.view);
          expect_product<T>(a.view, d.view, e.view, true, 0, inner, {}, {}, {},
                            rounding<T>(inner, cols));
        }
  });
}

TYPED_TEST(Product, BitsDoNotDependOnTheNumberOfThreads) {
  using T = TypeParam;
  const int before = omp_get_max_threads();
  tests::each_target([] {
    const std::int64_t rows = 3000;
    for (const auto& [inner, cols] :
         {std::pair<std::int64_t, std::int64_t>{40, 7}, {40, 200}, {128, 192}}) {
      const Owned<T> a(rows, inner, inner, 1), b(inner, cols, cols, 2), d(rows, cols, cols, 4);
      std::vector<T> product, gram;
      for (const int threads : {1, 2, 4, 1}) {
        omp_set_num_threads(threads);
        const Owned<T> c(rows, cols, cols, 3), e(inner, cols, cols, 5);
        multiply<T>(a.view, b.view, c.view);
        multiply_transposed<T>(a.view, d.view, e.view);
        const auto values = [](const Owned<T>& m) {
          return std::vector<T>(m.memory.values().begin(), m.memory.values().end());
        };
        if (product.empty()) product = values(c), gram = values(e);
        EXPECT_EQ(values(c), product) << threads;
        EXPECT_EQ(values(e), gram) << threads;
      }
    }
  });
  omp_set_num_threads(before);
}

TEST(Product, ShapesThatDoNotFitAreErrors) {
  std::vector<float> memory(100);
  const auto view = [&](std::int64_t rows, std::int64_t cols) {
    return Matrix<float>{memory.data(), rows, cols, cols};
  };
  PDEGCN_EXPECT_ERROR(multiply<float>(view(2, 3), view(4, 5), view(2, 5)), "2 x 3", "4 x 5");
  PDEGCN_EXPECT_ERROR(multiply<float>(view(2, 3), view(3, 5), view(2, 4)), "2 x 4");
  PDEGCN_EXPECT_ERROR(multiply_transposed<float>(view(2, 3), view(3, 5), view(3, 5)), "2 x 3");
  PDEGCN_EXPECT_ERROR(multiply_transposed<float>(view(2, 3), view(2, 5), view(2, 5)), "2 x 5");
}

TEST(Product, TheTransposeIsTheTranspose) {
  for (const auto& [rows, cols] :
       {std::pair<std::int64_t, std::int64_t>{1, 7}, {33, 64}, {700, 65}}) {
    const auto a = tests::random_values<float>(rows * (cols + 1), 1);
    std::vector<float> b(cols * (rows + 2), 9);
    transpose<float>({a.data(), rows, cols, cols + 1}, {b.data(), cols, rows, rows + 2});
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < cols; ++k)
        ASSERT_EQ(b[k * (rows + 2) + i], a[i * (cols + 1) + k]);
    EXPECT_EQ(b[rows], 9) << "between rows";
  }
  std::vector<float> m(12);
  PDEGCN_EXPECT_ERROR(transpose<float>({m.data(), 3, 4, 4}, {m.data(), 3, 4, 4}), "3 x 4");
}

}  // namespace
}  // namespace pdegcn::kernels
