// The networks in tensor operations. Where autograd does not need a result again the next operation
// overwrites it, and a term that a product can take up on its way is given to the product.
#include <fstream>
#include <functional>

#include "pdegcn/graph/error.h"
#include "pdegcn/report/progress.h"
#include "side.h"

namespace pdegcn::bench {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// torch::dropout draws Bernoulli numbers, which takes four times as long as uniform ones do.
Tensor dropped(const Tensor& x, double p, bool training) {
  if (!training || p == 0) return x;
  return x * torch::empty_like(x).uniform_().ge_(p).div_(1 - p);
}

// A sparse matrix as embedding bags: row k is the sum of the rows `index` of another matrix, from
// offsets[k] on, times `value`.
struct Bags {
  Tensor index, offsets, value;

  Tensor times(const Tensor& x) const {
    return std::get<0>(at::embedding_bag(x, index, offsets, false, 0, false, value, false));
  }
};

// Bags of entries that are sorted by row.
Bags bags_of(const std::vector<std::int64_t>& offsets, Tensor index, Tensor value) {
  return {std::move(index),
          torch::tensor(std::vector<std::int64_t>(offsets.begin(), offsets.end() - 1)),
          std::move(value)};
}

struct Edges {
  explicit Edges(const pde::Domain& domain)
      : first(domain.first_ends()),
        second(domain.second_ends()),
        gamma(domain.gamma().unsqueeze(1)) {}
  Tensor first, second, gamma;
};

Edges in_both_directions(const Edges& once) {
  Edges both = once;
  both.first = torch::cat({once.first, once.second});
  both.second = torch::cat({once.second, once.first});
  both.gamma = torch::cat({once.gamma, once.gamma});
  return both;
}

Tensor difference_along(const Edges& edges, const Tensor& g) {
  auto x = g.index_select(0, edges.first).sub_(g.index_select(0, edges.second));
  return x.mul_(edges.gamma);
}

Tensor gather(const Edges& edges, const Tensor& g, const Tensor& q) {
  return torch::zeros_like(g).index_add_(0, edges.first, q).index_add_(0, edges.second, q, -1);
}

// Gᵀ Kᵀ tanh(K G f) as the paper writes it, K on edges.
Tensor paper_flux(const Edges& edges, const Tensor& f, const Tensor& K) {
  const auto x = difference_along(edges, f);
  return gather(edges, f, x.mm(K.t()).tanh_().mm(K).mul_(edges.gamma));
}

// a f^l + b f^{l-1}
Tensor inertia_of(const Tensor& now, const Tensor& before, double a, double b) {
  return b == 0 ? (a == 1 ? now : a * now) : torch::add(a * now, before, b);
}

// G and its transpose.
struct BagEdges {
  explicit BagEdges(const pde::Domain& domain) {
    const Graph& graph = domain.graph();
    const auto edges = Edges(domain);
    gradient.index = torch::stack({edges.first, edges.second}, 1).flatten();
    gradient.offsets = 2 * torch::arange(graph.num_edges());
    gradient.value = torch::cat({edges.gamma, -edges.gamma}, 1).flatten();
    std::vector<std::int64_t> ids(graph.edge_ids().begin(), graph.edge_ids().end());
    std::vector<float> signs(ids.size());
    for (NodeId i = 0; i < graph.num_nodes(); ++i)
      for (EdgeId k = graph.offsets()[i]; k < graph.offsets()[i + 1]; ++k)
        signs[k] = graph.neighbors()[k] > i ? 1 : -1;
    const Tensor index = torch::tensor(ids);
    divergence = bags_of({graph.offsets().begin(), graph.offsets().end()}, index,
                         domain.gamma().index_select(0, index) * torch::tensor(signs));
  }
  Bags gradient, divergence;
  bool recompute = false;  // whether tanh is computed again on the way back
};

// Gᵀ tanh(G g) with its adjoint Gᵀ (tanh' · G ȳ).
class BagFlux : public torch::autograd::Function<BagFlux> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& g, const BagEdges* edges) {
    const auto t = edges->gradient.times(g).tanh_();
    context->save_for_backward({edges->recompute ? g : t});
    context->saved_data["edges"] = reinterpret_cast<std::int64_t>(edges);
    return edges->divergence.times(t);
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto* edges = reinterpret_cast<const BagEdges*>(context->saved_data["edges"].toInt());
    Tensor t = context->get_saved_variables()[0];
    if (edges->recompute) t = edges->gradient.times(t).tanh_();
    Tensor d = edges->gradient.times(outputs[0].contiguous());
    at::tanh_backward_out(d, d, t);
    return {edges->divergence.times(d), {}};
  }
};

// The input, which the opening layer multiplies: as it is, as a sparse tensor, or as bags.
struct Features {
  enum class Way { dense, sparse, bags };

