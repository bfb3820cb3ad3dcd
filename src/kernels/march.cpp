#include "pdegcn/kernels/march.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "march_rows.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::kernels {
namespace {

template <class T>
bool is_second_order(const MarchProblem<T>& p) {
  return std::any_of(p.steps.begin(), p.steps.end(), [](const auto& s) { return s.b != 0; });
}

template <class T>
bool is_reversible(const MarchProblem<T>& p) {
  return std::all_of(p.steps.begin(), p.steps.end(),
                     [](const auto& s) { return s.a == 2 && s.b == -1; });
}

template <class T>
MarchSize size_of(const MarchProblem<T>& p) {
  return {p.graph->num_nodes(),
          p.graph->num_edges(),
          p.channels,
          static_cast<std::int64_t>(p.steps.size()),
          is_second_order(p),
          is_reversible(p),
          sizeof(T)};
}

// Whether |x| is below a limit everywhere; false for a NaN.
template <class T>
bool all_below(const Matrix<T>& m, T limit) {
  for (std::int64_t i = 0; i < m.rows; ++i)
    for (std::int64_t k = 0; k < m.cols; ++k)
      if (!(std::abs(m.row(i)[k]) < limit)) return false;
  return true;
}

}  // namespace

MarchPlan::MarchPlan(const MarchSize& size, Memory wanted, double spacing)
    : memory(wanted), grid(spacing) {
  const std::int64_t layers = size.layers;
  const std::int64_t stride = state_stride(size.channels);
  const std::int64_t pair = size.second_order ? 2 : 1;
  // A saved state (or two) per segment, against a state and a product per layer in it.
  const std::int64_t root = std::llround(std::sqrt(layers * pair / 2.0));
  const std::int64_t shorter = std::clamp<std::int64_t>(root, 1, layers);
  const auto states_of = [&](Memory m) {
    const std::int64_t adjoints = pair + 2;
    if (m == Memory::reverse) return adjoints + 4;
    const std::int64_t length = m == Memory::store ? layers : shorter;
    const std::int64_t saved = length == layers ? 0 : pair * ((layers + length - 1) / length);
    return adjoints + saved + 2 + length + std::max<std::int64_t>(length, 2);
  };
  // γ by entry, and the sums that each part makes of ∂K.
  const std::int64_t besides =
      2 * size.edges + 2 * RowPlan::parts_of(size.nodes) * size.channels * stride;
  const auto bytes_of = [&](Memory m) {
    return (states_of(m) * size.nodes * stride + besides) * size.value_bytes;
  };
  if (memory == Memory::automatic) {
    if (bytes_of(Memory::store) <= kMemoryBudget)
      memory = Memory::store;
    else
      memory = size.reversible ? Memory::reverse : Memory::checkpoint;
  }
  if (memory == Memory::reverse && !size.reversible)
    throw Error(
        "only a wave can be run backwards (the hyperbolic equation): use the memory mode "
        "checkpoint");
  if (memory == Memory::reverse && grid == 0)
    grid = size.value_bytes == sizeof(float) ? kGrid<float> : kGrid<double>;
  if (!(grid >= 0) || (grid > 0 && std::exp2(std::round(std::log2(grid))) != grid))
    throw Error("the grid must be 0 or a power of two, it is {}", grid);
  segment = memory == Memory::store ? layers : shorter;
  bytes = bytes_of(memory);
}

template <class T>
March<T>::March(MarchProblem<T> problem)
    : p_(std::move(problem)),
      plan_(size_of(p_), p_.memory, p_.grid),
      n_(p_.graph->num_nodes()),
      c_(p_.channels),
      stride_(state_stride(c_)),
      second_order_(is_second_order(p_)),
      tiles_(on_tiles<T>(c_, c_)),
      strip_(tiles_ ? kTileStrip : kStrip),
      threads_(omp_get_max_threads()) {
  if (p_.workspace == nullptr) p_.workspace = std::make_shared<Workspace>();
}

template <class T>
Matrix<T> March<T>::field(T* fields, std::int64_t slot) const {
  return {fields + slot * n_ * stride_, n_, c_, stride_};
}

// Rows first..last of a field, from the caller's layout and order.
template <class T>
void March<T>::copy_in(const T* values, Matrix<T> to, std::int64_t first, std::int64_t last) const {
  for (std::int64_t i = first; i < last; ++i)
    std::fill(std::copy_n(values + outside(i) * c_, c_, to.row(i)), to.row(i) + stride_, T{0});
}

// State l. Where states are not kept a first-order step overwrites its state (only products are
// read by neighbours), and a second-order one the state before it.
template <class T>
Matrix<T> March<T>::f(std::int64_t l) const {
  return field(arrays_[kStates], kept_ ? l - base_ + 1 : second_order_ ? l % 2 : 0);
}

