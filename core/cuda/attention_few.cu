// Attention of up to four queries, as when tokens are generated: keys and values are read once, by as many blocks as
// there are parts of them, and what parts come to is joined. No plan of cuDNN's is made, of which each number of
// keys would want one.
#include "core/cuda/attention.cuh"
#include "core/cuda/numbers.cuh"

namespace haft::cuda {

namespace {

constexpr int64_t kMostQueries = 4, kMostWidth = 256;
constexpr int kMostKeys = 256, kLeastKeys = 64;  // of a part
constexpr int kLanes = 8;                        // of a key's score
constexpr int kRows = 8;  // queries that share keys, of one block: those of the heads of a group
// Keys that a thread reads at once, elements of each and of a value: sums for R rows want registers.
template <int R>
constexpr int kAhead = R == 1 ? 4 : 2;
constexpr int kEight = 8;
template <int R>
constexpr int kColumns = R == 1 ? 8 : 4;

// What each part of a row came to: exponents' largest, their sum, values times them.
struct Parts {
  int64_t count, keys;  // parts, keys of each
  float *out, *top, *sum;
};

// kN elements that are read at once, in two reads where they are eight floats.
template <class T, int kN>
struct Some {
  static constexpr int kPart = int(16 / sizeof(T)) < kN ? int(16 / sizeof(T)) : kN;
  Vector<T, kPart> part[kN / kPart];
  // n of them, the rest zeros.
  __device__ void read(const T* p, int64_t n, bool aligned) {
    if (aligned && n >= kN) {
#pragma unroll
      for (int k = 0; k < kN / kPart; ++k) part[k] = reinterpret_cast<const Vector<T, kPart>*>(p)[k];
    } else {
#pragma unroll
      for (int k = 0; k < kN / kPart; ++k) part[k] = {};
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (j < n) part[j / kPart].at[j % kPart] = p[j];
    }
  }
  __device__ float at(int j) const { return load(part[j / kPart].at[j % kPart]); }
};
template <class T>
__device__ inline const T* row_of(const Heads& x, int64_t b, int64_t h, int64_t row) {
  return static_cast<const T*>(x.data) + b * x.batch + h * x.head + row * x.row;
}

// Grid: (parts, key heads * slices, batch); a slice is R of the queries that read a key head.
template <class T, int R>
__global__ void __launch_bounds__(kThreads)
    attention_part(AttentionArgs a, int64_t slices, bool aligned_keys, bool aligned_values, Parts parts,
                   void* out, float* lse) {
  using Floats = Vector<float, 4>;
  __shared__ Floats q[R][kMostWidth / 4], joined[kThreads / kWarp][kMostWidth / 4];
  __shared__ float s[R][kMostKeys], tops[R], sums[R];
  const int thread = int(threadIdx.x), sub = thread % kLanes;
  const int64_t own = blockIdx.y / slices, b = blockIdx.z, first = int64_t(blockIdx.y) % slices * R,
                rows = a.group * a.queries, j0 = int64_t(blockIdx.x) * parts.keys;
  const int n = int(a.keys - j0 < parts.keys ? a.keys - j0 : parts.keys);
  const float lowest = -fn::infinity();
  for (int i = thread; i < R * int(kMostWidth); i += kThreads) {
    const int r = i / int(kMostWidth), d = i % int(kMostWidth);
    const int64_t row = first + r;
    const bool there = row < rows && d < a.width;
    q[r][d / 4].at[d % 4] =
        there ? load(row_of<T>(a.q, b, own * a.group + row / a.queries, row % a.queries)[d * a.q.column]) *
                    float(a.scale)
              : 0.0f;
  }
  __syncthreads();
  constexpr int kKeys = kThreads / kLanes;
  for (int from = 0; from < n; from += kKeys * kAhead<R>) {
    float dots[kAhead<R>][R] = {};
    for (int d = kEight * sub; d < a.width; d += kEight * kLanes) {
      Some<T, kEight> x[kAhead<R>];
#pragma unroll
      for (int u = 0; u < kAhead<R>; ++u) {
        const int j = from + u * kKeys + thread / kLanes;
        x[u].read(row_of<T>(a.k, b, own, j0 + (j < n ? j : 0)) + d, a.width - d, aligned_keys);
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const Floats low = q[r][d / 4], high = q[r][d / 4 + 1];
#pragma unroll
        for (int u = 0; u < kAhead<R>; ++u)
#pragma unroll
          for (int m = 0; m < 4; ++m) dots[u][r] += x[u].at(m) * low.at[m] + x[u].at(m + 4) * high.at[m];
      }
    }
#pragma unroll
    for (int u = 0; u < kAhead<R>; ++u) {
      const int j = from + u * kKeys + thread / kLanes;
      float mine = 0.0f;  // row `sub`
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const float dot = lanes_join(dots[u][r], kLanes, Plus());  // by xor: all lanes have it
        if (sub == r) mine = dot;
      }
      if (sub < R && j < n) {
        const int64_t row = first + sub;
        s[sub][j] = row < rows
                        ? masked<float>(a, b, own * a.group + row / a.queries, row % a.queries, j0 + j, mine)
                        : lowest;
      }
    }
  }
  __syncthreads();
  for (int r = thread / kWarp; r < R; r += kThreads / kWarp) {
    const int lane = thread % kWarp;
    float top = lowest, sum = 0.0f;
    for (int j = lane; j < n; j += kWarp) top = Largest()(top, s[r][j]);
    top = warp_reduce(top, Largest());
    const float shift = top == lowest ? 0.0f : top;
    for (int j = lane; j < n; j += kWarp) {
      const float e = fn::exp(s[r][j] - shift);
      s[r][j] = e;
      sum += e;
    }
    sum = warp_reduce(sum, Plus());
    if (lane == 0) tops[r] = top, sums[r] = sum;
  }
  __syncthreads();
  // Threads beside each other have columns, some each; behind those are the next keys'.
  int across = 1;
  while (across * kColumns<R> < a.value_width) across *= 2;
  const int64_t column = thread % across * kColumns<R>;
  const int step = kThreads / across, span = across < kWarp ? kWarp : across;  // threads whose columns differ
  float acc[R][kColumns<R>] = {};
  if (column < a.value_width)
    for (int j = thread / across; j < n; j += kAhead<R> * step) {
      Some<T, kColumns<R>> x[kAhead<R>];
#pragma unroll
      for (int u = 0; u < kAhead<R>; ++u) {
        const int at = j + u * step;
        x[u].read(row_of<T>(a.v, b, own, j0 + (at < n ? at : j)) + column, a.value_width - column,
                  aligned_values);
      }
#pragma unroll
      for (int u = 0; u < kAhead<R>; ++u) {
        if (j + u * step >= n) continue;
#pragma unroll
        for (int r = 0; r < R; ++r) {
          const float w = s[r][j + u * step];
#pragma unroll
          for (int m = 0; m < kColumns<R>; ++m) acc[r][m] += w * x[u].at(m);
        }
      }
    }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const int64_t row = first + r;
    if (row >= rows) break;  // so do all threads
    for (int lanes = across; lanes < kWarp; lanes *= 2)
#pragma unroll
      for (int m = 0; m < kColumns<R>; ++m) acc[r][m] += __shfl_xor_sync(kAllLanes, acc[r][m], lanes);
    __syncthreads();
    if (thread % span < across)
#pragma unroll
      for (int m = 0; m < kColumns<R>; ++m)
        joined[thread / span][thread % span * (kColumns<R> / 4) + m / 4].at[m % 4] = acc[r][m];
    __syncthreads();
    const int64_t h = own * a.group + row / a.queries, i = row % a.queries,
                  at = (b * a.heads + h) * a.queries + i;
    const float f = sums[r] == 0.0f ? 0.0f : 1.0f / sums[r];
    for (int d = thread; d < a.value_width; d += kThreads) {
      float x = 0.0f;
      for (int k = 0; k < kThreads / span; ++k) x += joined[k][d / 4].at[d % 4];
      if (parts.count > 1)
        parts.out[(at * parts.count + blockIdx.x) * a.value_width + d] = x;
      else
        put(out, a.dtype, ((b * a.queries + i) * a.heads + h) * a.value_width + d, x * f);
    }
    if (thread == 0 && parts.count > 1)
      parts.top[at * parts.count + blockIdx.x] = tops[r], parts.sum[at * parts.count + blockIdx.x] = sums[r];
    if (thread == 0 && parts.count == 1) lse[at] = tops[r] == lowest ? lowest : tops[r] + fn::log(sums[r]);
  }
}

