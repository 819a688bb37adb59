// Scaled gradients: all tensors together as one long array, and the scale of the next step.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>

#include "core/cpu/kernel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/rows.h"

namespace haft::cpu {
namespace {

// x times `by`; answers whether an element was infinite or NaN before. No branch, so that vectors are made of it.
template <Isa>
HAFT_BODY void unscale_f32_body(float* x, int64_t n, float by, bool* found) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    bad |= uint32_t((std::bit_cast<uint32_t>(x[i]) & 0x7f800000u) == 0x7f800000u);
    x[i] *= by;
  }
  *found = bad != 0;
}
HAFT_MULTIVERSION(unscale_f32, (float* x, int64_t n, float by, bool* found), (x, n, by, found))

bool unscale(float* x, int64_t n, double by) {
  bool found;
  unscale_f32(x, n, float(by), &found);
  return found;
}
bool unscale(double* x, int64_t n, double by) {
  bool found = false;
  for (int64_t i = 0; i < n; ++i) {
    found |= !std::isfinite(x[i]);
    x[i] *= by;
  }
  return found;
}

// Elements [at, at + n) of one gradient.
template <class C>
bool unscale_range(const haft_tensor_view& v, int64_t at, int64_t n, double by) {
  if (dense(v) && dtype_of(v) == DTypeOf<C>::value) return unscale(static_cast<C*>(v.data) + at, n, by);
  constexpr int64_t kBlock = 1024;
  C block[kBlock];
  bool found = false;
  for (int64_t done = 0; done < n; done += kBlock) {
    const int64_t count = std::min(kBlock, n - done);
    load_range(v, at + done, count, block);
    found |= unscale(block, count, by);
    store_range(block, v, at + done, count);
  }
  return found;
}

void set_number(const haft_tensor_view& v, float to) {
  if (dtype_of(v) == DType::f64)
    *static_cast<double*>(v.data) = double(to);
  else
    *static_cast<float*>(v.data) = to;
}

}  // namespace

// in: n gradients, scale, found
void k_amp_unscale(const haft_kernel_call& c) {
  const KernelCall k(c);
  const int64_t n = k.attrs.i(0);
  const double by = 1 / number(k.in(int(n)));
  Scratch<int64_t> start(n + 1);
  start[0] = 0;
  for (int64_t i = 0; i < n; ++i) start[i + 1] = start[i] + k.in(int(i)).numel;
  std::atomic<bool> found{false};
  parallel_for(start[n], 32768, [&](int64_t begin, int64_t end) {
    int64_t i = std::upper_bound(start.get(), start.get() + n + 1, begin) - start.get() - 1;
    for (; begin < end; ++i) {
      const int64_t count = std::min(end, start[i + 1]) - begin;
      if (count == 0) continue;
      const haft_tensor_view& v = k.in(int(i));
      const bool bad = dtype_of(v) == DType::f64 ? unscale_range<double>(v, begin - start[i], count, by)
                                                 : unscale_range<float>(v, begin - start[i], count, by);
      if (bad) found.store(true, std::memory_order_relaxed);
      begin += count;
    }
  });
  if (found.load()) set_number(k.in(int(n + 1)), 1);
}

// in: scale, good steps, what was found by each
void k_amp_update(const haft_kernel_call& c) {
  const KernelCall k(c);
  float scale = float(number(k.in(0))), good = float(number(k.in(1)));
  bool found = false;
  for (int i = 2; i < k.n_in(); ++i) found |= number(k.in(i)) != 0;
  if (found) {
    // Never so small that its reciprocal is infinite, or 0.
    scale = std::min(scale, std::max(FLT_MIN, float(double(scale) * k.attrs.d(2))));
    good = 0;
  } else if (good + 1 >= float(k.attrs.i(3))) {
    // A scale beyond float32 would make every gradient infinite.
    if (const float grown = float(double(scale) * k.attrs.d(1)); std::isfinite(grown)) scale = grown;
    good = 0;
  } else {
    good += 1;
  }
  set_number(k.in(0), scale);
  set_number(k.in(1), good);
}

}  // namespace haft::cpu
