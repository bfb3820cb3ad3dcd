#include "pdegcn/nn/linear.h"

#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {
namespace {

// Forward and backward, to the bit; one part has no gradient.
TEST(JoinedProduct, IsTheProductOfWhatStandsSideBySide) {
  for (const auto type : {torch::kFloat32, torch::kFloat64})
    for (const double p : {0.0, 0.4}) {
      const std::vector<torch::Tensor> parts{normal({30, 7}, 1, type).requires_grad_(),
                                             normal({30, 16}, 2, type),
                                             normal({30, 3}, 3, type).requires_grad_()};
      const auto weight = normal({5, 26}, 4, type).requires_grad_();
      const auto given = normal({30, 5}, 5, type);
      const nn::Draw draw{6, 7};
      const auto ours = nn::joined_product(parts, weight, p, draw, 8);
      const auto plain = nn::product(nn::dropout(torch::cat(parts, 1), p, draw, 8), weight);
      EXPECT_TRUE(torch::equal(ours, plain));
      const std::vector<torch::Tensor> variables{parts[0], parts[2], weight};
      const auto a = torch::autograd::grad({(ours * given).sum()}, variables);
      const auto b = torch::autograd::grad({(plain * given).sum()}, variables);
      for (std::size_t k = 0; k < variables.size(); ++k) EXPECT_TRUE(torch::equal(a[k], b[k])) << k;
    }
}

TEST(JoinedProduct, OfOneIsItsProduct) {
  const auto x = normal({40, 16}, 1, torch::kFloat32).requires_grad_();
  const auto weight = normal({5, 16}, 2, torch::kFloat32).requires_grad_();
  const nn::Draw draw{3, 4};
  const auto ours = nn::joined_product({x}, weight, 0.4, draw, 5);
  const auto plain = nn::product(nn::dropout(x, 0.4, draw, 5), weight);
  EXPECT_TRUE(torch::equal(ours, plain));
  const auto a = torch::autograd::grad({ours.square().sum()}, {x, weight});
  const auto b = torch::autograd::grad({plain.square().sum()}, {x, weight});
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(torch::equal(a[k], b[k])) << k;
}

TEST(JoinedProduct, WhatDoesNotFitIsAnError) {
  const auto x = normal({4, 3}, 1);
  const auto join = [](const std::vector<torch::Tensor>& parts, double p) {
    return nn::joined_product(parts, normal({2, 6}, 2), p, {}, 1);
  };
  PDEGCN_EXPECT_ERROR(join({}, 0), "nothing");
  PDEGCN_EXPECT_ERROR(join({x, x.reshape({4, 3, 1})}, 0), "matrices");
  PDEGCN_EXPECT_ERROR(join({x, x.to(torch::kFloat32)}, 0), "one type");
  PDEGCN_EXPECT_ERROR(join({x, x.slice(0, 1)}, 0), "side by side");
  PDEGCN_EXPECT_ERROR(join({x, x, x}, 0), "4 x 9", "6 x 2");
  PDEGCN_EXPECT_ERROR(join({x, x}, 1), "dropout");
}

}  // namespace
}  // namespace pdegcn::tests