// A block a row.
__global__ void __launch_bounds__(kThreads)
    attention_join(AttentionArgs a, Parts parts, void* out, float* lse) {
  const int64_t at = blockIdx.x, i = at % a.queries, h = at / a.queries % a.heads,
                b = at / a.queries / a.heads;
  const float *top = parts.top + at * parts.count, *sum = parts.sum + at * parts.count,
              *from = parts.out + at * parts.count * a.value_width;
  const float lowest = -fn::infinity();
  float most = lowest, total = 0.0f;
  for (int64_t p = 0; p < parts.count; ++p) most = Largest()(most, top[p]);
  const float shift = most == lowest ? 0.0f : most;
  for (int64_t p = 0; p < parts.count; ++p) total += sum[p] * fn::exp(top[p] - shift);
  const float f = total == 0.0f ? 0.0f : 1.0f / total;
  for (int64_t d = threadIdx.x; d < a.value_width; d += kThreads) {
    float x = 0.0f;
    for (int64_t p = 0; p < parts.count; ++p) x += from[p * a.value_width + d] * fn::exp(top[p] - shift);
    put(out, a.dtype, ((b * a.queries + i) * a.heads + h) * a.value_width + d, x * f);
  }
  if (threadIdx.x == 0) lse[at] = most == lowest ? lowest : most + fn::log(total);
}

