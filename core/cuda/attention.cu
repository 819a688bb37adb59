// Attention in tiles, forward and backward, for every type, head size, mask and layout: what cuDNN,
// attention_few.cu and attention_mma.cu do not take.
// core/README.md tells what the operator promises; memory is linear in the lengths, and no sum depends on what runs
// beside it.
//
// A block has 16 x 16 threads and a tile of kTile queries by kTile keys; a thread has kTile / 16 neighbouring rows
// and columns of it. Factors come through shared memory in slices of kSlice, the long side last, so that a thread
// reads its rows and columns as vectors.
#include "core/cuda/attention.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

constexpr int kSide = 16, kSlice = 16;
template <class C>
constexpr int kTileOf = sizeof(C) == 8 ? 32 : 64;
// Columns of values that one block holds; wider heads take several blocks, which compute their scores again.
template <class C>
constexpr int kMostColumns = sizeof(C) == 8 ? 128 : 256;

// A thread's part of a result's row, whose columns are neighbours.
template <class C, int N>
__device__ inline void put_row(const Heads& to, DType t, int64_t b, int64_t h, int64_t row, int64_t column,
                               int64_t width, C scale, const C (&x)[N]) {
  const int64_t at = b * to.batch + h * to.head + row * to.row;
#pragma unroll
  for (int n = 0; n < N; ++n)
    if (column + n * kSide < width) put(const_cast<void*>(to.data), t, at + column + n * kSide, x[n] * scale);
}

// Rows [first, first + kTile) and columns [from, from + kSlice) of a head, turned: to[column][row]; zeros where there
// is nothing.
template <class C, int kTile>
__device__ inline void load_turned(const Heads& x, DType t, int64_t b, int64_t h, int64_t first, int64_t rows,
                                   int64_t from, int64_t width, C (*to)[kTile + 4]) {
  for (int i = int(threadIdx.x); i < kTile * kSlice; i += kSide * kSide) {
    const int r = i / kSlice, c = i % kSlice;
    to[c][r] = first + r < rows && from + c < width ? element<C>(x, t, b, h, first + r, from + c) : C(0);
  }
}
// Rows [first, first + kSlice) and columns [from, from + kColumns) as they lie.
template <class C, int kColumns>
__device__ inline void load_rows(const Heads& x, DType t, int64_t b, int64_t h, int64_t first, int64_t rows,
                                 int64_t from, int64_t width, C* to) {
  for (int i = int(threadIdx.x); i < kSlice * kColumns; i += kSide * kSide) {
    const int r = i / kColumns, c = i % kColumns;
    to[r * kColumns + c] =
        first + r < rows && from + c < width ? element<C>(x, t, b, h, first + r, from + c) : C(0);
  }
}

// s (this thread's part of a tile) = rows of x times rows of y, over `width` columns.
template <class C, int kTile>
__device__ inline void scores(const Heads& x, DType t, int64_t xh, int64_t x_first, int64_t x_rows,
                              const Heads& y, int64_t yh, int64_t y_first, int64_t y_rows, int64_t b,
                              int64_t width, C (*a)[kTile + 4], C (*c)[kTile + 4],
                              C (&s)[kTile / kSide][kTile / kSide]) {
  constexpr int R = kTile / kSide;
  const int ty = int(threadIdx.x) / kSide * R, tx = int(threadIdx.x) % kSide * R;
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int j = 0; j < R; ++j) s[i][j] = C(0);
  for (int64_t from = 0; from < width; from += kSlice) {
    __syncthreads();
    load_turned<C, kTile>(x, t, b, xh, x_first, x_rows, from, width, a);
    load_turned<C, kTile>(y, t, b, yh, y_first, y_rows, from, width, c);
    __syncthreads();
#pragma unroll 4
    for (int d = 0; d < kSlice; ++d)
#pragma unroll
      for (int i = 0; i < R; ++i)
#pragma unroll
        for (int j = 0; j < R; ++j) s[i][j] += a[d][ty + i] * c[d][tx + j];
  }
}

