// Average pooling over windows and over adaptive bins, and the gradients. Both divide a plane into rectangles
// of cells, so they share their loops: along a dimension a result has a first and a last cell, and counts.
#include "core/cpu/multiversion.h"
#include "core/cpu/pool.h"

namespace haft::cpu {
namespace {

// Cells [begin, end) of one result along a dimension, and how many it counts as.
struct Span {
  int64_t begin, end, count;
};

struct Spans {
  Scratch<Span> y, x;
};

// Windows, clipped to the plane; with `include_pad` the padding inside of (size + pad) counts.
void fill_windows(Span* to, int64_t n, int64_t stride, int64_t pad, int64_t kernel, int64_t size,
                  bool include_pad) {
  for (int64_t o = 0; o < n; ++o) {
    const int64_t b = o * stride - pad, e = std::min(b + kernel, size + pad);
    const int64_t begin = std::max<int64_t>(b, 0), end = std::min(e, size);
    to[o] = {begin, end, include_pad ? e - b : end - begin};
  }
}
// A divisor of the caller's stands for the counts of all windows.
Spans windows(const Window& g, bool include_pad, int64_t divisor) {
  Spans s{Scratch<Span>(g.oh), Scratch<Span>(g.ow)};
  fill_windows(s.y.get(), g.oh, g.sh, g.ph, g.kh, g.h, include_pad);
  fill_windows(s.x.get(), g.ow, g.sw, g.pw, g.kw, g.w, include_pad);
  for (int64_t o = 0; divisor != kNone && o < g.oh; ++o) s.y[o].count = divisor;
  for (int64_t o = 0; divisor != kNone && o < g.ow; ++o) s.x[o].count = 1;
  return s;
}

// Bins: from floor(i * size / n) to ceil((i + 1) * size / n).
void fill_bins(Span* to, int64_t n, int64_t size) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = i * size / n, end = ((i + 1) * size + n - 1) / n;
    to[i] = {begin, end, end - begin};
  }
}
Spans bins(const Window& g) {
  Spans s{Scratch<Span>(g.oh), Scratch<Span>(g.ow)};
  fill_bins(s.y.get(), g.oh, g.h);
  fill_bins(s.x.get(), g.ow, g.w);
  return s;
}

// L lanes, 0: as many as g says. A constant makes vectors of the loops over lanes.
template <int64_t kLanes, class C>
HAFT_BODY void average(const C* x, const Window& g, const Span* ys, const Span* xs, C* out) {
  const int64_t L = kLanes ? kLanes : g.lanes;
  C sum[16];
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    const Span y = ys[oy];
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      const Span span = xs[ox];
      for (int64_t l = 0; l < L; ++l) sum[l] = C(0);
      for (int64_t iy = y.begin; iy < y.end; ++iy)
        for (int64_t ix = span.begin; ix < span.end; ++ix)
          for (int64_t l = 0; l < L; ++l) sum[l] += x[(iy * g.w + ix) * L + l];
      const bool empty = y.begin >= y.end || span.begin >= span.end;
      const C scale = empty ? C(0) : C(1) / C(y.count * span.count);
      for (int64_t l = 0; l < L; ++l) out[(oy * g.ow + ox) * L + l] = sum[l] * scale;
    }
  }
}
template <int64_t kLanes, class C>
HAFT_BODY void average_back(const C* grad, const Window& g, const Span* ys, const Span* xs, C* dx) {
  const int64_t L = kLanes ? kLanes : g.lanes;
  for (int64_t i = 0; i < g.h * g.w * L; ++i) dx[i] = C(0);
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    const Span y = ys[oy];
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      const Span span = xs[ox];
      const C scale = C(1) / C(y.count * span.count);
      for (int64_t iy = y.begin; iy < y.end; ++iy)
        for (int64_t ix = span.begin; ix < span.end; ++ix)
          for (int64_t l = 0; l < L; ++l)
            dx[(iy * g.w + ix) * L + l] += grad[(oy * g.ow + ox) * L + l] * scale;
    }
  }
}

// Results [first, last) along a row whose cells are `width` side by side, from `cell` on and then every `step`.
struct Even {
  int64_t first = 0, last = 0, width = 0, cell = 0, step = 1;
};
Even even_part(const Span* xs, int64_t n) {
  Even e;
  e.first = n / 2;
  const Span &middle = xs[e.first], &next = xs[std::min(e.first + 1, n - 1)];
  e.width = middle.end - middle.begin;
  if (e.width < 1 || middle.count != e.width) return {};
  e.step = std::max<int64_t>(next.begin - middle.begin, 1);
  auto fits = [&](int64_t o) {
    return xs[o].begin == middle.begin + (o - n / 2) * e.step && xs[o].end - xs[o].begin == e.width &&
           xs[o].count == e.width;
  };
  for (e.last = e.first + 1; e.last < n && fits(e.last); ++e.last) {
  }
  while (e.first > 0 && fits(e.first - 1)) --e.first;
  e.cell = xs[e.first].begin;
  return e;
}

