// Images resampled in both dimensions in one pass: each line is resampled along its columns when the first row of the
// result asks for it, stays in the first caches, and rows of the result are blends of such lines. Or, for the nearest
// neighbours, picked.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/resize_plane.cpp"
#include "core/cpu/foreach_target.h"

#include <algorithm>
#include <type_traits>

#include "core/cpu/kernel.h"
#include "core/cpu/simd.h"

#ifndef HAFT_CPU_RESIZE_PLANE
#define HAFT_CPU_RESIZE_PLANE
namespace haft::cpu {

// The columns of the result in vectors of `lanes`. Lane l of vector v takes tap k from element index[(k * vectors +
// v) * lanes + l] behind base[v]; `near`: it is one of 2 * lanes that are all there.
template <class T>
struct Columns {
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  int64_t to = 0, count = 0, vectors = 0, lanes = 0;
  bool near = false;
  const Index *index = nullptr, *base = nullptr;
  const T* weight = nullptr;  // as index; none for the nearest
};
template <class T>
struct Plane {
  const T* x = nullptr;
  T* out = nullptr;
  int64_t from_h = 0, from_w = 0, to_h = 0, taps_h = 0;
  const int32_t* row = nullptr;   // tap k of row j at [k * to_h + j]
  const T* row_weight = nullptr;  // as row
  Columns<T> columns;
};

}  // namespace haft::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

template <class T, bool kNear>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> tap(const Columns<T>& c, const T* x, int64_t k, int64_t v) {
  const hn::ScalableTag<T> d;
  const auto index = hn::LoadU(hn::RebindToSigned<decltype(d)>(), c.index + (k * c.vectors + v) * c.lanes);
  if constexpr (kNear) {
    const hn::RebindToSigned<decltype(d)> i;
    constexpr auto kSize = typename Columns<T>::Index(Lanes<T>::kSize);
    const auto low = hn::LoadU(d, x), high = hn::LoadU(d, x + kSize);
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(T) == 4)
      return hn::Vec<decltype(d)>{_mm512_permutex2var_ps(low.raw, index.raw, high.raw)};
#endif
    const auto inside = hn::IndicesFromVec(d, hn::And(index, hn::Set(i, kSize - 1)));
    return hn::IfThenElse(hn::RebindMask(d, hn::Lt(index, hn::Set(i, kSize))),
                          hn::TableLookupLanes(low, inside), hn::TableLookupLanes(high, inside));
  } else {
    return hn::GatherIndex(d, x, index);
  }
}

// A line along its columns, up to a whole vector.
template <class T, bool kNear>
void line_of(const Columns<T>& c, const T* x, T* out) {
  using V = Lanes<T>;
  for (int64_t v = 0; v < c.vectors; ++v) {
    const T* const at = x + c.base[v];
    const T* const w = c.weight + v * V::kSize;
    const int64_t step = c.vectors * V::kSize;
    V sum = V::load(w) * V(tap<T, kNear>(c, at, 0, v));
    sum = fma(V::load(w + step), V(tap<T, kNear>(c, at, 1, v)), sum);
    for (int64_t k = 2; k < c.count; ++k) {
      const V weight = V::load(w + k * step);
      // A tap that the place has not counts nothing, whatever it reads.
      sum = select(weight == V(0), sum, fma(weight, V(tap<T, kNear>(c, at, k, v)), sum));
    }
    sum.store(out + v * V::kSize);
  }
}
template <class T, int kTaps>
void blend(const T* const* line, const T* weight, int64_t count, int64_t n, T* out) {
  using V = Lanes<T>;
  sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
    V sum = V(weight[0]) * V::load(line[0] + i);
#pragma GCC unroll 4
    for (int64_t k = 1; k < (kTaps ? kTaps : count); ++k) sum = fma(V(weight[k]), V::load(line[k] + i), sum);
    sum.store(out + i, part);
  });
}

