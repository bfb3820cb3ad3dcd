#include "limit.h"

#include <torch/torch.h>

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "pdegcn/kernels/product.h"
#include "pdegcn/kernels/tanh.h"
#include "workload.h"

namespace pdegcn::bench {
namespace {

constexpr std::int64_t kCached = 4096;  // values: 16 KB, half of a small first cache
constexpr int kPasses = 256;            // over them, by every thread
constexpr std::int64_t kCopied = std::int64_t{1} << 26;  // bytes in one run at least

}  // namespace

Machine::Machine(std::int64_t n, std::int64_t field_bytes, std::int64_t channels)
    : n_(n), channels_(channels), field_bytes_(field_bytes) {
  const auto a = torch::randn({n, n}), b = torch::randn({n, n});
  auto c = torch::empty({n, n});
  openblas.run = [=]() mutable {
    const torch::NoGradGuard no_grad;
    at::mm_out(c, a, b);
  };
  own.run = [=] {
    const auto view = [n](const torch::Tensor& m, std::int64_t columns) {
      return kernels::Matrix<float>{m.data_ptr<float>(), n, columns, columns};
    };
    kernels::multiply<float>(view(a, n), view(b, channels), view(c, channels));
  };
  tanh.run = [this] {
#pragma omp parallel
    {
      const kernels::Buffer<float> x(kCached), y(kCached);
      for (std::int64_t k = 0; k < kCached; ++k)
        x.data()[k] = 4.0f * static_cast<float>(k) / kCached - 2;
      for (int pass = 0; pass < kPasses; ++pass) kernels::tanh_values(x.data(), kCached, y.data());
#pragma omp master
      threads_ = omp_get_num_threads();
    }
  };
  const auto from = torch::ones({field_bytes}, torch::kUInt8), to = torch::empty_like(from);
  copy.run = [=] {
    const std::int64_t passes = (kCopied + field_bytes - 1) / field_bytes;
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
      const std::int64_t first = field_bytes * t / threads, last = field_bytes * (t + 1) / threads;
      for (std::int64_t pass = 0; pass < passes; ++pass)
        std::memcpy(to.data_ptr<std::uint8_t>() + first, from.data_ptr<std::uint8_t>() + first,
                    last - first);
    }
  };
}

double Machine::flops(const Task& product) const {
  return 2.0 * static_cast<double>(n_) * static_cast<double>(n_) *
         static_cast<double>(&product == &own ? channels_ : n_) / product.seconds;
}

double Machine::flops() const {
  return std::max(flops(openblas), flops(own));
}

double Machine::tanhs() const {
  return static_cast<double>(kPasses * kCached * threads_) / tanh.seconds;
}

double Machine::bytes() const {
  const std::int64_t passes = (kCopied + field_bytes_ - 1) / field_bytes_;
  return 2.0 * static_cast<double>(passes * field_bytes_) / copy.seconds;
}

Limit limit(const Workload& w, const Machine& machine) {
  const auto n = static_cast<double>(w.nodes()), m = static_cast<double>(w.edges());
  const auto c = static_cast<double>(w.what.channels), layers = static_cast<double>(w.what.layers);
  Limit limit;
  limit.products = layers * 8 * 2 * n * c * c / machine.flops();

  // A pass reads a row for every edge, its far end, and for every node its own, writes one for
  // every node, and reads an index and a weight for every edge. The adjoint reads two fields.
  const double forward = 4 * c * (m + 2 * n) + 8 * m;
  const double adjoint = 4 * c * (2 * m + 3 * n) + 8 * m;
  const double evaluated = m * c / machine.tanhs();
  limit.edges = layers * (2 * std::max(evaluated, forward / machine.bytes()) +
                          std::max(evaluated, adjoint / machine.bytes()));

  // The sparse opening reads a row of weights, an index and a value for every non-zero and writes a
  // row for every node: forward, in evaluation, and the other way round backward.
  if (const data::SparseMatrix* words = w.words())
    limit.opening = 3 * (static_cast<double>(words->columns.size()) * (4 * c + 8) + 4 * c * n) /
                    machine.bytes();
  return limit;
}

}  // namespace pdegcn::bench
