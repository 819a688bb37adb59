// Walking the rows of a tensor along one dimension, whatever its strides: f32 and f64 rows that are dense in
// memory are handed out as they are, all others pass through a scratch block of float (or double) rows.
#pragma once
#include <haft/backend.h>

#include <algorithm>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/tensor/dtype.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {

// Elements that are worth a thread of their own at a fraction of a nanosecond each.
constexpr int64_t kRowGrain = 32768;

inline int64_t wrap_dim(int64_t dim, int ndim) { return dim < 0 ? dim + ndim : dim; }
inline DType dtype_of(const haft_tensor_view& v) { return DType(v.dtype); }

// The shape without `dim`: rows = product of those sizes, n = size of dim. A 0-dim tensor is one row of one element.
struct RowShape {
  int64_t rows = 1, n = 1, dim;
  int ndim = 0;  // of the remaining dimensions
  int64_t sizes[HAFT_MAX_DIMS];

  RowShape(const haft_tensor_view& v, int64_t d) : dim(wrap_dim(d, v.ndim)) {
    for (int i = 0; i < v.ndim; ++i) {
      if (i == dim)
        n = v.sizes[i];
      else
        rows *= sizes[ndim++] = v.sizes[i];
    }
  }
};

// Where the rows of one tensor of that shape lie.
struct RowStrides {
  int64_t step = 1;
  int64_t strides[HAFT_MAX_DIMS];

  RowStrides(const haft_tensor_view& v, int64_t dim) {
    int k = 0;
    for (int i = 0; i < v.ndim; ++i) {
      if (i == dim)
        step = v.strides[i];
      else
        strides[k++] = v.strides[i];
    }
  }
  int64_t offset(const RowShape& s, int64_t row) const {
    int64_t at = 0;
    for (int i = s.ndim - 1; i >= 0; --i) {
      at += row % s.sizes[i] * strides[i];
      row /= s.sizes[i];
    }
    return at;
  }
};

// Rows at offsets `at` of v -> dense rows of C, and back. Rows with a step are often neighbours: tiles keep
// their lines cached.
void load_rows(const haft_tensor_view& v, const int64_t* at, int64_t count, int64_t n, int64_t step,
               void* dst, DType as);
void store_rows(const void* src, DType as, const haft_tensor_view& v, const int64_t* at, int64_t count,
                int64_t n, int64_t step);

template <class C>
void load_rows(const haft_tensor_view& v, const int64_t* at, int64_t count, int64_t n, int64_t step, C* dst) {
  load_rows(v, at, count, n, step, dst, DTypeOf<C>::value);
}
template <class C>
void store_rows(const C* src, const haft_tensor_view& v, const int64_t* at, int64_t count, int64_t n,
                int64_t step) {
  store_rows(src, DTypeOf<C>::value, v, at, count, n, step);
}

// f(at, begin, run, step) for the runs of the elements [begin, begin + n) of v in row-major order; dense
// memory, blocked or not, is one run.
template <class F>
void for_runs(const haft_tensor_view& v, int64_t begin, int64_t n, F&& f) {
  if (v.contiguous || v.layout != HAFT_LAYOUT_STRIDED || v.ndim == 0) {
    f(begin, int64_t(0), n, int64_t(1));
    return;
  }
  const RowShape shape(v, v.ndim - 1);
  const RowStrides where(v, v.ndim - 1);
  for (int64_t done = 0; done < n;) {
    const int64_t row = (begin + done) / shape.n, col = (begin + done) % shape.n,
                  run = std::min(n - done, shape.n - col);
    f(where.offset(shape, row) + col * where.step, done, run, where.step);
    done += run;
  }
}
template <class C>
void load_range(const haft_tensor_view& v, int64_t begin, int64_t n, C* dst) {
  for_runs(v, begin, n, [&](int64_t at, int64_t done, int64_t run, int64_t step) {
    load_rows(v, &at, 1, run, step, dst + done);
  });
}
template <class C>
void store_range(const C* src, const haft_tensor_view& v, int64_t begin, int64_t n) {
  for_runs(v, begin, n, [&](int64_t at, int64_t done, int64_t run, int64_t step) {
    store_rows(src + done, v, &at, 1, run, step);
  });
}

// A float vector of any dtype as contiguous C; NULL for an absent view.
template <class C>
const C* as_compute(const haft_tensor_view* v, HostBuffer& keep) {
  if (!v) return nullptr;
  const int64_t step = v->ndim == 0 ? 1 : v->strides[v->ndim - 1];
  if (dtype_of(*v) == DTypeOf<C>::value && (v->contiguous || step == 1))
    return static_cast<const C*>(v->data);
  keep = HostBuffer(v->numel * int64_t(sizeof(C)));
  const int64_t at = 0;
  load_rows(*v, &at, 1, v->numel, v->contiguous ? 1 : step, keep.as<C>());
  return keep.as<C>();
}

// f(in, out, first, rows, n) over blocks of dense rows of C: in[k] and out hold `rows` rows of n elements
// from `first`. All inputs have out's shape. out may be one of the inputs.
template <class C, int N, class F>
void for_rows(const haft_tensor_view* const (&in)[N], const haft_tensor_view& out, int64_t dim, F&& f) {
  if (out.numel == 0) return;
  const RowShape shape(out, dim);
  const int64_t n = shape.n, grain = std::max<int64_t>(1, kRowGrain / n);
  const bool last = shape.dim >= out.ndim - 1;
  auto direct = [&](const haft_tensor_view& v) {
    return v.contiguous && last && dtype_of(v) == DTypeOf<C>::value;
  };
  bool all_direct = direct(out);
  for (const haft_tensor_view* v : in) all_direct = all_direct && direct(*v);
  if (all_direct) {
    parallel_for(shape.rows, grain, [&](int64_t begin, int64_t end) {
      const C* p[N];
      for (int k = 0; k < N; ++k) p[k] = static_cast<const C*>(in[k]->data) + begin * n;
      f(p, static_cast<C*>(out.data) + begin * n, begin, end - begin, n);
    });
    return;
  }
  constexpr int64_t kMaxBlock = 16;
  const int64_t block = std::clamp<int64_t>((1 << 16) / n, 1, kMaxBlock);
  parallel_for(shape.rows, grain, [&](int64_t begin, int64_t end) {
    HostBuffer scratch((N + 1) * block * n * int64_t(sizeof(C)));
    int64_t at[kMaxBlock];
    for (int64_t r = begin; r < end; r += block) {
      const int64_t count = std::min(block, end - r);
      const C* p[N];
      C* const dst = scratch.as<C>() + N * block * n;
      for (int k = 0; k < N; ++k) {
        const RowStrides where(*in[k], shape.dim);
        for (int64_t j = 0; j < count; ++j) at[j] = where.offset(shape, r + j);
        C* const src = scratch.as<C>() + k * block * n;
        load_rows(*in[k], at, count, n, where.step, src);
        p[k] = src;
      }
      f(p, dst, r, count, n);
      const RowStrides where(out, shape.dim);
      for (int64_t j = 0; j < count; ++j) at[j] = where.offset(shape, r + j);
      store_rows(dst, out, at, count, n, where.step);
    }
  });
}

}  // namespace haft::cpu
