// The kernels on one thread, against what bounds them: the rate of large products, of tanh in the
// cache, of memory. Rates are by processor time, which a busy machine stretches least.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <vector>

#include "pdegcn/graph/weights.h"
#include "pdegcn/kernels/dot.h"
#include "pdegcn/kernels/march.h"
#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/random.h"
#include "pdegcn/kernels/sparse.h"
#include "pdegcn/kernels/tanh.h"

namespace pdegcn::kernels {
namespace {

using Counter = benchmark::Counter;

Buffer<float> random_buffer(std::int64_t count) {
  Random random(1);
  Buffer<float> buffer(count);
  for (float& value : buffer.values()) value = static_cast<float>(random.uniform(-1, 1));
  return buffer;
}

// As many nodes and edges as a citation graph has, the edges at random.
Graph citations(NodeId nodes, EdgeId count) {
  Random random(2);
  std::vector<Edge> edges(count);
  for (auto& [i, j] : edges) {
    i = static_cast<NodeId>(random.below(nodes));
    j = static_cast<NodeId>(random.below(nodes));
  }
  return Graph::from_edges(nodes, std::move(edges));
}

Graph cora_like() {
  return citations(2708, 5278);
}

Graph pubmed_like() {
  return citations(19717, 44324);
}

void rate_of_flops(benchmark::State& state, double flops) {
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
}

void OpenBlas(benchmark::State& state) {
  const std::int64_t n = state.range(0), c = state.range(1);
  openblas_set_num_threads(1);
  const auto a = random_buffer(n * c), b = random_buffer(c * c), out = random_buffer(n * c);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, c, c, 1, a.data(), c, b.data(), c, 0,
                out.data(), c);
    benchmark::ClobberMemory();
  }
  rate_of_flops(state, 2.0 * n * c * c);
  state.SetLabel(openblas_get_corename());  // an old one does not know a new processor
}
BENCHMARK(OpenBlas)->Args({2048, 2048})->Args({2708, 64})->Args({19717, 256});

// In strips, as the march has them.
void Product(benchmark::State& state) {
  const std::int64_t n = state.range(0), c = state.range(1), s = state_stride(c);
  const auto a = random_buffer(n * s), b = random_buffer(c * s), out = random_buffer(n * s);
  for (auto _ : state)
    for (std::int64_t i = 0; i < n; i += 48)
      product_rows<float>({a.data(), n, c, s}, {b.data(), c, c, s}, {out.data(), n, c, s}, i,
                          std::min(i + 48, n));
  rate_of_flops(state, 2.0 * n * c * c);
}
BENCHMARK(Product)->Args({2708, 64})->Args({6890, 128})->Args({19717, 256});

void Gram(benchmark::State& state) {
  const std::int64_t n = state.range(0), c = state.range(1), s = state_stride(c);
  const auto a = random_buffer(n * s), b = random_buffer(n * s), out = random_buffer(c * s);
  for (auto _ : state) {
    std::fill_n(out.data(), c * s, 0.0f);
    for (std::int64_t i = 0; i < n; i += 48)
      gram_rows<float>({a.data(), n, c, s}, {b.data(), n, c, s}, {out.data(), c, c, s}, i,
                       std::min(i + 48, n));
  }
  rate_of_flops(state, 2.0 * n * c * c);
}
BENCHMARK(Gram)->Args({2708, 64})->Args({6890, 128})->Args({19717, 256});

// By the functions for whole matrices, which take the matrix unit where there is one.
template <bool Transposed>
void Multiply(benchmark::State& state) {
  const std::int64_t n = state.range(0), c = state.range(1);
  omp_set_num_threads(1);
  const auto a = random_buffer(n * c), b = random_buffer((Transposed ? n : c) * c);
  const auto out = random_buffer((Transposed ? c : n) * c);
  const Matrix<float> left{a.data(), n, c, c};
  for (auto _ : state)
    if (Transposed)
      multiply_transposed<float>(left, {b.data(), n, c, c}, {out.data(), c, c, c});
    else
      multiply<float>(left, {b.data(), c, c, c}, {out.data(), n, c, c});
  rate_of_flops(state, 2.0 * n * c * c);
}
BENCHMARK(Multiply<false>)->Args({6890, 128})->Args({19717, 256});
BENCHMARK(Multiply<true>)->Args({6890, 128})->Args({19717, 256});

void Dot(benchmark::State& state) {
  const auto x = random_buffer(48 * 64), y = random_buffer(48 * 64);
  for (auto _ : state)
    benchmark::DoNotOptimize(dot<float>({x.data(), 48, 64, 64}, {y.data(), 48, 64, 64}));
  state.counters["values/s"] = Counter(48 * 64, Counter::kIsIterationInvariantRate);
}
BENCHMARK(Dot);

void Tanh(benchmark::State& state) {
  const auto x = random_buffer(4096), out = random_buffer(4096);
  for (auto _ : state) {
    tanh_values(x.data(), 4096, out.data());
    benchmark::ClobberMemory();
  }
  state.counters["values/s"] = Counter(4096, Counter::kIsIterationInvariantRate);
}
BENCHMARK(Tanh);