// Rows [begin, end) of all planes, one behind the other.
template <class T>
void rows_of(const Plane<T>& p, int64_t begin, int64_t end) {
  const Columns<T>& c = p.columns;
  const int64_t pitch = c.vectors * c.lanes, taps = p.taps_h;
  const Scratch<T> lines(taps * pitch), weight(taps);
  const Scratch<int64_t> kept(taps);
  const Scratch<const T*> line(taps);
  std::fill_n(kept.get(), taps, int64_t(-1));
  for (int64_t r = begin; r < end; ++r) {
    const int64_t plane = r / p.to_h, j = r % p.to_h;
    int64_t count = 0;
    for (int64_t k = 0; k < taps; ++k) {
      const T w = p.row_weight[k * p.to_h + j];
      if (k > 1 && w == T(0)) continue;  // a tap that the row has not
      // Taps of a row are neighbours, so that no two of them share a place.
      const int64_t at = plane * p.from_h + p.row[k * p.to_h + j], slot = at % taps;
      T* const l = lines.get() + slot * pitch;
      if (kept[slot] != at) {
        kept[slot] = at;
        (c.near ? line_of<T, true> : line_of<T, false>)(c, p.x + at * p.from_w, l);
      }
      weight[count] = w;
      line[count++] = l;
    }
    const auto kernel = count == 2 ? blend<T, 2> : count == 4 ? blend<T, 4> : blend<T, 0>;
    kernel(line.get(), weight.get(), count, c.to, p.out + r * c.to);
  }
}
void rows_f32(const Plane<float>& p, int64_t begin, int64_t end) { rows_of(p, begin, end); }
void rows_f64(const Plane<double>& p, int64_t begin, int64_t end) { rows_of(p, begin, end); }

// Nearest neighbours of 32 bits each: floats move bits as they are.
void pick_32(const Plane<float>& p, int64_t begin, int64_t end) {
  const Columns<float>& c = p.columns;
  const Scratch<float> line(c.vectors * c.lanes);
  int64_t kept = -1;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t at = r / p.to_h * p.from_h + p.row[r % p.to_h];
    for (int64_t v = 0; v < c.vectors && kept != at; ++v) {
      const float* const x = p.x + at * p.from_w + c.base[v];
      Lanes<float>(c.near ? tap<float, true>(c, x, 0, v) : tap<float, false>(c, x, 0, v))
          .store(line.get() + v * c.lanes);
    }
    kept = at;
    sweep<float>(c.to, [&](int64_t i, auto part) HWY_ATTR {
      Lanes<float>::load(line.get() + i).store(p.out + r * c.to + i, part);
    });
  }
}
int64_t lanes_32() { return Lanes<float>::kSize; }
int64_t lanes_64() { return Lanes<double>::kSize; }

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/resize_taps.h"

namespace haft::cpu {
HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_f64);
HWY_EXPORT(pick_32);
HWY_EXPORT(lanes_32);
HWY_EXPORT(lanes_64);

namespace {

constexpr int64_t kGrain = 16384;  // elements a task

// The memory behind Columns.
template <class T>
struct ColumnTables {
  using Index = typename Columns<T>::Index;
  int64_t vectors;
  Scratch<Index> index, base;
  Scratch<T> weight;
  Columns<T> columns;

