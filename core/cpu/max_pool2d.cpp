// Maximum pooling, its gradient, and values taken at the places of maxima.
#include <limits>

#include "core/cpu/multiversion.h"
#include "core/cpu/pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace haft::cpu {
namespace {

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

// Any type and number of lanes, a row of results at a time.
template <Isa, class A>
HAFT_BODY void max_plane_body(const A* x, const Window& g, A* out, int32_t* where) {
  const int64_t L = g.lanes;
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    A* best = out + oy * g.ow * L;
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
        const A* row = x + (iy * g.w + offset) * L;
        int32_t position = int32_t(iy * g.w + offset);
        if (L == 1) {
          for (int64_t ox = r.first; ox < r.last; ++ox) {
            const A v = row[ox * g.sw];
            bool take = (v > best[ox]) | (v != v);
            best[ox] = take ? v : best[ox];
            at[ox] = take ? position + int32_t(ox * g.sw) : at[ox];
          }
        } else {
          for (int64_t ox = r.first; ox < r.last; ++ox)
            for (int64_t l = 0; l < L; ++l) {
              const A v = row[ox * g.sw * L + l];
              bool take = (v > best[ox * L + l]) | (v != v);
              best[ox * L + l] = take ? v : best[ox * L + l];
              at[ox * L + l] = take ? position + int32_t(ox * g.sw) : at[ox * L + l];
            }
        }
      }
    }
  }
}
HAFT_MULTIVERSION(max_plane, (const float* x, const Window& g, float* out, int32_t* where),
                  (x, g, out, where))

void max_plane_best(const float* x, const Window& g, float* out, int32_t* where) {
#if defined(__x86_64__)
  if (g.lanes == 16 && isa() == Isa::avx512) return max_plane16(x, g, out, where);
  if (g.lanes == 1 && isa() == Isa::avx512) return max_plane_dense(x, g, out, where);
#endif
  max_plane(x, g, out, where);
}
void max_plane_best(const double* x, const Window& g, double* out, int32_t* where) {
  max_plane_body<Isa::baseline>(x, g, out, where);
}
void max_plane_best(const int64_t* x, const Window& g, int64_t* out, int32_t* where) {
  max_plane_body<Isa::baseline>(x, g, out, where);
}

}  // namespace

void k_max_pool2d_indices(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out(0), &at = k.out(1);
  if (y.numel == 0) return;
  Window g = window_of(x, y, y.layout);
  read_window(g, k.attrs, 0);
  auto dilation = k.attrs.ints(3);
  g.dh = pick(dilation, 0, 1);
  g.dw = pick(dilation, 1, 1);
  LaidOut where(at, y.layout);
  visit_compute(k.dtype(0), [&]<class C>() {
    for_planes<C>(x, g.cells(), y, g.results(), [&](int64_t p, const C* from, C* to) {
      max_plane_best(from, g, to, where.as<int32_t>() + p * g.results());
    });
  });
  where.finish();
}

void k_max_pool2d_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &grad = k.in(0), &at = k.in(1), &dx = k.out();
  if (dx.numel == 0) return;
  const Window g = window_of(dx, grad, dx.layout);
  const int64_t L = g.lanes, cells = g.cells(), results = g.results();
  LaidIn where(at, dx.layout);
  visit_compute(k.out_dtype(), [&]<class C>() {
    for_planes<C>(grad, results, dx, cells, [&](int64_t p, const C* from, C* to) {
      const int32_t* idx = where.as<int32_t>() + p * results;
      std::fill_n(to, cells, C(0));
      if (L == 16) {
        for (int64_t i = 0; i < results; i += 16)
          for (int l = 0; l < 16; ++l) to[int64_t(idx[i + l]) * 16 + l] += from[i + l];
      } else {
        for (int64_t i = 0; i < results; ++i) to[int64_t(idx[i]) * L + i % L] += from[i];
      }
    });
  });
}

void k_max_pool2d_gather(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &at = k.in(1), &y = k.out();
  if (y.numel == 0) return;
  const Window g = window_of(x, y, y.layout);
  const int64_t L = g.lanes, cells = g.cells(), results = g.results();
  LaidIn in(x, y.layout), where(at, y.layout);
  LaidOut out(y, y.layout);
  visit_size(k.out_dtype(), [&]<class T>() {
    parallel_for(y.numel / results, (1 << 15) / (results + 1) + 1, [&](int64_t b, int64_t e) {
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

}  // namespace haft::cpu
