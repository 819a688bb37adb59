// Maximum pooling, its gradient, and values taken at the places of maxima.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/max_pool2d.cpp"
#include "core/cpu/foreach_target.h"

#include <limits>

#include "core/cpu/pool.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX2
using V = Lanes<float>;
using Index = hn::Vec<V::I>;

HWY_INLINE LaneMask<float> is_larger(V v, V best) {
  return LaneMask<float>{hn::Gt(v.v, best.v)} | LaneMask<float>{hn::IsNaN(v.v)};
}
HWY_INLINE void take(LaneMask<float> which, V v, Index from, V& best, Index& at) {
  best = select(which, v, best);
  at = hn::IfThenElse(hn::RebindMask(V::I(), which.m), from, at);
}

// A blocked plane: a vector is the channels of one cell.
void max_channels(const float* x, const Window& g, float* out, int32_t* where) {
  const V::I d;
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    const int64_t y0 = oy * g.sh - g.ph;
    const Range ry = cells_inside(y0, g.dh, g.kh, g.h);
    for (int64_t ox = 0; ox < g.ow; ++ox, out += V::kSize, where += V::kSize) {
      const int64_t x0 = ox * g.sw - g.pw;
      const Range rx = cells_inside(x0, g.dw, g.kw, g.w);
      V best(-std::numeric_limits<float>::infinity());
      Index at = hn::Set(d, first_place(g, y0, x0));
      for (int64_t ky = ry.first; ky < ry.last; ++ky) {
        int64_t cell = (y0 + ky * g.dh) * g.w + x0 + rx.first * g.dw;
        for (int64_t kx = rx.first; kx < rx.last; ++kx, cell += g.dw) {
          const V v = V::load(x + cell * V::kSize);
          take(is_larger(v, best), v, hn::Set(d, int32_t(cell)), best, at);
        }
      }
      best.store(out);
      hn::StoreU(at, d, where);
    }
  }
}

HWY_INLINE hn::Mask<V::D> lanes_between(int64_t first, int64_t last) {
  const auto before = hn::FirstN(V::D(), size_t(std::clamp<int64_t>(last, 0, V::kSize)));
  return first <= 0 ? before : hn::AndNot(hn::FirstN(V::D(), size_t(std::min(first, V::kSize))), before);
}
// The results of a vector whose cell lies inside; `low` and `high` are their cells where every other one is read.
struct Part {
  Range r;
  LaneMask<float> all;
  hn::Mask<V::D> low, high;
  HWY_INLINE explicit Part(Range range)
      : r(range),
        all{lanes_between(r.first, r.last)},
        low(lanes_between(2 * r.first, 2 * r.last - 1)),
        high(lanes_between(2 * r.first - V::kSize, 2 * r.last - 1 - V::kSize)) {}
};

// p[0], p[stride], p[2 stride], ...; other memory than that of the lanes of `part` is not touched.
HWY_INLINE V load_strided(const float* p, int64_t stride, Index steps, const Part& part) {
  const V::D d;
  const V::I di;
  if (stride == 1) return hn::MaskedLoad(part.all.m, d, p);
  if (stride == 2)
    return hn::ConcatEven(d, hn::MaskedLoad(part.high, d, p + V::kSize), hn::MaskedLoad(part.low, d, p));
  const Index least = hn::Set(di, int32_t(part.r.first * stride)),
              most = hn::Set(di, int32_t((part.r.last - 1) * stride));
  return hn::GatherIndex(d, p, hn::Min(hn::Max(steps, least), most));
}

// A dense plane: a vector of results of a row at a time.
void max_row(const float* x, const Window& g, float* out, int32_t* where) {
  const V::I d;
  const Index steps = hn::Mul(hn::Iota(d, 0), hn::Set(d, int32_t(g.sw)));
  for (int64_t oy = 0; oy < g.oh; ++oy) {
    const int64_t y0 = oy * g.sh - g.ph, first_row = first_cell(y0, g.dh);
    for (int64_t o = 0; o < g.ow; o += V::kSize) {
      const int64_t many = std::min(V::kSize, g.ow - o), x0 = o * g.sw - g.pw;
      const Part whole({0, many});
      V best(-std::numeric_limits<float>::infinity());
      Index at = hn::Add(steps, hn::Set(d, int32_t(first_row * g.w + x0)));
      if (x0 < 0 || first_row >= g.h) {
        HWY_ALIGN int32_t start[V::kSize];
        for (int64_t l = 0; l < V::kSize; ++l) start[l] = first_place(g, y0, x0 + l * g.sw);
        at = hn::Load(d, start);
      }
      for (int64_t ky = 0; ky < g.kh; ++ky) {
        const int64_t iy = y0 + ky * g.dh;
        if (iy < 0 || iy >= g.h) continue;
        for (int64_t kx = 0; kx < g.kw; ++kx) {
          const int64_t offset = x0 + kx * g.dw;
          const float* from = x + iy * g.w + offset;
          const Index at_offset = hn::Add(steps, hn::Set(d, int32_t(iy * g.w + offset)));
          if (offset >= 0 && offset + (many - 1) * g.sw < g.w) {
            const V v = load_strided(from, g.sw, steps, whole);
            take(whole.all & is_larger(v, best), v, at_offset, best, at);
          } else if (const Range r = inside(g.w, many, g.sw, offset); r.first < r.last) {
            const Part part(r);
            const V v = load_strided(from, g.sw, steps, part);
            take(part.all & is_larger(v, best), v, at_offset, best, at);
          }
        }
      }
      hn::BlendedStore(best.v, whole.all.m, V::D(), out + oy * g.ow + o);
      hn::BlendedStore(at, hn::RebindMask(d, whole.all.m), d, where + oy * g.ow + o);
    }
  }
}
#endif

// False where there are no vectors for it.
bool max_plane_by_vectors([[maybe_unused]] const float* x, [[maybe_unused]] const Window& g,
                          [[maybe_unused]] float* out, [[maybe_unused]] int32_t* where) {
#if HWY_TARGET <= HWY_AVX2
  if (g.lanes == V::kSize) return max_channels(x, g, out, where), true;
  if (g.lanes == 1) return max_row(x, g, out, where), true;
#endif
  return false;
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
HWY_EXPORT(max_plane_by_vectors);

namespace {

// Any type and number of lanes, a row of results at a time.
template <class A>
void max_plane(const A* x, const Window& g, A* out, int32_t* where) {
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
        at[ox * L + l] = first_place(g, y0, ox * g.sw - g.pw);
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

template <class C>
void max_plane_of(const C* x, const Window& g, C* out, int32_t* where) {
  if constexpr (std::is_same_v<C, float>)
    if (HWY_DYNAMIC_DISPATCH(max_plane_by_vectors)(x, g, out, where)) return;
  max_plane(x, g, out, where);
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
      max_plane_of(from, g, to, where.as<int32_t>() + p * g.results());
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
          for (int l = 0; l < 16; ++l)
            if (idx[i + l] != kNowhere) to[int64_t(idx[i + l]) * 16 + l] += from[i + l];
      } else {
        for (int64_t i = 0; i < results; ++i)
          if (idx[i] != kNowhere) to[int64_t(idx[i]) * L + i % L] += from[i];
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
        for (int64_t i = 0; i < results; ++i)
          to[i] = idx[i] == kNowhere ? T(0) : from[int64_t(idx[i]) * L + i % L];
      }
    });
  });
  out.finish();
}

}  // namespace haft::cpu
#endif
