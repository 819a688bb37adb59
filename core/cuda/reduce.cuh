// Reductions over any set of dimensions. An operation is a struct that says what elements are joined to:
//
//   Number    what elements are computed in           Acc       what they are joined in
//   Origin    what is known of an output before       kInputs   1, or 2 tensors of equal strides
//   none()    nothing joined                          origin(o) for output o
//   step(k)   what is the same for all k-th elements  add(acc, x..., i, origin, step), i: the number among the reduced
//   close(acc, k) after k elements of one thread      join(a, b), a's elements first
//   write(o, acc)
//
// Rows: the reduced dimensions are the densest; a group of lanes, a block or several blocks a row. Columns: a
// dimension that stays is the densest; neighbouring threads take neighbouring outputs. What several blocks found is
// joined by a second kernel. How work is split depends on shape and device alone, and parts are joined in order:
// equal calls give equal bits.
#pragma once
#include <algorithm>

#include "core/backend/reduction.h"
#include "core/cuda/numbers.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

constexpr int kReduceThreads = 256;

struct Nothing {};

struct RowsArgs {
  const void *x, *y;
  Places kept, reduced;  // `reduced` counts vectors where kVec > 1 and it has several dimensions
  int64_t rows, n, chunk;
  int group, parts;
  void* partial;  // [parts][rows]
};
struct ColumnsArgs {
  const void *x, *y;
  Places others, others_out, reduced;  // kept dimensions but for the columns'
  int64_t width, stride, out_stride, tiles;
  int64_t n, chunk, n_out;
  int parts;
  void* partial;  // [parts][n_out]
};

// Elements of both inputs at one place.
template <class Op, class T, int kVec>
struct Pack {
  Vector<T, kVec> x;
  Vector<T, Op::kInputs == 2 ? kVec : 1> y;
  __device__ void read(const T* px, const T* py, int64_t at) {
    x = *reinterpret_cast<const Vector<T, kVec>*>(px + at);
    if constexpr (Op::kInputs == 2) y = *reinterpret_cast<const Vector<T, kVec>*>(py + at);
  }
  template <class Step>
  __device__ void add(const Op& op, typename Op::Acc& a, int j, int64_t i, const typename Op::Origin& origin,
                      Step step) const {
    using C = typename Op::Number;
    if constexpr (Op::kInputs == 2)
      op.add(a, C(load(x.at[j])), C(load(y.at[j])), i, origin, step);
    else
      op.add(a, C(load(x.at[j])), i, origin, step);
  }
};
template <class Op, class T, class Step>
__device__ inline void add_number(const Op& op, typename Op::Acc& a, const T* x, const T* y, int64_t at,
                                  int64_t i, const typename Op::Origin& origin, Step step) {
  Pack<Op, T, 1> p;
  p.read(x, y, at);
  p.add(op, a, 0, i, origin, step);
}

constexpr int kAtOnce = 4;  // reads under way a thread

// Elements [begin, end) of a row, those of one of `lanes` threads.
template <class Op, class T, int kVec>
__device__ inline typename Op::Acc part_of_row(const Op& op, const RowsArgs& a, int64_t base, int64_t begin,
                                               int64_t end, int lane, int lanes,
                                               const typename Op::Origin& origin) {
  using Acc = typename Op::Acc;
  const T *x = static_cast<const T*>(a.x) + base, *y = static_cast<const T*>(a.y) + base;
  if constexpr (kVec == 1) {
    Acc acc = op.none();
    const int64_t stride = a.reduced.strides[0];
    const bool single = a.reduced.ndim == 1;
    int64_t k = 0;
#pragma unroll 4
    for (int64_t i = begin + lane; i < end; i += lanes)
      add_number(op, acc, x, y, single ? i * stride : a.reduced.at(i), i, origin, op.step(++k));
    op.close(acc, k);
    return acc;
  } else {
    const bool single = a.reduced.ndim == 1;
    Acc acc[kVec], edge = op.none();
#pragma unroll
    for (Acc& each : acc) each = op.none();
    int64_t head = 0, k = 0, edges = 0;
    if (single) {  // up to where 16 bytes begin
      head = int64_t((16 - (reinterpret_cast<uintptr_t>(x + begin) & 15)) & 15) / int64_t(sizeof(T));
      head = head < end - begin ? head : end - begin;
      for (int64_t i = begin + lane; i < begin + head; i += lanes)
        add_number(op, edge, x, y, i, i, origin, op.step(++edges));
    }
    const int64_t first = begin + head, vectors = (end - first) / kVec;
    auto place = [&](int64_t v) { return single ? first + v * kVec : a.reduced.at(begin / kVec + v); };
    auto join = [&](const Pack<Op, T, kVec>& p, int64_t v) {
      const auto step = op.step(++k);
#pragma unroll
      for (int j = 0; j < kVec; ++j) p.add(op, acc[j], j, first + v * kVec + j, origin, step);
    };
    int64_t v = lane;
    for (; v + (kAtOnce - 1) * lanes < vectors; v += int64_t(kAtOnce) * lanes) {
      Pack<Op, T, kVec> p[kAtOnce];
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) p[u].read(x, y, place(v + u * lanes));
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) join(p[u], v + u * lanes);
    }
    for (; v < vectors; v += lanes) {
      Pack<Op, T, kVec> p;
      p.read(x, y, place(v));
      join(p, v);
    }
    if (single)
      for (int64_t i = first + vectors * kVec + lane; i < end; i += lanes)
        add_number(op, edge, x, y, i, i, origin, op.step(++edges));
    op.close(edge, edges);
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      op.close(acc[j], k);
      edge = op.join(edge, acc[j]);
    }
    return edge;
  }
}