// Joins the 16 threads of a row.
template <class C, class Join>
__device__ inline C across(C x, Join join) {
  for (int step = kSide / 2; step > 0; step /= 2) x = join(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}

// Grid: (query tiles, heads, batch * slices of value columns).
template <class C, int kColumns>
__global__ void __launch_bounds__(kSide* kSide)
    attention_forward(AttentionArgs a, void* out, int64_t slices, C* lse) {
  constexpr int kTile = kTileOf<C>, R = kTile / kSide, N = kColumns / kSide;
  __shared__ C left[kSlice][kTile + 4], right[kSlice][kTile + 4], weights[kTile][kTile + 4];
  __shared__ C values[kSlice * kColumns];
  const int ty = int(threadIdx.x) / kSide, tx = int(threadIdx.x) % kSide;
  // A causal head's long tiles first.
  const int64_t i0 = (int64_t(gridDim.x) - 1 - blockIdx.x) * kTile, h = blockIdx.y, b = blockIdx.z / slices;
  const int64_t column = int64_t(blockIdx.z) % slices * kColumns, own = h / a.group;
  const C lowest = C(-fn::infinity());
  C top[R], sum[R], acc[R][N];
#pragma unroll
  for (int i = 0; i < R; ++i) {
    top[i] = lowest, sum[i] = C(0);
#pragma unroll
    for (int n = 0; n < N; ++n) acc[i][n] = C(0);
  }
  const int64_t last = a.causal && i0 + kTile < a.keys ? i0 + kTile : a.keys;
  for (int64_t j0 = 0; j0 < last; j0 += kTile) {
    C s[R][R];
    scores<C, kTile>(a.q, a.dtype, h, i0, a.queries, a.k, own, j0, a.keys, b, a.width, left, right, s);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int64_t row = i0 + ty * R + i;
      C most = lowest;
#pragma unroll
      for (int j = 0; j < R; ++j) {
        s[i][j] = masked<C>(a, b, h, row, j0 + tx * R + j, s[i][j] * C(a.scale));
        most = Largest()(most, s[i][j]);
      }
      most = across(most, Largest());
      const C highest = Largest()(top[i], most), shift = highest == lowest ? C(0) : highest;
      C total = C(0);
#pragma unroll
      for (int j = 0; j < R; ++j) {
        s[i][j] = s[i][j] == lowest ? C(0) : fn::exp(s[i][j] - shift);
        total += s[i][j];
      }
      total = across(total, Plus());
      const C fix = top[i] == lowest ? C(0) : fn::exp(top[i] - shift);
      sum[i] = sum[i] * fix + total;
#pragma unroll
      for (int n = 0; n < N; ++n) acc[i][n] *= fix;
      top[i] = highest;
      if (a.drops) {
        C f[R];
        drawn<C, R>(a, b, h, row, j0 + tx * R, f);
#pragma unroll
        for (int j = 0; j < R; ++j) s[i][j] = dropped(s[i][j], f[j]);
      }
#pragma unroll
      for (int j = 0; j < R; ++j) weights[ty * R + i][tx * R + j] = s[i][j];
    }
    const int64_t n_keys = a.keys - j0 < kTile ? a.keys - j0 : kTile;
    for (int64_t k = 0; k < n_keys; k += kSlice) {
      __syncthreads();
      load_rows<C, kColumns>(a.v, a.dtype, b, own, j0 + k, a.keys, column, a.value_width, values);
      __syncthreads();
#pragma unroll 4
      for (int d = 0; d < kSlice; ++d)
#pragma unroll
        for (int i = 0; i < R; ++i) {
          const C w = weights[ty * R + i][k + d];
#pragma unroll
          for (int n = 0; n < N; ++n) acc[i][n] += w * values[d * kColumns + n * kSide + tx];
        }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int64_t row = i0 + ty * R + i;
    if (row >= a.queries) continue;
    const bool blind = top[i] == lowest && sum[i] == C(0);
    const C f = blind ? C(0) : C(1) / sum[i];
    const int64_t to = ((b * a.queries + row) * a.heads + h) * a.value_width;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const int64_t at = column + n * kSide + tx;
      if (at < a.value_width) put(out, a.dtype, to + at, blind ? C(0) : acc[i][n] * f);
    }
    if (tx == 0 && column == 0)
      lse[(b * a.heads + h) * a.queries + row] = blind ? lowest : top[i] + fn::log(sum[i]);
  }
}

