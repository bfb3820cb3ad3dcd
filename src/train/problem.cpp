#include "pdegcn/train/problem.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/transform.h"
#include "pdegcn/kernels/random.h"
#include "pdegcn/nn/baselines.h"
#include "pdegcn/nn/classification.h"
#include "pdegcn/nn/dgcnn.h"
#include "pdegcn/nn/shape_network.h"
#include "pdegcn/train/batch_stream.h"
#include "pdegcn/train/fingerprint.h"
#include "pdegcn/train/shapes.h"

namespace pdegcn::train {
namespace {

std::span<const float> values_of(const torch::Tensor& rows) {
  return {rows.data_ptr<float>(), static_cast<std::size_t>(rows.numel())};
}

// The streams of random numbers that belong to the order of batches; dropout has others.
constexpr std::uint64_t kOrderStream = std::uint64_t{1} << 40;

using Samples = std::vector<std::shared_ptr<const data::Sample>>;

// Matrices below each other; undefined when they have no columns.
template <class Get>
torch::Tensor stacked(const Samples& samples, const Get& get) {
  std::int64_t rows = 0;
  for (const auto& sample : samples) rows += get(*sample).rows;
  const std::int64_t columns = get(*samples.front()).cols;
  if (columns == 0) return {};
  auto tensor = torch::empty({rows, columns}, torch::kFloat32);
  float* next = tensor.template data_ptr<float>();
  for (const auto& sample : samples) next = std::ranges::copy(get(*sample).values, next).out;
  return tensor;
}

data::SparseMatrix sparse_below_each_other(const Samples& samples) {
  data::SparseMatrix all;
  for (const auto& sample : samples) {
    const auto& part = std::get<data::SparseMatrix>(sample->features);
    const auto before = static_cast<std::int64_t>(all.columns.size());
    all.rows += part.rows;
    all.cols = part.cols;
    for (std::size_t r = 1; r < part.offsets.size(); ++r)
      all.offsets.push_back(before + part.offsets[r]);
    all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  }
  return all;
}

torch::Tensor scaled(const nn::Input& input, const Scaling& scaling, const std::string& data) {
  const auto* rows = std::get_if<torch::Tensor>(&input.features);
  const auto columns = static_cast<std::int64_t>(scaling.mean.size());
  if (rows == nullptr || !rows->defined() || rows->size(1) != columns)
    throw Error("data set {} does not have the {} dense features that the network was trained on",
                data, columns);
  return (*rows - torch::tensor(scaling.mean)) / torch::tensor(scaling.deviation);
}

std::int64_t attribute_columns(const data::Sample& sample) {
  return sample.edge_attributes.odd.cols + sample.edge_attributes.even.cols;
}

std::int64_t feature_columns(const data::Sample& sample) {
  return std::visit([](const auto& matrix) { return matrix.cols; }, sample.features);
}

WeightKind weight_kind(const RunConfig& config) {
  return config.weights == "learnt" ? WeightKind::metropolis : parse_weight_kind(config.weights);
}

nn::StackOptions stack_options(const RunConfig& config) {
  nn::StackOptions o;
  o.equation = nn::parse_equation(config.model);
  o.layers = config.layers;
  o.channels = config.channels;
  o.step = config.step;
  o.activation = config.activation == "tanh"   ? pde::Activation::tanh
                 : config.activation == "relu" ? pde::Activation::relu
                                               : pde::Activation::identity;
  o.symmetric = !config.nonsymmetric;
  o.shared_K = config.shared_k;
  o.alpha = config.alpha;
  o.alpha_per_layer = config.alpha_per_layer;
  o.edge_dropout = config.edge_dropout;
  o.memory = config.memory == "store"        ? pde::Memory::store
             : config.memory == "checkpoint" ? pde::Memory::checkpoint
             : config.memory == "reverse"    ? pde::Memory::reverse
                                             : pde::Memory::automatic;
  return o;
}

std::shared_ptr<nn::Network> make_baseline(const RunConfig& config, std::int64_t inputs,
                                           std::int64_t outputs) {
  // For graphs a head follows, which has the dropout.
  const bool graphs = config.task == "graph";
  const nn::BaselineOptions o{inputs,
                              graphs ? config.channels : outputs,
                              config.layers,
                              config.channels,
                              graphs ? 0 : config.dropout,
                              config.drop_edge,
                              config.teleport,
                              config.lambda};
  const auto k = static_cast<int>(config.knn);
  switch (model_info(config.model).model) {
    case kMlp:
      return nn::Convolutions(nn::Stacking::mlp, o).ptr();
    case kGcn:
      return nn::Convolutions(nn::Stacking::gcn, o).ptr();
    case kJknet:
      return nn::Convolutions(nn::Stacking::jknet, o).ptr();
    case kInception:
      return nn::Convolutions(nn::Stacking::inception, o).ptr();
    case kGat:
      return nn::Gat(o).ptr();
    case kAppnp:
      return nn::Appnp(o).ptr();
    case kGcnii:
      return nn::Gcnii(o, false).ptr();
    case kDgcnn:
      return nn::Dgcnn(o, k, !graphs).ptr();
    case kDgcnnDiffusion:
      return nn::DgcnnDiffusion(o, k, config.step).ptr();
    default:
      return nn::Gcnii(o, true).ptr();
  }
}

// Of the answers to a network that has a class for every vertex of a template.
Outcome outcome_of(std::span<const kernels::RowVerdict> verdicts, const Answers& answers) {
  Outcome outcome;
  for (std::size_t k = 0; k < verdicts.size(); ++k) {
    if (answers.labels[k] == data::kUnlabelled) continue;
    ++outcome.count;
    outcome.loss_sum += verdicts[k].loss;
    outcome.hits += verdicts[k].best == answers.labels[k];
  }
  return outcome;
}

}  // namespace

Outcome judge(const torch::Tensor& logits, const Answers& answers, torch::Tensor* gradient) {
  const auto x = logits.detach().contiguous();
  if (gradient != nullptr) *gradient = torch::zeros_like(x);
  return judge(values_of(x), x.size(1), answers,
               gradient == nullptr ? nullptr : gradient->data_ptr<float>());
}

Outcome teach(nn::Network& network, const Batch& batch, const nn::Draw& draw) {
  if (auto* wide = dynamic_cast<nn::CorrespondenceImpl*>(&network))
    return outcome_of(nn::classify_and_learn(wide->descriptors(batch.input, draw), wide->output,
                                             batch.answers.labels),
                      batch.answers);
  const auto logits = network.forward(batch.input, draw);
  torch::Tensor gradient;
  const Outcome outcome = judge(logits, batch.answers, &gradient);
  logits.backward(gradient);
  return outcome;
}

Problem::Problem(const data::Dataset& data, std::int64_t outputs, const RunConfig& config,
                 Scaling scaling)
    : data_(data),
      config_(config),
      scaling_(std::move(scaling)),
      task_(parse_task(config.task)),
      outputs_(outputs),
      one_graph_(data.samples.size() == 1 && task_ == kNode) {
  if (data_.samples.empty()) throw Error("data set {} has no graphs", data_.name);
  if ((model_info(config_.model).tasks & task_) == 0)
    throw Error("--model {}: this network does not fit the task {}", config_.model, config_.task);
  if (config_.weights == "learnt" && !one_graph_)
    throw Error("weights learnt: every edge has its own, which needs a data set of one graph");
  if (config_.weights == "distance" && data_.samples.front().positions.empty())
    throw Error("--weights distance: this needs positions, as meshes and clouds have them");
  if (config_.input.empty() || task_ == kNode) config_.input = usual_input(data_, task_);
  const auto& first = data_.samples.front();
  first_node_.push_back(0);
  for (const data::Sample& sample : data_.samples) {
    first_node_.push_back(first_node_.back() + sample.graph.num_nodes());
    if (sample.features.index() != first.features.index() ||
        attribute_columns(sample) != attribute_columns(first))
      throw Error("data set {}: graphs '{}' and '{}' differ in what lies on them", data_.name,
                  first.name, sample.name);
  }
  const auto seen = prepare(first, config_, 0);
  inputs_ = feature_columns(*seen) + attribute_columns(*seen);
  if (one_graph_) {
    const std::int32_t only = 0;
    whole_ = input_of({&only, 1}, 0);
    if (config_.reorder == "rcm") whole_->domain = whole_->domain.reordered();
  }
}

Problem::Problem(const data::Dataset& data, data::Split split, const RunConfig& config)
    : Problem(data, split, config,
              config.features == "standardized" ? standardizing(data, split) : Scaling()) {}

Problem::Problem(const data::Dataset& data, data::Split split, const RunConfig& config,
                 Scaling scaling)
    : Problem(data, data.num_classes(), config, std::move(scaling)) {
  split_ = std::move(split);
  const bool graph_labels = std::holds_alternative<data::GraphLabels>(data_.targets);
  if (std::holds_alternative<std::monostate>(data_.targets))
    throw Error("data set {} has no labels to learn", data_.name);
  if (graph_labels != (task_ == kGraph))
    throw Error("the labels of data set {} belong to {}: that is not the task {}", data_.name,
                graph_labels ? "graphs" : "nodes", config_.task);
  if (task_ == kCorrespondence && !std::holds_alternative<data::NodeLabels>(data_.targets))
    throw Error("data set {} has several labels per node, which is no correspondence", data_.name);
  if (split_.train.empty())
    throw Error("split {} of data set {} has nothing to learn from", split_.name, data_.name);
}

std::shared_ptr<nn::Network> Problem::make_network() const {
  torch::manual_seed(static_cast<std::uint64_t>(config_.seed));
  if ((model_info(config_.model).model & kPde) == 0) {
    auto baseline = make_baseline(config_, inputs_, outputs_);
    return task_ == kGraph ? nn::ShapeNetwork(std::move(baseline), config_.channels, outputs_).ptr()
                           : baseline;
  }
  const nn::StackOptions stack = stack_options(config_);
  std::shared_ptr<nn::PdeNetwork> network;
  if (task_ == kNode)
    network = nn::NodeClassifier(inputs_, outputs_, config_.dropout, stack).ptr();
  else if (task_ == kGraph)
    network = nn::ShapeClassifier(inputs_, outputs_, stack).ptr();
  else
    network = nn::Correspondence(inputs_, outputs_, stack).ptr();
  if (config_.weights == "learnt") network->pde->learn_weights(whole_->domain);
  return network;
}

const std::vector<std::int32_t>& Problem::indices(Part part) const {
  return part == Part::kTrain        ? split_.train
         : part == Part::kValidation ? split_.validation
                                     : split_.test;
}

nn::Input Problem::input_of(std::span<const std::int32_t> ids, std::int64_t epoch) const {
  Samples samples;
  std::vector<const Graph*> graphs;
  std::vector<std::int64_t> sizes;
  std::vector<float> positions;
  for (const std::int32_t id : ids) {
    samples.push_back(prepare(data_.samples[id], config_, epoch));
    graphs.push_back(&samples.back()->graph);
    sizes.push_back(samples.back()->graph.num_nodes());
    positions.insert(positions.end(), samples.back()->positions.begin(),
                     samples.back()->positions.end());
  }
  Graph graph = graphs.size() == 1 ? *graphs.front() : disjoint_union(graphs).graph;
  nn::Input input{
      pde::Domain(std::move(graph), weight_kind(config_), positions), torch::Tensor(),
      stacked(
          samples, [](const data::Sample& s) -> auto& { return s.edge_attributes.odd; }),
      stacked(
          samples, [](const data::Sample& s) -> auto& { return s.edge_attributes.even; }),
      std::move(sizes)};
  if (std::holds_alternative<data::SparseMatrix>(samples.front()->features))
    input.features = nn::SparseInput(sparse_below_each_other(samples));
  else
    input.features = stacked(
        samples,
        [](const data::Sample& s) -> auto& { return std::get<data::DenseMatrix>(s.features); });
  if (!scaling_.mean.empty()) input.features = scaled(input, scaling_, data_.name);
  return input;
}

Answers Problem::answers_of(std::span<const std::int32_t> ids) const {
  Answers answers;
  // The nodes in question by their number in the data set; rows count from 0 in the batch.
  std::vector<std::int64_t> nodes;
  if (task_ == kGraph) {
    const auto& labels = std::get<data::GraphLabels>(data_.targets).label;
    for (const std::int32_t id : ids) answers.labels.push_back(labels[id]);
  } else if (one_graph_) {
    nodes.assign(ids.begin(), ids.end());
    answers.rows = nodes;
  } else {
    for (const std::int32_t id : ids)
      for (std::int64_t v = first_node_[id]; v < first_node_[id + 1]; ++v) nodes.push_back(v);
  }
  if (const auto* single = std::get_if<data::NodeLabels>(&data_.targets))
    for (const std::int64_t v : nodes) answers.labels.push_back(single->label[v]);
  if (const auto* many = std::get_if<data::NodeMultiLabels>(&data_.targets))
    for (const std::int64_t v : nodes)
      answers.multi.insert(answers.multi.end(), many->values.begin() + v * many->labels,
                           many->values.begin() + (v + 1) * many->labels);
  if (answers.rows.empty()) {
    answers.rows.resize(task_ == kGraph ? ids.size() : nodes.size());
    std::iota(answers.rows.begin(), answers.rows.end(), 0);
  }
  return answers;
}

// As few batches as the config allows, of nearly equal size: none is left with a single graph,
// which batch normalisation could not use.
std::vector<std::vector<std::int32_t>> Problem::batches_of(
    std::vector<std::int32_t> samples) const {
  const auto total = static_cast<std::int64_t>(samples.size());
  const std::int64_t count = (total + config_.batch - 1) / config_.batch;
  std::vector<std::vector<std::int32_t>> batches;
  for (std::int64_t k = 0; k < count; ++k)
    batches.emplace_back(samples.begin() + k * total / count,
                         samples.begin() + (k + 1) * total / count);
  return batches;
}

std::int64_t Problem::batches_per_epoch() const {
  return one_graph_ ? 1 : static_cast<std::int64_t>(batches_of(split_.train).size());
}

Batch Problem::training_batch(std::int64_t epoch, std::int64_t k) const {
  if (one_graph_) return {*whole_, answers_of(split_.train)};
  std::vector<std::int32_t> order = split_.train;
  kernels::Random(static_cast<std::uint64_t>(config_.seed), kOrderStream + epoch)
      .shuffle(std::span(order));
  return batch_of(batches_of(std::move(order))[k], epoch);
}

Batch Problem::batch_of(std::span<const std::int32_t> samples, std::int64_t epoch) const {
  return {input_of(samples, epoch), answers_of(samples)};
}

// The part that is learnt from is judged once, in the end, and too large to be kept.
void Problem::visit(Part part, const std::function<void(const Batch&)>& see) {
  auto& kept = cache_[static_cast<std::size_t>(part)];
  for (const Batch& batch : kept) see(batch);
  if (!kept.empty()) return;
  if (one_graph_) {
    kept.push_back({*whole_, answers_of(indices(part))});
    see(kept.front());
    return;
  }
  const auto ids = batches_of(indices(part));
  const auto count = static_cast<std::int64_t>(ids.size());
  BatchStream stream(count, at::get_num_threads(),
                     [&](std::int64_t k) { return batch_of(ids[k], 0); });
  for (std::int64_t k = 0; k < count; ++k) {
    Batch batch = stream.next();
    see(batch);
    if (part != Part::kTrain) kept.push_back(std::move(batch));
  }
}

std::vector<Outcome> Problem::evaluate(nn::Network& network, std::span<const Part> parts,
                                       std::vector<Answered>* answered) {
  const torch::NoGradGuard no_grad;
  network.eval();
  auto* const wide = dynamic_cast<nn::CorrespondenceImpl*>(&network);
  std::vector<Outcome> outcomes(parts.size());
  if (answered != nullptr) answered->assign(parts.size(), {});
  const torch::Tensor whole = one_graph_ ? network.forward(*whole_) : torch::Tensor();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    visit(parts[k], [&](const Batch& batch) {
      std::vector<std::int64_t> best;
      if (wide != nullptr) {
        const auto verdicts =
            nn::classify(wide->descriptors(batch.input), wide->output, batch.answers.labels);
        for (const auto& verdict : verdicts) best.push_back(verdict.best);
        outcomes[k].add(outcome_of(verdicts, batch.answers));
      } else {
        const auto logits = (one_graph_ ? whole : network.forward(batch.input)).contiguous();
        outcomes[k].add(judge(logits, batch.answers));
        if (answered != nullptr && batch.answers.multi.empty()) {
          const auto all = best_columns(values_of(logits), logits.size(1));
          for (const std::int64_t row : batch.answers.rows) best.push_back(all[row]);
        }
      }
      if (answered == nullptr) return;
      Answered& told = (*answered)[k];
      told.truth.insert(told.truth.end(), batch.answers.labels.begin(), batch.answers.labels.end());
      told.said.insert(told.said.end(), best.begin(), best.end());
    });
  }
  return outcomes;
}

