#include "pdegcn/train/footprint.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/march.h"

namespace pdegcn::train {
namespace {

using kernels::Memory;

constexpr std::pair<std::string_view, Memory> kModes[] = {
    {"store", Memory::store}, {"checkpoint", Memory::checkpoint}, {"reverse", Memory::reverse}};

// What the first steps load besides: pages of libraries, stacks of threads.
constexpr std::int64_t kWarmUp = 16 << 20;

// What a network of another kind keeps of every layer for the way back, in states.
constexpr std::int64_t kKeptPerLayer = 4;

// Nodes and edges of what a network sees at once.
struct Size {
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
};

bool has_equation(const RunConfig& run) {
  return (parse_models(run.model) & kPde) != 0;
}

bool is_one_graph(const RunConfig& run, const data::Dataset& data) {
  return data.samples.size() == 1 && run.task == "node";
}

// The largest batch that there could be.
Size largest_step(const RunConfig& run, const data::Dataset& data) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  for (const data::Sample& sample : data.samples)
    sizes.emplace_back(sample.graph.num_nodes(), sample.graph.num_edges());
  const auto count = std::min(sizes.size(), static_cast<std::size_t>(std::max<std::int64_t>(
                                                is_one_graph(run, data) ? 1 : run.batch, 1)));
  std::partial_sort(sizes.begin(), sizes.begin() + count, sizes.end(), std::greater<>());
  Size all;
  for (std::size_t k = 0; k < count; ++k) {
    all.nodes += sizes[k].first;
    all.edges += sizes[k].second;
  }
  return all;
}

kernels::MarchPlan plan_of(const RunConfig& run, const Size& size, Memory memory) {
  kernels::MarchSize march;
  march.nodes = size.nodes;
  march.edges = size.edges;
  march.channels = run.channels;
  march.layers = run.layers;
  march.second_order = run.model != "d";
  march.reversible = run.model == "h";
  march.value_bytes = sizeof(float);
  return {march, memory, 0};
}

// An input made ready for a network: a graph with its weights and the ends of its edges, features
// by row and, where they are sparse, by column.
std::int64_t input_bytes(const data::Sample& sample) {
  const std::int64_t n = sample.graph.num_nodes(), m = sample.graph.num_edges();
  std::int64_t bytes = 40 * n + 52 * m;
  if (const auto* sparse = std::get_if<data::SparseMatrix>(&sample.features))
    bytes += 20 * static_cast<std::int64_t>(sparse->columns.size()) + 8 * sparse->cols;
  else
    bytes += 4 * n * std::get<data::DenseMatrix>(sample.features).cols;
  return bytes + 4 * m * (sample.edge_attributes.odd.cols + sample.edge_attributes.even.cols);
}

// Values per node that are alive at once around the stack, on its way back: its input and output,
// their gradients, and what opening and head keep.
std::int64_t values_per_node(const RunConfig& run, const data::Dataset& data) {
  const auto& sample = data.samples.front();
  const bool sparse = std::holds_alternative<data::SparseMatrix>(sample.features);
  const std::int64_t inputs =
      sparse && sample.edge_attributes.odd.cols == 0 && sample.edge_attributes.even.cols == 0
          ? 0
          : data.num_features();
  const std::int64_t around = 6 * run.channels + 2 * inputs;
  if (run.task == "correspondence") return around + 4 * 512 + 2 * data.num_classes();
  return around + (run.task == "node" ? 2 * data.num_classes() : 2 * run.channels);
}

std::int64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::string in_words(std::int64_t bytes) {
  return bytes < 10'000'000'000 ? fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6)
                                : fmt::format("{:.0f} GB", static_cast<double>(bytes) / 1e9);
}

}  // namespace

std::string memory_mode(const RunConfig& run, const data::Dataset& data) {
  if (run.memory == "reverse" && run.model != "h" && has_equation(run))
    throw Error("--memory reverse: only --model h, a wave, can be run backwards: use checkpoint");
  if (run.memory != "auto" || !has_equation(run)) return run.memory;
  const Memory chosen = plan_of(run, largest_step(run, data), Memory::automatic).memory;
  return std::string(
      std::ranges::find(kModes, chosen, [](const auto& m) { return m.second; })->first);
}

Footprint footprint(const RunConfig& run, const data::Dataset& data, std::int64_t parameters) {
  constexpr std::int64_t kFloat = sizeof(float);
  const Size size = largest_step(run, data);
  Footprint result;
  result.held = resident_memory() + kWarmUp;
  // The gradient, the state after the last epoch with its moments, and the best of all.
  result.copies = 5 * parameters * kFloat;
  if (has_equation(run)) {
    const auto mode =
        std::ranges::find(kModes, memory_mode(run, data), [](const auto& m) { return m.first; });
    result.stack = plan_of(run, size, mode->second).bytes;
  } else {
    result.stack = kKeptPerLayer * run.layers * size.nodes * run.channels * kFloat;
  }
  result.around = values_per_node(run, data) * size.nodes * kFloat;
  if (is_one_graph(run, data)) return result;
  // Batches are made when they are asked for, and kept where they are evaluated.
  for (const data::Sample& sample : data.samples) result.around += input_bytes(sample);
  return result;
}

void check_footprint(const RunConfig& run, const data::Dataset& data, std::int64_t parameters,
                     std::int64_t memory) {
  const std::int64_t peak = footprint(run, data, parameters).peak();
  if (peak <= memory) return;
  std::vector<std::string> others;
  for (const auto& [name, mode] : kModes) {
    if (!has_equation(run) || (mode == Memory::reverse && run.model != "h")) continue;
    RunConfig other = run;
    other.memory = name;
    const std::int64_t needs = footprint(other, data, parameters).peak();
    if (needs <= memory)
      others.push_back(fmt::format("--memory {} needs {}", name, in_words(needs)));
  }
  throw Error(
      "the run needs about {}, and the machine has {}: {}", in_words(peak), in_words(memory),
      others.empty() ? "use fewer layers or channels" : fmt::format("{}", fmt::join(others, ", ")));
}

std::int64_t machine_memory() {
  std::int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::int64_t limit = 0;
    if (file >> limit && limit > 0) memory = std::min(memory, limit);  // "max" is no number
  }
  return memory;
}

}  // namespace pdegcn::train
