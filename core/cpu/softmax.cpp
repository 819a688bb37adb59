// softmax and log_softmax along any dimension, and their gradients.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/softmax.cpp"
#include "core/cpu/foreach_target.h"

#include <cmath>
#include <limits>

#include "core/cpu/rows.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// x, y (rows, n)
template <class T>
void softmax_rows(const T* x, T* y, int64_t rows, int64_t n, bool log) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  for (; rows > 0; --rows, x += n, y += n) {
    V top(lowest);
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR { top = max(top, V::load(x + i, part, lowest)); });
    const V shift(top.top());
    V total(0);
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      const V e = exp_normal(V::load(x + i, part, lowest) - shift);
      total = total + e;
      if (!log) e.store(y + i, part);
    });
    const T sum = total.sum();
    if (log) {
      const V log_sum(std::log(sum));
      sweep<T>(n, [&](int64_t i, auto part)
                      HWY_ATTR { (V::load(x + i, part, T(0)) - shift - log_sum).store(y + i, part); });
    } else {
      const V scale(T(1) / sum);
      sweep<T>(
          n, [&](int64_t i, auto part) HWY_ATTR { (V::load(y + i, part, T(0)) * scale).store(y + i, part); });
    }
  }
}

// g = gradient, y = result, dx (rows, n)
template <class T>
void softmax_backward_rows(const T* g, const T* y, T* dx, int64_t rows, int64_t n, bool log) {
  using V = Lanes<T>;
  for (; rows > 0; --rows, g += n, y += n, dx += n) {
    V total(0);
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      const V gv = V::load(g + i, part, T(0));
      total = log ? total + gv : fma(gv, V::load(y + i, part, T(0)), total);
    });
    const V sum(total.sum());
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      const V gv = V::load(g + i, part, T(0)), yv = V::load(y + i, part, T(0));
      (log ? gv - exp_normal(yv) * sum : yv * (gv - sum)).store(dx + i, part);
    });
  }
}

void softmax_f32(const float* x, float* y, int64_t rows, int64_t n, bool log) {
  softmax_rows(x, y, rows, n, log);
}
void softmax_f64(const double* x, double* y, int64_t rows, int64_t n, bool log) {
  softmax_rows(x, y, rows, n, log);
}
void softmax_backward_f32(const float* g, const float* y, float* dx, int64_t rows, int64_t n, bool log) {
  softmax_backward_rows(g, y, dx, rows, n, log);
}
void softmax_backward_f64(const double* g, const double* y, double* dx, int64_t rows, int64_t n, bool log) {
  softmax_backward_rows(g, y, dx, rows, n, log);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/kernel.h"

namespace haft::cpu {
HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f64);
HWY_EXPORT(softmax_backward_f32);
HWY_EXPORT(softmax_backward_f64);

static void forward(const haft_kernel_call& c, bool log) {
  const haft_tensor_view *x = c.in[0], &out = *c.out[0];
  const int64_t dim = AttrReader{c.attrs}.i(0);
  if (dtype_of(out) == DType::f64) {
    const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_f64);
    for_rows<double>({x}, out, dim,
                     [=](const double* const* in, double* y, int64_t, int64_t rows, int64_t n) {
                       kernel(in[0], y, rows, n, log);
                     });
  } else {
    const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_f32);
    for_rows<float>({x}, out, dim, [=](const float* const* in, float* y, int64_t, int64_t rows, int64_t n) {
      kernel(in[0], y, rows, n, log);
    });
  }
}

static void backward(const haft_kernel_call& c, bool log) {
  const haft_tensor_view *grad = c.in[0], *y = c.in[1], &out = *c.out[0];
  const int64_t dim = AttrReader{c.attrs}.i(0);
  if (dtype_of(out) == DType::f64) {
    const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_backward_f64);
    for_rows<double>({grad, y}, out, dim,
                     [=](const double* const* in, double* dx, int64_t, int64_t rows, int64_t n) {
                       kernel(in[0], in[1], dx, rows, n, log);
                     });
  } else {
    const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_backward_f32);
    for_rows<float>({grad, y}, out, dim,
                    [=](const float* const* in, float* dx, int64_t, int64_t rows, int64_t n) {
                      kernel(in[0], in[1], dx, rows, n, log);
                    });
  }
}

void k_softmax(const haft_kernel_call& c) { forward(c, false); }
void k_log_softmax(const haft_kernel_call& c) { forward(c, true); }
void k_softmax_backward(const haft_kernel_call& c) { backward(c, false); }
void k_log_softmax_backward(const haft_kernel_call& c) { backward(c, true); }

}  // namespace haft::cpu
#endif
