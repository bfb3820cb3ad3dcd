#include "pdegcn/kernels/joined.h"

#include <omp.h>

#include <numeric>
#include <vector>

#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/sparse.h"
#include "tests/kernels/each_target.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

namespace pdegcn::kernels {
namespace {

template <class T>
class JoinedMatrices : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(JoinedMatrices, Types);

// Parts, and the same as one matrix with dropout done.
template <class T>
struct Case {
  Case(std::int64_t rows, const std::vector<std::int64_t>& widths, double p) {
    x.p = p;
    x.seed = 5;
    x.step = 7;
    const std::int64_t columns = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
    whole.resize(rows * columns);
    std::int64_t begin = 0;
    for (const std::int64_t width : widths) {
      values.push_back(tests::random_values<T>(rows * width, 20 + values.size()));
      for (std::int64_t i = 0; i < rows; ++i)
        std::copy_n(values.back().data() + i * width, width, &whole[i * columns + begin]);
      begin += width;
    }
    for (std::size_t k = 0; k < widths.size(); ++k)
      x.parts.push_back({values[k].data(), rows, widths[k], widths[k]});
    if (p > 0) dropout<T>(whole.data(), rows * columns, p, x.seed, x.step, whole.data());
    view = {whole.data(), rows, columns, columns};
  }
  std::vector<std::vector<T>> values;
  std::vector<T> whole;
  Joined<T> x;
  Matrix<const T> view;
};

// Every bit is that of the product with the matrices side by side, whatever their widths.
TYPED_TEST(JoinedMatrices, HaveTheBitsOfOneMatrix) {
  using T = TypeParam;
  const int before = omp_get_max_threads();
  tests::each_target([&] {
    for (const std::int64_t rows : {1, 13, 700})
      // The strips are of 48 rows up to 672 columns, and of 6 from 2,721 on.
      for (const auto& widths :
           {std::vector<std::int64_t>{1}, {3, 1, 5}, {64, 128, 64}, {70, 2}, {700, 30}, {6000, 3}})
        for (const double p : {0.0, 0.3})
          for (const int threads : {1, 3}) {
            if (rows > 100 && widths.front() > 1000) continue;  // half a second a time
            omp_set_num_threads(threads);
            Case<T> test(rows, widths, p);
            const std::int64_t columns = test.view.cols, classes = 7;
            const auto b = tests::random_values<T>(columns * classes, 11);
            std::vector<T> ours(rows * classes), plain(rows * classes);
            multiply<T>(test.x, {b.data(), columns, classes, classes},
                        {ours.data(), rows, classes, classes});
            multiply<T>(test.view, {b.data(), columns, classes, classes},
                        {plain.data(), rows, classes, classes});
            EXPECT_EQ(ours, plain);

            const Matrix<const T> given{plain.data(), rows, classes, classes};
            std::vector<T> sums(classes * columns), plain_sums(classes * columns);
            multiply_transposed<T>(given, test.x, {sums.data(), classes, columns, columns});
            multiply_transposed<T>(given, test.view,
                                   {plain_sums.data(), classes, columns, columns});
            EXPECT_EQ(sums, plain_sums);

            std::vector<T> back(rows * columns);
            const Matrix<const T> factor{b.data(), classes, columns, columns};
            multiply<T>(given, factor, {back.data(), rows, columns, columns});
            if (p > 0)
              dropout<T>(back.data(), rows * columns, p, test.x.seed, test.x.step, back.data());
            std::vector<std::vector<T>> parts;
            std::vector<Matrix<T>> y;
            for (const std::int64_t width : widths) parts.emplace_back(rows * width, T{9});
            for (std::size_t k = 0; k < widths.size(); ++k)
              y.push_back({k == 1 ? nullptr : parts[k].data(), rows, widths[k], widths[k]});
            multiply_into<T>(test.x, given, factor, y);
            std::int64_t begin = 0;
            for (std::size_t k = 0; k < widths.size(); begin += widths[k++])
              for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t c = 0; c < widths[k]; ++c)
                  ASSERT_EQ(parts[k][i * widths[k] + c],
                            k == 1 ? T{9} : back[i * columns + begin + c])
                      << "part " << k << " row " << i << " column " << c;
          }
  });
  omp_set_num_threads(before);
}

TYPED_TEST(JoinedMatrices, MayHaveNoRows) {
  using T = TypeParam;
  Case<T> test(0, {2, 3}, 0.5);
  const std::vector<T> b(5 * 2, T{1});
  std::vector<T> sums(2 * 5, T{9});
  multiply<T>(test.x, {b.data(), 5, 2, 2}, {nullptr, 0, 2, 2});
  multiply_transposed<T>({nullptr, 0, 2, 2}, test.x, {sums.data(), 2, 5, 5});
  EXPECT_EQ(sums, std::vector<T>(2 * 5, T{0}));
  multiply_into<T>(test.x, {nullptr, 0, 2, 2}, {b.data(), 2, 5, 5},
                   {{nullptr, 0, 2, 2}, {nullptr, 0, 3, 3}});
}

TEST(JoinedMatricesErrors, SizesThatDoNotFitAreNamed) {
  Case<float> test(4, {2, 3}, 0);
  std::vector<float> b(6 * 2), c(4 * 2);
  PDEGCN_EXPECT_ERROR(multiply<float>(test.x, {b.data(), 6, 2, 2}, {c.data(), 4, 2, 2}), "4 x 5",
                      "6 x 2");
  PDEGCN_EXPECT_ERROR(multiply_transposed<float>({c.data(), 4, 2, 2}, test.x, {b.data(), 2, 6, 6}),
                      "4 x 2", "4 x 5", "2 x 6");
  const auto give_back = [&](std::vector<Matrix<float>> y) {
    multiply_into<float>(test.x, {c.data(), 4, 2, 2}, {b.data(), 2, 5, 5}, y);
  };
  PDEGCN_EXPECT_ERROR(give_back({{nullptr, 4, 2, 2}}), "for 2 matrices", "into 1");
  PDEGCN_EXPECT_ERROR(give_back({{nullptr, 4, 2, 2}, {b.data(), 4, 2, 2}}), "part 1", "4 x 2",
                      "4 x 3");
  test.x.parts[1].rows = 3;
  PDEGCN_EXPECT_ERROR(multiply<float>(test.x, {b.data(), 5, 2, 2}, {c.data(), 4, 2, 2}), "4", "3",
                      "side by side");
  PDEGCN_EXPECT_ERROR(multiply<float>(Joined<float>{}, {b.data(), 5, 2, 2}, {c.data(), 4, 2, 2}),
                      "no matrices");
}

// A part of many values drops what the whole drops there, wherever it begins and ends.
TYPED_TEST(JoinedMatrices, DropoutOfAPartIsThatOfTheWhole) {
  using T = TypeParam;
  tests::each_target([&] {
    const auto values = tests::random_values<T>(300, 2);
    std::vector<T> whole(300);
    dropout<T>(values.data(), 300, 0.4, 8, 9, whole.data());
    for (const std::int64_t place : {0, 1, 2, 3, 4, 37, 299})
      for (const std::int64_t count : {0, 1, 2, 5, 64, 263}) {
        if (place + count > 300) continue;
        std::vector<T> part(count);
        dropout<T>(values.data() + place, count, 0.4, 8, 9, part.data(), place);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + place))
            << place << " " << count;
      }
  });
}

}  // namespace
}  // namespace pdegcn::kernels
