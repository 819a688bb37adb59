// Pooling. A tensor (N, C, H, W) is a row of planes; a plane holds H x W cells of `lanes` channels: 1 when
// dense, 8 or 16 when blocked.
#include <limits>

#include "core/cpu/dense.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/layout.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace haft::cpu {
namespace {

constexpr int64_t kElementsAThread = 1 << 15;

struct Window {
  int64_t h, w, oh, ow;  // sizes of a plane before and after
  int64_t kh, kw, sh, sw, ph, pw, dh = 1, dw = 1;
  int64_t lanes;
};

int64_t pick(std::span<const int64_t> v, size_t i, int64_t otherwise) {
  return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[i];
}

// Attributes from `at`: kernel, stride (empty: the kernel), padding.
Window window_of(const haft_tensor_view& x, const haft_tensor_view& y, const AttrReader& attrs, int at) {
  Window g;
  g.h = x.sizes[x.ndim - 2];
  g.w = x.sizes[x.ndim - 1];
  g.oh = y.sizes[y.ndim - 2];
  g.ow = y.sizes[y.ndim - 1];
  auto kernel = attrs.ints(at), stride = attrs.ints(at + 1), padding = attrs.ints(at + 2);
  g.kh = pick(kernel, 0, 1);
  g.kw = pick(kernel, 1, 1);
  g.sh = pick(stride, 0, g.kh);
  g.sw = pick(stride, 1, g.kw);
  g.ph = pick(padding, 0, 0);
  g.pw = pick(padding, 1, 0);
  g.lanes = channel_block(y.layout);
  return g;
}

// Results [first, last) whose cell `offset` steps into the window lies inside [0, size).
struct Range {
  int64_t first, last;
};
HAFT_BODY Range inside(int64_t size, int64_t results, int64_t stride, int64_t offset) {
  int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t last = size > offset ? (size - offset + stride - 1) / stride : 0;
  if (last > results) last = results;
  return {first, last < first ? first : last};
}

// Smallest window cell that lies inside, for results whose every cell is -infinity.
HAFT_BODY int64_t first_cell(int64_t start, int64_t step) {
  return start >= 0 ? start : start + (-start + step - 1) / step * step;
}

// Window cells [first, last) that lie inside [0, size).
HAFT_BODY Range cells_inside(int64_t start, int64_t step, int64_t cells, int64_t size) {
  if (start >= 0 && start + (cells - 1) * step < size) [[likely]]
    return {0, cells};  // without a division
  int64_t first = start >= 0 ? 0 : (-start + step - 1) / step;
  int64_t last = size > start ? (size - start + step - 1) / step : 0;
  return {first, last > cells ? cells : last};
}

#if defined(__x86_64__)
// Sixteen channels of a plane at a time: blocked float32. Intrinsics, because the compiler takes vector
// comparisons of this width apart.
HAFT_TARGET_AVX512 void max_plane16(const float* x, const Window& g, float* out, int32_t* where) {
  const __m512 lowest = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    int64_t y0 = oy * g.sh - g.ph;
    Range ry = cells_inside(y0, g.dh, g.kh, g.h);
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      int64_t x0 = ox * g.sw - g.pw;
      Range rx = cells_inside(x0, g.dw, g.kw, g.w);
      __m512 best = lowest;
      __m512i at = _mm512_set1_epi32(int32_t((y0 + ry.first * g.dh) * g.w + x0 + rx.first * g.dw));
      for (int64_t ky = ry.first; ky < ry.last; ++ky) {
        int64_t cell = (y0 + ky * g.dh) * g.w + x0 + rx.first * g.dw;
        for (int64_t kx = rx.first; kx < rx.last; ++kx, cell += g.dw) {
          __m512 v = _mm512_loadu_ps(x + cell * 16);
          __mmask16 take = _mm512_cmp_ps_mask(v, best, _CMP_GT_OQ) | _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
          best = _mm512_mask_mov_ps(best, take, v);
          at = _mm512_mask_mov_epi32(at, take, _mm512_set1_epi32(int32_t(cell)));
        }
      }
      _mm512_storeu_ps(out + (oy * g.ow + ox) * 16, best);
      _mm512_storeu_si512(where + (oy * g.ow + ox) * 16, at);
    }
  }
}