// delta (N, H, L): sums of grad * out over a row. A warp a row.
template <class C>
__global__ void __launch_bounds__(kThreads) attention_delta(AttentionArgs a, int64_t rows, C* delta) {
  const int lane = int(threadIdx.x) % kWarp;
  for (int64_t r = grid_index() / kWarp; r < rows; r += grid_size() / kWarp) {
    const int64_t i = r % a.queries, h = r / a.queries % a.heads, b = r / a.queries / a.heads;
    C sum = C(0);
    for (int64_t d = lane; d < a.value_width; d += kWarp)
      sum += element<C>(a.grad, a.dtype, b, h, i, d) * element<C>(a.out, a.dtype, b, h, i, d);
    sum = warp_reduce(sum, Plus());
    if (lane == 0) delta[r] = sum;
  }
}

// acc += tile^T (kTurned) or tile, times rows.
template <class C, int kTile, int kColumns, bool kTurned>
__device__ inline void accumulate(const C (*tile)[kTile + 4], int k, const C* rows,
                                  C (&acc)[kTile / kSide][kColumns / kSide]) {
  constexpr int R = kTile / kSide, N = kColumns / kSide;
  const int ty = int(threadIdx.x) / kSide, tx = int(threadIdx.x) % kSide;
#pragma unroll 4
  for (int d = 0; d < kSlice; ++d)
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const C w = kTurned ? tile[k + d][ty * R + i] : tile[ty * R + i][k + d];
#pragma unroll
      for (int n = 0; n < N; ++n) acc[i][n] += w * rows[d * kColumns + n * kSide + tx];
    }
}

// The two kernels below make their weights each for itself: a function of both costs registers, and so occupancy.

// Grid: (key tiles, key heads, batch * slices of columns): dk and dv of a tile of keys over all queries that see it.
template <class C, int kColumns>
__global__ void __launch_bounds__(kSide* kSide)
    attention_keys(AttentionArgs a, const C* lse, const C* delta, int64_t slices) {
  constexpr int kTile = kTileOf<C>, R = kTile / kSide, N = kColumns / kSide;
  __shared__ C left[kSlice][kTile + 4], right[kSlice][kTile + 4], tile[kTile][kTile + 4];
  __shared__ C rows[kSlice * kColumns];
  const int ty = int(threadIdx.x) / kSide, tx = int(threadIdx.x) % kSide;
  const int64_t j0 = int64_t(blockIdx.x) * kTile, own = blockIdx.y, b = blockIdx.z / slices;
  const int64_t column = int64_t(blockIdx.z) % slices * kColumns;
  C my_dk[R][N] = {}, my_dv[R][N] = {};
  for (int64_t m = 0; m < a.group; ++m) {
    const int64_t h = own * a.group + m;
    for (int64_t i0 = a.causal ? j0 / kTile * kTile : 0; i0 < a.queries; i0 += kTile) {
      C s[R][R], ds[R][R];
      scores<C, kTile>(a.q, a.dtype, h, i0, a.queries, a.k, own, j0, a.keys, b, a.width, left, right, s);
      scores<C, kTile>(a.grad, a.dtype, h, i0, a.queries, a.v, own, j0, a.keys, b, a.value_width, left, right,
                       ds);
#pragma unroll
      for (int i = 0; i < R; ++i) {
        const int64_t row = i0 + ty * R + i, at = (b * a.heads + h) * a.queries + row;
        const bool there = row < a.queries;
        weigh<C, R>(a, b, h, row, j0 + tx * R, there ? lse[at] : C(-fn::infinity()), there ? delta[at] : C(0),
                    s[i], ds[i]);
#pragma unroll
        for (int j = 0; j < R; ++j) tile[ty * R + i][tx * R + j] = s[i][j];
      }
      for (int k = 0; k < kTile; k += kSlice) {
        __syncthreads();
        load_rows<C, kColumns>(a.grad, a.dtype, b, h, i0 + k, a.queries, column, a.value_width, rows);
        __syncthreads();
        accumulate<C, kTile, kColumns, true>(tile, k, rows, my_dv);
      }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < R; ++i)
#pragma unroll
        for (int j = 0; j < R; ++j) tile[ty * R + i][tx * R + j] = ds[i][j];
      for (int k = 0; k < kTile; k += kSlice) {
        __syncthreads();
        load_rows<C, kColumns>(a.q, a.dtype, b, h, i0 + k, a.queries, column, a.width, rows);
        __syncthreads();
        accumulate<C, kTile, kColumns, true>(tile, k, rows, my_dk);
      }
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int64_t row = j0 + ty * R + i;
    if (row < a.keys) put_row<C, N>(a.dk, a.dtype, b, own, row, column + tx, a.width, C(a.scale), my_dk[i]);
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int64_t row = j0 + ty * R + i;
    if (row < a.keys) put_row<C, N>(a.dv, a.dtype, b, own, row, column + tx, a.value_width, C(1), my_dv[i]);
  }
}

