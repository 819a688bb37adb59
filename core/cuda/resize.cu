// One dimension resampled: each place of the result is a weighted sum of some places of the line, which a first
// kernel lists. The gradient gathers: a place of the line collects from the places of the result that took it.
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// Tap k of place j of the result stands at [k * to + j]. Taps that a place has not count 0.
template <class T>
struct Taps {
  int64_t from, to, count;
  double step;  // places of the line from one of the result to the next
  bool cubic, align_corners, antialias;
  int32_t* index;
  T* weight;
  int32_t *first,
      // Of each place of the line: `to` - the first of the result that took it, and the last + 1; 0: none.
      *last;
};

__device__ inline double linear(double x) {
  const double w = 1 - fn::abs(x);
  return w > 0 ? w : 0.0;
}
// Keys' convolution (IEEE Trans. ASSP 29, 1981).
__device__ inline double cubic(double a, double x) {
  x = fn::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0.0;
}
__device__ inline double between(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
__device__ inline int64_t between(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

template <class T>
__device__ inline void set_tap(const Taps<T>& t, int64_t k, int64_t j, int64_t at, double weight) {
  t.index[k * t.to + j] = int32_t(at);
  t.weight[k * t.to + j] = T(weight);
  if (!t.first || T(weight) == T(0)) return;
  atomicMax(t.first + at, int32_t(t.to - j));  // the largest, whoever comes first
  atomicMax(t.last + at, int32_t(j + 1));
}
// The filter is as wide as a place of the result; at the ends it is cut, and what is left counts fully.
template <class T>
__device__ inline void smooth_taps(const Taps<T>& t, int64_t j) {
  const double middle = (double(j) + 0.5) * t.step, wide = t.step > 1 ? t.step : 1.0,
               radius = wide * (t.cubic ? 2 : 1);
  const double ends = middle + radius + 0.5;
  const int64_t first = int64_t(between(middle - radius + 0.5, 0.0, double(t.from - 1))),
                end = int64_t(ends < double(t.from) ? ends : double(t.from));
  const double narrow = 1 / wide;
  const auto value = [&](int64_t i) {
    const double x = (double(i) - middle + 0.5) * narrow;
    return t.cubic ? cubic(-0.5, x) : linear(x);
  };
  double total = 0;
  for (int64_t i = first; i < end; ++i) total += value(i);
  const double part = total != 0 ? 1 / total : 0.0;
  const int64_t used = between(end - first, int64_t(0), t.count);
  if (used == 1) {  // the first two are always read, and 0 times infinity is NaN
    set_tap(t, 0, j, first, 0.5);
    set_tap(t, 1, j, first, 0.5);
  } else {
    for (int64_t k = 0; k < used; ++k) set_tap(t, k, j, first + k, value(first + k) * part);
  }
  for (int64_t k = used == 1 ? 2 : used; k < t.count; ++k) set_tap(t, k, j, first, 0.0);
}
template <class T>
__global__ void __launch_bounds__(kThreads) list_taps(Taps<T> t) {
  for (int64_t j = grid_index(); j < t.to; j += grid_size()) {
    if (t.antialias) {
      smooth_taps(t, j);  // align_corners or not, as in PyTorch
      continue;
    }
    // A caller's factor may lead far beyond the line, where all taps are its last element.
    double at = t.align_corners ? double(j) * t.step : (double(j) + 0.5) * t.step - 0.5;
    if (at > double(t.from) + 2) at = double(t.from) + 2;
    if (t.cubic) {
      const double low = fn::floor(at);
      for (int64_t k = 0; k < 4; ++k)
        set_tap(t, k, j, between(int64_t(low) + k - 1, int64_t(0), t.from - 1),
                cubic(-0.75, at - low + 1 - double(k)));
    } else {
      const double inside = at > 0 ? at : 0.0;
      const int64_t whole = int64_t(inside), low = whole < t.from - 1 ? whole : t.from - 1;
      const double part = inside - double(low) < 1 ? inside - double(low) : 1.0;
      set_tap(t, 0, j, low, 1 - part);
      set_tap(t, 1, j, low + 1 < t.from - 1 ? low + 1 : t.from - 1, part);
    }
  }
}

// (outer, line, inner), dense; a thread makes one element.
template <class T>
__global__ void __launch_bounds__(kThreads)
    resample(const T* x, T* out, Taps<T> t, int64_t inner, int64_t n) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const int64_t line = i / inner, j = line % t.to;
    const T* from = x + line / t.to * t.from * inner + (i - line * inner);
    T sum = t.weight[j] * from[t.index[j] * inner] + t.weight[t.to + j] * from[t.index[t.to + j] * inner];
    for (int64_t k = 2; k < t.count; ++k) {
      const T w = t.weight[k * t.to + j];
      if (w != T(0)) sum += w * from[t.index[k * t.to + j] * inner];
    }
    out[i] = sum;
  }
}
template <class T>
__global__ void __launch_bounds__(kThreads)
    collect(const T* grad, T* dx, Taps<T> t, int64_t inner, int64_t n) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const int64_t line = i / inner;
    const int32_t at = int32_t(line % t.from);
    const T* from = grad + line / t.from * t.to * inner + (i - line * inner);
    T sum = 0;
    for (int64_t j = t.to - t.first[at]; j < t.last[at]; ++j)
      for (int64_t k = 0; k < t.count; ++k)
        if (t.index[k * t.to + j] == at) sum += t.weight[k * t.to + j] * from[j * inner];
    dx[i] = sum;
  }
}