// Lanes in `m` of p[0], p[stride], p[2 stride], ...
HAFT_TARGET_AVX512 inline __m512 load_strided(const float* p, int64_t stride, __mmask16 m) {
  if (stride == 1) return _mm512_maskz_loadu_ps(m, p);
  if (stride == 2) {
    uint32_t wide = _pdep_u32(m, 0x55555555);  // lane l stands at element 2 l
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512 lo = _mm512_maskz_loadu_ps(__mmask16(wide), p),
           hi = _mm512_maskz_loadu_ps(__mmask16(wide >> 16), p + 16);
    return _mm512_permutex2var_ps(lo, even, hi);
  }
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m,
                                  _mm512_mullo_epi32(lane, _mm512_set1_epi32(int32_t(stride))), p, 4);
}

// Sixteen results of a dense float32 row at a time.
HAFT_TARGET_AVX512 void max_plane_dense(const float* x, const Window& g, float* out, int32_t* where) {
  const __m512 lowest = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i step = _mm512_mullo_epi32(lane, _mm512_set1_epi32(int32_t(g.sw)));
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    int64_t y0 = oy * g.sh - g.ph, first_row = first_cell(y0, g.dh) * g.w;
    for (int64_t o = 0; o < g.ow; o += 16) {
      int64_t many = std::min<int64_t>(16, g.ow - o), x0 = o * g.sw - g.pw;
      __m512 best = lowest;
      alignas(64) int32_t start[16];
      for (int64_t l = 0; l < 16; ++l)
        start[l] = int32_t(first_row + (x0 < 0 ? first_cell(x0 + l * g.sw, g.dw) : x0 + l * g.sw));
      __m512i at = _mm512_load_si512(start);
      for (int64_t ky = 0; ky < g.kh; ++ky) {
        int64_t iy = y0 + ky * g.dh;
        if (iy < 0 || iy >= g.h) continue;
        for (int64_t kx = 0; kx < g.kw; ++kx) {
          int64_t offset = x0 + kx * g.dw;
          Range r = offset >= 0 && offset + (many - 1) * g.sw < g.w ? Range{0, many}
                                                                    : inside(g.w, many, g.sw, offset);
          if (r.first >= r.last) continue;
          __mmask16 m = __mmask16((uint32_t(1) << r.last) - (uint32_t(1) << r.first));
          __m512 v = load_strided(x + iy * g.w + offset, g.sw, m);
          __mmask16 take = _mm512_mask_cmp_ps_mask(m, v, best, _CMP_GT_OQ) |
                           _mm512_mask_cmp_ps_mask(m, v, v, _CMP_UNORD_Q);
          best = _mm512_mask_mov_ps(best, take, v);
          at = _mm512_mask_mov_epi32(at, take,
                                     _mm512_add_epi32(step, _mm512_set1_epi32(int32_t(iy * g.w + offset))));
        }
      }
      __mmask16 all = __mmask16((uint32_t(1) << many) - 1);
      _mm512_mask_storeu_ps(out + oy * g.ow + o, all, best);
      _mm512_mask_storeu_epi32(where + oy * g.ow + o, all, at);
    }
  }
}
#endif