// Grid: (query tiles, heads, batch * slices of columns): dq of a tile of queries over all keys that it sees.
template <class C, int kColumns>
__global__ void __launch_bounds__(kSide* kSide)
    attention_queries(AttentionArgs a, const C* lse, const C* delta, int64_t slices) {
  constexpr int kTile = kTileOf<C>, R = kTile / kSide, N = kColumns / kSide;
  __shared__ C left[kSlice][kTile + 4], right[kSlice][kTile + 4], tile[kTile][kTile + 4];
  __shared__ C rows[kSlice * kColumns];
  const int ty = int(threadIdx.x) / kSide, tx = int(threadIdx.x) % kSide;
  const int64_t i0 = (int64_t(gridDim.x) - 1 - blockIdx.x) * kTile, h = blockIdx.y, b = blockIdx.z / slices;
  const int64_t column = int64_t(blockIdx.z) % slices * kColumns, own = h / a.group;
  C my_dq[R][N] = {};
  const int64_t last = a.causal && i0 + kTile < a.keys ? i0 + kTile : a.keys;
  for (int64_t j0 = 0; j0 < last; j0 += kTile) {
    C s[R][R], ds[R][R];
    scores<C, kTile>(a.q, a.dtype, h, i0, a.queries, a.k, own, j0, a.keys, b, a.width, left, right, s);
    scores<C, kTile>(a.grad, a.dtype, h, i0, a.queries, a.v, own, j0, a.keys, b, a.value_width, left, right,
                     ds);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int64_t row = i0 + ty * R + i, at = (b * a.heads + h) * a.queries + row;
      const bool there = row < a.queries;
      weigh<C, R>(a, b, h, row, j0 + tx * R, there ? lse[at] : C(-fn::infinity()), there ? delta[at] : C(0),
                  s[i], ds[i]);
#pragma unroll
      for (int j = 0; j < R; ++j) tile[ty * R + i][tx * R + j] = ds[i][j];
    }
    for (int k = 0; k < kTile; k += kSlice) {
      __syncthreads();
      load_rows<C, kColumns>(a.k, a.dtype, b, own, j0 + k, a.keys, column, a.width, rows);
      __syncthreads();
      accumulate<C, kTile, kColumns, false>(tile, k, rows, my_dq);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int64_t row = i0 + ty * R + i;
    if (row < a.queries) put_row<C, N>(a.dq, a.dtype, b, h, row, column + tx, a.width, C(a.scale), my_dq[i]);
  }
}

