// Numbers for tests of what is spread over ranks: the same on all, and comparisons with one process.
#pragma once
#include "core/autograd/engine.h"
#include "core/dispatch/generator.h"
#include "core/ops/arithmetic.h"
#include "core/parallel/functional.h"
#include "tests/dist/ranks.h"

namespace haft::parallel::testing {

using namespace haft::dist::testing;

// The same on every rank that asks with the same seed.
inline Tensor random(std::vector<int64_t> sizes, uint64_t seed, DType t = DType::f64) {
  Generator g(seed);
  NoGradGuard off;
  return ops::randn(sizes, t, Device{}, &g);
}
inline Tensor leaf(const Tensor& x) {
  Tensor t = ops::clone(ops::detach(x));
  set_requires_grad(t, true);
  return t;
}
inline Tensor grad_of(const Tensor& y, const Tensor& x) { return grad({&y, 1}, {&x, 1}, {}, {})[0]; }

// Relative to the largest value above 1.
inline double distance(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined() || !std::ranges::equal(a.sizes(), b.sizes())) return INFINITY;
  NoGradGuard off;
  const Tensor d = ops::contiguous(ops::abs(ops::cast(a, DType::f64) - ops::cast(b, DType::f64)));
  const Tensor size = ops::contiguous(ops::abs(ops::cast(b, DType::f64)));
  double most = 0, largest = 1;
  for (int64_t i = 0; i < d.numel(); ++i) {
    most = d.data<double>()[i] <= most ? most : d.data<double>()[i];
    largest = std::max(largest, size.data<double>()[i]);
  }
  return most / largest;
}
#define EXPECT_CLOSE(a, b, tolerance) \
  EXPECT_LE(haft::parallel::testing::distance(a, b), tolerance) << "rank " << g.rank()

// The part of whole, along dim, that a rank has.
inline Tensor part(const Tensor& whole, dist::Group& g, int64_t dim = 0) {
  const Part p = part_of(whole.size(dim), g.size(), g.rank());
  return ops::narrow(whole, dim, p.begin, p.size);
}

}  // namespace haft::parallel::testing