// Any type and number of lanes, a row of results at a time; `best` holds one row.
template <class T, class A>
HAFT_BODY void max_plane_any(const T* x, const Window& g, T* out, int32_t* where, A* best) {
  const int64_t L = g.lanes;
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    int32_t* at = where + oy * g.ow * L;
    int64_t y0 = oy * g.sh - g.ph;
    for (int64_t ox = 0; ox < g.ow; ++ox)
      for (int64_t l = 0; l < L; ++l) {
        if constexpr (std::numeric_limits<A>::has_infinity)
          best[ox * L + l] = -std::numeric_limits<A>::infinity();
        else
          best[ox * L + l] = std::numeric_limits<A>::lowest();
        at[ox * L + l] = int32_t(first_cell(y0, g.dh) * g.w + first_cell(ox * g.sw - g.pw, g.dw));
      }
    for (int64_t ky = 0; ky < g.kh; ++ky) {
      int64_t iy = y0 + ky * g.dh;
      if (iy < 0 || iy >= g.h) continue;
      for (int64_t kx = 0; kx < g.kw; ++kx) {
        int64_t offset = kx * g.dw - g.pw;
        Range r = inside(g.w, g.ow, g.sw, offset);
        const T* row = x + (iy * g.w + offset) * L;
        int32_t position = int32_t(iy * g.w + offset);
        if (L == 1) {
          for (int64_t ox = r.first; ox < r.last; ++ox) {
            A v = A(row[ox * g.sw]);
            bool take = (v > best[ox]) | (v != v);
            best[ox] = take ? v : best[ox];
            at[ox] = take ? position + int32_t(ox * g.sw) : at[ox];
          }
        } else {
          for (int64_t ox = r.first; ox < r.last; ++ox)
            for (int64_t l = 0; l < L; ++l) {
              A v = A(row[ox * g.sw * L + l]);
              bool take = (v > best[ox * L + l]) | (v != v);
              best[ox * L + l] = take ? v : best[ox * L + l];
              at[ox * L + l] = take ? position + int32_t(ox * g.sw) : at[ox * L + l];
            }
        }
      }
    }
    for (int64_t i = 0; i < g.ow * L; ++i) out[oy * g.ow * L + i] = T(best[i]);
  }
}
HAFT_BODY void max_plane_f32_body(const float* x, const Window& g, float* out, int32_t* where, float* best) {
  max_plane_any<float, float>(x, g, out, where, best);
}
HAFT_MULTIVERSION(max_plane_f32, (const float* x, const Window& g, float* out, int32_t* where, float* best),
                  (x, g, out, where, best))

template <class T>
void max_plane(const T* x, const Window& g, T* out, int32_t* where, Compute<T>* best) {
  if constexpr (std::is_same_v<T, float>) {
#if defined(__x86_64__)
    if (g.lanes == 16 && isa() == Isa::avx512) return max_plane16(x, g, out, where);
    if (g.lanes == 1 && isa() == Isa::avx512) return max_plane_dense(x, g, out, where);
#endif
    max_plane_f32(x, g, out, where, best);
  } else {
    max_plane_any<T, Compute<T>>(x, g, out, where, best);
  }
}

// 1 / cells of each window along one dimension and the cells inside: what an average divides by.
struct Span1 {
  int64_t begin, end, pool;  // inside, clipped; pool counts padding
};
HAFT_BODY Span1 span1(int64_t o, int64_t stride, int64_t pad, int64_t kernel, int64_t size) {
  int64_t b = o * stride - pad, e = b + kernel;
  if (e > size + pad) e = size + pad;
  int64_t pool = e - b;
  return {b < 0 ? 0 : b, e > size ? size : e, pool};
}

template <class A>
HAFT_BODY A divisor(const Span1& y, const Span1& x, bool include_pad) {
  return include_pad ? A(y.pool * x.pool) : A((y.end - y.begin) * (x.end - x.begin));
}

