// Maximum and average pooling and what goes back. Planes have any strides; a thread makes one element of what is
// written, in the order in which that lies in memory. Gradients are gathered: who made an element collects from the
// windows that saw it, in their order.
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// A tensor (N, C, H, W) or (C, H, W) by strides in elements.
struct Planes {
  int64_t n = 0, c = 0, h = 0, w = 0;
  explicit Planes(const haft_tensor_view& v) {
    const int d = v.ndim;
    w = v.strides[d - 1], h = v.strides[d - 2], c = v.strides[d - 3], n = d == 4 ? v.strides[0] : 0;
  }
};
// Elements of a tensor in the order of its memory: (n, c, h, w), or (n, h, w, c) where channels are neighbours.
struct Order {
  int64_t channels, h, w, count;
  int64_t vector;  // how many neighbouring channels count as one
  bool channels_last;
  explicit Order(const haft_tensor_view& v, int64_t n = 1)
      : channels(v.sizes[v.ndim - 3] / n),
        h(v.sizes[v.ndim - 2]),
        w(v.sizes[v.ndim - 1]),
        count(v.numel / n),
        vector(n),
        channels_last(n > 1 || (channels > 1 && v.strides[v.ndim - 3] == 1 && h * w > 1)) {}
};
struct Element {
  int64_t n, c, y, x;
};
__device__ inline int64_t quotient(int64_t* rest, int64_t by) {
  // Most numbers fit in 32 bits, where a division is several times as fast.
  if (uint64_t(*rest | by) >> 32 == 0) {
    const uint32_t q = uint32_t(*rest) / uint32_t(by);
    *rest = uint32_t(*rest) - q * uint32_t(by);
    return q;
  }
  const int64_t q = *rest / by;
  *rest -= q * by;
  return q;
}
__device__ inline Element element_of(const Order& o, int64_t i) {
  Element e;
  if (o.channels_last) {
    int64_t q = quotient(&i, o.channels);
    e.c = i * o.vector;
    const int64_t row = quotient(&q, o.w);
    e.x = q;
    e.y = row;
    e.n = quotient(&e.y, o.h);
    return e;
  }
  int64_t q = quotient(&i, o.w);
  e.x = i;
  int64_t plane = quotient(&q, o.h);
  e.y = q;
  e.n = quotient(&plane, o.channels);
  e.c = plane;
  return e;
}
template <int kN, class T>
__device__ inline Vector<T, kN> read_channels(const T* p) {
  return *reinterpret_cast<const Vector<T, kN>*>(p);
}
template <class T, int kN>
__device__ inline void write_channels(T* p, const Vector<T, kN>& v) {
  *reinterpret_cast<Vector<T, kN>*>(p) = v;
}
template <class T>
__device__ inline T* plane_of(T* data, const Planes& s, const Element& e) {
  return data + e.n * s.n + e.c * s.c;
}

// Along one dimension: sizes before and after, and the windows.
struct Steps {
  int64_t size, results, kernel = 1, stride = 1, padding = 0, dilation = 1;
};
struct Windows {
  Steps y, x;
};

constexpr int32_t kNowhere = -1;  // no cell of the window lies inside: steps wider than the plane leave none

// ---- maxima ----

template <class T>
__device__ inline Computed<T> lowest() {
  if constexpr (!fn::is_int<T>)
    return Computed<T>(-fn::infinity());
  else if constexpr (T(-1) > T(0))
    return T(0);
  else
    return T(T(1) << (sizeof(T) * 8 - 1));
}