template <class Op, class T, int kVec>
__global__ void __launch_bounds__(kReduceThreads, 1) reduce_rows(Op op, RowsArgs a) {
  using Acc = typename Op::Acc;
  __shared__ Acc shared[kWarp];
  auto join = [&](const Acc& p, const Acc& q) { return op.join(p, q); };
  const int thread = int(threadIdx.x);
  if (a.group <= kWarp) {
    const int lane = thread % a.group, here = thread / a.group;
    const int64_t per_block = kReduceThreads / a.group;
    for (int64_t first = blockIdx.x * per_block; first < a.rows; first += gridDim.x * per_block) {
      const int64_t row = first + here;
      Acc acc = op.none();
      if (row < a.rows)
        acc = part_of_row<Op, T, kVec>(op, a, a.kept.at(row), 0, a.n, lane, a.group, op.origin(row));
      acc = lanes_join(acc, a.group, join);
      if (lane == 0 && row < a.rows) op.write(row, acc);
    }
    return;
  }
  const int64_t begin = blockIdx.y * a.chunk, end = begin + a.chunk < a.n ? begin + a.chunk : a.n;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const Acc mine =
        part_of_row<Op, T, kVec>(op, a, a.kept.at(row), begin, end, thread, kReduceThreads, op.origin(row));
    const Acc acc = group_join(mine, kReduceThreads, shared, join);
    if (thread == 0) {
      if (a.parts == 1)
        op.write(row, acc);
      else
        static_cast<Acc*>(a.partial)[blockIdx.y * a.rows + row] = acc;
    }
    __syncthreads();
  }
}

template <class Op, class T, int kVec>
__global__ void __launch_bounds__(kReduceThreads, 1) reduce_columns(Op op, ColumnsArgs a) {
  using Acc = typename Op::Acc;
  __shared__ Acc shared[kReduceThreads * kVec];
  const int bx = int(blockDim.x), by = int(blockDim.y), x = int(threadIdx.x), y = int(threadIdx.y);
  const int64_t begin = blockIdx.y * a.chunk, end = begin + a.chunk < a.n ? begin + a.chunk : a.n;
  const bool single = a.reduced.ndim == 1;
  const int64_t row_stride = a.reduced.strides[0];
  const int64_t all = a.tiles * a.others.count;
  for (int64_t t = blockIdx.x; t < all; t += gridDim.x) {
    const int64_t other = t / a.tiles, column = (t % a.tiles * bx + x) * kVec;
    const bool valid = column < a.width;
    const int64_t base = a.others.at(other) + column * a.stride,
                  out = a.others_out.at(other) + column * a.out_stride;
    Acc acc[kVec];
    typename Op::Origin origin[kVec];
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      acc[j] = op.none();
      if (valid) origin[j] = op.origin(out + j * a.out_stride);
    }
    int64_t k = 0;
    if (valid) {
      auto place = [&](int64_t r) { return base + (single ? r * row_stride : a.reduced.at(r)); };
      int64_t r = begin + y;
      const T *px = static_cast<const T*>(a.x), *py = static_cast<const T*>(a.y);
      if constexpr (kVec == 1) {
#pragma unroll 4
        for (; r < end; r += by) add_number(op, acc[0], px, py, place(r), r, origin[0], op.step(++k));
      } else {
        auto join = [&](const Pack<Op, T, kVec>& p, int64_t i) {
          const auto step = op.step(++k);
#pragma unroll
          for (int j = 0; j < kVec; ++j) p.add(op, acc[j], j, i, origin[j], step);
        };
        for (; r + (kAtOnce - 1) * by < end; r += int64_t(kAtOnce) * by) {
          Pack<Op, T, kVec> p[kAtOnce];
#pragma unroll
          for (int u = 0; u < kAtOnce; ++u) p[u].read(px, py, place(r + u * by));
#pragma unroll
          for (int u = 0; u < kAtOnce; ++u) join(p[u], r + u * by);
        }
        for (; r < end; r += by) {
          Pack<Op, T, kVec> p;
          p.read(px, py, place(r));
          join(p, r);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      op.close(acc[j], k);
      shared[(y * bx + x) * kVec + j] = acc[j];
    }
    for (int half = by / 2; half > 0; half /= 2) {
      __syncthreads();
      if (y < half)
#pragma unroll
        for (int j = 0; j < kVec; ++j) {
          Acc& mine = shared[(y * bx + x) * kVec + j];
          mine = op.join(mine, shared[((y + half) * bx + x) * kVec + j]);
        }
    }
    if (y == 0 && valid)
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        const Acc total = shared[x * kVec + j];
        if (a.parts == 1)
          op.write(out + j * a.out_stride, total);
        else
          static_cast<Acc*>(a.partial)[blockIdx.y * a.n_out + out + j * a.out_stride] = total;
      }
    __syncthreads();
  }
}