int64_t most_taps(int64_t from, bool is_cubic, bool antialias, double step) {
  if (!antialias) return is_cubic ? 4 : 2;
  const double reach = (is_cubic ? 2 : 1) * (step > 1 ? step : 1.0);
  if (2 * reach + 1 >= double(from)) return from < 2 ? 2 : from;
  const int64_t whole = int64_t(reach), n = 2 * (whole + (double(whole) < reach)) + 1;
  return n < from ? n : from;
}

// attrs: dim, size of the result, cubic, align_corners, step, antialias
template <class T, bool kBack>
void resize_as(const Call& c) {
  const Around a = around(c.in(0), c.attrs.i(0));
  const int64_t size = c.attrs.i(1), n = c.out().numel;
  Taps<T> t{};
  t.from = kBack ? size : a.n, t.to = kBack ? a.n : size;
  if (t.from > INT32_MAX || t.to > INT32_MAX)
    fail(Code::overflow,
         concat("[", c.name(), "] a line of ", t.from > t.to ? t.from : t.to, " elements is too long"), {},
         "input");
  t.cubic = c.attrs.b(2), t.align_corners = c.attrs.b(3), t.antialias = c.attrs.b(5);
  t.step = !t.align_corners ? c.attrs.d(4) : t.to > 1 ? double(t.from - 1) / double(t.to - 1) : 0.0;
  t.count = most_taps(t.from, t.cubic, t.antialias, t.step);
  t.index = c.scratch<int32_t>(t.count * t.to);
  t.weight = c.scratch<T>(t.count * t.to);
  if (kBack) {
    t.first = c.scratch<int32_t>(2 * t.from);
    t.last = t.first + t.from;
    c.zero(t.first, 8 * t.from);
  }
  if (t.to) launch(c, blocks_for(c, t.to), list_taps<T>, t);
  launch(c, blocks_for(c, n), kBack ? collect<T> : resample<T>, c.data<T>(0), c.out_data<T>(), t, a.inner, n);
}
template <bool kBack>
void resize(const Call& c) {
  if (c.out().numel == 0) return;
  switch (c.dtype()) {
    case DType::f32: return resize_as<float, kBack>(c);
    case DType::f64: return resize_as<double, kBack>(c);
    default: fail_dtype(c, c.dtype(), "float32 or float64");
  }
}

}  // namespace

void k_resize_axis(const Call& c) { resize<false>(c); }
void k_resize_axis_backward(const Call& c) { resize<true>(c); }

}  // namespace haft::cuda
