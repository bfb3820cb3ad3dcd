#include "pdegcn/kernels/classify.h"

#include <algorithm>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/softmax.h"
#include "tiles.h"

namespace pdegcn::kernels {
namespace {

constexpr std::int64_t kBlock = 768;    // rows whose logits exist at a time
constexpr std::int64_t kStrip = 96;     // of those, what one thread takes
constexpr std::int64_t kPanel = 64;     // columns of a factor that lie together in memory
constexpr std::int64_t kDepth = 256;    // and its rows that a strip meets before the next ones
constexpr std::int64_t kClasses = 192;  // whose weights one thread changes at a time

std::int64_t pieces(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

// A matrix cut into panels of kPanel columns, each with its rows one after the other.
class FloatPanels {
 public:
  FloatPanels(std::int64_t rows, std::int64_t cols)
      : rows_(rows), cols_(cols), values_(pieces(cols, kPanel) * rows * kPanel) {}

  std::int64_t count() const { return pieces(cols_, kPanel); }

  // Rows first..last of panel p.
  Matrix<const float> view(std::int64_t p, std::int64_t first, std::int64_t last) const {
    return {values_.data() + (p * rows_ + first) * kPanel, last - first, width(p), kPanel};
  }
  std::int64_t width(std::int64_t p) const { return std::min(kPanel, cols_ - p * kPanel); }

  // Fills panel p: get(row, column) where the matrix is, else 0.
  template <class Get>
  void fill(std::int64_t p, std::int64_t rows, const Get& get) {
    for (std::int64_t r = 0; r < rows; ++r) {
      float* const to = values_.data() + (p * rows_ + r) * kPanel;
      for (std::int64_t c = 0; c < width(p); ++c) to[c] = get(r, p * kPanel + c);
      std::fill(to + width(p), to + kPanel, 0.0f);
    }
  }

 private:
  std::int64_t rows_, cols_;
  Buffer<float> values_;
};

// C += A B, or C = A B, for a strip of rows.
void multiply_strip(Matrix<const float> a, const FloatPanels& b, Matrix<float> c, bool add) {
  for (std::int64_t k = 0; k < a.cols; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, a.cols - k);
    for (std::int64_t p = 0; p < b.count(); ++p) {
      const Matrix<float> to{c.data + p * kPanel, a.rows, b.width(p), c.stride};
      Epilogue<float> epilogue;
      if (add || k > 0) epilogue.X = to.data, epilogue.x = 1;
      product_rows<float>({a.data + k, a.rows, depth, a.stride}, b.view(p, k, k + depth), to, 0,
                          a.rows, epilogue);
    }
  }
}

void check(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
           std::span<RowVerdict> verdicts, bool all) {
  if (x.cols != layer.weight.cols)
    throw Error("rows of {} values for a layer of {} inputs", x.cols, layer.weight.cols);
  if (static_cast<std::int64_t>(labels.size()) != x.rows || verdicts.size() != labels.size())
    throw Error("{} labels and {} verdicts for {} rows", labels.size(), verdicts.size(), x.rows);
  for (const std::int32_t label : labels)
    if (label >= layer.weight.rows || (all && label < 0))
      throw Error("label {} of {} classes", label, layer.weight.rows);
}

// The logits of some rows of x into a strip, which becomes softmax times `scale`, see
// softmax_row().
template <class Panels>
void judge_strip(const Panels& transposed, const float* bias, std::int64_t classes,
                 Matrix<const float> x, const std::int32_t* labels, RowVerdict* verdicts,
                 Matrix<float> strip, float scale) {
  multiply_strip(x, transposed, strip, false);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    float* const row = strip.row(r);
    const float at_label = labels[r] < 0 ? 0 : row[labels[r]] + (bias ? bias[labels[r]] : 0);
    const RowClass found = softmax_row(row, bias, classes, scale);
    verdicts[r] = {labels[r] < 0 ? 0 : found.log_sum - at_label, found.best};
    if (scale != 0) row[labels[r]] -= scale;
  }
}

// Columns first..last of P, transposed to rows of kBlock values, and their sums added to `sums`. A
// few rows at a time, so that what is written lies together.
void transpose_columns(Matrix<const float> p, std::int64_t first, std::int64_t last, float* out,
                       float* sums) {
  constexpr std::int64_t kTogether = 16;
  for (std::int64_t begin = 0; begin < p.rows; begin += kTogether) {
    const std::int64_t end = std::min(begin + kTogether, p.rows);
    for (std::int64_t r = begin; r < end; ++r)
      for (std::int64_t c = first; c < last; ++c) sums[c] += p.row(r)[c];
    for (std::int64_t c = first; c < last; ++c)
      for (std::int64_t r = begin; r < end; ++r) out[(c - first) * kBlock + r] = p.row(r)[c];
  }
}

// With the factors laid out for the vector units, FloatPanels, or for the matrix unit, TilePanels.
template <class Panels>
void run(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
         std::span<RowVerdict> verdicts, const ClassifierGradient* gradient) {
  const std::int64_t classes = layer.weight.rows;
  const std::int64_t inputs = x.cols;
  const std::int64_t wide = pieces(inputs, kPanel) * kPanel;
  const float scale = gradient == nullptr || x.rows == 0 ? 0 : 1.0f / static_cast<float>(x.rows);

  Buffer<float> bias(layer.bias == nullptr ? 0 : padded(classes));
  if (layer.bias != nullptr) {
    std::fill(bias.data(), bias.data() + bias.count(), 0.0f);
    std::copy_n(layer.bias, classes, bias.data());
  }
  const float* const bias_row = layer.bias == nullptr ? nullptr : bias.data();
  const Matrix<float> block{nullptr, kBlock, classes, pieces(classes, kPanel) * kPanel};
  const Buffer<float> block_values(std::min(kBlock, pieces(x.rows, kStrip) * kStrip) *
                                   block.stride);
  Panels transposed(inputs, classes);  // Wᵀ
  Panels weight(gradient ? classes : 0, inputs);
  Panels x_block(gradient ? kBlock : 0, inputs);
  const Buffer<float> x_gradient(gradient ? kBlock * wide : 0);
  const Buffer<float> w_gradient(gradient ? pieces(classes, kClasses) * kClasses * wide : 0);
  const Buffer<float> sums(gradient ? classes : 0);
  std::fill_n(w_gradient.data(), w_gradient.count(), 0.0f);
  std::fill_n(sums.data(), sums.count(), 0.0f);

#pragma omp parallel
  {
    const Buffer<float> columns(gradient ? kClasses * kBlock : 0);
#pragma omp for schedule(dynamic)
    for (std::int64_t p = 0; p < transposed.count(); ++p)
      transposed.fill(p, inputs,
                      [&](std::int64_t k, std::int64_t c) { return layer.weight.row(c)[k]; });
    if (gradient != nullptr) {
#pragma omp for schedule(dynamic)
      for (std::int64_t p = 0; p < weight.count(); ++p)
        weight.fill(p, classes,
                    [&](std::int64_t c, std::int64_t k) { return layer.weight.row(c)[k]; });
    }
    for (std::int64_t first = 0; first < x.rows; first += kBlock) {
      const std::int64_t rows = std::min(kBlock, x.rows - first);
      const Matrix<float> logits{block_values.data(), rows, classes, block.stride};
#pragma omp for schedule(dynamic)
      for (std::int64_t s = 0; s < pieces(rows, kStrip); ++s) {
        const std::int64_t at = s * kStrip;
        const std::int64_t count = std::min(kStrip, rows - at);
        const Matrix<float> strip{logits.row(at), count, classes, block.stride};
        judge_strip(transposed, bias_row, classes, {x.row(first + at), count, inputs, x.stride},
                    labels.data() + first + at, verdicts.data() + first + at, strip, scale);
        if (gradient == nullptr) continue;
        multiply_strip(strip, weight, {x_gradient.data() + at * wide, count, inputs, wide}, false);
        for (std::int64_t r = 0; r < count; ++r)
          std::copy_n(x_gradient.data() + (at + r) * wide, inputs, gradient->x.row(first + at + r));
      }
      if (gradient == nullptr) continue;
#pragma omp for schedule(dynamic)
      for (std::int64_t p = 0; p < x_block.count(); ++p)
        x_block.fill(p, rows, [&](std::int64_t r, std::int64_t k) { return x.row(first + r)[k]; });
        // Pᵀ X, added to what the blocks before gave.
#pragma omp for schedule(dynamic)
      for (std::int64_t s = 0; s < pieces(classes, kClasses); ++s) {
        const std::int64_t c = s * kClasses;
        const std::int64_t count = std::min(kClasses, classes - c);
        transpose_columns(logits, c, c + count, columns.data(), sums.data());
        multiply_strip({columns.data(), count, rows, kBlock}, x_block,
                       {w_gradient.data() + c * wide, count, inputs, wide}, true);
      }
    }
  }
  if (gradient == nullptr) return;
  for (std::int64_t c = 0; c < classes; ++c)
    std::copy_n(w_gradient.data() + c * wide, inputs, gradient->weight.row(c));
  if (gradient->bias != nullptr) std::copy_n(sums.data(), classes, gradient->bias);
}

void run_on_target(const Classifier& layer, Matrix<const float> x,
                   std::span<const std::int32_t> labels, std::span<RowVerdict> verdicts,
                   const ClassifierGradient* gradient) {
  (tiles_in_use() ? run<TilePanels> : run<FloatPanels>)(layer, x, labels, verdicts, gradient);
}

}  // namespace

void classify(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
              std::span<RowVerdict> verdicts) {
  check(layer, x, labels, verdicts, false);
  run_on_target(layer, x, labels, verdicts, nullptr);
}

void classify(const Classifier& layer, Matrix<const float> x, std::span<const std::int32_t> labels,
              std::span<RowVerdict> verdicts, const ClassifierGradient& gradient) {
  check(layer, x, labels, verdicts, true);
  if (gradient.x.rows != x.rows || gradient.x.cols != x.cols ||
      gradient.weight.rows != layer.weight.rows || gradient.weight.cols != layer.weight.cols)
    throw Error("gradients of {} x {} and {} x {} for a layer of {} x {} on {} rows",
                gradient.x.rows, gradient.x.cols, gradient.weight.rows, gradient.weight.cols,
                layer.weight.rows, layer.weight.cols, x.rows);
  run_on_target(layer, x, labels, verdicts, &gradient);
}

}  // namespace pdegcn::kernels
