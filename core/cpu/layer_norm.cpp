// Layer norm over the last dimensions and its gradients. x is (rows, n) dense; mean and rstd have one element a row.
// Without an array of means, as rms_norm has it, they are taken as 0.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/layer_norm.cpp"
#include "core/cpu/foreach_target.h"

#include <cmath>

#include "core/cpu/rows.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// Two passes: the row is in the first-level cache, and a one-pass variance cancels for means far from 0.
template <class T>
void norm_rows(const T* x, const T* weight, const T* bias, T* y, T* mean, T* rstd, int64_t rows, int64_t n,
               double eps) {
  using V = Lanes<T>;
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    T m(0);
    if (mean) {
      const T origin = x[0];  // sums of differences keep the digits that a mean far from 0 would take
      const T total = sweep_sum<T>(n, [&](int64_t i, auto part, V& sum) HWY_ATTR {
        sum = sum + (V::load(x + i, part, origin) - V(origin));
      });
      m = origin + total / T(n);
    }
    const T squares = sweep_sum<T>(n, [&](int64_t i, auto part, V& sum) HWY_ATTR {
      const V c = V::load(x + i, part, m) - V(m);
      sum = fma(c, c, sum);
    });
    const T inv = T(1) / std::sqrt(squares / T(n) + T(eps));
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      V v = (V::load(x + i, part, T(0)) - V(m)) * V(inv);
      if (weight) v = v * V::load(weight + i, part, T(0));
      if (bias) v = v + V::load(bias + i, part, T(0));
      v.store(y + i, part);
    });
    if (mean) mean[r] = m;
    rstd[r] = inv;
  }
}

// Adds the rows' contributions to dweight and dbias (n).
template <class T>
void norm_backward_rows(const T* g, const T* x, const T* weight, const T* mean, const T* rstd, T* dx,
                        T* dweight, T* dbias, int64_t rows, int64_t n) {
  using V = Lanes<T>;
  for (int64_t r = 0; r < rows; ++r, g += n, x += n, dx += n) {
    const V m(mean ? mean[r] : T(0)), inv(rstd[r]);
    V sum(0), dot(0);  // of weight * g, and of that with the normalised x
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      V wg = V::load(g + i, part, T(0));
      if (weight) wg = wg * V::load(weight + i, part, T(0));
      sum = sum + wg;
      dot = fma(wg, (V::load(x + i, part, mean ? mean[r] : T(0)) - m) * inv, dot);
    });
    const V mean_wg(mean ? sum.sum() / T(n) : T(0)), mean_dot(dot.sum() / T(n));
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      const V gv = V::load(g + i, part, T(0));
      const V norm = (V::load(x + i, part, T(0)) - m) * inv;
      const V wg = weight ? gv * V::load(weight + i, part, T(0)) : gv;
      (inv * (wg - mean_wg - norm * mean_dot)).store(dx + i, part);
      fma(gv, norm, V::load(dweight + i, part, T(0))).store(dweight + i, part);
      (gv + V::load(dbias + i, part, T(0))).store(dbias + i, part);
    });
  }
}