template <class T, class A = Compute<T>>
HAFT_BODY void avg_plane_any(const T* x, const Window& g, bool include_pad, T* out) {
  const int64_t L = g.lanes;
  A sum[16];
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    Span1 sy = span1(oy, g.sh, g.ph, g.kh, g.h);
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      Span1 sx = span1(ox, g.sw, g.pw, g.kw, g.w);
      for (int64_t l = 0; l < L; ++l) sum[l] = A(0);
      for (int64_t iy = sy.begin; iy < sy.end; ++iy)
        for (int64_t ix = sx.begin; ix < sx.end; ++ix)
          for (int64_t l = 0; l < L; ++l) sum[l] += A(x[(iy * g.w + ix) * L + l]);
      A scale = A(1) / divisor<A>(sy, sx, include_pad);
      bool empty = sy.begin >= sy.end || sx.begin >= sx.end;
      for (int64_t l = 0; l < L; ++l) out[(oy * g.ow + ox) * L + l] = T(empty ? A(0) : sum[l] * scale);
    }
  }
}
template <class T, class A = Compute<T>>
HAFT_BODY void avg_plane_back_any(const T* grad, const Window& g, bool include_pad, A* dx) {
  const int64_t L = g.lanes;
  for (int64_t i = 0; i < g.h * g.w * L; ++i) dx[i] = A(0);
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    Span1 sy = span1(oy, g.sh, g.ph, g.kh, g.h);
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      Span1 sx = span1(ox, g.sw, g.pw, g.kw, g.w);
      A scale = A(1) / divisor<A>(sy, sx, include_pad);
      for (int64_t iy = sy.begin; iy < sy.end; ++iy)
        for (int64_t ix = sx.begin; ix < sx.end; ++ix)
          for (int64_t l = 0; l < L; ++l)
            dx[(iy * g.w + ix) * L + l] += A(grad[(oy * g.ow + ox) * L + l]) * scale;
    }
  }
}
HAFT_BODY void avg_plane_f32_body(const float* x, const Window& g, bool p, float* out) {
  if (g.lanes == 16) {
    Window w = g;
    w.lanes = 16;  // a constant: the lane loops become vectors
    avg_plane_any<float>(x, w, p, out);
  } else {
    avg_plane_any<float>(x, g, p, out);
  }
}
HAFT_MULTIVERSION(avg_plane_f32, (const float* x, const Window& g, bool p, float* out), (x, g, p, out))
HAFT_BODY void avg_plane_back_f32_body(const float* grad, const Window& g, bool p, float* dx) {
  if (g.lanes == 16) {
    Window w = g;
    w.lanes = 16;
    avg_plane_back_any<float>(grad, w, p, dx);
  } else {
    avg_plane_back_any<float>(grad, g, p, dx);
  }
}
HAFT_MULTIVERSION(avg_plane_back_f32, (const float* grad, const Window& g, bool p, float* dx),
                  (grad, g, p, dx))

// Bins of adaptive pooling: from floor(i * in / out) to ceil((i + 1) * in / out).
HAFT_BODY int64_t bin_begin(int64_t i, int64_t in, int64_t out) { return i * in / out; }
HAFT_BODY int64_t bin_end(int64_t i, int64_t in, int64_t out) { return ((i + 1) * in + out - 1) / out; }

template <class T, class A = Compute<T>>
HAFT_BODY void adaptive_plane_any(const T* x, const Window& g, T* out) {
  const int64_t L = g.lanes;
  A sum[16];
  for (int64_t oy = 0; oy < g.oh; ++oy)
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      int64_t y0 = bin_begin(oy, g.h, g.oh), y1 = bin_end(oy, g.h, g.oh);
      int64_t x0 = bin_begin(ox, g.w, g.ow), x1 = bin_end(ox, g.w, g.ow);
      for (int64_t l = 0; l < L; ++l) sum[l] = A(0);
      for (int64_t iy = y0; iy < y1; ++iy)
        for (int64_t ix = x0; ix < x1; ++ix)
          for (int64_t l = 0; l < L; ++l) sum[l] += A(x[(iy * g.w + ix) * L + l]);
      A scale = A(1) / A((y1 - y0) * (x1 - x0));
      for (int64_t l = 0; l < L; ++l) out[(oy * g.ow + ox) * L + l] = T(sum[l] * scale);
    }
}
HAFT_BODY void adaptive_plane_f32_body(const float* x, const Window& g, float* out) {
  if (g.lanes == 16) {
    Window w = g;
    w.lanes = 16;
    adaptive_plane_any<float>(x, w, out);
  } else {
    adaptive_plane_any<float>(x, g, out);
  }
}
HAFT_MULTIVERSION(adaptive_plane_f32, (const float* x, const Window& g, float* out), (x, g, out))

template <class T, class A = Compute<T>>
void adaptive_plane_back(const T* grad, const Window& g, A* dx) {
  const int64_t L = g.lanes;
  for (int64_t i = 0; i < g.h * g.w * L; ++i) dx[i] = A(0);
  for (int64_t oy = 0; oy < g.oh; ++oy)
    for (int64_t ox = 0; ox < g.ow; ++ox) {
      int64_t y0 = bin_begin(oy, g.h, g.oh), y1 = bin_end(oy, g.h, g.oh);
      int64_t x0 = bin_begin(ox, g.w, g.ow), x1 = bin_end(ox, g.w, g.ow);
      A scale = A(1) / A((y1 - y0) * (x1 - x0));
      for (int64_t iy = y0; iy < y1; ++iy)
        for (int64_t ix = x0; ix < x1; ++ix)
          for (int64_t l = 0; l < L; ++l)
            dx[(iy * g.w + ix) * L + l] += A(grad[(oy * g.ow + ox) * L + l]) * scale;
    }
}