// Rows whose eights of elements are aligned as vectors of 16 bytes.
bool aligned(const Heads& x, DType t) {
  const int64_t each = 16 / item_size(t);
  return reinterpret_cast<uintptr_t>(x.data) % 16 == 0 && x.batch % each == 0 && x.head % each == 0 &&
         x.row % each == 0;
}

}  // namespace

bool few_queries(const Call& c) {
  const haft_tensor_view& q = c.in(0);
  const DType t = c.dtype();
  const AttentionArgs a = args_of(c, 0);
  if (a.queries > kMostQueries || t == DType::f64 || a.drops || a.keys == 0 || a.value_width == 0 ||
      a.width > kMostWidth || a.value_width > kMostWidth || a.k.column != 1 || a.v.column != 1)
    return false;
  const int64_t rows = a.group * a.queries, slices = blocks_of(rows, rows == 1 ? 1 : kRows),
                across = a.heads / a.group * slices, batch = q.sizes[0];
  if (batch > 65535 || across > 65535) return false;
  Parts parts{};
  parts.keys = kMostKeys;
  while (parts.keys > kLeastKeys &&
         blocks_of(a.keys, parts.keys) * across * batch < 2 * multiprocessors(c.device()))
    parts.keys /= 2;
  parts.count = blocks_of(a.keys, parts.keys);
  const int64_t all = batch * a.heads * a.queries;
  if (parts.count > 1) {
    parts.out = c.scratch<float>(all * parts.count * a.value_width);
    parts.top = c.scratch<float>(all * parts.count), parts.sum = c.scratch<float>(all * parts.count);
  }
  Shape3 shape;
  shape.grid = {uint32_t(parts.count), uint32_t(across), uint32_t(batch)};
  shape.block = {kThreads, 1, 1};
  const auto run = [&]<class T>() {
    launch(c, shape, rows == 1 ? attention_part<T, 1> : attention_part<T, kRows>, a, slices, aligned(a.k, t),
           aligned(a.v, t), parts, c.out(0).data, c.out_data<float>(1));
  };
  if (t == DType::f32)
    run.template operator()<float>();
  else if (t == DType::f16)
    run.template operator()<half>();
  else
    run.template operator()<bfloat16>();
  if (parts.count > 1) {
    shape.grid = {uint32_t(all), 1, 1};
    launch(c, shape, attention_join, a, parts, c.out(0).data, c.out_data<float>(1));
  }
  return true;
}

}  // namespace haft::cuda