template <class T, int kN>
__global__ void __launch_bounds__(kThreads) find_maxima(const T* x, Planes xs, T* out, Planes outs,
                                                        int32_t* where, Planes wheres, Order o, Windows g) {
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const T* plane = plane_of(x, xs, e);
    int64_t y = e.y * g.y.stride - g.y.padding, x0 = e.x * g.x.stride - g.x.padding;
    const int64_t y_end = y + (g.y.kernel - 1) * g.y.dilation + 1,
                  x_end = x0 + (g.x.kernel - 1) * g.x.dilation + 1;
    if (y < 0) y += (-y + g.y.dilation - 1) / g.y.dilation * g.y.dilation;
    if (x0 < 0) x0 += (-x0 + g.x.dilation - 1) / g.x.dilation * g.x.dilation;
    Computed<T> best[kN];
    Vector<int32_t, kN> at;
#pragma unroll
    for (int k = 0; k < kN; ++k)
      best[k] = lowest<T>(), at.at[k] = y < g.y.size && x0 < g.x.size ? int32_t(y * g.x.size + x0) : kNowhere;
    for (; y < y_end && y < g.y.size; y += g.y.dilation)
      for (int64_t ix = x0; ix < x_end && ix < g.x.size; ix += g.x.dilation) {
        const auto v = read_channels<kN>(plane + y * xs.h + ix * xs.w);
#pragma unroll
        for (int k = 0; k < kN; ++k) {
          const Computed<T> one = load(v.at[k]);
          if (one > best[k] || one != one) best[k] = one, at.at[k] = int32_t(y * g.x.size + ix);
        }
      }
    Vector<T, kN> to;
#pragma unroll
    for (int k = 0; k < kN; ++k) store(&to.at[k], best[k]);
    write_channels(plane_of(out, outs, e) + e.y * outs.h + e.x * outs.w, to);
    write_channels(plane_of(where, wheres, e) + e.y * wheres.h + e.x * wheres.w, at);
  }
}

// The windows are not known on the way back, only where maxima stood: for each row and column of cells the first and
// the last row or column of results that has one there. Both are kept so that the larger wins and 0 says none: what
// is left of `all` after the first, and the last + 1. The largest does not depend on who comes first.
struct Reach {
  int32_t *y_first, *y_last, *x_first, *x_last;
  int32_t ys, xs;  // results in each dimension
};
__device__ inline void raise_to(int32_t* p, int32_t x) {
  if (*static_cast<volatile int32_t*>(p) < x) atomicMax(p, x);  // nearly always it is there already
}
__global__ void __launch_bounds__(kThreads)
    find_reach(const int32_t* where, Planes ws, Order o, Reach r, int32_t width) {
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const int32_t at = plane_of(where, ws, e)[e.y * ws.h + e.x * ws.w];
    if (at == kNowhere) continue;
    const int32_t y = at / width, x = at - y * width;
    raise_to(r.y_first + y, r.ys - int32_t(e.y));
    raise_to(r.y_last + y, int32_t(e.y) + 1);
    raise_to(r.x_first + x, r.xs - int32_t(e.x));
    raise_to(r.x_last + x, int32_t(e.x) + 1);
  }
}
template <class T, int kN>
__global__ void __launch_bounds__(kThreads) collect_maxima(const T* grad, Planes gs, const int32_t* where,
                                                           Planes ws, Reach r, T* dx, Planes ds, Order o) {
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const T* g = plane_of(grad, gs, e);
    const int32_t *at = plane_of(where, ws, e), cell = int32_t(e.y * o.w + e.x);
    const int32_t x_first = r.xs - r.x_first[e.x], x_last = r.x_last[e.x], y_last = r.y_last[e.y];
    Summed<T> sum[kN] = {};
    for (int32_t y = r.ys - r.y_first[e.y]; y < y_last; ++y)
      for (int32_t x = x_first; x < x_last; ++x) {
        const auto from = read_channels<kN>(at + y * ws.h + x * ws.w);
        const auto v = read_channels<kN>(g + y * gs.h + x * gs.w);
#pragma unroll
        for (int k = 0; k < kN; ++k)
          if (from.at[k] == cell) sum[k] += Summed<T>(load(v.at[k]));
      }
    Vector<T, kN> to;
#pragma unroll
    for (int k = 0; k < kN; ++k) store(&to.at[k], Computed<T>(sum[k]));
    write_channels(plane_of(dx, ds, e) + e.y * ds.h + e.x * ds.w, to);
  }
}
template <class T>
__global__ void __launch_bounds__(kThreads)
    take_maxima(const T* x, Planes xs, const int32_t* where, Planes ws, T* out, Planes outs, Order o,
                int32_t width) {
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const int32_t at = plane_of(where, ws, e)[e.y * ws.h + e.x * ws.w], y = at / width;
    plane_of(out, outs, e)[e.y * outs.h + e.x * outs.w] =
        at == kNowhere ? T(0) : plane_of(x, xs, e)[y * xs.h + (at - y * width) * xs.w];
  }
}

