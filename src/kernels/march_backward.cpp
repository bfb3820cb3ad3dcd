#include <omp.h>

#include <algorithm>

#include "march_rows.h"
#include "pdegcn/kernels/dot.h"
#include "pdegcn/kernels/march.h"

namespace pdegcn::kernels {
namespace {

template <class T>
void add_row(const T* row, T* sum, std::int64_t columns) {
#pragma omp simd
  for (std::int64_t k = 0; k < columns; ++k) sum[k] += row[k];
}

}  // namespace

// What a backward march works on.
template <class T>
struct March<T>::Adjoint {
  Adjoint(March& m, const T* given, const MarchGradients<T>& wanted)
      : march(m),
        states_bar(given),
        gradients(wanted),
        parts(m.p_.plan->parts()),
        arrays(m.p_.workspace, {(m.second_order_ ? 2 : 1) * m.n_ * m.stride_, 2 * m.n_ * m.stride_,
                                wanted.K.empty() ? 0 : 2 * parts * m.c_ * m.stride_}),
        step_sums(wanted.steps != nullptr ? m.layers() * parts : 0) {}

  // The adjoints of two neighbouring states (of one, for first-order steps, as in forward) and of
  // y.
  Matrix<T> f(std::int64_t l) const {
    return march.field(arrays[0], march.second_order_ ? l % 2 : 0);
  }
  Matrix<T> y(std::int64_t l) const { return march.field(arrays[1], l % 2); }

  // What a part adds to the gradient of K: of this layer, and of the last one, which is being added
  // up at the same time.
  Matrix<T> K_sum(std::int64_t l, std::int64_t part) const {
    const std::int64_t c = march.c_, stride = march.stride_;
    return {arrays[2] + (l % 2 * parts + part) * c * stride, c, c, stride};
  }

  // Adds up the parts of ∂K of a layer; called by all threads, which do not wait.
  void add_K(std::int64_t l) {
    const std::int64_t c = march.c_;
    const T scale = static_cast<T>(march.p_.steps[l].s);
#pragma omp for nowait
    for (std::int64_t i = 0; i < c; ++i) {
      T* const sum = K_sum(l, 0).row(i);
      for (std::int64_t part = 1; part < parts; ++part) {
        add_row(K_sum(l, part).row(i), sum, c);
      }
      T* const out = gradients.K[l] + i * c;
#pragma omp simd
      for (std::int64_t k = 0; k < c; ++k) out[k] += scale * sum[k];
    }
  }

  // Adds the gradient that was given for state l itself.
  void add_given(std::int64_t l, std::int64_t first, std::int64_t last) const {
    if (states_bar == nullptr) return;
    const std::int64_t c = march.c_;
    for (std::int64_t i = first; i < last; ++i)
      add_row(states_bar + (l * march.n_ + march.outside(i)) * c, f(l).row(i), c);
  }

  // ȳ of layer l: the adjoint of the state above it times Kᵀ.
  void turn(std::int64_t l, std::int64_t first, std::int64_t last) const {
    if (march.p_.symmetric)
      product_strip<T>(rows_of(f(l + 1), first, last), march.transposed(l),
                       rows_of(y(l), first, last));
    else
      copy_rows<T>(f(l + 1), y(l), first, last);
  }

