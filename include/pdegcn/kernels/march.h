#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "pdegcn/graph/graph.h"
#include "pdegcn/kernels/edge_flux.h"
#include "pdegcn/kernels/matrix.h"
#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/row_plan.h"
#include "pdegcn/kernels/workspace.h"

namespace pdegcn::kernels {

// One step of a dynamics: f^{l+1} = a f^l + b f^{l-1} + s r_l, with f^{-1} = f^0. Every equation of
// the paper has this form, see pde/dynamics.h.
struct StepCoefficients {
  double a = 0;
  double b = 0;
  double s = 0;
};

// What a march keeps for its way back.
enum class Memory {
  automatic,   // store when that stays within kMemoryBudget, else reverse for waves and checkpoint
               // for the rest
  store,       // every state: fastest, memory grows with the layers
  checkpoint,  // about √L states; the others are computed again, to the same bits
  reverse,  // two states: the wave is run backwards. For steps with a = 2 and b = -1 on a grid only
};
inline constexpr std::int64_t kMemoryBudget = std::int64_t{4} << 30;

// The spacing of the grid that makes a wave reversible, where none is given: f stays exact below
// 2^23 (float) or 2^52 (double) grid steps, that is below 8 or 256.
template <class T>
inline constexpr double kGrid = sizeof(T) == 4 ? 0x1p-20 : 0x1p-44;

// A stack of layers to march through. The pointers stay the caller's, and must live as long as the
// march.
template <class T>
struct MarchProblem {
  const Graph* graph = nullptr;
  const RowPlan* plan = nullptr;
  const T* gamma = nullptr;  // one per edge
  std::int64_t channels = 0;
  std::vector<const T*> K;              // one c x c matrix per layer; they may be the same
  std::vector<StepCoefficients> steps;  // one per layer
  Activation activation = Activation::tanh;
  bool symmetric = true;  // r = Kᵀ Gᵀ σ(G K f); without the Kᵀ otherwise
  EdgeDropout dropout;    // its layer is filled in
  Memory memory = Memory::automatic;
  double grid = 0;  // where positive, f0 and the increments s r are rounded to multiples of it
  std::shared_ptr<Workspace> workspace = {};  // where memory comes from; null: one of its own
  // When the nodes of the graph are those of the caller in another order: the caller's number of
  // each node, and the caller's edge of each entry of a row. Null where they are the same.
  const NodeId* order = nullptr;
  const EdgeId* edge_ids = nullptr;
};

// What decides on the memory of a march.
struct MarchSize {
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
  std::int64_t channels = 0;
  std::int64_t layers = 0;
  bool second_order = false;  // whether any step looks two states back
  bool reversible = false;    // whether all steps are those of a wave
  std::int64_t value_bytes = sizeof(float);
};

// What a march will use, chosen by a rule on its size alone. `memory` and `grid` are those of the
// problem; throws Error when they do not fit it.
struct MarchPlan {
  MarchPlan(const MarchSize& size, Memory memory, double grid);
  Memory memory;             // no longer automatic
  double grid;               // kGrid where reverse needs one and none was given
  std::int64_t segment = 0;  // layers whose states are kept at a time
  std::int64_t bytes = 0;    // forward and backward
};

// From one row of a state to the next. Rows at a large power of two from each other would share a
// few sets of the cache, and a strip of them would not fit in there.
inline constexpr std::int64_t state_stride(std::int64_t channels) {
  return padded(channels) + (padded(channels) % (kPadding * 16) == 0 ? kPadding : 0);
}

template <class T>
struct Factor;

// Where the gradients go; null where one is not wanted. Each is added to what is there.
template <class T>
struct MarchGradients {
  T* f0 = nullptr;                                 // n x c
  std::vector<T*> K;                               // one c x c matrix per layer, or empty
  std::vector<StepCoefficients>* steps = nullptr;  // one per layer
  T* gamma = nullptr;                              // one per edge
};

// Runs a stack forward and backward.
//
// With rows as features (F Kᵀ for K f) a layer is g = F Kᵀ, y = Gᵀ σ(G g), r = y K. As all of it
// but the reading of neighbours in g happens row by row, a layer is one pass over strips of rows:
// the flux of a strip, its product with K, the step, and at once the product with the next K that
// neighbours will read in the next layer. There is one barrier per layer, and no edge field is ever
// stored.
//
// For the way back the layers are cut into segments; the states of one segment are held at a time,
// and the others are computed again from the state at their beginning. `store` is one segment,
// `checkpoint` about √L of them; `reverse` needs none.
template <class T>
class March {
 public:
  explicit March(MarchProblem<T> problem);

