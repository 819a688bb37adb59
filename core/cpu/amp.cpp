// Gradients of a whole model, all tensors together as one long array: scaled, their norms, the scale of the next step.
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

// f(i, begin, count): elements [begin, begin + count) of tensor i, for all elements of the first n inputs.
template <class F>
void for_parts(const KernelCall& k, int64_t n, F&& f) {
  Scratch<int64_t> start(n + 1);
  start[0] = 0;
  for (int64_t i = 0; i < n; ++i) start[i + 1] = start[i] + k.in(int(i)).numel;
  parallel_for(start[n], kRowGrain, [&](int64_t begin, int64_t end) {
    int64_t i = std::upper_bound(start.get(), start.get() + n + 1, begin) - start.get() - 1;
    for (; begin < end; ++i) {
      const int64_t count = std::min(end, start[i + 1]) - begin;
      if (count == 0) continue;
      f(int(i), begin - start[i], count);
      begin += count;
    }
  });
}

template <class C>
void multiply(C* x, int64_t n, C by) {
  for (int64_t i = 0; i < n; ++i) x[i] *= by;
}
// Elements [at, at + n) times `by`.
template <class C>
void multiply_range(const haft_tensor_view& v, int64_t at, int64_t n, C by) {
  if (dense(v) && dtype_of(v) == DTypeOf<C>::value) return multiply(static_cast<C*>(v.data) + at, n, by);
  constexpr int64_t kBlock = 1024;
  C block[kBlock];
  for (int64_t done = 0; done < n; done += kBlock) {
    const int64_t count = std::min(kBlock, n - done);
    load_range(v, at + done, count, block);
    multiply(block, count, by);
    store_range(block, v, at + done, count);
  }
}

// Sixteen sums side by side, so that vectors are made of them.
template <class C>
double sum_of_squares(const C* x, int64_t n) {
  C sums[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) sums[j] += x[i + j] * x[i + j];
  for (; i < n; ++i) sums[i % 16] += x[i] * x[i];
  double sum = 0;
  for (C s : sums) sum += double(s);
  return sum;
}
constexpr int64_t kSquares = 1024;  // that are summed in C
template <class C>
double squares_of_range(const haft_tensor_view& v, int64_t at, int64_t n) {
  const bool here = dense(v) && dtype_of(v) == DTypeOf<C>::value;
  C block[kSquares];
  double sum = 0;
  for (int64_t done = 0; done < n; done += kSquares) {
    const int64_t count = std::min(kSquares, n - done);
    if (!here) load_range(v, at + done, count, block);
    sum += sum_of_squares(here ? static_cast<const C*>(v.data) + at + done : block, count);
  }
  return sum;
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
  std::atomic<bool> found{false};
  for_parts(k, n, [&](int i, int64_t begin, int64_t count) {
    const haft_tensor_view& v = k.in(i);
    const bool bad = dtype_of(v) == DType::f64 ? unscale_range<double>(v, begin, count, by)
                                               : unscale_range<float>(v, begin, count, by);
    if (bad) found.store(true, std::memory_order_relaxed);
  });
  if (found.load()) set_number(k.in(int(n + 1)), 1);
}

// Parts of fixed sizes, so that sums do not depend on the number of threads.
void k_foreach_norm(const haft_kernel_call& c) {
  const KernelCall k(c);
  constexpr int64_t kPart = kRowGrain;
  for (int i = 0; i < k.n_in(); ++i) {
    const haft_tensor_view& v = k.in(i);
    const int64_t parts = (v.numel + kPart - 1) / kPart;
    Scratch<double> sums(parts);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t count = std::min(kPart, v.numel - p * kPart);
        sums[p] = dtype_of(v) == DType::f64 ? squares_of_range<double>(v, p * kPart, count)
                                            : squares_of_range<float>(v, p * kPart, count);
      }
    });
    double sum = 0;
    for (int64_t p = 0; p < parts; ++p) sum += sums[p];
    if (dtype_of(k.out()) == DType::f64)
      static_cast<double*>(k.out().data)[i] = std::sqrt(sum);
    else
      static_cast<float*>(k.out().data)[i] = float(std::sqrt(sum));
  }
}
// in: n tensors, factor
void k_foreach_mul(const haft_kernel_call& c) {
  const KernelCall k(c);
  const int64_t n = k.attrs.i(0);
  const double by = number(k.in(int(n)));
  for_parts(k, n, [&](int i, int64_t begin, int64_t count) {
    const haft_tensor_view& v = k.in(i);
    dtype_of(v) == DType::f64 ? multiply_range<double>(v, begin, count, by)
                              : multiply_range<float>(v, begin, count, float(by));
  });
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
