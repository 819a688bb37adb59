// One dimension resampled: each place of the result is a weighted sum of some places of the line. Images of two and
// three dimensions are resampled line by line.
#include "core/cpu/kernel.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/resize_taps.h"

namespace haft::cpu {
namespace {

// A line of single elements.
template <class C>
HAFT_BODY void gather_line(const C* x, const int32_t* index, const C* weight, int64_t count, int64_t to,
                           C* out) {
  for (int64_t j = 0; j < to; ++j) out[j] = weight[j] * x[index[j]] + weight[to + j] * x[index[to + j]];
  for (int64_t k = 2; k < count; ++k)
    for (int64_t j = 0; j < to; ++j) {
      const C w = weight[k * to + j], v = x[index[k * to + j]];
      out[j] += w == C(0) ? C(0) : w * v;  // a tap that the place has not
    }
}
// One place of the result, of `inner` elements.
template <class C>
HAFT_BODY void gather_row(const C* x, const int32_t* index, const C* weight, int64_t count, int64_t to,
                          int64_t inner, C* out) {
  const C *a = x + index[0] * inner, *b = x + index[to] * inner;
  const C p = weight[0], q = weight[to];
  for (int64_t i = 0; i < inner; ++i) out[i] = p * a[i] + q * b[i];
  for (int64_t k = 2; k < count; ++k) {
    const C w = weight[k * to];
    if (w == C(0)) continue;
    const C* from = x + index[k * to] * inner;
    for (int64_t i = 0; i < inner; ++i) out[i] += w * from[i];
  }
}
template <class C>
HAFT_BODY void scatter_line(const C* grad, const int32_t* index, const C* weight, int64_t count, int64_t to,
                            int64_t inner, C* dx) {
  for (int64_t k = 0; k < count; ++k)
    for (int64_t j = 0; j < to; ++j) {
      const C w = weight[k * to + j];
      if (w == C(0)) continue;
      const C* g = grad + j * inner;
      C* d = dx + index[k * to + j] * inner;
      for (int64_t i = 0; i < inner; ++i) d[i] += w * g[i];
    }
}

template <Isa>
HAFT_BODY void gather_line_f32_body(const float* x, const int32_t* index, const float* weight, int64_t count,
                                    int64_t to, float* out) {
  gather_line(x, index, weight, count, to, out);
}
HAFT_MULTIVERSION(gather_line_f32,
                  (const float* x, const int32_t* index, const float* weight, int64_t count, int64_t to,
                   float* out),
                  (x, index, weight, count, to, out))
template <Isa>
HAFT_BODY void gather_row_f32_body(const float* x, const int32_t* index, const float* weight, int64_t count,
                                   int64_t to, int64_t inner, float* out) {
  gather_row(x, index, weight, count, to, inner, out);
}
HAFT_MULTIVERSION(gather_row_f32,
                  (const float* x, const int32_t* index, const float* weight, int64_t count, int64_t to,
                   int64_t inner, float* out),
                  (x, index, weight, count, to, inner, out))
template <Isa>
HAFT_BODY void scatter_line_f32_body(const float* grad, const int32_t* index, const float* weight,
                                     int64_t count, int64_t to, int64_t inner, float* dx) {
  scatter_line(grad, index, weight, count, to, inner, dx);
}
HAFT_MULTIVERSION(scatter_line_f32,
                  (const float* grad, const int32_t* index, const float* weight, int64_t count, int64_t to,
                   int64_t inner, float* dx),
                  (grad, index, weight, count, to, inner, dx))

constexpr int64_t kGrain = 16384;  // elements a task

template <class C>
void forward(const KernelCall& k, const Around& a, const Taps<C>& t) {
  const C* x = k.data<C>(0);
  C* out = k.out_data<C>();
  const int32_t* index = t.index.get();
  const C* weight = t.weight.get();
  if (a.inner == 1)
    return parallel_for(a.outer, kGrain / (t.to * t.count + 1) + 1, [&](int64_t b, int64_t e) {
      for (; b < e; ++b) {
        if constexpr (std::is_same_v<C, float>)
          gather_line_f32(x + b * a.n, index, weight, t.count, t.to, out + b * t.to);
        else
          gather_line(x + b * a.n, index, weight, t.count, t.to, out + b * t.to);
      }
    });
  parallel_for(a.outer * t.to, kGrain / (a.inner * t.count + 1) + 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) {
      const int64_t j = b % t.to;
      const C* from = x + b / t.to * a.n * a.inner;
      if constexpr (std::is_same_v<C, float>)
        gather_row_f32(from, index + j, weight + j, t.count, t.to, a.inner, out + b * a.inner);
      else
        gather_row(from, index + j, weight + j, t.count, t.to, a.inner, out + b * a.inner);
    }
  });
}

template <class C>
void backward(const KernelCall& k, const Around& a, const Taps<C>& t) {
  const C* grad = k.data<C>(0);
  C* dx = k.out_data<C>();
  parallel_for(a.outer, kGrain / (t.to * a.inner * t.count + 1) + 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) {
      const C* g = grad + b * t.to * a.inner;
      C* d = dx + b * t.from * a.inner;
      std::fill_n(d, t.from * a.inner, C(0));
      if constexpr (std::is_same_v<C, float>)
        scatter_line_f32(g, t.index.get(), t.weight.get(), t.count, t.to, a.inner, d);
      else
        scatter_line(g, t.index.get(), t.weight.get(), t.count, t.to, a.inner, d);
    }
  });
}

// attrs: dim, size of the result, cubic, align_corners, step, antialias
template <bool kBack>
void resize(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  const Around a = around(k.in(0), k.attrs.i(0));
  const int64_t size = k.attrs.i(1), from = kBack ? size : a.n, to = kBack ? a.n : size;
  if (from > INT32_MAX)
    fail(Code::overflow, concat("[", k.name(), "] a line of ", from, " elements is too long"), {}, "input");
  visit_compute_float(k, k.dtype(), [&]<class C>() {
    const Taps<C> t(from, to, k.attrs.b(2), k.attrs.b(3), k.attrs.d(4), k.attrs.b(5));
    if constexpr (kBack)
      backward<C>(k, a, t);
    else
      forward<C>(k, a, t);
  });
}

}  // namespace

void k_resize_axis(const haft_kernel_call& c) { resize<false>(c); }
void k_resize_axis_backward(const haft_kernel_call& c) { resize<true>(c); }

}  // namespace haft::cpu