// ---- means ----

// Cells [begin, end) of a result along a dimension, and as how many it counts: of windows, or of bins that share a
// line evenly.
struct Span {
  int64_t begin, end, count;
};
struct Mean {
  Steps y, x;
  bool bins, include_pad;
  int64_t divisor = kNone;  // of the caller's, for that of every window
};
__device__ inline Span span_of(const Mean& m, const Steps& s, int64_t o) {
  if (m.bins) {
    const int64_t begin = o * s.size / s.results, end = ((o + 1) * s.size + s.results - 1) / s.results;
    return {begin, end, end - begin};
  }
  const int64_t b = o * s.stride - s.padding,
                e = b + s.kernel < s.size + s.padding ? b + s.kernel : s.size + s.padding;
  const int64_t begin = b > 0 ? b : 0, end = e < s.size ? e : s.size;
  return {begin, end, m.include_pad ? e - b : end - begin};
}
// What a sum over rows and columns of these spans is divided by.
__device__ inline int64_t divisor_of(const Mean& m, int64_t rows, int64_t columns) {
  return m.divisor == kNone ? rows * columns : m.divisor;
}
// Results [first, last) that hold cell i.
__device__ inline void results_over(const Mean& m, const Steps& s, int64_t i, int64_t* first, int64_t* last) {
  if (m.bins) {
    *first = i * s.results / s.size;
    *last = ((i + 1) * s.results + s.size - 1) / s.size;
  } else {
    const int64_t from = i + s.padding - s.kernel + 1;
    *first = from <= 0 ? 0 : (from + s.stride - 1) / s.stride;
    *last = (i + s.padding) / s.stride + 1;
  }
  if (*last > s.results) *last = s.results;
}

template <class T, int kN>
__global__ void __launch_bounds__(kThreads)
    average(const T* x, Planes xs, T* out, Planes outs, Order o, Mean m) {
  using C = Computed<T>;
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const T* plane = plane_of(x, xs, e);
    const Span y = span_of(m, m.y, e.y), row = span_of(m, m.x, e.x);
    C sum[kN] = {};
    for (int64_t iy = y.begin; iy < y.end; ++iy)
      for (int64_t ix = row.begin; ix < row.end; ++ix) {
        const auto v = read_channels<kN>(plane + iy * xs.h + ix * xs.w);
#pragma unroll
        for (int k = 0; k < kN; ++k) sum[k] += load(v.at[k]);
      }
    const bool empty = y.begin >= y.end || row.begin >= row.end;
    const C scale = empty ? C(0) : C(1) / C(divisor_of(m, y.count, row.count));
    Vector<T, kN> to;
#pragma unroll
    for (int k = 0; k < kN; ++k) store(&to.at[k], C(sum[k] * scale));
    write_channels(plane_of(out, outs, e) + e.y * outs.h + e.x * outs.w, to);
  }
}
template <class T, int kN>
__global__ void __launch_bounds__(kThreads)
    spread(const T* grad, Planes gs, T* dx, Planes ds, Order o, Mean m) {
  using C = Computed<T>;
  for (int64_t i = grid_index(); i < o.count; i += grid_size()) {
    const Element e = element_of(o, i);
    const T* plane = plane_of(grad, gs, e);
    int64_t y, y_last, x_first, x_last;
    results_over(m, m.y, e.y, &y, &y_last);
    results_over(m, m.x, e.x, &x_first, &x_last);
    C sum[kN] = {};
    for (; y < y_last; ++y) {
      const int64_t rows = span_of(m, m.y, y).count;
      for (int64_t x = x_first; x < x_last; ++x) {
        const C scale = C(1) / C(divisor_of(m, rows, span_of(m, m.x, x).count));
        const auto v = read_channels<kN>(plane + y * gs.h + x * gs.w);
#pragma unroll
        for (int k = 0; k < kN; ++k) sum[k] += load(v.at[k]) * scale;
      }
    }
    Vector<T, kN> to;
#pragma unroll
    for (int k = 0; k < kN; ++k) store(&to.at[k], sum[k]);
    write_channels(plane_of(dx, ds, e) + e.y * ds.h + e.x * ds.w, to);
  }
}