double Problem::most_common(Part part) const {
  std::map<std::int32_t, double> counts;
  double all = 0, most = 0;
  for (const std::int32_t label : answers_of(indices(part)).labels) {
    if (label == data::kUnlabelled) continue;
    most = std::max(most, ++counts[label]);
    ++all;
  }
  return most / all;
}

void Problem::for_each_input(const std::function<void(const nn::Input&)>& action) const {
  if (one_graph_) return action(*whole_);
  std::vector<std::int32_t> all(data_.samples.size());
  std::iota(all.begin(), all.end(), 0);
  const auto ids = batches_of(std::move(all));
  BatchStream stream(static_cast<std::int64_t>(ids.size()), at::get_num_threads(),
                     [&](std::int64_t k) {
                       return Batch{input_of(ids[k], 0), {}};
                     });
  for (std::size_t k = 0; k < ids.size(); ++k) action(stream.next().input);
}

Problem::Said Problem::say(nn::Network& network, bool logits) const {
  const torch::NoGradGuard no_grad;
  network.eval();
  auto* const wide = logits ? nullptr : dynamic_cast<nn::CorrespondenceImpl*>(&network);
  Said said;
  for_each_input([&](const nn::Input& input) {
    if (wide != nullptr) {
      const auto x = wide->descriptors(input);
      const std::vector<std::int32_t> none(x.size(0), data::kUnlabelled);
      for (const auto& verdict : nn::classify(x, wide->output, none))
        said.classes.push_back(verdict.best);
      return;
    }
    const auto rows = network.forward(input).contiguous();
    const auto best = best_columns(values_of(rows), rows.size(1));
    said.classes.insert(said.classes.end(), best.begin(), best.end());
    if (logits)
      said.logits.insert(said.logits.end(), values_of(rows).begin(), values_of(rows).end());
  });
  return said;
}

