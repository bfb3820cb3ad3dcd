#include "pdegcn/nn/dropout.h"

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/sparse.h"

namespace pdegcn::nn {
namespace {

// The factors are drawn as floats whatever the type of x, so that all types have the same mask.
torch::Tensor factors(const torch::Tensor& x, double p, const Draw& draw, std::uint64_t site) {
  auto mask = torch::ones({x.numel()}, torch::kFloat32);
  float* values = mask.data_ptr<float>();
  kernels::dropout<float>(values, mask.numel(), p, draw.seed_of(site), draw.step, values);
  return mask.view(x.sizes()).to(x.device(), x.scalar_type());
}

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, double p, const Draw& draw, std::uint64_t site) {
  if (!(p >= 0) || p >= 1) throw Error("the dropout p must be in [0, 1), it is {}", p);
  return p == 0 ? x : x * factors(x, p, draw, site);
}

}  // namespace pdegcn::nn
