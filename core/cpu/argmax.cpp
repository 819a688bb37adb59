// Extremes with the index where they stand first: max_dim, min_dim, argmax, argmin. NaN counts as the extreme.
#include "core/cpu/elementwise.h"
#include "core/cpu/kernel.h"
#include "core/cpu/reduce.h"

namespace haft::cpu {
namespace {

constexpr int64_t kStrip = 512;

template <Monoid M, class T>
bool beats(T a, T b) {
  if constexpr (M == Monoid::max)
    return a > b || (a != a && b == b);
  else
    return a < b || (a != a && b == b);
}

template <class T>
struct Best {
  T value;
  int64_t index;
};

// Of a dense run: the extreme of each block by the vector loop, then the place inside the winning block.
template <Monoid M, class T>
Best<T> best_of_run(const T* x, int64_t n) {
  Best<T> best{x[0], 0};
  if (n <= 24) {
    for (int64_t i = 1; i < n; ++i) {
      const bool better = beats<M>(x[i], best.value);
      best.value = better ? x[i] : best.value;
      best.index = better ? i : best.index;
    }
    return best;
  }
  const auto& loops = reduce_loops<M, T>();
  int64_t block = 0;
  for (int64_t i = 0; i < n; i += kRowBlock) {
    T v = loops.row(x + i, n - i < kRowBlock ? n - i : kRowBlock, T(0));
    if (i == 0 || beats<M>(v, best.value)) best.value = v, block = i;
  }
  const bool nan = best.value != best.value;
  auto hit = [&](int64_t i) { return nan ? x[i] != x[i] : x[i] == best.value; };
  int64_t i = block;
  if (!nan)
    for (; i + 16 <= n; i += 16) {  // sixteen at once, then the one
      using Flag =
          std::conditional_t<sizeof(T) == 8, int64_t, std::conditional_t<sizeof(T) == 4, int32_t, int8_t>>;
      Flag any = 0;
      for (int64_t j = 0; j < 16; ++j) any |= Flag(x[i + j] == best.value);
      if (any) break;
    }
  while (!hit(i)) ++i;
  best.index = i;
  return best;
}

template <Monoid M, class T>
void search(const T* x, const Around& a, T* values, int64_t* indices) {
  if (a.inner == 1) {
    const int64_t chunks = a.n > 16 * kRowBlock ? (a.n + 16 * kRowBlock - 1) / (16 * kRowBlock) : 1;
    if (a.outer == 1 && chunks > 1) {
      Scratch<Best<T>> partial(chunks);
      parallel_for(chunks, 2, [&](int64_t b, int64_t e) {
        for (; b < e; ++b) {
          const int64_t at = b * 16 * kRowBlock, n = a.n - at < 16 * kRowBlock ? a.n - at : 16 * kRowBlock;
          partial[b] = best_of_run<M>(x + at, n);
          partial[b].index += at;
        }
      });
      Best<T> best = partial[0];
      for (int64_t b = 1; b < chunks; ++b)
        if (beats<M>(partial[b].value, best.value)) best = partial[b];
      values[0] = best.value;
      indices[0] = best.index;
      return;
    }
    parallel_for(a.outer, 65536 / a.n + 1, [&](int64_t b, int64_t e) {
      for (; b < e; ++b) {
        Best<T> best = best_of_run<M>(x + b * a.n, a.n);
        values[b] = best.value;
        indices[b] = best.index;
      }
    });
    return;
  }
  // Neighbouring columns side by side.
  const int64_t strips = (a.inner + kStrip - 1) / kStrip;
  parallel_for(a.outer * strips, 65536 / (kStrip * a.n) + 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) {
      const int64_t o = b / strips, j0 = b % strips * kStrip,
                    w = a.inner - j0 < kStrip ? a.inner - j0 : kStrip;
      const T* base = x + o * a.n * a.inner + j0;
      T* v = values + o * a.inner + j0;
      int64_t* at = indices + o * a.inner + j0;
      for (int64_t j = 0; j < w; ++j) v[j] = base[j], at[j] = 0;
      for (int64_t r = 1; r < a.n; ++r)
        for (int64_t j = 0; j < w; ++j) {
          const T y = base[r * a.inner + j];
          const bool better = beats<M>(y, v[j]);
          v[j] = better ? y : v[j];
          at[j] = better ? r : at[j];
        }
    }
  });
}

template <Monoid M, class T>
void extreme_at(const haft_tensor_view& x, const Around& a, const haft_tensor_view* values,
                const haft_tensor_view& indices) {
  // Dense, in a type that has loops.
  HostBuffer strided, typed;
  const void* src = x.data;
  if (!dense(x)) {
    strided = HostBuffer(bytes(x));
    copy_dense(strided.data(), x);
    src = strided.data();
  }
  const bool same = DType(x.dtype) == DTypeOf<T>::value || (x.dtype == HAFT_BOOL && sizeof(T) == 1);
  if (!same) {
    typed = HostBuffer(x.numel * int64_t(sizeof(T)));
    convert(typed.data(), DTypeOf<T>::value, src, DType(x.dtype), x.numel);
    src = typed.data();
  }
  const T* data = static_cast<const T*>(src);
  int64_t* places = static_cast<int64_t*>(indices.data);
  if (values && same) return search<M, T>(data, a, static_cast<T*>(values->data), places);
  Scratch<T> found(indices.numel);
  search<M, T>(data, a, found.get(), places);
  if (values) convert(values->data, DType(values->dtype), found.get(), DTypeOf<T>::value, indices.numel);
}

template <Monoid M>
void dispatch(const haft_tensor_view& x, int64_t dim, const haft_tensor_view* values,
              const haft_tensor_view& indices) {
  Around a{1, x.numel, 1};  // flattened
  if (dim != kNone && x.ndim > 0) a = around(x, dim < 0 ? dim + x.ndim : dim);
  if (indices.numel == 0) return;
  switch (DType(x.dtype)) {
    case DType::f64: return extreme_at<M, double>(x, a, values, indices);
    case DType::f16:
    case DType::bf16:
    case DType::f32: return extreme_at<M, float>(x, a, values, indices);
    case DType::boolean:
    case DType::u8: return extreme_at<M, uint8_t>(x, a, values, indices);
    default: return extreme_at<M, int64_t>(x, a, values, indices);
  }
}

}  // namespace

void k_max_dim(const haft_kernel_call& c) {
  dispatch<Monoid::max>(*c.in[0], AttrReader{c.attrs}.i(0), c.out[0], *c.out[1]);
}
void k_min_dim(const haft_kernel_call& c) {
  dispatch<Monoid::min>(*c.in[0], AttrReader{c.attrs}.i(0), c.out[0], *c.out[1]);
}
void k_argmax(const haft_kernel_call& c) {
  dispatch<Monoid::max>(*c.in[0], AttrReader{c.attrs}.i(0), nullptr, *c.out[0]);
}
void k_argmin(const haft_kernel_call& c) {
  dispatch<Monoid::min>(*c.in[0], AttrReader{c.attrs}.i(0), nullptr, *c.out[0]);
}

}  // namespace haft::cpu