std::string Problem::fingerprint() const {
  return data_fingerprint(data_, split_, config_.protocol != "validation");
}

std::string Problem::edges_fingerprint() const {
  return config_.weights == "learnt" ? graph_fingerprint(data_.samples.front().graph) : "";
}

void Problem::check_edges(const std::string& fingerprint, const std::string& where) const {
  if (fingerprint != edges_fingerprint())
    throw Error("{}: the learnt weights belong to the edges of another graph than that of {}",
                where, data_.name);
}

std::int64_t Problem::least_parameters() const {
  constexpr unsigned kOneMatrixPerLayer =
      kPde | kMlp | kGcn | kJknet | kInception | kGcnii | kGcniiStar;
  const bool many =
      (model_info(config_.model).model & kOneMatrixPerLayer) != 0 && !config_.shared_k;
  // A graph convolution may be the opening or the closing layer itself.
  const std::int64_t hidden = many ? std::max<std::int64_t>(config_.layers - 2, 0) : 0;
  return config_.channels * (inputs_ + hidden * config_.channels);
}

double Problem::stability_ratio(const nn::PdeNetwork& network) const {
  return network.pde->stability_ratio(one_graph_ ? whole_->domain
                                                 : training_batch(1, 0).input.domain);
}

}  // namespace pdegcn::train