// Joins [parts][n_out].
template <class Op>
__global__ void __launch_bounds__(kReduceThreads, 1)
    join_parts(Op op, const typename Op::Acc* partial, int parts, int64_t n_out) {
  using Acc = typename Op::Acc;
  __shared__ Acc shared[kReduceThreads];
  const int bx = int(blockDim.x), by = int(blockDim.y), x = int(threadIdx.x), y = int(threadIdx.y);
  for (int64_t first = int64_t(blockIdx.x) * bx; first < n_out; first += int64_t(gridDim.x) * bx) {
    const int64_t out = first + x;
    Acc acc = op.none();
    if (out < n_out)
#pragma unroll 4
      for (int p = y; p < parts; p += by) acc = op.join(acc, partial[p * n_out + out]);
    shared[y * bx + x] = acc;
    for (int half = by / 2; half > 0; half /= 2) {
      __syncthreads();
      if (y < half) shared[y * bx + x] = op.join(shared[y * bx + x], shared[(y + half) * bx + x]);
    }
    if (y == 0 && out < n_out) op.write(out, shared[x]);
    __syncthreads();
  }
}

// ---- plans ----

inline Places places_of(const ReducedDims& d) { return {d.size, d.stride, d.n}; }

struct ReducePlan : ReductionPlan {
  const void* y = nullptr;  // the second tensor, of x's strides

  using ReductionPlan::ReductionPlan;
  bool vectors(int64_t item, int64_t many) const;
  // So that a multiprocessor gets `each` blocks, and a block `least` elements.
  int64_t parts(const Call& c, int64_t blocks, int64_t least, int64_t each) const;
};

