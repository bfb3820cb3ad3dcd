#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>
#include <vector>

#include "pdegcn/graph/graph.h"
#include "pdegcn/graph/knn.h"

namespace {

std::size_t held = 0;  // bytes on the heap, now and at most
std::size_t peak = 0;

}  // namespace

// Not inline: GCC 12 would take the malloc inside for a mismatch with the delete of its memory.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  held += malloc_usable_size(memory);
  peak = std::max(peak, held);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace pdegcn {
namespace {

// The processor's time, which a busy machine does not stretch.
template <class Work>
double seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Ten million random edges, beside a std::sort of as many 64-bit keys in the same run.
//   over_sort   the time as a multiple of the sort's; at most 6 is asked for
//   over_graph  the most memory held meanwhile, the given edges included, as a multiple of the
//               finished graph; at most 3 is asked for
void build_graph(benchmark::State& state) {
  const auto nodes = static_cast<NodeId>(state.range(0));
  const std::size_t count = 10'000'000;
  std::mt19937_64 random(1);
  double building = 0, sorting = 0, memory = 0;
  for (auto _ : state) {
    std::vector<std::uint64_t> keys(count);
    for (auto& key : keys) key = random();
    sorting += seconds([&] { std::sort(keys.begin(), keys.end()); });
    benchmark::DoNotOptimize(keys.data());
    keys = {};

    const std::size_t before = held;
    std::vector<Edge> edges(count);
    for (Edge& e : edges)
      e = {static_cast<NodeId>(random() % nodes), static_cast<NodeId>(random() % nodes)};
    peak = held;
    Graph graph;
    const double time = seconds([&] { graph = Graph::from_edges(nodes, std::move(edges)); });
    building += time;
    memory = static_cast<double>(peak - before) / static_cast<double>(held - before);
    state.SetIterationTime(time);
  }
  state.counters["over_sort"] = building / sorting;
  state.counters["over_graph"] = memory;
}
BENCHMARK(build_graph)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

// The ten nearest neighbours in clouds of 1,024 points, the tree included; knn_reference.py times
// the same by scipy.
std::vector<std::vector<float>> clouds() {
  std::mt19937 random(1);
  std::vector<std::vector<float>> all(32, std::vector<float>(3 * 1024));
  for (auto& points : all)
    for (float& x : points) x = static_cast<float>(random()) / 4294967296.0f;
  return all;
}

void nearest_neighbors(benchmark::State& state) {
  const auto all = clouds();
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(pdegcn::nearest_neighbors(all[next++ % all.size()], 3, 10));
}
BENCHMARK(nearest_neighbors)->Unit(benchmark::kMicrosecond);

void graph_from_points(benchmark::State& state) {
  const auto all = clouds();
  std::size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(Graph::from_points(all[next++ % all.size()], 3, 10));
}
BENCHMARK(graph_from_points)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pdegcn
