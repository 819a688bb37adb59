// What records do not say of attention: the number of threads changes no bit, and NaN stays in its row.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/autograd/engine.h"
#include "core/base/parallel.h"
#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"
#include "core/tensor/host_allocator.h"

namespace haft {
namespace {

// The engine's generator starts from the tests' seed.
Tensor drawn(IntList sizes) { return ops::normal(0, 1, sizes, DType::f32); }
bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = ops::contiguous(a), y = ops::contiguous(b);
  return x.numel() == y.numel() && !std::memcmp(x.view().data, y.view().data, size_t(x.numel()) * 4);
}

double largest(const Tensor& x) {
  return item(ops::amax(ops::abs(ops::cast(x, DType::f64)), {}, false)).to_double();
}

TEST(Attention, ThreadsChangeNoBit) {
  const int before = num_threads();
  const int64_t q_sizes[] = {1, 2, 300, 40}, k_sizes[] = {1, 1, 500, 40};
  const Tensor q = drawn(q_sizes), k = drawn(k_sizes), v = drawn(k_sizes);
  std::vector<Tensor> first;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    auto [out, lse] = ops::attention(q, k, v, Tensor(), 0.2, false, 0.1, 9, 4);
    auto [dq, dk, dv] = ops::attention_backward(out, q, k, v, Tensor(), out, lse, 0.2, false, 0.1, 9, 4);
    const std::vector<Tensor> now{out, lse, dq, dk, dv};
    if (first.empty()) first = now;
    for (size_t i = 0; i < now.size(); ++i)
      EXPECT_TRUE(same_bits(first[i], now[i])) << threads << " threads, result " << i;
  }
  set_num_threads(before);
}

// The lowest finite number is what programs mask with: a row that sees nothing else is the mean of the values, as in
// PyTorch.
TEST(Attention, RowsOfLowestMasks) {
  const int64_t sizes[] = {1, 2, 37, 24}, of_mask[] = {1, 2, 37, 37}, along[] = {2};
  for (DType t : {DType::f32, DType::f64, DType::bf16}) {
    auto one = [&] { return ops::cast(drawn(sizes), t); };
    const Tensor q = one(), k = one(), v = one(), g = one();
    const double limits[] = {
        t == DType::f64 ? -std::numeric_limits<double>::max() : -double(std::numeric_limits<float>::max()),
        -1e30};
    for (double low : limits)
      for (bool turned : {false, true}) {
        Tensor mask = ops::full(of_mask, Scalar(low), t == DType::f64 ? DType::f64 : DType::f32);
        if (turned) mask = ops::transpose(mask, 2, 3);
        auto [out, lse] = ops::attention(q, k, v, mask, 1e-3, false, 0, 0, 0);
        const Tensor mean = ops::transpose(ops::mean(ops::cast(v, DType::f64), along, true), 1, 2);
        const double off = largest(ops::sub(ops::cast(out, DType::f64), mean));
        EXPECT_LT(off, t == DType::bf16 ? 2e-2 : 1e-4) << dtype_name(t) << " " << low;
        auto [dq, dk, dv] =
            ops::attention_backward(ops::transpose(g, 1, 2), q, k, v, mask, out, lse, 1e-3, false, 0, 0, 0);
        for (const Tensor& d : {dq, dk, dv}) EXPECT_LT(largest(d), 1e4) << dtype_name(t) << " " << low;
      }
  }
}

// Gradients lie as their inputs do, so that leaves take them as they are.
TEST(Attention, GradientsLieAsInputs) {
  const int64_t dense[] = {2, 3, 5, 8}, rows[] = {2, 5, 3, 8};
  for (bool turned : {false, true}) {
    auto one = [&] { return turned ? ops::transpose(drawn(rows), 1, 2) : drawn(dense); };
    Tensor q = one(), k = one(), v = one();
    for (Tensor* t : {&q, &k, &v}) set_requires_grad(*t, true);
    const Tensor out =
        ops::scaled_dot_product_attention(q, k, v, Tensor(), 0, false, Scalar(), false, nullptr);
    const Tensor of[] = {out}, to[] = {q, k, v}, g[] = {drawn(dense)};
    for (const Tensor& d : grad(of, to, g)) EXPECT_EQ(d.is_contiguous(), !turned);
  }
}

// What tiles are for: the weights would take 64 MB.
TEST(Attention, MemoryIsLinear) {
  const int64_t sizes[] = {1, 1, 4096, 16};
  const Tensor q = drawn(sizes);
  host_memory_reset_peak();
  const int64_t before = host_memory_stats().live;
  auto [out, lse] = ops::attention(q, q, q, Tensor(), 1, false, 0, 0, 0);
  ops::attention_backward(out, q, q, q, Tensor(), out, lse, 1, false, 0, 0, 0);
  EXPECT_LT(host_memory_stats().peak - before, int64_t(24) << 20);
}

TEST(Attention, NotANumberStaysInItsRow) {
  const int64_t sizes[] = {1, 1, 120, 8};
  const Tensor q = drawn(sizes), k = drawn(sizes), v = drawn(sizes);
  static_cast<float*>(q.view().data)[7 * 8 + 2] = NAN;
  const Tensor out = ops::attention(q, k, v, Tensor(), 1, true, 0, 0, 0)[0];
  const float* o = static_cast<const float*>(out.view().data);
  for (int64_t r = 0; r < 120; ++r)
    for (int64_t d = 0; d < 8; ++d) EXPECT_EQ(std::isnan(o[r * 8 + d]), r == 7) << "row " << r;
}

}  // namespace
}  // namespace haft
