#include "pdegcn/train/problem.h"

#include <algorithm>
#include <numeric>

#include "pdegcn/graph/error.h"
#include "pdegcn/graph/transform.h"
#include "pdegcn/kernels/random.h"
#include "pdegcn/nn/baselines.h"
#include "pdegcn/report/crc32c.h"

namespace pdegcn::train {
namespace {

// The streams of random numbers that belong to the order of batches; dropout has others.
constexpr std::uint64_t kOrderStream = std::uint64_t{1} << 40;

torch::Tensor tensor_of(const data::DenseMatrix& matrix) {
  auto tensor = torch::empty({matrix.rows, matrix.cols}, torch::kFloat32);
  std::copy(matrix.values.begin(), matrix.values.end(), tensor.data_ptr<float>());
  return tensor;
}

// Matrices below each other; undefined when they have no columns.
template <class Get>
torch::Tensor stacked(std::span<const data::Sample* const> samples, const Get& get) {
  std::vector<torch::Tensor> parts;
  for (const data::Sample* sample : samples) parts.push_back(tensor_of(get(*sample)));
  if (parts.front().size(1) == 0) return {};
  return parts.size() == 1 ? parts.front() : torch::cat(parts, 0);
}

data::SparseMatrix sparse_below_each_other(std::span<const data::Sample* const> samples) {
  data::SparseMatrix all;
  for (const data::Sample* sample : samples) {
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

std::int64_t attribute_columns(const data::Sample& sample, Task task) {
  // Correspondence has the input of the paper's table: coordinates, not lengths.
  return sample.edge_attributes.odd.cols +
         (task == kCorrespondence ? 0 : sample.edge_attributes.even.cols);
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
  const nn::BaselineOptions o{inputs,         outputs,          config.layers,   config.channels,
                              config.dropout, config.drop_edge, config.teleport, config.lambda};
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
    default:
      return nn::Gcnii(o, true).ptr();
  }
}

template <class Values>
std::uint32_t checksum(const Values& values, std::uint32_t before) {
  const auto bytes = std::as_bytes(std::span(values));
  return report::crc32c({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, before);
}

}  // namespace

Outcome judge(const torch::Tensor& logits, const Answers& answers, torch::Tensor* gradient) {
  const auto x = logits.detach().contiguous();
  if (gradient != nullptr) *gradient = torch::zeros_like(x);
  return judge({x.data_ptr<float>(), static_cast<std::size_t>(x.numel())}, x.size(1), answers,
               gradient == nullptr ? nullptr : gradient->data_ptr<float>());
}

Problem::Problem(const data::Dataset& data, std::int64_t outputs, const RunConfig& config)
    : data_(data),
      config_(config),
      task_(parse_task(config.task)),
      outputs_(outputs),
      one_graph_(data.samples.size() == 1 && task_ == kNode) {
  if (data_.samples.empty()) throw Error("data set {} has no graphs", data_.name);
  if ((model_info(config_.model).tasks & task_) == 0)
    throw Error("--model {}: this network does not fit the task {}", config_.model, config_.task);
  if (config_.weights == "learnt" && !one_graph_)
    throw Error("weights learnt: every edge has its own, which needs a data set of one graph");
  const auto& first = data_.samples.front();
  first_node_.push_back(0);
  for (const data::Sample& sample : data_.samples) {
    first_node_.push_back(first_node_.back() + sample.graph.num_nodes());
    if (sample.features.index() != first.features.index() ||
        attribute_columns(sample, task_) != attribute_columns(first, task_))
      throw Error("data set {}: graphs '{}' and '{}' differ in what lies on them", data_.name,
                  first.name, sample.name);
  }
  if (one_graph_) {
    const std::int32_t only = 0;
    whole_ = input_of({&only, 1});
    if (config_.reorder == "rcm") whole_->domain = whole_->domain.reordered();
  }
}

Problem::Problem(const data::Dataset& data, data::Split split, const RunConfig& config)
    : Problem(data, data.num_classes(), config) {
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
  const std::int64_t inputs =
      data_.num_features() + attribute_columns(data_.samples.front(), task_);
  if ((model_info(config_.model).model & kPde) == 0)
    return make_baseline(config_, inputs, outputs_);
  const nn::StackOptions stack = stack_options(config_);
  std::shared_ptr<nn::PdeNetwork> network;
  if (task_ == kNode)
    network = nn::NodeClassifier(inputs, outputs_, config_.dropout, stack).ptr();
  else if (task_ == kGraph)
    network = nn::ShapeClassifier(inputs, outputs_, stack).ptr();
  else
    network = nn::Correspondence(inputs, outputs_, stack).ptr();
  if (config_.weights == "learnt") network->pde->learn_weights(whole_->domain);
  return network;
}

const std::vector<std::int32_t>& Problem::indices(Part part) const {
  return part == Part::kTrain        ? split_.train
         : part == Part::kValidation ? split_.validation
                                     : split_.test;
}

nn::Input Problem::input_of(std::span<const std::int32_t> ids) const {
  std::vector<const data::Sample*> samples;
  std::vector<const Graph*> graphs;
  std::vector<std::int64_t> sizes;
  std::vector<float> positions;
  for (const std::int32_t id : ids) {
    samples.push_back(&data_.samples[id]);
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
      torch::Tensor(), std::move(sizes)};
  if (task_ != kCorrespondence)
    input.even_attributes = stacked(
        samples, [](const data::Sample& s) -> auto& { return s.edge_attributes.even; });
  if (std::holds_alternative<data::SparseMatrix>(samples.front()->features))
    input.features = nn::SparseInput(sparse_below_each_other(samples));
  else
    input.features = stacked(
        samples,
        [](const data::Sample& s) -> auto& { return std::get<data::DenseMatrix>(s.features); });
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
  const auto samples = batches_of(std::move(order))[k];
  return {input_of(samples), answers_of(samples)};
}

const std::vector<Batch>& Problem::batches(Part part) {
  auto& cached = cache_[static_cast<std::size_t>(part)];
  if (cached.empty()) {
    if (one_graph_)
      cached.push_back({*whole_, answers_of(indices(part))});
    else
      for (const auto& samples : batches_of(indices(part)))
        cached.push_back({input_of(samples), answers_of(samples)});
  }
  return cached;
}

std::vector<Outcome> Problem::evaluate(nn::Network& network, std::span<const Part> parts) {
  const torch::NoGradGuard no_grad;
  network.eval();
  std::vector<Outcome> outcomes(parts.size());
  torch::Tensor logits = one_graph_ ? network.forward(*whole_) : torch::Tensor();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const Batch& batch : batches(parts[k])) {
      if (!one_graph_) logits = network.forward(batch.input);
      outcomes[k].add(judge(logits, batch.answers));
    }
  }
  return outcomes;
}

void Problem::for_each_input(const std::function<void(const nn::Input&)>& action) const {
  if (one_graph_) return action(*whole_);
  std::vector<std::int32_t> all(data_.samples.size());
  std::iota(all.begin(), all.end(), 0);
  for (const auto& samples : batches_of(std::move(all))) action(input_of(samples));
}

std::vector<torch::Tensor> Problem::logits(nn::Network& network) const {
  const torch::NoGradGuard no_grad;
  network.eval();
  std::vector<torch::Tensor> parts;
  for_each_input([&](const nn::Input& input) { parts.push_back(network.forward(input)); });
  return parts;
}

std::string Problem::fingerprint() const {
  std::uint32_t sum = 0;
  for (const data::Sample& sample : data_.samples) {
    sum = checksum(sample.graph.offsets(), sum);
    sum = checksum(sample.graph.neighbors(), sum);
    if (const auto* sparse = std::get_if<data::SparseMatrix>(&sample.features)) {
      sum = checksum(sparse->offsets, sum);
      sum = checksum(sparse->columns, sum);
      sum = checksum(sparse->values, sum);
    } else {
      sum = checksum(std::get<data::DenseMatrix>(sample.features).values, sum);
    }
    sum = checksum(sample.edge_attributes.odd.values, sum);
    sum = checksum(sample.edge_attributes.even.values, sum);
    sum = checksum(sample.positions, sum);
  }
  for (const auto* part : {&split_.train, &split_.validation, &split_.test})
    sum = checksum(*part, sum);
  for (const auto* part : {&split_.train, &split_.validation}) {
    const Answers answers = answers_of(*part);
    sum = checksum(answers.labels, sum);
    sum = checksum(answers.multi, sum);
  }
  return fmt::format("{:08x}", sum);
}

double Problem::stability_ratio(const nn::PdeNetwork& network) const {
  return network.pde->stability_ratio(one_graph_ ? whole_->domain
                                                 : training_batch(1, 0).input.domain);
}

}  // namespace pdegcn::train