// kStep, 0: as e says. A constant makes vectors of the loops over results.
template <int64_t kStep, class C>
HAFT_BODY void add_columns(const C* sum, const Even& e, C scale, C* to) {
  const int64_t step = kStep ? kStep : e.step, n = e.last - e.first;
  for (int64_t o = 0; o < n; ++o) to[o] = sum[o * step];
  for (int64_t k = 1; k < e.width; ++k)
    for (int64_t o = 0; o < n; ++o) to[o] += sum[o * step + k];
  for (int64_t o = 0; o < n; ++o) to[o] *= scale;
}
template <int64_t kStep, class C>
HAFT_BODY void spread_columns(const C* grad, const Even& e, C scale, C* to) {
  const int64_t step = kStep ? kStep : e.step, n = e.last - e.first;
  for (int64_t k = 0; k < e.width; ++k)
    for (int64_t o = 0; o < n; ++o) to[o * step + k] += grad[o] * scale;
}

// A dense plane: the rows of a window are added up first, as a whole row, then its columns.
template <class C>
HAFT_BODY void average_rows(const C* x, const Window& g, const Span* ys, const Span* xs, const Even& e,
                            C* row, C* out) {
  for (int64_t oy = 0; oy < g.oh; ++oy, out += g.ow) {
    const Span y = ys[oy];
    if (y.begin >= y.end) {
      for (int64_t o = 0; o < g.ow; ++o) out[o] = C(0);
      continue;
    }
    const C* sum = x + y.begin * g.w;
    if (y.end - y.begin > 1) {
      const C* next = sum + g.w;
      for (int64_t i = 0; i < g.w; ++i) row[i] = sum[i] + next[i];
      for (int64_t iy = y.begin + 2; iy < y.end; ++iy)
        for (int64_t i = 0; i < g.w; ++i) row[i] += x[iy * g.w + i];
      sum = row;
    }
    auto edges = [&](int64_t first, int64_t last) HAFT_INLINE {
      for (int64_t o = first; o < last; ++o) {
        C s(0);
        for (int64_t i = xs[o].begin; i < xs[o].end; ++i) s += sum[i];
        out[o] = xs[o].begin >= xs[o].end ? C(0) : s * (C(1) / C(y.count * xs[o].count));
      }
    };
    edges(0, e.first);
    if (e.last > e.first) {
      const C scale = C(1) / C(y.count * e.width);
      C* to = out + e.first;
      if (e.step == 1)
        add_columns<1>(sum + e.cell, e, scale, to);
      else if (e.step == 2)
        add_columns<2>(sum + e.cell, e, scale, to);
      else
        add_columns<0>(sum + e.cell, e, scale, to);
    }
    edges(e.last, g.ow);
  }
}
template <class C>
HAFT_BODY void average_rows_back(const C* grad, const Window& g, const Span* ys, const Span* xs,
                                 const Even& e, C* row, C* dx) {
  for (int64_t i = 0; i < g.h * g.w; ++i) dx[i] = C(0);
  for (int64_t oy = 0; oy < g.oh; ++oy, grad += g.ow) {
    const Span y = ys[oy];
    if (y.begin >= y.end) continue;
    for (int64_t i = 0; i < g.w; ++i) row[i] = C(0);
    auto edges = [&](int64_t first, int64_t last) HAFT_INLINE {
      for (int64_t o = first; o < last; ++o)
        for (int64_t i = xs[o].begin; i < xs[o].end; ++i)
          row[i] += grad[o] * (C(1) / C(y.count * xs[o].count));
    };
    edges(0, e.first);
    if (e.last > e.first) {
      const C scale = C(1) / C(y.count * e.width);
      if (e.step == 1)
        spread_columns<1>(grad + e.first, e, scale, row + e.cell);
      else if (e.step == 2)
        spread_columns<2>(grad + e.first, e, scale, row + e.cell);
      else
        spread_columns<0>(grad + e.first, e, scale, row + e.cell);
    }
    edges(e.last, g.ow);
    for (int64_t iy = y.begin; iy < y.end; ++iy)
      for (int64_t i = 0; i < g.w; ++i) dx[iy * g.w + i] += row[i];
  }
}
template <Isa>
HAFT_BODY void average_rows_f32_body(const float* x, const Window& g, const Span* ys, const Span* xs,
                                     const Even& e, float* row, float* out) {
  average_rows(x, g, ys, xs, e, row, out);
}
HAFT_MULTIVERSION(average_rows_f32,
                  (const float* x, const Window& g, const Span* ys, const Span* xs, const Even& e, float* row,
                   float* out),
                  (x, g, ys, xs, e, row, out))