  // place[k * to + j], and weights in the same order or none.
  ColumnTables(int64_t from, int64_t to, int64_t count, const int32_t* place, const T* given, int64_t lanes)
      : vectors((to + lanes - 1) / lanes),
        index(count * vectors * lanes),
        base(vectors),
        weight(given ? count * vectors * lanes : 1),
        columns{to, count, vectors, lanes, from >= 2 * lanes, index.get(), base.get(), weight.get()} {
    for (int64_t v = 0; v < vectors; ++v) {
      int64_t least = from, most = 0;
      for (int64_t k = 0; k < count; ++k)
        for (int64_t l = 0; l < lanes; ++l) {
          // Behind the last column: the last one, for nothing.
          const int64_t j = v * lanes + l, at = (k * vectors + v) * lanes + l;
          const int64_t i = place[k * to + std::min(j, to - 1)];
          index[at] = Index(i);
          if (given) weight[at] = j < to ? given[k * to + j] : T(0);
          least = std::min(least, i), most = std::max(most, i);
        }
      const int64_t first = std::max<int64_t>(0, std::min(least, from - 2 * lanes));
      base[v] = Index(first);
      if (most - first >= 2 * lanes) columns.near = false;
    }
    if (!columns.near) std::fill_n(base.get(), vectors, Index(0));
    for (int64_t v = 0; v < vectors; ++v)
      for (int64_t k = 0; k < count; ++k)
        for (int64_t l = 0; l < lanes; ++l) index[(k * vectors + v) * lanes + l] -= base[v];
  }
};

void check_length(const KernelCall& k, int64_t n) {
  if (n > INT32_MAX)
    fail(Code::overflow, concat("[", k.name(), "] a line of ", n, " elements is too long"), {}, "input");
}

template <class T, class Kernel>
void resample(const KernelCall& k, int64_t lanes, Kernel kernel) {
  const haft_tensor_view &x = k.in(0), &out = k.out();
  const int64_t h = x.sizes[x.ndim - 2], w = x.sizes[x.ndim - 1], to_h = k.attrs.i(0), to_w = k.attrs.i(1);
  const bool cubic = k.attrs.b(2), align = k.attrs.b(3), antialias = k.attrs.b(6);
  const Taps<T> rows(h, to_h, cubic, align, k.attrs.d(4), antialias),
      columns(w, to_w, cubic, align, k.attrs.d(5), antialias);
  const ColumnTables<T> tables(w, to_w, columns.count, columns.index.get(), columns.weight.get(), lanes);
  const Plane<T> p{k.data<T>(0),      k.out_data<T>(), h, w, to_h, rows.count, rows.index.get(),
                   rows.weight.get(), tables.columns};
  parallel_for(out.numel / to_w, kGrain / (to_w * rows.count) + 1,
               [&](int64_t b, int64_t e) { kernel(p, b, e); });
}

// In float32: the bits of ops/resample.cpp, which tells the same in operators.
void nearest_places(int64_t from, int64_t to, double step, bool exact, int32_t* place) {
  for (int64_t j = 0; j < to; ++j) {
    const float at = std::floor((exact ? float(j) + 0.5f : float(j)) * float(step));
    place[j] = at < float(from - 1) ? int32_t(at) : int32_t(from - 1);
  }
}

}  // namespace

// attrs: height, width, cubic, align_corners, step_h, step_w, antialias
void k_resize_plane(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.out().numel == 0) return;
  for (int d : {1, 2}) check_length(k, k.in(0).sizes[k.in(0).ndim - d]);
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, float>)
      resample<float>(k, HWY_DYNAMIC_DISPATCH(lanes_32)(), HWY_DYNAMIC_DISPATCH(rows_f32));
    else
      resample<double>(k, HWY_DYNAMIC_DISPATCH(lanes_64)(), HWY_DYNAMIC_DISPATCH(rows_f64));
  });
}

// attrs: height, width, step_h, step_w, exact
void k_pick_plane(const haft_kernel_call& c) {
  const KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &out = k.out();
  if (out.numel == 0) return;
  const int64_t h = x.sizes[x.ndim - 2], w = x.sizes[x.ndim - 1], to_h = k.attrs.i(0), to_w = k.attrs.i(1);
  for (int64_t n : {h, w}) check_length(k, n);
  const Scratch<int32_t> row(to_h), column(to_w);
  nearest_places(h, to_h, k.attrs.d(2), k.attrs.b(4), row.get());
  nearest_places(w, to_w, k.attrs.d(3), k.attrs.b(4), column.get());
  const int64_t count = out.numel / to_w, grain = kGrain / to_w + 1;
  visit_size(k.dtype(), [&]<class U>() {
    if constexpr (sizeof(U) == 4) {
      const ColumnTables<float> tables(w, to_w, 1, column.get(), nullptr, HWY_DYNAMIC_DISPATCH(lanes_32)());
      const Plane<float> p{k.data<float>(0), k.out_data<float>(), h, w, to_h, 1, row.get(),
                           nullptr,          tables.columns};
      parallel_for(count, grain, [&](int64_t b, int64_t e) { HWY_DYNAMIC_DISPATCH(pick_32)(p, b, e); });
    } else {
      parallel_for(count, grain, [&](int64_t b, int64_t e) {
        for (; b < e; ++b) {
          const U* const from = k.data<U>(0) + (b / to_h * h + row[b % to_h]) * w;
          U* const to = k.out_data<U>() + b * to_w;
          for (int64_t j = 0; j < to_w; ++j) to[j] = from[column[j]];
        }
      });
    }
  });
}

}  // namespace haft::cpu
#endif