  // From f0 (n x c) to the last state (n x c). With `keep` a backward may follow; in the mode
  // reverse this throws Error when a value outgrows the grid, where sums are no longer exact.
  void forward(const T* f0, T* last, bool keep);

  // Copies state l, 0..L, to out; after forward with keep, in the mode store.
  void state(std::int64_t l, T* out) const;

  // The adjoint of forward with keep. `last_bar` is the gradient with respect to the last state,
  // and states_bar, where it is not null, those with respect to all states ((L + 1) x n x c).
  // Throws Error when a wave that was run backwards did not arrive at its beginning.
  void backward(const T* last_bar, const T* states_bar, const MarchGradients<T>& gradients);

  std::int64_t layers() const { return static_cast<std::int64_t>(p_.steps.size()); }
  const MarchPlan& plan() const { return plan_; }

 private:
  struct Adjoint;

  enum Array { kStates, kProducts, kSaved, kWeights, kStrips, kPieces, kGamma };

  Matrix<T> field(T* fields, std::int64_t slot) const;
  std::int64_t outside(std::int64_t i) const { return p_.order == nullptr ? i : p_.order[i]; }
  const EdgeId* edge_ids() const {
    return p_.edge_ids == nullptr ? p_.graph->edge_ids().data() : p_.edge_ids;
  }
  void copy_in(const T* values, Matrix<T> to, std::int64_t first, std::int64_t last) const;
  Matrix<T> f(std::int64_t l) const;
  Matrix<T> g(std::int64_t l) const;
  Factor<T> factor(std::int64_t slot) const;
  Factor<T> weight(std::int64_t l) const;
  Factor<T> transposed(std::int64_t l) const;
  void prepare_weights(std::int64_t straight, std::int64_t turned);
  void next_product(std::int64_t l, std::int64_t first, std::int64_t last) const;
  EdgePass<T> edge_pass(std::int64_t l) const;
  Epilogue<T> step_to(std::int64_t l, std::int64_t i) const;
  void sum_pieces(std::int64_t first, std::int64_t last, int fields, Matrix<T> y,
                  Matrix<T> g_bar) const;
  std::int64_t segments() const;
  void save(std::int64_t segment);
  void load(std::int64_t segment);
  void advance(std::int64_t first, std::int64_t last);
  void retreat(std::int64_t first, std::int64_t last, Adjoint& adjoint);
  void reverse_rows(std::int64_t l, std::int64_t i, std::int64_t end, Matrix<T> y);

  MarchProblem<T> p_;
  MarchPlan plan_;
  std::int64_t n_;
  std::int64_t c_;
  std::int64_t stride_;
  bool second_order_;      // whether any step looks two states back
  bool tiles_;             // whether products run on the matrix unit
  std::int64_t strip_;     // rows that go through a layer together
  bool kept_ = false;      // whether f_ and g_ hold the states of a segment, or the last two
  std::int64_t base_ = 0;  // the first layer of that segment
  std::atomic<bool> outgrown_ = false;
  std::int64_t loaded_ = -1;  // which segment it is; in reverse, 0 when the wave is back at f0
  int threads_;
  // States of a segment and the one before it, or the last two; products f Kᵀ of a segment, or the
  // last two; the states that segments begin with; K and Kᵀ of the layers at hand, two of each; two
  // strips of rows per thread; sums over the pieces of long rows; γ per entry of a row.
  Arrays<T> arrays_;
};

}  // namespace pdegcn::kernels
