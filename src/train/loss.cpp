#include "pdegcn/train/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pdegcn/data/dataset.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::train {
namespace {

// What one row adds to the outcome, kept apart so that threads can fill them in any order.
struct RowOutcome {
  double loss = 0;
  std::int64_t hits = 0;
  std::int64_t said = 0;
  std::int64_t truth = 0;
};

std::int64_t argmax(const float* x, std::int64_t columns) {
  return std::max_element(x, x + columns) - x;
}

// -log softmax(x)[label]; the gradient is scale (softmax(x) - [label]).
RowOutcome cross_entropy(const float* x, std::int64_t columns, std::int32_t label, float scale,
                         float* gradient) {
  const std::int64_t top = argmax(x, columns);
  double sum = 0;
  for (std::int64_t k = 0; k < columns; ++k) {
    const float e = std::exp(x[k] - x[top]);
    sum += e;
    if (gradient != nullptr) gradient[k] = e;
  }
  if (gradient != nullptr) {
    const float factor = static_cast<float>(scale / sum);
    for (std::int64_t k = 0; k < columns; ++k) gradient[k] *= factor;
    gradient[label] -= scale;
  }
  return {std::log(sum) - (static_cast<double>(x[label]) - x[top]), top == label, 0, 0};
}

// Σ_k of the binary cross-entropy of sigmoid(x_k); the gradient is scale (sigmoid(x) - y).
RowOutcome binary(const float* x, std::int64_t columns, const std::uint8_t* y, float scale,
                  float* gradient) {
  RowOutcome row;
  for (std::int64_t k = 0; k < columns; ++k) {
    const float e = std::exp(-std::abs(x[k]));  // never overflows
    row.loss += std::max<float>(x[k], 0) - x[k] * y[k] + std::log1p(e);
    if (gradient != nullptr)
      gradient[k] = scale * ((x[k] >= 0 ? 1 / (1 + e) : e / (1 + e)) - static_cast<float>(y[k]));
    const bool said = x[k] > 0;
    row.said += said;
    row.truth += y[k];
    row.hits += said && y[k] != 0;
  }
  return row;
}

}  // namespace

double Outcome::loss() const {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : loss_sum / static_cast<double>(count);
}

double Outcome::score() const {
  // Multi-label: F1 = 2 TP / (2 TP + FP + FN), and the sum is said + truth.
  const std::int64_t of = said + truth > 0 ? said + truth : count;
  const std::int64_t right = said + truth > 0 ? 2 * hits : hits;
  return of == 0 ? std::numeric_limits<double>::quiet_NaN()
                 : static_cast<double>(right) / static_cast<double>(of);
}

void Outcome::add(const Outcome& other) {
  loss_sum += other.loss_sum;
  count += other.count;
  hits += other.hits;
  said += other.said;
  truth += other.truth;
}

Outcome judge(std::span<const float> logits, std::int64_t columns, const Answers& answers,
              float* gradient) {
  const auto rows = static_cast<std::int64_t>(answers.rows.size());
  const std::int64_t outputs = static_cast<std::int64_t>(logits.size()) / columns;
  const bool multi = !answers.multi.empty();
  Outcome total;
  for (std::int64_t k = 0; k < rows; ++k) {
    if (answers.rows[k] < 0 || answers.rows[k] >= outputs)
      throw Error("row {} of an output of {} rows", answers.rows[k], outputs);
    if (!multi && answers.labels[k] >= columns)
      throw Error("label {} of an output of {} columns", answers.labels[k], columns);
    total.count += multi ? columns : answers.labels[k] != data::kUnlabelled;
  }
  const auto scale =
      static_cast<float>(1.0 / static_cast<double>(std::max<std::int64_t>(total.count, 1)));

  std::vector<RowOutcome> outcomes(rows);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < rows; ++k) {
    const float* const x = logits.data() + answers.rows[k] * columns;
    float* const g = gradient == nullptr ? nullptr : gradient + answers.rows[k] * columns;
    if (multi)
      outcomes[k] = binary(x, columns, answers.multi.data() + k * columns, scale, g);
    else if (answers.labels[k] != data::kUnlabelled)
      outcomes[k] = cross_entropy(x, columns, answers.labels[k], scale, g);
  }
  for (const RowOutcome& row : outcomes) {
    total.loss_sum += row.loss;
    total.hits += row.hits;
    total.said += row.said;
    total.truth += row.truth;
  }
  return total;
}

std::vector<std::int64_t> best_columns(std::span<const float> logits, std::int64_t columns) {
  std::vector<std::int64_t> best(logits.size() / columns);
  for (std::size_t i = 0; i < best.size(); ++i)
    best[i] = argmax(logits.data() + i * columns, columns);
  return best;
}

}  // namespace pdegcn::train