void norm_f32(const float* x, const float* weight, const float* bias, float* y, float* mean, float* rstd,
              int64_t rows, int64_t n, double eps) {
  norm_rows(x, weight, bias, y, mean, rstd, rows, n, eps);
}
void norm_f64(const double* x, const double* weight, const double* bias, double* y, double* mean,
              double* rstd, int64_t rows, int64_t n, double eps) {
  norm_rows(x, weight, bias, y, mean, rstd, rows, n, eps);
}
void norm_backward_f32(const float* g, const float* x, const float* weight, const float* mean,
                       const float* rstd, float* dx, float* dweight, float* dbias, int64_t rows, int64_t n) {
  norm_backward_rows(g, x, weight, mean, rstd, dx, dweight, dbias, rows, n);
}
void norm_backward_f64(const double* g, const double* x, const double* weight, const double* mean,
                       const double* rstd, double* dx, double* dweight, double* dbias, int64_t rows,
                       int64_t n) {
  norm_backward_rows(g, x, weight, mean, rstd, dx, dweight, dbias, rows, n);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/thread_state.h"
#include "core/cpu/kernel.h"

namespace haft::cpu {
HWY_EXPORT(norm_f32);
HWY_EXPORT(norm_f64);
HWY_EXPORT(norm_backward_f32);
HWY_EXPORT(norm_backward_f64);

// A dense tensor seen as (rows, n).
static haft_tensor_view as_rows(const haft_tensor_view& v, int64_t n) {
  haft_tensor_view m = v;
  m.ndim = 2;
  m.sizes[0] = n ? v.numel / n : 0;
  m.sizes[1] = n;
  m.strides[0] = n;
  m.strides[1] = 1;
  return m;
}

static int64_t product(std::span<const int64_t> sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

template <class C, class Kernel>
static void forward(const haft_kernel_call& c, Kernel kernel) {
  const AttrReader attrs{c.attrs};
  const int64_t n = product(attrs.ints(0));
  const double eps = attrs.d(1);
  const bool rms = attrs.b(2);
  const haft_tensor_view x = as_rows(*c.in[0], n), y = as_rows(*c.out[0], n);
  HostBuffer keep_weight, keep_bias;
  const C* weight = as_compute<C>(c.in[1], keep_weight);
  const C* bias = as_compute<C>(c.in[2], keep_bias);
  for_rows<C>({&x}, y, 1, [&](const C* const* in, C* out, int64_t first, int64_t rows, int64_t) {
    C mean[64] = {}, rstd[64];
    for (int64_t r = 0; r < rows; r += 64) {
      const int64_t count = std::min<int64_t>(64, rows - r), at = first + r;
      kernel(in[0] + r * n, weight, bias, out + r * n, rms ? nullptr : mean, rstd, count, n, eps);
      store_rows(mean, *c.out[1], &at, 1, count, 1);
      store_rows(rstd, *c.out[2], &at, 1, count, 1);
    }
  });
}

template <class C, class Kernel>
static void backward(const haft_kernel_call& c, Kernel kernel) {
  const AttrReader attrs{c.attrs};
  const int64_t n = product(attrs.ints(0));
  const bool rms = attrs.b(1);
  const haft_tensor_view g = as_rows(*c.in[0], n), x = as_rows(*c.in[1], n), dx = as_rows(*c.out[0], n);
  HostBuffer keep_weight, keep_mean, keep_rstd;
  const C* weight = as_compute<C>(c.in[2], keep_weight);
  const C* mean = as_compute<C>(c.in[3], keep_mean);
  const C* rstd = as_compute<C>(c.in[4], keep_rstd);
  const int64_t rows = dx.sizes[0];
  // Blocks depend on the shape alone and are summed in order, so the number of threads changes nothing.
  const int64_t block = std::max<int64_t>(32, (rows + 63) / 64), blocks = (rows + block - 1) / block;
  const int64_t sums =
      2 * std::max<int64_t>(1, blocks) * n;  // (blocks, 2, n); without rows one block of zeros
  HostBuffer partial(std::max<int64_t>(1, sums) * int64_t(sizeof(C)));
  std::fill_n(partial.as<C>(), sums, C(0));
  const int64_t grain = std::max<int64_t>(1, kRowGrain / std::max<int64_t>(1, block * n));
  parallel_for(n ? blocks : 0, grain, [&](int64_t begin, int64_t end) {
    // A block's rows add to the same sums, one after the other, also where this loop has a single chunk.
    ScopedValue<bool> inside(thread_state().in_parallel, true);
    for (int64_t b = begin; b < end; ++b) {
      C *dweight = partial.as<C>() + 2 * b * n, *dbias = dweight + n;
      const int64_t at = b * block, count = std::min(block, rows - at);
      haft_tensor_view part[3] = {g, x, dx};
      for (haft_tensor_view& v : part) {
        v.data = static_cast<char*>(v.data) + at * n * item_size(dtype_of(v));
        v.sizes[0] = count;
        v.numel = count * n;
      }
      for_rows<C>({&part[0], &part[1]}, part[2], 1,
                  [&](const C* const* in, C* out, int64_t first, int64_t r, int64_t) {
                    kernel(in[0], in[1], weight, rms ? nullptr : mean + at + first, rstd + at + first, out,
                           dweight, dbias, r, n);
                  });
    }
  });
  C* const total = partial.as<C>();
  for (int64_t b = 1; b < blocks; ++b)
    for (int64_t i = 0; i < 2 * n; ++i) total[i] += total[2 * b * n + i];
  const int64_t start = 0;
  for (int k = 1; k <= 2; ++k)
    if (c.out[k]) store_rows(total + (k - 1) * n, *c.out[k], &start, 1, n, 1);
}

void k_layer_norm_stats(const haft_kernel_call& c) {
  if (dtype_of(*c.in[0]) == DType::f64)
    forward<double>(c, HWY_DYNAMIC_DISPATCH(norm_f64));
  else
    forward<float>(c, HWY_DYNAMIC_DISPATCH(norm_f32));
}

void k_layer_norm_backward(const haft_kernel_call& c) {
  if (dtype_of(*c.in[1]) == DType::f64)
    backward<double>(c, HWY_DYNAMIC_DISPATCH(norm_backward_f64));
  else
    backward<float>(c, HWY_DYNAMIC_DISPATCH(norm_backward_f32));
}

}  // namespace haft::cpu
#endif