template <class Op>
void launch_join(const Call& c, const Op& op, const void* partial, int parts, int64_t n_out) {
  const int by = power_of_two(parts, n_out < kWarp                 ? kReduceThreads
                                     : n_out < 64 * kReduceThreads ? kWarp
                                                                   : 8),
            bx = std::min(power_of_two(n_out, kReduceThreads), kReduceThreads / by);
  Shape3 s;
  s.block = {uint32_t(bx), uint32_t(by), 1};
  s.grid.x = uint32_t(std::min<int64_t>(blocks_of(n_out, bx), INT32_MAX));
  launch(c, s, join_parts<Op>, op, static_cast<const typename Op::Acc*>(partial), parts, n_out);
}
template <class Op, class T, int kVec>
void launch_rows(const Call& c, const ReducePlan& p, const Op& op) {
  ReducedDims reduced = p.reduced;
  if (reduced.n == 0) reduced.n = 1, reduced.size[0] = 1, reduced.stride[0] = 1;
  if (kVec > 1 && reduced.n > 1) {
    const int last = reduced.n - 1;
    reduced.size[last] /= kVec;
    reduced.stride[last] *= kVec;
  }
  RowsArgs a{p.x.data, p.y,    places_of(p.kept), places_of(reduced), p.n_out, p.n, p.n, kReduceThreads,
             1,        nullptr};
  const int64_t vectors = p.n / kVec, fill = int64_t(multiprocessors(c.device())) * 8;
  if (vectors <= 64 || (vectors <= 16 * kWarp && p.n_out >= fill))
    a.group = power_of_two((vectors + 1) / 2, kWarp);
  Shape3 s;
  s.block.x = kReduceThreads;
  if (a.group <= kWarp) {
    s.grid.x = uint32_t(std::min<int64_t>(blocks_of(p.n_out, kReduceThreads / a.group), INT32_MAX));
    return launch(c, s, reduce_rows<Op, T, kVec>, op, a);
  }
  s.grid.x = uint32_t(std::min<int64_t>(p.n_out, INT32_MAX));
  const int64_t parts = p.parts(c, p.n_out, int64_t(kReduceThreads) * kVec * kAtOnce, 8);
  a.chunk = round_up(blocks_of(p.n, parts), int64_t(kReduceThreads) * kVec);
  a.parts = int(p.n ? blocks_of(p.n, a.chunk) : 1);
  s.grid.y = uint32_t(a.parts);
  if (a.parts > 1) a.partial = c.scratch<typename Op::Acc>(a.parts * p.n_out);
  launch(c, s, reduce_rows<Op, T, kVec>, op, a);
  if (a.parts > 1) launch_join(c, op, a.partial, a.parts, p.n_out);
}
template <class Op, class T, int kVec>
void launch_columns(const Call& c, const ReducePlan& p, const Op& op) {
  ReducedDims others = p.kept, reduced = p.reduced;
  const int64_t width = others.size[p.strip], stride = others.stride[p.strip],
                out_stride = others.out_stride[p.strip];
  for (int d = p.strip; d + 1 < others.n; ++d)
    others.size[d] = others.size[d + 1], others.stride[d] = others.stride[d + 1],
    others.out_stride[d] = others.out_stride[d + 1];
  --others.n;
  if (reduced.n == 0) reduced.n = 1, reduced.size[0] = 1, reduced.stride[0] = 0;
  // Few rows: more columns a block; few columns: more rows.
  int by = power_of_two(p.n / 4, 8), bx = power_of_two(blocks_of(width, kVec), kReduceThreads / by);
  by = power_of_two(p.n, kReduceThreads / bx);
  Shape3 s;
  s.block = {uint32_t(bx), uint32_t(by), 1};
  const int64_t tiles = blocks_of(width, int64_t(bx) * kVec), blocks = tiles * others.count();
  s.grid.x = uint32_t(std::min<int64_t>(blocks, INT32_MAX));
  // Vectors: registers let two or three blocks be at work at once.
  const int64_t parts = p.parts(c, blocks, int64_t(by) * kAtOnce * 4, kVec > 1 ? 6 : 8);
  ColumnsArgs a{p.x.data,
                p.y,
                places_of(others),
                {others.size, others.out_stride, others.n},
                places_of(reduced),
                width,
                stride,
                out_stride,
                tiles,
                p.n,
                blocks_of(p.n, parts),
                p.n_out,
                1,
                nullptr};
  if (a.chunk) a.parts = int(blocks_of(p.n, a.chunk));
  s.grid.y = uint32_t(a.parts);
  if (a.parts > 1) a.partial = c.scratch<typename Op::Acc>(a.parts * p.n_out);
  launch(c, s, reduce_columns<Op, T, kVec>, op, a);
  if (a.parts > 1) launch_join(c, op, a.partial, a.parts, p.n_out);
}
// x is of type T; `kWide`: with kernels that read 16 bytes at once, too.
template <class T, bool kWide, class Op>
void reduce(const Call& c, const ReducePlan& p, const Op& op) {
  if (p.n_out == 0) return;
  const bool columns = p.strip >= 0 && p.n > 1;
  constexpr int kVec = int(16 / sizeof(T));
  if constexpr (kWide)
    if (p.vectors(sizeof(T), kVec))
      return columns ? launch_columns<Op, T, kVec>(c, p, op) : launch_rows<Op, T, kVec>(c, p, op);
  columns ? launch_columns<Op, T, 1>(c, p, op) : launch_rows<Op, T, 1>(c, p, op);
}

// f.template operator()<C, T, kWide>() for floats: what they are computed in, and the others as `reduce` has them.
template <class F>
void visit_reduced(const Call& c, DType t, F&& f) {
  switch (t) {
    case DType::f64: return f.template operator()<double, double, false>();
    case DType::f32: return f.template operator()<float, float, true>();
    case DType::f16: return f.template operator()<float, half, true>();
    case DType::bf16: return f.template operator()<float, bfloat16, true>();
    default: fail_not_float(c, t);
  }
}
// f.template operator()<T>() for integers, which are read where they lie and joined as int64; bool as the bytes it is.
template <class F>
void visit_reduced_integer(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
    case DType::u8: return f.template operator()<uint8_t>();
    case DType::i8: return f.template operator()<int8_t>();
    case DType::i16: return f.template operator()<int16_t>();
    case DType::i32: return f.template operator()<int32_t>();
    default: f.template operator()<int64_t>();
  }
}

}  // namespace haft::cuda