  Tensor dense;
  Tensor indices, values;    // sparse
  Bags by_rows, by_columns;  // without values
  Tensor order;              // of the non-zeros by columns
};

// S W for the bags of S by rows, with the gradient of W by its columns.
class BagProduct : public torch::autograd::Function<BagProduct> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& values,
                        const Features* features) {
    context->save_for_backward({values});
    context->saved_data["features"] = reinterpret_cast<std::int64_t>(features);
    return Bags{features->by_rows.index, features->by_rows.offsets, values}.times(weight);
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const auto* features =
        reinterpret_cast<const Features*>(context->saved_data["features"].toInt());
    const Tensor values = context->get_saved_variables()[0].index_select(0, features->order);
    return {Bags{features->by_columns.index, features->by_columns.offsets, values}.times(
                outputs[0].contiguous()),
            {},
            {}};
  }
};

class TensorNetwork : public Side {
 public:
  TensorNetwork(Formulation formulation, const Workload& w, std::int64_t memory)
      : formulation_(formulation),
        edges_(w.input.domain),
        p_(w.config.dropout),
        steps_(nn::PdeStack(w.stack)->dynamics()->coefficients(w.stack.layers).contiguous()),
        K_(w.weights.K.clone().set_requires_grad(true)),
        f0_(w.f0),
        last_bar_(w.last_bar) {
    if (formulation == Formulation::paper) edges_ = in_both_directions(edges_);
    if (formulation == Formulation::tuned) {
      bags_ = std::make_unique<BagEdges>(w.input.domain);
      bags_->recompute = edge_bytes(formulation, w) > memory;
    }
    if (f0_.defined()) {
      f0_ = f0_.clone().set_requires_grad(true);
      return;
    }
    opening_ = w.weights.opening.t().contiguous().set_requires_grad(true);
    closing_ = w.weights.closing.clone().set_requires_grad(true);
    using torch::optim::AdamOptions;
    using torch::optim::OptimizerParamGroup;
    adam_ = std::make_unique<torch::optim::Adam>(std::vector{
        OptimizerParamGroup({opening_, closing_},
                            std::make_unique<AdamOptions>(
                                AdamOptions(w.config.lr).weight_decay(w.config.weight_decay))),
        OptimizerParamGroup({K_}, std::make_unique<AdamOptions>(w.config.lr_pde))});
    take_labels(w);
    take_features(w);
  }

  void train() override { backward(true); }

  void evaluate() override {
    const torch::NoGradGuard no_grad;
    const auto out = forward(false);
    if (f0_.defined()) return;
    const auto logits = out.index_select(0, validation_.rows);
    torch::cross_entropy_loss(logits, validation_.labels).item<double>();
    logits.argmax(1).eq(validation_.labels).sum().item<std::int64_t>();
  }

  Derivatives derivatives() override {
    const double loss = backward(false);
    if (f0_.defined()) return {loss, {K_.grad()}};
    return {loss, {opening_.grad().t(), K_.grad(), closing_.grad()}};
  }

 private:
  struct Answers {
    Tensor rows, labels;
  };

  void take_labels(const Workload& w) {
    const auto& labels = std::get<data::NodeLabels>(w.data.targets).label;
    for (auto [part, answers] :
         {std::pair(&w.split.train, &train_), std::pair(&w.split.validation, &validation_)}) {
      answers->rows = torch::tensor(*part, torch::kInt64);
      answers->labels = torch::tensor(labels, torch::kInt64).index_select(0, answers->rows);
    }
  }

  void take_features(const Workload& w) {
    const data::SparseMatrix* words = w.words();
    features_.dense = nn::node_input(w.input);
    if (words == nullptr || formulation_ == Formulation::paper) return;
    features_.values = torch::tensor(words->values);
    const auto columns = torch::tensor(words->columns, torch::kInt64);
    const auto offsets = torch::tensor(words->offsets, torch::kInt64);
    const auto rows = torch::repeat_interleave(offsets.slice(0, 1) - offsets.slice(0, 0, -1));
    features_.indices = torch::stack({rows, columns});
    features_.by_rows = bags_of(words->offsets, columns, {});
    const auto by_column = columns.sort(/*stable=*/true, 0, false);
    features_.order = std::get<1>(by_column);
    const auto counts = torch::bincount(columns, {}, words->cols);
    features_.by_columns = {rows.index_select(0, features_.order), counts.cumsum(0) - counts, {}};
    // Whichever is faster here, the better of two tries each.
    const auto better =
        formulation_ == Formulation::torch ? Features::Way::sparse : Features::Way::bags;
    double best[2];
    for (const int k : {0, 1}) {
      way_ = k == 0 ? Features::Way::dense : better;
      best[k] = std::numeric_limits<double>::infinity();
      for (int attempt = 0; attempt < 2; ++attempt) {
        const double start = report::Progress::steady_seconds();
        open(true).sum().backward();
        best[k] = std::min(best[k], report::Progress::steady_seconds() - start);
      }
    }
    if (best[0] < best[1]) way_ = Features::Way::dense;
    if (way_ != Features::Way::dense) features_.dense = Tensor();
    opening_.mutable_grad() = Tensor();
  }