template <Isa>
HAFT_BODY void average_rows_back_f32_body(const float* grad, const Window& g, const Span* ys, const Span* xs,
                                          const Even& e, float* row, float* dx) {
  average_rows_back(grad, g, ys, xs, e, row, dx);
}
HAFT_MULTIVERSION(average_rows_back_f32,
                  (const float* grad, const Window& g, const Span* ys, const Span* xs, const Even& e,
                   float* row, float* dx),
                  (grad, g, ys, xs, e, row, dx))

template <Isa>
HAFT_BODY void average_f32_body(const float* x, const Window& g, const Span* ys, const Span* xs, float* out) {
  g.lanes == 16 ? average<16>(x, g, ys, xs, out) : average<0>(x, g, ys, xs, out);
}
HAFT_MULTIVERSION(average_f32, (const float* x, const Window& g, const Span* ys, const Span* xs, float* out),
                  (x, g, ys, xs, out))
template <Isa>
HAFT_BODY void average_back_f32_body(const float* grad, const Window& g, const Span* ys, const Span* xs,
                                     float* dx) {
  g.lanes == 16 ? average_back<16>(grad, g, ys, xs, dx) : average_back<0>(grad, g, ys, xs, dx);
}
HAFT_MULTIVERSION(average_back_f32,
                  (const float* grad, const Window& g, const Span* ys, const Span* xs, float* dx),
                  (grad, g, ys, xs, dx))

void forward(const KernelCall& k, const Window& g, const Spans& s) {
  const haft_tensor_view &x = k.in(0), &y = k.out();
  const Even e = even_part(s.x.get(), g.ow);
  visit_compute_float(k, k.dtype(0), [&]<class C>() {
    for_planes<C>(x, g.cells(), y, g.results(), [&](int64_t, const C* from, C* to) {
      const Scratch<C> row(g.lanes == 1 ? g.w : 0);
      if constexpr (std::is_same_v<C, float>) {
        if (g.lanes == 1) return average_rows_f32(from, g, s.y.get(), s.x.get(), e, row.get(), to);
        average_f32(from, g, s.y.get(), s.x.get(), to);
      } else {
        g.lanes == 1 ? average_rows(from, g, s.y.get(), s.x.get(), e, row.get(), to)
                     : average<0>(from, g, s.y.get(), s.x.get(), to);
      }
    });
  });
}
void backward(const KernelCall& k, const Window& g, const Spans& s) {
  const haft_tensor_view &grad = k.in(0), &dx = k.out();
  if (grad.numel == 0) {  // no result has a share in x
    LaidOut out(dx, dx.layout);
    std::memset(out.data(), 0, size_t(bytes(dx)));
    return out.finish();
  }
  const Even e = even_part(s.x.get(), g.ow);
  visit_compute_float(k, k.out_dtype(), [&]<class C>() {
    for_planes<C>(grad, g.results(), dx, g.cells(), [&](int64_t, const C* from, C* to) {
      const Scratch<C> row(g.lanes == 1 ? g.w : 0);
      if constexpr (std::is_same_v<C, float>) {
        if (g.lanes == 1) return average_rows_back_f32(from, g, s.y.get(), s.x.get(), e, row.get(), to);
        average_back_f32(from, g, s.y.get(), s.x.get(), to);
      } else {
        g.lanes == 1 ? average_rows_back(from, g, s.y.get(), s.x.get(), e, row.get(), to)
                     : average_back<0>(from, g, s.y.get(), s.x.get(), to);
      }
    });
  });
}

}  // namespace

void k_avg_pool2d(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  Window g = window_of(k.in(0), k.out(), k.out().layout);
  read_window(g, k.attrs, 0);
  forward(k, g, windows(g, k.attrs.b(4), k.attrs.i(5)));
}

// attrs: input size, then those of avg_pool2d
void k_avg_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  Window g = window_of(k.out(), k.in(0), k.out().layout);
  read_window(g, k.attrs, 1);
  backward(k, g, windows(g, k.attrs.b(5), k.attrs.i(6)));
}

void k_adaptive_avg_pool2d(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  const Window g = window_of(k.in(0), k.out(), k.out().layout);
  forward(k, g, bins(g));
}

void k_adaptive_avg_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  const Window g = window_of(k.out(), k.in(0), k.out().layout);
  backward(k, g, bins(g));
}

}  // namespace haft::cpu
