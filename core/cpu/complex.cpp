// Products and quotients of complex numbers, which are pairs of neighbouring reals.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cpu/dense.h"
#include "core/cpu/loop.h"
#include "core/cpu/multiversion.h"

namespace haft::cpu {

namespace {

// n numbers of each operand, steps in reals; `conj` takes the conjugates of y.
struct Line {
  const void *x, *y;
  void* z;
  int64_t x_step, y_step, z_step, n;
  bool conj;
};
using Run = void (*)(const Line&);

template <class T>
HAFT_BODY void multiply(const T* x, const T* y, T sign, T* z) {
  const T a = x[0], b = x[1], u = y[0], v = y[1] * sign;
  z[0] = a * u - b * v;
  z[1] = a * v + b * u;
}
// By the larger part of y (Smith, Algorithm 116, 1962), so that no square of it leaves the type's range: over infinity
// what is finite is 0, over 0 it is infinite.
template <class T>
HAFT_BODY void divide(const T* x, const T* y, T sign, T* z) {
  const T a = x[0], b = x[1], c = y[0], d = y[1] * sign;
  const bool wide = std::fabs(c) >= std::fabs(d);
  const T large = wide ? c : d, small = wide ? d : c, ratio = small / (large == 0 ? T(1) : large);
  const T below = (large == 0 ? T(0) : large) + small * ratio;  // of -0, too, +0
  const T p = wide ? a : b, q = wide ? b : a, r = wide ? b : -a, s = wide ? -a : b;
  z[0] = (p + q * ratio) / below;
  z[1] = (r + s * ratio) / below;
}

template <class T, class F>
HAFT_BODY void each(const Line& l, int64_t x_step, int64_t y_step, int64_t z_step, F f) {
  const T *x = static_cast<const T*>(l.x), *y = static_cast<const T*>(l.y), sign = l.conj ? T(-1) : T(1);
  T* z = static_cast<T*>(l.z);
#pragma GCC ivdep
  for (int64_t i = 0; i < l.n; ++i) f(x + i * x_step, y + i * y_step, sign, z + i * z_step);
}

// Neighbours times or over neighbours, or one number.
template <class T, class F>
HAFT_BODY void neighbours(const Line& l, F f) {
  l.y_step ? each<T>(l, 2, 2, 2, f) : each<T>(l, 2, 0, 2, f);
}
#define HAFT_COMPLEX_LINES(name, T, f)                                                               \
  template <Isa I>                                                                                   \
  HAFT_BODY void name##_body(const Line& l) {                                                        \
    neighbours<T>(l, [](const T* x, const T* y, T sign, T* z) HAFT_INLINE { f<T>(x, y, sign, z); }); \
  }                                                                                                  \
  HAFT_MULTIVERSION(name, (const Line& l), (l))                                                      \
  /* Vectors of what lies otherwise would be gathered. */                                            \
  [[gnu::optimize("no-tree-vectorize")]] void far_##name(const Line& l) {                            \
    each<T>(l, l.x_step, l.y_step, l.z_step,                                                         \
            [](const T* x, const T* y, T sign, T* z) HAFT_INLINE { f<T>(x, y, sign, z); });          \
  }
HAFT_COMPLEX_LINES(product_f32, float, multiply)
HAFT_COMPLEX_LINES(product_f64, double, multiply)
HAFT_COMPLEX_LINES(quotient_f32, float, divide)
HAFT_COMPLEX_LINES(quotient_f64, double, divide)
#undef HAFT_COMPLEX_LINES

// A number is an element of the loop.
void add_numbers(Loop& loop, haft_tensor_view v) {
  v.numel /= 2;
  --v.ndim;
  loop.add(v);
  loop.ops[loop.n - 1].item *= 2;
}

constexpr int64_t kGrain = 16384;

void combine(const KernelCall& k, Run near, Run far) {
  if (k.out().numel == 0) return;
  Loop loop;
  add_numbers(loop, k.out());
  haft_tensor_view in[2] = {k.in(0), k.in(1)};
  std::optional<DenseIn> copies[2];
  for (int i = 0; i < 2; ++i) {
    if (in[i].strides[in[i].ndim - 1] != 1) {  // parts that are no neighbours
      const DenseIn& copy = copies[i].emplace(in[i]);
      in[i] = row_major_view(in[i], k.dtype(), copy.data());
    }
    add_numbers(loop, in[i]);
  }
  loop.collapse();
  const int inner = loop.ndim - 1;
  auto step = [&](int operand) { return loop.ops[operand].strides[inner] / item_size(k.dtype()); };
  const Run run = step(0) == 2 && step(1) == 2 && (step(2) == 2 || step(2) == 0) ? near : far;
  parallel_for(loop.numel, kGrain, [&](int64_t begin, int64_t end) {
    Cursor at(loop, begin);
    while (begin < end) {
      const int64_t n = std::min(loop.sizes[inner] - at.at[inner], end - begin);
      auto numbers = [&](int operand) { return at.address(loop, loop.ops[operand]); };
      run({numbers(1), numbers(2), numbers(0), step(1), step(2), step(0), n, k.attrs.b(0)});
      at.advance(loop, n);
      begin += n;
    }
  });
}

}  // namespace

// in: two of one shape (*, 2), float32 or float64; attrs: conj
void k_complex_product(const haft_kernel_call& c) {
  const KernelCall k(c);
  k.dtype() == DType::f64 ? combine(k, product_f64, far_product_f64)
                          : combine(k, product_f32, far_product_f32);
}
void k_complex_quotient(const haft_kernel_call& c) {
  const KernelCall k(c);
  k.dtype() == DType::f64 ? combine(k, quotient_f64, far_quotient_f64)
                          : combine(k, quotient_f32, far_quotient_f32);
}

}  // namespace haft::cpu
