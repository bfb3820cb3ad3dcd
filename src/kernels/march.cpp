#include "pdegcn/kernels/march.h"

#include <omp.h>

#include <algorithm>

#include "pdegcn/kernels/product.h"

namespace pdegcn::kernels {
namespace {

// Rows that go through a layer together: enough to fill the tiles of the products, few enough to
// stay in the cache from one operation to the next.
constexpr std::int64_t kStrip = 48;

template <class T>
double dot(const Matrix<T>& x, const Matrix<T>& y) {
  double sum = 0;
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t k = 0; k < x.cols; ++k)
      sum += static_cast<double>(x.row(i)[k]) * static_cast<double>(y.row(i)[k]);
  return sum;
}

// next = scale y K + the rest of the step, or without the K.
template <class T>
void step_rows(bool with_weight, Matrix<const T> y, Matrix<const T> K, Matrix<T> next,
               const Epilogue<T>& rest) {
  if (with_weight) return product_rows<T>(y, K, next, 0, y.rows, rest);
  for (std::int64_t i = 0; i < y.rows; ++i)
    for (std::int64_t k = 0; k < y.stride; ++k) {
      const std::int64_t at = i * next.stride + k;
      T value = rest.scale * y.row(i)[k] + rest.x * rest.X[at];
      if (rest.Z != nullptr) value += rest.z * rest.Z[at];
      next.data[at] = value;
    }
}

// Rows first..last of a matrix.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, std::int64_t first, std::int64_t last) {
  return {m.row(first), last - first, m.cols, m.stride};
}

}  // namespace

template <class T>
March<T>::March(MarchProblem<T> problem)
    : p_(std::move(problem)),
      n_(p_.graph->num_nodes()),
      c_(p_.channels),
      stride_(padded(c_)),
      second_order_(std::any_of(p_.steps.begin(), p_.steps.end(),
                                [](const StepCoefficients& s) { return s.b != 0; })),
      entry_gamma_(p_.graph->neighbors().size()),
      weights_(4 * c_ * stride_),
      threads_(omp_get_max_threads()),
      strips_(2 * threads_ * kStrip * stride_),
      pieces_(2 * static_cast<std::int64_t>(p_.plan->pieces.size()) * stride_) {
  const auto ids = p_.graph->edge_ids();
  const auto entries = static_cast<std::int64_t>(ids.size());
#pragma omp parallel for
  for (std::int64_t k = 0; k < entries; ++k) entry_gamma_[k] = p_.gamma[ids[k]];
}

// State l. Without keep a first-order step overwrites its state (only products are read by
// neighbours), and a second-order one the state before it.
template <class T>
Matrix<T> March<T>::f(std::int64_t l) const {
  const std::int64_t slot = keep_ ? l : second_order_ ? l % 2 : 0;
  return {f_.data() + slot * n_ * stride_, n_, c_, stride_};
}

template <class T>
Matrix<T> March<T>::g(std::int64_t l) const {
  return {g_.data() + (keep_ ? l : l % 2) * n_ * stride_, n_, c_, stride_};
}

template <class T>
Matrix<T> March<T>::weight(std::int64_t l) const {
  return {weights_.data() + l % 2 * c_ * stride_, c_, c_, stride_};
}

template <class T>
Matrix<T> March<T>::transposed(std::int64_t l) const {
  return {weights_.data() + (2 + l % 2) * c_ * stride_, c_, c_, stride_};
}

// Lays out K of layer `straight` and Kᵀ of layer `turned` (where there are such layers) for later
// passes; called by all threads, which share the rows and do not wait.
template <class T>
void March<T>::prepare_weights(std::int64_t straight, std::int64_t turned) {
  if (straight >= 0 && straight < layers()) {
    const Matrix<const T> K{p_.K[straight], c_, c_, c_};
#pragma omp for nowait
    for (std::int64_t i = 0; i < c_; ++i) copy_rows<T>(K, weight(straight), i, i + 1);
  }
  if (turned >= 0 && turned < layers()) {
    const T* K = p_.K[turned];
#pragma omp for nowait
    for (std::int64_t i = 0; i < c_; ++i) {
      T* to = transposed(turned).row(i);
      for (std::int64_t k = 0; k < c_; ++k) to[k] = K[k * c_ + i];
      std::fill(to + c_, to + stride_, T{0});
    }
  }
}