// f(plane) over all planes; `work` elements each.
template <class F>
void for_planes(int64_t planes, int64_t work, F&& f) {
  parallel_for(planes, kElementsAThread / (work + 1) + 1, [&](int64_t b, int64_t e) { f(b, e); });
}

// Gradients are added up in the compute type, a plane at a time, and stored in T.
template <class T, class F>
void for_gradient_planes(int64_t planes, int64_t cells, T* dx, F&& f) {
  using A = Compute<T>;
  for_planes(planes, cells, [&](int64_t b, int64_t e) {
    if constexpr (std::is_same_v<T, A>) {
      for (int64_t p = b; p < e; ++p) f(p, dx + p * cells);
    } else {
      Scratch<A> sum(cells);
      for (int64_t p = b; p < e; ++p) {
        f(p, sum.get());
        for (int64_t i = 0; i < cells; ++i) dx[p * cells + i] = T(sum[i]);
      }
    }
  });
}

// x's other dimensions with the plane sizes in `size` (the last two of an input_size attribute).
void read_input_size(Window& g, std::span<const int64_t> size) {
  g.h = size[size.size() - 2];
  g.w = size[size.size() - 1];
}

}  // namespace

void k_max_pool2d_indices(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out(0), &at = k.out(1);
  if (y.numel == 0) return;
  Window g = window_of(x, y, k.attrs, 0);
  auto dilation = k.attrs.ints(3);
  g.dh = pick(dilation, 0, 1);
  g.dw = pick(dilation, 1, 1);
  LaidIn in(x, y.layout);
  LaidOut out(y, y.layout), where(at, y.layout);
  int64_t cells = g.h * g.w * g.lanes, results = g.oh * g.ow * g.lanes, planes = y.numel / results;
  visit_dtype(k.dtype(0), [&]<class T>() {
    using A = Compute<T>;
    for_planes(planes, cells, [&](int64_t b, int64_t e) {
      Scratch<A> best(g.ow * g.lanes);
      for (int64_t p = b; p < e; ++p)
        max_plane<T>(in.as<T>() + p * cells, g, out.as<T>() + p * results, where.as<int32_t>() + p * results,
                     best.get());
    });
  });
  out.finish();
  where.finish();
}

void k_max_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &grad = k.in(0), &at = k.in(1), &dx = k.out();
  if (dx.numel == 0) return;
  uint8_t layout = dx.layout;
  LaidIn g(grad, layout), where(at, layout);
  LaidOut out(dx, layout);
  int64_t L = channel_block(layout);
  int64_t cells = dx.sizes[dx.ndim - 2] * dx.sizes[dx.ndim - 1] * L, planes = dx.numel / cells;
  int64_t results = grad.numel / planes;
  visit_dtype(k.out_dtype(), [&]<class T>() {
    using A = Compute<T>;
    for_gradient_planes<T>(planes, cells, out.as<T>(), [&](int64_t p, A* to) {
      const T* from = g.as<T>() + p * results;
      const int32_t* idx = where.as<int32_t>() + p * results;
      std::memset(static_cast<void*>(to), 0, size_t(cells) * sizeof(A));
      if (L == 16) {
        for (int64_t i = 0; i < results; i += 16)
          for (int l = 0; l < 16; ++l) to[int64_t(idx[i + l]) * 16 + l] += A(from[i + l]);
      } else {
        for (int64_t i = 0; i < results; ++i) to[int64_t(idx[i]) * L + i % L] += A(from[i]);
      }
    });
  });
  out.finish();
}

void k_max_pool2d_gather(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &at = k.in(1), &y = k.out();
  if (y.numel == 0) return;
  uint8_t layout = y.layout;
  LaidIn in(x, layout), where(at, layout);
  LaidOut out(y, layout);
  int64_t L = channel_block(layout);
  int64_t results = y.sizes[y.ndim - 2] * y.sizes[y.ndim - 1] * L, planes = y.numel / results;
  int64_t cells = x.numel / planes;
  visit_dtype(k.out_dtype(), [&]<class T>() {
    for_planes(planes, results, [&](int64_t b, int64_t e) {
      for (int64_t p = b; p < e; ++p) {
        const T* from = in.as<T>() + p * cells;
        const int32_t* idx = where.as<int32_t>() + p * results;
        T* to = out.as<T>() + p * results;
        for (int64_t i = 0; i < results; ++i) to[i] = from[int64_t(idx[i]) * L + i % L];
      }
    });
  });
  out.finish();
}