  Tensor open(bool training) {
    switch (way_) {
      case Features::Way::dense:
        return dropped(features_.dense, p_, training).mm(opening_);
      case Features::Way::sparse: {
        const auto values = dropped(features_.values, p_, training);
        const auto size = {features_.by_rows.offsets.size(0), opening_.size(0)};
        const auto sparse = torch::_sparse_coo_tensor_unsafe(features_.indices, values, size);
        return torch::_sparse_mm(sparse._coalesced_(true), opening_);
      }
      default:
        return BagProduct::apply(opening_, dropped(features_.values, p_, training), &features_);
    }
  }

  // r before the last product: the flux is multiplied by K where it is added to the state.
  Tensor flux(const Tensor& f, const Tensor& K) {
    if (formulation_ == Formulation::paper) return paper_flux(edges_, f, K);
    const auto g = f.mm(K.t());
    if (formulation_ == Formulation::tuned) return BagFlux::apply(g, bags_.get());
    return gather(edges_, g, difference_along(edges_, g).tanh_() * edges_.gamma);
  }

  Tensor march(const Tensor& f0) {
    const auto matrices = K_.unbind(0);
    const double* step = steps_.data_ptr<double>();
    Tensor now = f0, before = f0;
    for (const Tensor& K : matrices) {
      const double a = step[0], b = step[1], s = step[2];
      step += 3;
      const auto inertia = inertia_of(now, before, a, b);
      const auto y = flux(now, K);
      before = now;
      // With both directions listed every edge counts twice.
      now = formulation_ == Formulation::paper ? torch::add(inertia, y, s / 2)
                                               : torch::addmm(inertia, y, K, 1, s);
    }
    return now;
  }

  Tensor forward(bool training) {
    if (f0_.defined()) return march(f0_);
    return dropped(march(open(training).relu_()), p_, training).mm(closing_.t());
  }

  double backward(bool training) {
    for (Tensor* leaf : {&opening_, &K_, &closing_, &f0_})
      if (leaf->defined()) leaf->mutable_grad() = Tensor();
    const auto out = forward(training);
    if (f0_.defined()) {
      out.backward(last_bar_);
      return training ? 0 : out.detach().flatten().dot(last_bar_.flatten()).item<double>();
    }
    const auto loss = torch::cross_entropy_loss(out.index_select(0, train_.rows), train_.labels);
    loss.backward();
    if (training) adam_->step();
    return loss.item<double>();
  }

  Formulation formulation_;
  Edges edges_;
  std::unique_ptr<BagEdges> bags_;
  double p_;
  Tensor steps_;
  Tensor opening_, K_, closing_;  // the opening transposed: inputs x channels
  Tensor f0_, last_bar_;
  std::unique_ptr<torch::optim::Adam> adam_;
  Answers train_, validation_;
  Features features_;
  Features::Way way_ = Features::Way::dense;
};

}  // namespace

Tensor march_on_edges(const pde::Domain& domain, const Tensor& f0, const Tensor& K,
                      const Tensor& coefficients) {
  const Edges edges = in_both_directions(Edges(domain));
  const double* step = coefficients.data_ptr<double>();
  Tensor now = f0, before = f0;
  for (const Tensor& layer : K.unbind(0)) {
    const auto inertia = inertia_of(now, before, step[0], step[1]);
    const auto y = paper_flux(edges, now, layer);
    before = now;
    now = torch::add(inertia, y, step[2] / 2);
    step += 3;
  }
  return now;
}

std::unique_ptr<Side> formulated(Formulation formulation, const Workload& workload,
                                 std::int64_t memory) {
  return std::make_unique<TensorNetwork>(formulation, workload, memory);
}

std::int64_t edge_bytes(Formulation formulation, const Workload& w) {
  const std::int64_t tensor = w.edges() * w.what.channels * 4;
  // What autograd keeps of every layer, and what a layer has beside it: the gathered ends, the
  // flux, and as much on the way back.
  if (formulation == Formulation::paper) return 2 * tensor * (2 * w.what.layers + 3);
  return tensor * (w.what.layers + 3);
}

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    std::int64_t kilobytes = 0;
    file >> kilobytes;
    std::getline(file, unit);
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  throw Error("/proc/meminfo does not say how much memory is available");
}

}  // namespace pdegcn::bench