template <class T>
EdgePass<T> March<T>::edge_pass(std::int64_t l) const {
  EdgePass<T> pass;
  pass.rows = {p_.graph->offsets().data(), p_.graph->neighbors().data(),
               p_.graph->edge_ids().data(), entry_gamma_.data()};
  pass.activation = p_.activation;
  pass.dropout = p_.dropout;
  pass.dropout.layer = static_cast<std::uint32_t>(l);
  pass.g = g(l);
  return pass;
}

// Fills the rows of a strip that the edge pass left out for their length, from the sums of their
// pieces; each piece has `fields` rows in pieces_: y, then ḡ.
template <class T>
void March<T>::sum_pieces(std::int64_t first, std::int64_t last, int fields, Matrix<T> y,
                          Matrix<T> g_bar) const {
  const auto& pieces = p_.plan->pieces;
  const auto count = static_cast<std::int64_t>(pieces.size());
  for (std::int64_t k = p_.plan->first_piece(static_cast<NodeId>(first));
       k < count && pieces[k].row < last; ++k) {
    const bool begins = k == 0 || pieces[k - 1].row != pieces[k].row;
    for (int field = 0; field < fields; ++field) {
      T* to = (field == 0 ? y : g_bar).row(pieces[k].row - first);
      const T* from = pieces_.data() + (k * fields + field) * stride_;
      for (std::int64_t at = 0; at < stride_; ++at) to[at] = begins ? from[at] : to[at] + from[at];
    }
  }
}

template <class T>
void March<T>::forward(const T* f0, T* last, bool keep) {
  keep_ = keep;
  const std::int64_t depth = layers();
  f_ = Buffer<T>((keep ? depth + 1 : second_order_ ? 2 : 1) * n_ * stride_);
  g_ = Buffer<T>((keep ? depth : 2) * n_ * stride_);
  const auto parts = p_.plan->parts();
  const auto& begin = p_.plan->part_begin;
  const auto pieces = static_cast<std::int64_t>(p_.plan->pieces.size());
  const Matrix<const T> input{f0, n_, c_, c_};
  const Matrix<T> output{last, n_, c_, c_};

#pragma omp parallel num_threads(threads_)
  {
    T* buffer = strips_.data() + 2 * omp_get_thread_num() * kStrip * stride_;
    prepare_weights(0, 0);
    prepare_weights(-1, 1);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t i = begin[part]; i < begin[part + 1]; i += kStrip) {
        const std::int64_t end = std::min(i + kStrip, begin[part + 1]);
        copy_rows<T>(input, f(0), i, end);
        product_rows<T>(f(0), transposed(0), g(0), i, end);
      }

    for (std::int64_t l = 0; l < depth; ++l) {
      const StepCoefficients step = p_.steps[l];
      const EdgePass<T> pass = edge_pass(l);
      prepare_weights(l + 1, l + 2);
      if (pieces > 0) {
#pragma omp for schedule(dynamic)
        for (std::int64_t k = 0; k < pieces; ++k) {
          const auto& piece = p_.plan->pieces[k];
          edge_flux_entries<T>(pass, piece.row, piece.first, piece.last,
                               pieces_.data() + k * stride_);
        }
      }
#pragma omp for schedule(dynamic)
      for (std::int64_t part = 0; part < parts; ++part)
        for (std::int64_t i = begin[part]; i < begin[part + 1]; i += kStrip) {
          const std::int64_t end = std::min(i + kStrip, begin[part + 1]);
          const Matrix<T> y{buffer, end - i, c_, stride_};
          edge_flux_rows<T>(pass, i, end, RowPlan::longest, y);
          if (pieces > 0) sum_pieces(i, end, 1, y, {});
          const Matrix<T> next = rows_of(f(l + 1), i, end);
          Epilogue<T> rest{static_cast<T>(step.s), static_cast<T>(step.a), f(l).row(i), 0, nullptr};
          if (step.b != 0) {
            rest.z = static_cast<T>(step.b);
            rest.Z = f(std::max<std::int64_t>(l - 1, 0)).row(i);
          }
          step_rows<T>(p_.symmetric, y, weight(l), next, rest);
          if (l + 1 < depth) product_rows<T>(f(l + 1), transposed(l + 1), g(l + 1), i, end);
        }
    }

#pragma omp for
    for (std::int64_t i = 0; i < n_; ++i) std::copy_n(f(depth).row(i), c_, output.row(i));
  }
}