// ---- calls ----

void sizes_of(Steps* y, Steps* x, const haft_tensor_view& cells, const haft_tensor_view& results) {
  y->size = cells.sizes[cells.ndim - 2], x->size = cells.sizes[cells.ndim - 1];
  y->results = results.sizes[results.ndim - 2], x->results = results.sizes[results.ndim - 1];
}
int64_t pick(std::span<const int64_t> v, size_t i, int64_t otherwise) {
  return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[i];
}
// Attributes from `at`: kernel, stride (empty: the kernel), padding.
void read_windows(const Call& c, int at, Steps* y, Steps* x) {
  const auto kernel = c.attrs.ints(at), stride = c.attrs.ints(at + 1), padding = c.attrs.ints(at + 2);
  Steps* both[] = {y, x};
  for (size_t i = 0; i < 2; ++i) {
    both[i]->kernel = pick(kernel, i, 1);
    both[i]->stride = pick(stride, i, both[i]->kernel);
    both[i]->padding = pick(padding, i, 0);
  }
}

// Whether n channels of every view lie side by side, aligned for one access.
bool side_by_side(int64_t n, std::initializer_list<const haft_tensor_view*> views) {
  for (const haft_tensor_view* v : views) {
    const int d = v->ndim;
    if (v->sizes[d - 3] % n || v->strides[d - 3] != 1) return false;
    if (reinterpret_cast<uintptr_t>(v->data) % uint64_t(n * item_size(DType(v->dtype)))) return false;
    for (int i = 0; i < d; ++i)
      if (i != d - 3 && v->sizes[i] > 1 && v->strides[i] % n) return false;
  }
  return true;
}
// f.template operator()<T, kN>(): 16 bytes of channels of a float of at most 4 bytes, where they lie so, else one
// element.
template <class T, class F>
void visit_channels(std::initializer_list<const haft_tensor_view*> views, F&& f) {
  if constexpr (!fn::is_int<Computed<T>> && sizeof(T) <= 4)
    if (constexpr int kN = 16 / sizeof(T); side_by_side(kN, views)) return f.template operator()<kN>();
  f.template operator()<1>();
}

void forward(const Call& c, const Mean& m) {
  visit_float(c, c.dtype(), [&]<class T>() {
    visit_channels<T>({&c.in(0), &c.out()}, [&]<int kN>() {
      const Order o(c.out(), kN);
      launch(c, blocks_for(c, o.count), average<T, kN>, c.data<T>(0), Planes(c.in(0)), c.out_data<T>(),
             Planes(c.out()), o, m);
    });
  });
}
void backward(const Call& c, const Mean& m) {
  visit_float(c, c.out_dtype(), [&]<class T>() {
    visit_channels<T>({&c.in(0), &c.out()}, [&]<int kN>() {
      const Order o(c.out(), kN);
      launch(c, blocks_for(c, o.count), spread<T, kN>, c.data<T>(0), Planes(c.in(0)), c.out_data<T>(),
             Planes(c.out()), o, m);
    });
  });
}

}  // namespace