void k_avg_pool2d(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out();
  if (y.numel == 0) return;
  Window g = window_of(x, y, k.attrs, 0);
  bool include_pad = k.attrs.b(4);
  LaidIn in(x, y.layout);
  LaidOut out(y, y.layout);
  int64_t cells = g.h * g.w * g.lanes, results = g.oh * g.ow * g.lanes, planes = y.numel / results;
  visit_float(k, k.dtype(0), [&]<class T>() {
    for_planes(planes, cells, [&](int64_t b, int64_t e) {
      for (int64_t p = b; p < e; ++p) {
        const T* from = in.as<T>() + p * cells;
        T* to = out.as<T>() + p * results;
        if constexpr (std::is_same_v<T, float>)
          avg_plane_f32(from, g, include_pad, to);
        else
          avg_plane_any<T>(from, g, include_pad, to);
      }
    });
  });
  out.finish();
}

void k_avg_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &grad = k.in(0), &dx = k.out();
  if (dx.numel == 0) return;
  Window g = window_of(dx, grad, k.attrs, 1);
  read_input_size(g, k.attrs.ints(0));
  g.lanes = channel_block(dx.layout);
  bool include_pad = k.attrs.b(5);
  LaidIn in(grad, dx.layout);
  LaidOut out(dx, dx.layout);
  int64_t cells = g.h * g.w * g.lanes, planes = dx.numel / cells, results = grad.numel / planes;
  visit_float(k, k.out_dtype(), [&]<class T>() {
    using A = Compute<T>;
    for_gradient_planes<T>(planes, cells, out.as<T>(), [&](int64_t p, A* to) {
      const T* from = in.as<T>() + p * results;
      if constexpr (std::is_same_v<T, float>)
        avg_plane_back_f32(from, g, include_pad, to);
      else
        avg_plane_back_any<T>(from, g, include_pad, to);
    });
  });
  out.finish();
}

void k_adaptive_avg_pool2d(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out();
  if (y.numel == 0) return;
  Window g{};
  g.h = x.sizes[x.ndim - 2];
  g.w = x.sizes[x.ndim - 1];
  g.oh = y.sizes[y.ndim - 2];
  g.ow = y.sizes[y.ndim - 1];
  g.lanes = channel_block(y.layout);
  LaidIn in(x, y.layout);
  LaidOut out(y, y.layout);
  int64_t cells = g.h * g.w * g.lanes, results = g.oh * g.ow * g.lanes, planes = y.numel / results;
  visit_float(k, k.dtype(0), [&]<class T>() {
    for_planes(planes, cells, [&](int64_t b, int64_t e) {
      for (int64_t p = b; p < e; ++p) {
        const T* from = in.as<T>() + p * cells;
        T* to = out.as<T>() + p * results;
        if constexpr (std::is_same_v<T, float>)
          adaptive_plane_f32(from, g, to);
        else
          adaptive_plane_any<T>(from, g, to);
      }
    });
  });
  out.finish();
}

void k_adaptive_avg_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &grad = k.in(0), &dx = k.out();
  if (dx.numel == 0) return;
  Window g{};
  g.h = dx.sizes[dx.ndim - 2];
  g.w = dx.sizes[dx.ndim - 1];
  g.oh = grad.sizes[grad.ndim - 2];
  g.ow = grad.sizes[grad.ndim - 1];
  g.lanes = channel_block(dx.layout);
  LaidIn in(grad, dx.layout);
  LaidOut out(dx, dx.layout);
  int64_t cells = g.h * g.w * g.lanes, planes = dx.numel / cells, results = grad.numel / planes;
  visit_float(k, k.out_dtype(), [&]<class T>() {
    using A = Compute<T>;
    for_gradient_planes<T>(planes, cells, out.as<T>(), [&](int64_t p, A* to) {
      adaptive_plane_back<T>(in.as<T>() + p * results, g, to);
    });
  });
  out.finish();
}

}  // namespace haft::cpu