template <class T>
void March<T>::state(std::int64_t l, T* out) const {
  for (std::int64_t i = 0; i < n_; ++i) std::copy_n(f(l).row(i), c_, out + i * c_);
}

template <class T>
void March<T>::backward(const T* last_bar, const T* states_bar,
                        const MarchGradients<T>& gradients) {
  const std::int64_t depth = layers();
  const auto parts = p_.plan->parts();
  const auto& begin = p_.plan->part_begin;
  const auto pieces = static_cast<std::int64_t>(p_.plan->pieces.size());
  const bool want_K = !gradients.K.empty();

  // The adjoints of two neighbouring states (of one, for first-order steps, as in forward), and of
  // y.
  const Buffer<T> state_adjoints((second_order_ ? 2 : 1) * n_ * stride_);
  const Buffer<T> flux_adjoints(2 * n_ * stride_);
  const auto f_bar = [&](std::int64_t l) {
    const std::int64_t slot = second_order_ ? l % 2 : 0;
    return Matrix<T>{state_adjoints.data() + slot * n_ * stride_, n_, c_, stride_};
  };
  const auto y_bar = [&](std::int64_t l) {
    return Matrix<T>{flux_adjoints.data() + l % 2 * n_ * stride_, n_, c_, stride_};
  };
  const auto add_given = [&](std::int64_t l, std::int64_t first, std::int64_t last) {
    if (states_bar == nullptr) return;
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t k = 0; k < c_; ++k) f_bar(l).row(i)[k] += states_bar[(l * n_ + i) * c_ + k];
  };

  // What each part adds to the gradient of K, of this layer and of the last one, which is being
  // added up at the same time; and to the gradients of the coefficients.
  const Buffer<T> K_sums(want_K ? 2 * parts * c_ * stride_ : 0);
  const auto K_sum = [&](std::int64_t l, std::int64_t part) {
    return Matrix<T>{K_sums.data() + (l % 2 * parts + part) * c_ * stride_, c_, c_, stride_};
  };
  std::vector<StepCoefficients> step_sums(gradients.steps != nullptr ? depth * parts : 0);

  const auto add_K = [&](std::int64_t l) {
    const T scale = static_cast<T>(p_.steps[l].s);
#pragma omp for nowait
    for (std::int64_t i = 0; i < c_; ++i)
      for (std::int64_t k = 0; k < c_; ++k) {
        T sum = 0;
        for (std::int64_t part = 0; part < parts; ++part) sum += K_sum(l, part).row(i)[k];
        gradients.K[l][i * c_ + k] += scale * sum;
      }
  };
  // ȳ of the layer below a state: its adjoint times Kᵀ.
  const auto turn = [&](std::int64_t l, std::int64_t first, std::int64_t last) {
    if (p_.symmetric)
      product_rows<T>(f_bar(l + 1), transposed(l), y_bar(l), first, last);
    else
      copy_rows<T>(f_bar(l + 1), y_bar(l), first, last);
  };