template <class T>
Matrix<T> March<T>::g(std::int64_t l) const {
  return field(arrays_[kProducts], kept_ ? l - base_ : l % 2);
}

template <class T>
Factor<T> March<T>::factor(std::int64_t slot) const {
  return {{arrays_[kWeights] + slot * c_ * stride_, c_, c_, stride_}, tiles_};
}

template <class T>
Factor<T> March<T>::weight(std::int64_t l) const {
  return factor(l % 2);
}

template <class T>
Factor<T> March<T>::transposed(std::int64_t l) const {
  return factor(2 + l % 2);
}

// Lays out K of layer `straight` and Kᵀ of layer `turned` (where there are such layers) for later
// passes; called by all threads, which share the rows or panels and do not wait.
template <class T>
void March<T>::prepare_weights(std::int64_t straight, std::int64_t turned) {
  const auto prepare = [&](const Factor<T>& to, const auto& get) {
    if (to.tiles) {
      TilePanels panels = to.panels();
#pragma omp for nowait
      for (std::int64_t p = 0; p < panels.count(); ++p) panels.fill(p, c_, get);
      return;
    }
#pragma omp for nowait
    for (std::int64_t i = 0; i < c_; ++i) {
      T* const row = to.rows.row(i);
      for (std::int64_t k = 0; k < c_; ++k) row[k] = get(i, k);
      std::fill(row + c_, row + stride_, T{0});
    }
  };
  const std::int64_t c = c_;
  if (straight >= 0 && straight < layers())
    prepare(weight(straight),
            [c, K = p_.K[straight]](std::int64_t i, std::int64_t k) { return K[i * c + k]; });
  if (turned >= 0 && turned < layers())
    prepare(transposed(turned),
            [c, K = p_.K[turned]](std::int64_t i, std::int64_t k) { return K[k * c + i]; });
}

// The rows of f^l Kᵀ, which neighbours read in layer l.
template <class T>
void March<T>::next_product(std::int64_t l, std::int64_t first, std::int64_t last) const {
  product_strip<T>(rows_of(f(l), first, last), transposed(l), rows_of(g(l), first, last));
}

template <class T>
EdgePass<T> March<T>::edge_pass(std::int64_t l) const {
  EdgePass<T> pass;
  pass.rows = {p_.graph->offsets().data(), p_.graph->neighbors().data(), edge_ids(),
               arrays_[kGamma]};
  pass.activation = p_.activation;
  pass.dropout = p_.dropout;
  pass.dropout.layer = static_cast<std::uint32_t>(l);
  pass.g = g(l);
  return pass;
}

// All of step l but r, for the rows from i on.
template <class T>
Epilogue<T> March<T>::step_to(std::int64_t l, std::int64_t i) const {
  const StepCoefficients& step = p_.steps[l];
  Epilogue<T> rest;
  rest.scale = static_cast<T>(step.s);
  rest.x = static_cast<T>(step.a);
  rest.X = f(l).row(i);
  if (step.b != 0) {
    rest.z = static_cast<T>(step.b);
    rest.Z = f(std::max<std::int64_t>(l - 1, 0)).row(i);  // f^{-1} = f^0
  }
  rest.grid = static_cast<T>(plan_.grid);
  return rest;
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
      const T* from = arrays_[kPieces] + (k * fields + field) * stride_;
      for (std::int64_t at = 0; at < padded(c_); ++at)
        to[at] = begins ? from[at] : to[at] + from[at];
    }
  }
}

template <class T>
std::int64_t March<T>::segments() const {
  if (plan_.memory == Memory::reverse) return 0;
  return (layers() + plan_.segment - 1) / plan_.segment;
}

// Copies the states that a segment begins with (one, or two for second-order steps) to kSaved.
template <class T>
void March<T>::save(std::int64_t segment) {
  const std::int64_t layer = segment * plan_.segment;
  const std::int64_t pair = second_order_ ? 2 : 1;
  each_part(*p_.plan, threads_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = 0; k < pair; ++k)
      copy_rows<T>(f(std::max<std::int64_t>(layer - k, 0)),
                   field(arrays_[kSaved], segment * pair + k), first, last);
  });
}

// Goes back to the beginning of a segment, of which all states will be kept.
template <class T>
void March<T>::load(std::int64_t segment) {
  kept_ = true;
  base_ = segment * plan_.segment;
  loaded_ = segment;
  const std::int64_t pair = second_order_ ? 2 : 1;
  each_part(*p_.plan, threads_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = 0; k < pair; ++k)
      copy_rows<T>(field(arrays_[kSaved], segment * pair + k), field(arrays_[kStates], 1 - k),
                   first, last);
  });
}