int64_t tiles(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }
// Blocks beside each other for the columns of wide heads.
int64_t slices_of(DType t, int64_t width) {
  return std::max<int64_t>(1, tiles(width, t == DType::f64 ? kMostColumns<double> : kMostColumns<float>));
}
template <class C, class F>
void visit_columns(int64_t width, F&& f) {
  if (width <= 64) return f.template operator()<64>();
  if constexpr (kMostColumns < C >> 128)
    if (width > 128) return f.template operator()<kMostColumns<C>>();
  f.template operator()<128>();
}
void want_few_heads(const Call& c, int64_t heads) {
  if (heads > 65535) fail(Code::unsupported, concat(c.name(), ": cuda takes up to 65535 heads, got ", heads));
}
Shape3 shape_of(int64_t x, int64_t y, int64_t z) {
  Shape3 s;
  s.grid = {uint32_t(x), uint32_t(y), uint32_t(z)};
  s.block = {kSide * kSide, 1, 1};
  return s;
}

}  // namespace

void k_attention(const Call& c) {
  const haft_tensor_view &q = c.in(0), &lse = c.out(1);
  if (lse.numel == 0) return;
  if (!(c.call.flags & HAFT_CALL_DNN_ATTENTION) && few_queries(c)) return;
  if (library_attention(c)) return;
  const AttentionArgs all = args_of(c, 0);
  want_few_heads(c, all.heads);
  if (takes_mma(c, all)) return mma_attention(c, all, q.sizes[0]);
  const int64_t slices = slices_of(c.dtype(), all.value_width), item = item_size(c.dtype());
  visit_computed(c, c.dtype(), [&]<class C>() {
    visit_columns<C>(all.value_width, [&]<int kColumns>() {
      each_batch(q.sizes[0], slices, [&](int64_t b, int64_t n) {
        const AttentionArgs a = from_batch(all, b);
        launch(c, shape_of(tiles(a.queries, kTileOf<C>), a.heads, n * slices), attention_forward<C, kColumns>,
               a, c.out_data<char>(0) + b * a.queries * a.heads * a.value_width * item, slices,
               c.out_data<C>(1) + b * a.heads * a.queries);
      });
    });
  });
}

void k_attention_backward(const Call& c) {
  const haft_tensor_view &q = c.in(1), &dq = c.out(0), &dk = c.out(1), &dv = c.out(2);
  AttentionArgs all = args_of(c, 1);
  all.grad = heads_of_rows(c.in(0)), all.out = heads_of_rows(c.in(5));
  all.dq = heads_of_rows(dq), all.dk = heads_of_rows(dk), all.dv = heads_of_rows(dv);
  if (all.heads == 0 || q.sizes[0] == 0) return;
  // Its blocks of keys add up in no fixed order.
  if (!c.deterministic() && library_attention_backward(c)) return;
  if (all.queries == 0 || all.keys == 0) {  // nobody looks, or there is nothing to see
    for (const haft_tensor_view* v : {&dq, &dk, &dv}) c.zero(v->data, bytes(*v));
    return;
  }
  want_few_heads(c, all.heads);
  const int64_t wide = std::max(all.width, all.value_width), slices = slices_of(all.dtype, wide);
  const int64_t rows = q.sizes[0] * all.heads * all.queries;
  visit_computed(c, all.dtype, [&]<class C>() {
    C* delta = c.scratch<C>(rows);
    launch(c, blocks_for(c, rows * kWarp), attention_delta<C>, all, rows, delta);
    const haft_tensor_view lse = dense(c, c.in(6));
    if constexpr (sizeof(C) == 4)
      if (takes_mma(c, all))
        return mma_attention_backward(c, all, q.sizes[0], static_cast<const float*>(lse.data), delta);
    visit_columns<C>(wide, [&]<int kColumns>() {
      each_batch(q.sizes[0], slices, [&](int64_t b, int64_t n) {
        const AttentionArgs a = from_batch(all, b);
        const int64_t first = b * a.heads * a.queries;
        const C *sums = static_cast<const C*>(lse.data) + first, *deltas = delta + first;
        launch(c, shape_of(tiles(a.keys, kTileOf<C>), a.heads / a.group, n * slices),
               attention_keys<C, kColumns>, a, sums, deltas, slices);
        launch(c, shape_of(tiles(a.queries, kTileOf<C>), a.heads, n * slices), attention_queries<C, kColumns>,
               a, sums, deltas, slices);
      });
    });
  });
}

}  // namespace haft::cuda