#pragma omp parallel num_threads(threads_)
  {
    T* buffer = strips_.data() + 2 * omp_get_thread_num() * kStrip * stride_;
    prepare_weights(depth - 1, depth - 1);
    prepare_weights(-1, depth - 2);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < parts; ++part) {
      copy_rows<T>({last_bar, n_, c_, c_}, f_bar(depth), begin[part], begin[part + 1]);
      add_given(depth, begin[part], begin[part + 1]);
      turn(depth - 1, begin[part], begin[part + 1]);
    }

    for (std::int64_t l = depth - 1; l >= 0; --l) {
      const StepCoefficients step = p_.steps[l];
      EdgePass<T> pass = edge_pass(l);
      pass.y_bar = y_bar(l);
      pass.gamma_grad = gradients.gamma;
      pass.gamma_scale = static_cast<T>(step.s);
      prepare_weights(l - 1, l - 2);
      if (want_K && l + 1 < depth) add_K(l + 1);
      if (pieces > 0) {
#pragma omp for schedule(dynamic)
        for (std::int64_t k = 0; k < pieces; ++k) {
          const auto& piece = p_.plan->pieces[k];
          T* sums = pieces_.data() + 2 * k * stride_;
          edge_flux_entries<T>(pass, piece.row, piece.first, piece.last, sums, sums + stride_);
        }
      }
#pragma omp for schedule(dynamic)
      for (std::int64_t part = 0; part < parts; ++part) {
        if (want_K) std::fill_n(K_sum(l, part).data, c_ * stride_, T{0});
        for (std::int64_t i = begin[part]; i < begin[part + 1]; i += kStrip) {
          const std::int64_t end = std::min(i + kStrip, begin[part + 1]);
          const Matrix<T> y{buffer, end - i, c_, stride_};
          const Matrix<T> g_bar{buffer + kStrip * stride_, end - i, c_, stride_};
          edge_flux_rows<T>(pass, i, end, RowPlan::longest, y, g_bar);
          if (pieces > 0) sum_pieces(i, end, 2, y, g_bar);

          const Matrix<T> above = rows_of(f_bar(l + 1), i, end);
          if (want_K) {
            if (p_.symmetric) gram_rows<T>(y, above, K_sum(l, part), 0, end - i);
            gram_rows<T>(g_bar, rows_of(f(l), i, end), K_sum(l, part), 0, end - i);
          }
          if (gradients.steps != nullptr) {
            StepCoefficients& sum = step_sums[l * parts + part];
            sum.a += dot(above, rows_of(f(l), i, end));
            sum.b += dot(above, rows_of(f(std::max<std::int64_t>(l - 1, 0)), i, end));
            sum.s += dot(y, rows_of(y_bar(l), i, end));
          }
          // f^l enters f^{l+1} through a and r, f^{l+2} through b, and f^0 stands in for f^{-1}.
          Epilogue<T> rest{static_cast<T>(step.s), static_cast<T>(step.a + (l == 0 ? step.b : 0)),
                           above.data, 0, nullptr};
          if (l + 1 < depth && p_.steps[l + 1].b != 0) {
            rest.z = static_cast<T>(p_.steps[l + 1].b);
            rest.Z = f_bar(l + 2).row(i);
          }
          product_rows<T>(g_bar, weight(l), rows_of(f_bar(l), i, end), 0, end - i, rest);
          add_given(l, i, end);
          if (l > 0) turn(l - 1, i, end);
        }
      }
    }
    if (want_K) add_K(0);
    if (gradients.f0 != nullptr) {
#pragma omp for
      for (std::int64_t i = 0; i < n_; ++i)
        for (std::int64_t k = 0; k < c_; ++k) gradients.f0[i * c_ + k] += f_bar(0).row(i)[k];
    }
  }

  if (gradients.steps == nullptr) return;
  gradients.steps->resize(depth);
  for (std::int64_t at = 0; at < depth * parts; ++at) {
    StepCoefficients& sum = (*gradients.steps)[at / parts];
    sum.a += step_sums[at].a;
    sum.b += step_sums[at].b;
    sum.s += step_sums[at].s;
  }
}

template class March<float>;
template class March<double>;

}  // namespace pdegcn::kernels