void k_max_pool2d_indices(const Call& c) {
  const haft_tensor_view &x = c.in(0), &y = c.out(0), &at = c.out(1);
  if (y.numel == 0) return;
  Windows g{};
  sizes_of(&g.y, &g.x, x, y);
  read_windows(c, 0, &g.y, &g.x);
  g.y.dilation = pick(c.attrs.ints(3), 0, 1), g.x.dilation = pick(c.attrs.ints(3), 1, 1);
  visit_any(c, c.dtype(), [&]<class T>() {
    visit_channels<T>({&x, &y, &at}, [&]<int kN>() {
      const Order o(y, kN);
      launch(c, blocks_for(c, o.count), find_maxima<T, kN>, c.data<T>(0), Planes(x), c.out_data<T>(),
             Planes(y), c.out_data<int32_t>(1), Planes(at), o, g);
    });
  });
}

void k_max_pool2d_backward(const Call& c) {
  const haft_tensor_view &grad = c.in(0), &at = c.in(1), &dx = c.out();
  if (dx.numel == 0) return;
  const Order results(at), cells(dx);
  const int64_t n = 2 * (cells.h + cells.w);
  int32_t* reach = c.scratch<int32_t>(n);
  c.zero(reach, n * 4);
  const Reach r{reach,
                reach + cells.h,
                reach + 2 * cells.h,
                reach + 2 * cells.h + cells.w,
                int32_t(results.h),
                int32_t(results.w)};
  if (results.count)
    launch(c, blocks_for(c, results.count), find_reach, c.data<int32_t>(1), Planes(at), results, r,
           int32_t(cells.w));
  visit_any(c, c.out_dtype(), [&]<class T>() {
    visit_channels<T>({&grad, &at, &dx}, [&]<int kN>() {
      const Order o(dx, kN);
      launch(c, blocks_for(c, o.count), collect_maxima<T, kN>, c.data<T>(0), Planes(grad), c.data<int32_t>(1),
             Planes(at), r, c.out_data<T>(), Planes(dx), o);
    });
  });
}

void k_max_pool2d_gather(const Call& c) {
  const haft_tensor_view &x = c.in(0), &at = c.in(1), &y = c.out();
  if (y.numel == 0) return;
  visit_size(item_size(c.out_dtype()), [&]<class T>() {
    launch(c, blocks_for(c, y.numel), take_maxima<T>, c.data<T>(0), Planes(x), c.data<int32_t>(1), Planes(at),
           c.out_data<T>(), Planes(y), Order(y), int32_t(x.sizes[x.ndim - 1]));
  });
}

void k_avg_pool2d(const Call& c) {
  if (c.out().numel == 0) return;
  Mean m{};
  sizes_of(&m.y, &m.x, c.in(0), c.out());
  read_windows(c, 0, &m.y, &m.x);
  m.include_pad = c.attrs.b(4), m.divisor = c.attrs.i(5);
  forward(c, m);
}
// attrs: input size, then those of avg_pool2d
void k_avg_pool2d_backward(const Call& c) {
  if (c.out().numel == 0) return;
  Mean m{};
  sizes_of(&m.y, &m.x, c.out(), c.in(0));
  read_windows(c, 1, &m.y, &m.x);
  m.include_pad = c.attrs.b(5), m.divisor = c.attrs.i(6);
  backward(c, m);
}
void k_adaptive_avg_pool2d(const Call& c) {
  if (c.out().numel == 0) return;
  Mean m{};
  sizes_of(&m.y, &m.x, c.in(0), c.out());
  m.bins = true;
  forward(c, m);
}
void k_adaptive_avg_pool2d_backward(const Call& c) {
  if (c.out().numel == 0) return;
  Mean m{};
  sizes_of(&m.y, &m.x, c.out(), c.in(0));
  m.bins = true;
  backward(c, m);
}

}  // namespace haft::cuda
