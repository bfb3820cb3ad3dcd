#include "pdegcn/nn/classification.h"

#include "pdegcn/graph/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/tensors.h"

namespace pdegcn::tests {
namespace {

// The plain path: all logits, and libtorch's own loss.
TEST(Classification, LearnsAsThePlainPathDoes) {
  for (const bool unlabelled : {false, true}) {
    nn::Linear layer(20, 300, true), plain(20, 300, true);
    const torch::NoGradGuard no_grad;
    layer->bias.copy_(normal({300}, 4, torch::kFloat32));
    plain->weight.copy_(layer->weight);
    plain->bias.copy_(layer->bias);
    const torch::AutoGradMode grad(true);
    std::vector<std::int32_t> labels;
    for (int k = 0; k < 500; ++k) labels.push_back(unlabelled && k % 3 == 0 ? -1 : (7 * k) % 300);
    const auto u = normal({500, 20}, 1, torch::kFloat32);
    const auto a = u.clone().requires_grad_(), b = u.clone().requires_grad_();
    const auto wide = torch::tensor(std::vector<std::int64_t>(labels.begin(), labels.end()));
    const auto logits = plain->forward(torch::tanh(b));
    const auto loss = torch::nn::functional::cross_entropy(
        logits, wide, torch::nn::functional::CrossEntropyFuncOptions().ignore_index(-1));
    loss.backward();

    const auto verdicts = nn::classify_and_learn(torch::tanh(a), layer, labels);
    EXPECT_LT(distance(a.grad(), b.grad()), 1e-6);
    EXPECT_LT(distance(layer->weight.grad(), plain->weight.grad()), 1e-6);
    EXPECT_LT(distance(layer->bias.grad(), plain->bias.grad()), 1e-6);
    double sum = 0;
    std::int64_t count = 0;
    const auto best = logits.argmax(1);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] < 0) continue;
      sum += verdicts[k].loss;
      ++count;
      EXPECT_EQ(verdicts[k].best, best[k].item<std::int64_t>());
    }
    EXPECT_NEAR(sum / static_cast<double>(count), loss.item<double>(), 1e-5);
    // Without the way back every row is looked at.
    const auto told = nn::classify(torch::tanh(a), layer, labels);
    for (std::size_t k = 0; k < labels.size(); ++k)
      EXPECT_EQ(told[k].best, best[k].item<std::int64_t>());
    // Gradients add up.
    nn::classify_and_learn(torch::tanh(a), layer, labels);
    EXPECT_LT(distance(layer->weight.grad(), 2 * plain->weight.grad()), 1e-6);
  }
}

TEST(Classification, RefusesWhatItCannotTake) {
  nn::Linear layer(4, 9);
  const std::vector<std::int32_t> labels{0, 1};
  PDEGCN_EXPECT_ERROR(nn::classify(normal({2, 4}, 1), layer, labels), "floats on the CPU");
  PDEGCN_EXPECT_ERROR(nn::classify_and_learn(normal({3, 4}, 1, torch::kFloat32), layer, labels),
                      "2 labels for 3 rows");
}

}  // namespace
}  // namespace pdegcn::tests