  March& march;
  const T* states_bar;
  const MarchGradients<T>& gradients;
  std::int64_t parts;
  Arrays<T> arrays;                         // adjoints of states, of fluxes, and the sums of ∂K
  std::vector<StepCoefficients> step_sums;  // per layer and part
};

// The wave one step back: f^{l-1} = 2 f^l - f^{l+1} + s r_l, in place of f^{l+1}, and its product
// for the neighbours. On the grid all sums are exact, so that these are the very bits of the way
// there.
template <class T>
void March<T>::reverse_rows(std::int64_t l, std::int64_t i, std::int64_t end, Matrix<T> y) {
  Epilogue<T> rest;
  rest.scale = static_cast<T>(p_.steps[l].s);
  rest.x = 2;
  rest.X = f(l).row(i);
  rest.z = -1;
  rest.Z = f(l + 1).row(i);
  rest.grid = static_cast<T>(plan_.grid);
  const Matrix<T> before = rows_of(f(l + 1), i, end);  // the slot of f^{l-1}
  step_rows<T>(p_.symmetric, y, weight(l), before, rest);
  if (l > 0) next_product(l - 1, i, end);
}

// The layers last - 1 down to first, whose states are held (or are being recovered).
template <class T>
void March<T>::retreat(std::int64_t first, std::int64_t last, Adjoint& adjoint) {
  const auto& begin = p_.plan->part_begin;
  const auto pieces = static_cast<std::int64_t>(p_.plan->pieces.size());
  const MarchGradients<T>& wanted = adjoint.gradients;
  const bool want_K = !wanted.K.empty();

#pragma omp parallel num_threads(threads_)
  {
    T* buffer = arrays_[kStrips] + 2 * omp_get_thread_num() * strip_ * stride_;
    prepare_weights(last - 1, last - 2);
#pragma omp barrier
    for (std::int64_t l = last - 1; l >= first; --l) {
      const StepCoefficients step = p_.steps[l];
      EdgePass<T> pass = edge_pass(l);
      pass.y_bar = adjoint.y(l);
      pass.gamma_grad = wanted.gamma;
      pass.gamma_scale = static_cast<T>(step.s);
      prepare_weights(l - 1, l - 2);
      if (want_K && l + 1 < layers()) adjoint.add_K(l + 1);
      if (pieces > 0) {
#pragma omp for schedule(dynamic)
        for (std::int64_t k = 0; k < pieces; ++k) {
          const auto& piece = p_.plan->pieces[k];
          T* sums = arrays_[kPieces] + 2 * k * stride_;
          edge_flux_entries<T>(pass, piece.row, piece.first, piece.last, sums, sums + stride_);
        }
      }
#pragma omp for schedule(dynamic)
      for (std::int64_t part = 0; part < adjoint.parts; ++part) {
        if (want_K) std::fill_n(adjoint.K_sum(l, part).data, c_ * stride_, T{0});
        for (std::int64_t i = begin[part]; i < begin[part + 1]; i += strip_) {
          const std::int64_t end = std::min(i + strip_, begin[part + 1]);
          const Matrix<T> y{buffer, end - i, c_, stride_};
          const Matrix<T> g_bar{buffer + strip_ * stride_, end - i, c_, stride_};
          edge_flux_rows<T>(pass, i, end, RowPlan::longest, y, g_bar);
          if (pieces > 0) sum_pieces(i, end, 2, y, g_bar);
          if (plan_.memory == Memory::reverse) reverse_rows(l, i, end, y);

          const Matrix<T> above = rows_of(adjoint.f(l + 1), i, end);
          if (want_K) {
            if (p_.symmetric) gram_strip<T>(tiles_, y, above, adjoint.K_sum(l, part));
            gram_strip<T>(tiles_, g_bar, rows_of(f(l), i, end), adjoint.K_sum(l, part));
          }
          if (wanted.steps != nullptr) {
            StepCoefficients& sum = adjoint.step_sums[l * adjoint.parts + part];
            sum.a += dot<T>(above, rows_of(f(l), i, end));
            sum.b += dot<T>(above, rows_of(f(std::max<std::int64_t>(l - 1, 0)), i, end));
            sum.s += dot<T>(y, rows_of(adjoint.y(l), i, end));
          }
          // f^l enters f^{l+1} through a and r, f^{l+2} through b, and f^0 stands in for f^{-1}.
          Epilogue<T> rest;
          rest.scale = static_cast<T>(step.s);
          rest.x = static_cast<T>(step.a + (l == 0 ? step.b : 0));
          rest.X = above.data;
          if (l + 1 < layers() && p_.steps[l + 1].b != 0) {
            rest.z = static_cast<T>(p_.steps[l + 1].b);
            rest.Z = adjoint.f(l + 2).row(i);
          }
          product_strip<T>(g_bar, weight(l), rows_of(adjoint.f(l), i, end), rest);
          adjoint.add_given(l, i, end);
          if (l > 0) adjoint.turn(l - 1, i, end);
        }
      }
    }
  }
}

template <class T>
void March<T>::backward(const T* last_bar, const T* states_bar,
                        const MarchGradients<T>& gradients) {
  const std::int64_t depth = layers();
  const auto& begin = p_.plan->part_begin;
  Adjoint adjoint(*this, states_bar, gradients);
  // A second backward finds the wave at its beginning, or the first segment loaded.
  if (plan_.memory == Memory::reverse && loaded_ == 0) advance(0, depth);

#pragma omp parallel num_threads(threads_)
  {
    prepare_weights(-1, depth - 1);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < adjoint.parts; ++part) {
      copy_in(last_bar, adjoint.f(depth), begin[part], begin[part + 1]);
      adjoint.add_given(depth, begin[part], begin[part + 1]);
      adjoint.turn(depth - 1, begin[part], begin[part + 1]);
    }
  }
  if (plan_.memory == Memory::reverse) {
    retreat(0, depth, adjoint);
    loaded_ = 0;
  } else {
    for (std::int64_t s = segments() - 1; s >= 0; --s) {
      const std::int64_t first = s * plan_.segment;
      const std::int64_t last = std::min(first + plan_.segment, depth);
      if (loaded_ != s) {
        load(s);
        advance(first, last);
      }
      retreat(first, last, adjoint);
    }
  }

  if (!gradients.K.empty()) adjoint.add_K(0);
  if (gradients.f0 != nullptr)
    each_part(*p_.plan, threads_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        add_row(adjoint.f(0).row(i), gradients.f0 + outside(i) * c_, c_);
    });
  if (gradients.steps == nullptr) return;
  gradients.steps->resize(depth);
  for (std::int64_t at = 0; at < depth * adjoint.parts; ++at) {
    StepCoefficients& sum = (*gradients.steps)[at / adjoint.parts];
    sum.a += adjoint.step_sums[at].a;
    sum.b += adjoint.step_sums[at].b;
    sum.s += adjoint.step_sums[at].s;
  }
}

template class March<float>;
template class March<double>;

}  // namespace pdegcn::kernels