template <class T>
void March<T>::forward(const T* f0, T* last, bool keep) {
  const std::int64_t depth = layers();
  const std::int64_t count = keep ? segments() : 0;
  const std::int64_t states = count > 0 ? plan_.segment + 2 : 2;
  const std::int64_t products = count > 0 ? std::max<std::int64_t>(plan_.segment, 2) : 2;
  const std::int64_t saved = count > 1 ? (second_order_ ? 2 : 1) * count : 0;
  const auto pieces = static_cast<std::int64_t>(p_.plan->pieces.size());
  const EdgeId* const ids = edge_ids();
  const auto entries = static_cast<std::int64_t>(p_.graph->neighbors().size());
  arrays_ = {};
  arrays_ =
      Arrays<T>(p_.workspace,
                {states * n_ * stride_, products * n_ * stride_, saved * n_ * stride_,
                 4 * c_ * stride_, 2 * threads_ * strip_ * stride_, 2 * pieces * stride_, entries});
  kept_ = count == 1;
  base_ = 0;
  loaded_ = count == 1 ? 0 : -1;

  T* const gamma = arrays_[kGamma];
#pragma omp parallel for num_threads(threads_)
  for (std::int64_t k = 0; k < entries; ++k) gamma[k] = p_.gamma[ids[k]];
  const T grid = static_cast<T>(plan_.grid);
  each_part(*p_.plan, threads_, [&](std::int64_t begin, std::int64_t end) {
    copy_in(f0, f(0), begin, end);
    if (grid > 0)
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t k = 0; k < c_; ++k) f(0).row(i)[k] = to_grid(f(0).row(i)[k], grid);
  });

  if (count <= 1) {
    advance(0, depth);
  } else {
    for (std::int64_t s = 0; s < count; ++s) {
      save(s);
      if (s + 1 == count) load(s);  // backward begins with this one
      advance(s * plan_.segment, std::min((s + 1) * plan_.segment, depth));
    }
  }
  state(depth, last);
}

// Layers first..last, from state `first` to state `last`.
template <class T>
void March<T>::advance(std::int64_t first, std::int64_t last) {
  const auto parts = p_.plan->parts();
  const auto& begin = p_.plan->part_begin;
  const auto pieces = static_cast<std::int64_t>(p_.plan->pieces.size());
  // Twice a value must fit into the digits of a T, counted from the grid.
  const T limit = plan_.memory == Memory::reverse
                      ? std::ldexp(static_cast<T>(plan_.grid), std::numeric_limits<T>::digits - 1)
                      : T{0};
  outgrown_ = false;

#pragma omp parallel num_threads(threads_)
  {
    T* buffer = arrays_[kStrips] + 2 * omp_get_thread_num() * strip_ * stride_;
    prepare_weights(first, first);
    prepare_weights(-1, first + 1);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < parts; ++part) {
      next_product(first, begin[part], begin[part + 1]);
      if (limit > 0 && !all_below(rows_of(f(first), begin[part], begin[part + 1]), limit))
        outgrown_ = true;
    }

    for (std::int64_t l = first; l < last; ++l) {
      const EdgePass<T> pass = edge_pass(l);
      prepare_weights(l + 1, l + 2);
      if (pieces > 0) {
#pragma omp for schedule(dynamic)
        for (std::int64_t k = 0; k < pieces; ++k) {
          const auto& piece = p_.plan->pieces[k];
          edge_flux_entries<T>(pass, piece.row, piece.first, piece.last,
                               arrays_[kPieces] + k * stride_);
        }
      }
#pragma omp for schedule(dynamic)
      for (std::int64_t part = 0; part < parts; ++part)
        for (std::int64_t i = begin[part]; i < begin[part + 1]; i += strip_) {
          const std::int64_t end = std::min(i + strip_, begin[part + 1]);
          const Matrix<T> y{buffer, end - i, c_, stride_};
          edge_flux_rows<T>(pass, i, end, RowPlan::longest, y);
          if (pieces > 0) sum_pieces(i, end, 1, y, {});
          step_rows<T>(p_.symmetric, y, weight(l), rows_of(f(l + 1), i, end), step_to(l, i));
          if (l + 1 < last) next_product(l + 1, i, end);
          if (limit > 0 && !all_below(rows_of(f(l + 1), i, end), limit)) outgrown_ = true;
        }
    }
  }
  if (outgrown_)
    throw Error(
        "the wave has grown to {} or more, where the grid of {} is no longer exact and it cannot "
        "be run "
        "backwards: use a smaller step, a coarser grid, or the memory mode checkpoint",
        limit, plan_.grid);
}

template <class T>
void March<T>::state(std::int64_t l, T* out) const {
  each_part(*p_.plan, threads_, [&](std::int64_t first, std::int64_t last) {
    const Matrix<T> from = f(l);
    for (std::int64_t i = first; i < last; ++i) std::copy_n(from.row(i), c_, out + outside(i) * c_);
  });
}

template class March<float>;
template class March<double>;

}  // namespace pdegcn::kernels
