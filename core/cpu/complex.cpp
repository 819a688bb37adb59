// Products and quotients of complex numbers, which are pairs of neighbouring reals.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cpu/dense.h"
#include "core/cpu/loop.h"
#include "core/cpu/multiversion.h"

namespace haft::cpu {

namespace {

// n numbers of each operand, steps in numbers of T; `sign` -1 takes the conjugates of y.
template <class T>
struct Line {
  const T *x, *y;
  T* z;
  int64_t x_step, y_step, z_step, n;
  T sign;
};

// f(x step, y step, z step), which are constants where numbers are neighbours or one serves all.
template <class T, class F>
HAFT_BODY void with_steps(const Line<T>& l, F f) {
  constexpr std::integral_constant<int64_t, 2> next;
  constexpr std::integral_constant<int64_t, 0> same;
  if (l.x_step == 2 && l.y_step == 2 && l.z_step == 2)
    f(next, next, next);
  else if (l.x_step == 2 && l.y_step == 0 && l.z_step == 2)
    f(next, same, next);
  else
    f(l.x_step, l.y_step, l.z_step);
}

template <Isa I, class T>
HAFT_BODY void product_body(const Line<T>& l) {
  with_steps(l, [&](auto x_step, auto y_step, auto z_step) HAFT_INLINE {
#pragma GCC ivdep
    for (int64_t i = 0; i < l.n; ++i) {
      const T *x = l.x + i * x_step, *y = l.y + i * y_step;
      const T a = x[0], b = x[1], u = y[0], v = y[1] * l.sign;
      l.z[i * z_step] = a * u - b * v;
      l.z[i * z_step + 1] = a * v + b * u;
    }
  });
}
// Over the larger part of y, so that no square of it leaves the type's range.
template <Isa I, class T>
HAFT_BODY void quotient_body(const Line<T>& l) {
  with_steps(l, [&](auto x_step, auto y_step, auto z_step) HAFT_INLINE {
#pragma GCC ivdep
    for (int64_t i = 0; i < l.n; ++i) {
      const T *x = l.x + i * x_step, *y = l.y + i * y_step;
      const T a = x[0], b = x[1], c = std::fabs(y[0]), d = std::fabs(y[1]), scale = c > d ? c : d;
      const T u = y[0] / scale, v = y[1] * l.sign / scale, below = u * u + v * v;
      l.z[i * z_step] = (a * u + b * v) / below / scale;
      l.z[i * z_step + 1] = (b * u - a * v) / below / scale;
    }
  });
}
HAFT_MULTIVERSION(product, (const Line<float>& l), (l))
HAFT_MULTIVERSION(product, (const Line<double>& l), (l))
HAFT_MULTIVERSION(quotient, (const Line<float>& l), (l))
HAFT_MULTIVERSION(quotient, (const Line<double>& l), (l))

// A number is an element of the loop.
void add_numbers(Loop& loop, haft_tensor_view v) {
  v.numel /= 2;
  --v.ndim;
  loop.add(v);
  loop.ops[loop.n - 1].item *= 2;
}

constexpr int64_t kGrain = 16384;

template <class T>
void combine(const KernelCall& k, void (*run)(const Line<T>&)) {
  const T sign = k.attrs.b(0) ? T(-1) : T(1);
  Loop loop;
  add_numbers(loop, k.out());
  haft_tensor_view in[2] = {k.in(0), k.in(1)};
  std::optional<DenseIn> copies[2];
  for (int i = 0; i < 2; ++i) {
    if (in[i].strides[in[i].ndim - 1] != 1) {  // parts that are no neighbours
      const DenseIn& copy = copies[i].emplace(in[i]);
      in[i] = row_major_view(in[i], DTypeOf<T>::value, copy.data());
    }
    add_numbers(loop, in[i]);
  }
  loop.collapse();
  const int inner = loop.ndim - 1;
  auto step = [&](int operand) { return loop.ops[operand].strides[inner] / int64_t(sizeof(T)); };
  parallel_for(loop.numel, kGrain, [&](int64_t begin, int64_t end) {
    Cursor at(loop, begin);
    while (begin < end) {
      const int64_t n = std::min(loop.sizes[inner] - at.at[inner], end - begin);
      auto numbers = [&](int operand) { return reinterpret_cast<T*>(at.address(loop, loop.ops[operand])); };
      run({numbers(1), numbers(2), numbers(0), step(1), step(2), step(0), n, sign});
      at.advance(loop, n);
      begin += n;
    }
  });
}

}  // namespace

// in: two of one shape (*, 2), float32 or float64; attrs: conj
void k_complex_product(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.out().numel == 0) return;
  k.dtype() == DType::f64 ? combine<double>(k, product) : combine<float>(k, product);
}
void k_complex_quotient(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.out().numel == 0) return;
  k.dtype() == DType::f64 ? combine<double>(k, quotient) : combine<float>(k, quotient);
}

}  // namespace haft::cpu