void Copy(benchmark::State& state) {
  const std::int64_t count = std::int64_t{1} << 26;
  const auto from = random_buffer(count), to = random_buffer(count);
  for (auto _ : state) {
    std::copy_n(from.data(), count, to.data());
    benchmark::ClobberMemory();
  }
  state.counters["bytes/s"] = Counter(8.0 * count, Counter::kIsIterationInvariantRate);
}
BENCHMARK(Copy);

// Bags of 18 words among 1,433, as Cora has them, times weights; values are non-zeros times
// channels.
void Sparse(benchmark::State& state) {
  const std::int64_t n = 2708, words = 1433, bag = 18, c = state.range(0);
  Random random(3);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = static_cast<std::int64_t>(random.below(words / bag));
    for (std::int64_t k = 0; k < bag; ++k)
      columns.push_back(static_cast<std::int32_t>(first + k * (words / bag)));
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const auto values = random_buffer(n * bag), b = random_buffer(words * c),
             out = random_buffer(n * c);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  for (auto _ : state)
    multiply_sparse<float>({n, words, offsets.data(), columns.data(), values.data()},
                           {b.data(), words, c, c}, {out.data(), n, c, c});
  omp_set_num_threads(before);
  state.counters["values/s"] =
      Counter(static_cast<double>(n * bag * c), Counter::kIsIterationInvariantRate);
}
BENCHMARK(Sparse)->Arg(64)->Arg(256);

void InputDropout(benchmark::State& state) {
  const std::int64_t count = 2708 * 18;
  const auto values = random_buffer(count), out = random_buffer(count);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  std::uint64_t step = 0;
  for (auto _ : state) dropout<float>(values.data(), count, 0.5, 1, ++step, out.data());
  omp_set_num_threads(before);
  state.counters["values/s"] = Counter(count, Counter::kIsIterationInvariantRate);
}
BENCHMARK(InputDropout);

// One pass over all rows, which meets every edge twice; values are edge ends times channels.
void EdgeFlux(benchmark::State& state, bool adjoint, double dropout) {
  const std::int64_t c = state.range(0);
  const Graph graph = c < 256 ? cora_like() : pubmed_like();
  const std::int64_t n = graph.num_nodes();
  const auto g = random_buffer(n * c), y_bar = random_buffer(n * c);
  const Buffer<float> y(48 * c), g_bar(48 * c);
  const std::vector<float> gamma(graph.neighbors().size(), 0.5f);
  EdgePass<float> pass;
  pass.rows = {graph.offsets().data(), graph.neighbors().data(), graph.edge_ids().data(),
               gamma.data()};
  pass.dropout.p = dropout;
  pass.g = {g.data(), n, c, c};
  pass.y_bar = {y_bar.data(), n, c, c};
  for (auto _ : state)
    for (std::int64_t i = 0; i < n; i += 48) {
      const Matrix<float> strip{y.data(), 48, c, c};
      edge_flux_rows<float>(pass, i, std::min(i + 48, n), RowPlan::longest, strip,
                            adjoint ? Matrix<float>{g_bar.data(), 48, c, c} : Matrix<float>{});
    }
  state.counters["values/s"] =
      Counter(static_cast<double>(gamma.size() * c), Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(EdgeFlux, forward, false, 0.0)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(EdgeFlux, adjoint, true, 0.0)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(EdgeFlux, forward_dropout, false, 0.5)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(EdgeFlux, adjoint_dropout, true, 0.5)->Arg(16)->Arg(64);

// A training step of the stack: 16 layers of diffusion, forward and backward with the gradients of
// K; and the same without any of the edges, which leaves the products.
void Stack(benchmark::State& state) {
  const bool with_edges = state.range(1) != 0;
  const std::int64_t c = state.range(2), layers = c < 256 ? 16 : 4;
  const Graph full = c < 256 ? cora_like() : pubmed_like();
  const Graph graph = with_edges ? full : Graph::from_edges(full.num_nodes(), {});
  const RowPlan plan(graph);
  const auto weights = edge_weights(graph, WeightKind::metropolis);
  const std::vector<float> gamma(weights.begin(), weights.end());
  const auto f0 = random_buffer(graph.num_nodes() * c), last = random_buffer(f0.count());
  const auto K = random_buffer(layers * c * c);
  for (float& value : K.values()) value /= 16;
  MarchProblem<float> problem;
  problem.graph = &graph;
  problem.plan = &plan;
  problem.gamma = gamma.data();
  problem.channels = c;
  for (std::int64_t l = 0; l < layers; ++l) problem.K.push_back(K.data() + l * c * c);
  problem.steps.assign(layers, StepCoefficients{1, 0, -0.5});

  const int before = omp_get_max_threads();
  omp_set_num_threads(static_cast<int>(state.range(0)));
  std::vector<float> gradient(layers * c * c);
  MarchGradients<float> gradients;
  for (std::int64_t l = 0; l < layers; ++l) gradients.K.push_back(gradient.data() + l * c * c);
  March<float> march(problem);
  for (auto _ : state) {
    march.forward(f0.data(), last.data(), true);
    march.backward(last.data(), nullptr, gradients);
  }
  omp_set_num_threads(before);
}
BENCHMARK(Stack)
    ->ArgNames({"threads", "edges", "channels"})
    ->Args({1, 1, 64})
    ->Args({1, 0, 64})
    ->Args({2, 1, 64})
    ->Args({1, 1, 256})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace pdegcn::kernels
