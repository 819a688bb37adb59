// Layer norm over the last dimensions and its gradients: x is (rows, n) dense, mean and rstd have one element a row.
// A row is held in registers, read once and written once. The sums over rows, dweight and dbias, are kept by the
// threads of their columns while a block goes through its rows; a second kernel adds the blocks' in order. With rms
// the mean is taken as 0.
#include "core/cuda/rows.cuh"

namespace haft::cuda {

namespace {

constexpr int kNormThreads = 512;

// A weight or bias: absent, of the rows' type or of the computed one.
struct Affine {
  const void* data;
  bool wide;
};
template <class T, int kVec>
__device__ inline void read_affine(const Affine& v, int64_t i, Computed<T>* to, Computed<T> otherwise) {
  using C = Computed<T>;
  if (!v.data) {
#pragma unroll
    for (int j = 0; j < kVec; ++j) to[j] = otherwise;
  } else if (v.wide) {
    constexpr int kPart = int(16 / sizeof(C)) < kVec ? int(16 / sizeof(C)) : kVec;
#pragma unroll
    for (int j = 0; j < kVec; j += kPart) {
      const auto part = *reinterpret_cast<const Vector<C, kPart>*>(static_cast<const C*>(v.data) + i + j);
#pragma unroll
      for (int l = 0; l < kPart; ++l) to[j + l] = part.at[l];
    }
  } else {
    const auto all = *reinterpret_cast<const Vector<T, kVec>*>(static_cast<const T*>(v.data) + i);
#pragma unroll
    for (int j = 0; j < kVec; ++j) to[j] = C(load(all.at[j]));
  }
}

// The row stays as it lies in memory: its numbers as floats would take twice the registers, and half the rows under
// way.
template <class T, int kVec, int kCount>
__global__ void __launch_bounds__(kNormThreads, 2)
    norm_rows(const T* x, T* y, Computed<T>* mean, Computed<T>* rstd, Affine weight, Affine bias,
              int64_t rows, int n, int threads, Computed<T> eps, bool rms) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  __shared__ C sums[kWarp];
  __shared__ Pair<C> pairs[kWarp];
  const int lane = int(threadIdx.x) % threads;
  const int per_block = int(blockDim.x) / threads;
  for (int64_t first = int64_t(blockIdx.x) * per_block; first < rows;
       first += int64_t(gridDim.x) * per_block) {
    const int64_t row = first + int(threadIdx.x) / threads;
    const int mine = row < rows ? n : 0;
    const T* from = x + row * n;
    V v[kCount];
    C sum = C(0);
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      v[u] = {};
      if (i < mine) v[u] = *reinterpret_cast<const V*>(from + i);
    }
#pragma unroll
    for (int u = 0; u < kCount; ++u)
#pragma unroll
      for (int j = 0; j < kVec; ++j) sum += C(load(v[u].at[j]));
    // The mean, then what is left of it beside the squares: both are right to the last digits wherever the mean is.
    const C about = rms ? C(0) : group_join(sum, threads, sums, Plus()) / C(n);
    Pair<C> rest{C(0), C(0)};
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      if ((u * threads + lane) * kVec >= mine) continue;
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        const C d = C(load(v[u].at[j])) - about;
        rest.a += d;
        rest.b += d * d;
      }
    }
    rest = group_join(rest, threads, pairs, JoinPairs<C>());
    const C off = rms ? C(0) : rest.a / C(n), m = about + off,
            inverse = C(1) / fn::sqrt(rest.b / C(n) - off * off + eps);
    if (lane == 0 && mine) mean[row] = m, rstd[row] = inverse;
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= mine) continue;
      constexpr int kPart = kVec < 4 ? kVec : 4;
#pragma unroll
      for (int p = 0; p < kVec; p += kPart) {
        C w[kPart], b[kPart];
        read_affine<T, kPart>(weight, i + p, w, C(1));
        read_affine<T, kPart>(bias, i + p, b, C(0));
#pragma unroll
        for (int j = 0; j < kPart; ++j)
          store(&v[u].at[p + j], (C(load(v[u].at[p + j])) - m) * inverse * w[j] + b[j]);
      }
      *reinterpret_cast<V*>(y + row * n + i) = v[u];
    }
    if (threads > kWarp) __syncthreads();
  }
}

// Rows that are too long for registers: a block each, read twice.
template <class T, int kVec>
__global__ void __launch_bounds__(kNormThreads, 1)
    norm_long(const T* x, T* y, Computed<T>* mean, Computed<T>* rstd, Affine weight, Affine bias,
              int64_t rows, int64_t n, Computed<T> eps, bool rms) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  __shared__ Moments<C> shared[kWarp];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* from = x + row * n;
    Moments<C> mine[kVec];
#pragma unroll
    for (auto& each : mine) each = Moments<C>::none();
    int64_t k = 0;
#pragma unroll 2
    for (int64_t i = int64_t(threadIdx.x) * kVec; i < n; i += kNormThreads * kVec) {
      const V v = *reinterpret_cast<const V*>(from + i);
      const C share = C(1) / C(++k);
#pragma unroll
      for (int j = 0; j < kVec; ++j) mine[j].add(C(load(v.at[j])), share);
    }
    auto all = Moments<C>::none();
#pragma unroll
    for (auto& each : mine) {
      each.n = C(k);
      all = all.joined(each);
    }
    all = group_join(all, kNormThreads, shared, JoinMoments<C>());
    const C m = rms ? C(0) : all.mean, off = all.mean - m,
            inverse = C(1) / fn::sqrt(all.squares / C(n) + off * off + eps);
    if (threadIdx.x == 0) mean[row] = m, rstd[row] = inverse;
#pragma unroll 2
    for (int64_t i = int64_t(threadIdx.x) * kVec; i < n; i += kNormThreads * kVec) {
      V v = *reinterpret_cast<const V*>(from + i);
      C w[kVec], b[kVec];
      read_affine<T, kVec>(weight, i, w, C(1));
      read_affine<T, kVec>(bias, i, b, C(0));
#pragma unroll
      for (int j = 0; j < kVec; ++j) store(&v.at[j], (C(load(v.at[j])) - m) * inverse * w[j] + b[j]);
      *reinterpret_cast<V*>(y + row * n + i) = v;
    }
    __syncthreads();
  }
}

// A block goes through rows; its threads keep their columns' sums of g * normalised x and of g: partial is
// [blocks][2][n].
template <class T, int kVec, int kCount>
__global__ void __launch_bounds__(kNormThreads, 1)
    norm_backward_rows(const T* g, const T* x, T* dx, const Computed<T>* mean, const Computed<T>* rstd,
                       Affine weight, Computed<T>* partial, int64_t rows, int n, int threads, bool rms) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  __shared__ Pair<C> shared[2][kWarp];
  const int lane = int(threadIdx.x);
  C dweight[kCount][kVec], dbias[kCount][kVec];
#pragma unroll
  for (int u = 0; u < kCount; ++u)
#pragma unroll
    for (int j = 0; j < kVec; ++j) dweight[u][j] = dbias[u][j] = C(0);
  constexpr bool kAhead = kVec > 1;  // the next row is under way while this one is worked on
  struct Row {
    V g[kCount], x[kCount];
    C mean, inverse;
  } ahead;
  auto read = [&](int64_t row) {
    ahead.mean = mean[row], ahead.inverse = rstd[row];
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= n) continue;
      ahead.g[u] = *reinterpret_cast<const V*>(g + row * n + i);
      ahead.x[u] = *reinterpret_cast<const V*>(x + row * n + i);
    }
  };
  if (kAhead) read(blockIdx.x);  // no more blocks than rows
  int turn = 0;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
    if (!kAhead) read(row);
    const Row now = ahead;
    if (kAhead && row + gridDim.x < rows) read(row + gridDim.x);
    const C m = now.mean, inverse = now.inverse;
    Pair<C> sums{C(0), C(0)};  // of weight * g, and of that with the normalised x
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= n) continue;
      C w[kVec];
      read_affine<T, kVec>(weight, i, w, C(1));
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        const C gv = C(load(now.g[u].at[j])), normal = (C(load(now.x[u].at[j])) - m) * inverse;
        sums.a += gv * w[j];
        sums.b += gv * w[j] * normal;
        dweight[u][j] += gv * normal;
        dbias[u][j] += gv;
      }
    }
    sums = group_join(sums, threads, shared[turn], JoinPairs<C>());
    const C mean_wg = rms ? C(0) : sums.a / C(n), mean_dot = sums.b / C(n);
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= n) continue;
      C w[kVec];
      read_affine<T, kVec>(weight, i, w, C(1));
      V v;
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        const C normal = (C(load(now.x[u].at[j])) - m) * inverse;
        store(&v.at[j], inverse * (C(load(now.g[u].at[j])) * w[j] - mean_wg - normal * mean_dot));
      }
      *reinterpret_cast<V*>(dx + row * n + i) = v;
    }
  }
  C* to = partial + int64_t(blockIdx.x) * 2 * n;
#pragma unroll
  for (int u = 0; u < kCount; ++u) {
    const int i = (u * threads + lane) * kVec;
    if (i >= n) continue;
#pragma unroll
    for (int j = 0; j < kVec; ++j) to[i + j] = dweight[u][j], to[n + i + j] = dbias[u][j];
  }
}

// The same for rows of any length: dx by a block a row that reads it twice, the sums by columns.
template <class T>
__global__ void __launch_bounds__(kNormThreads, 1)
    norm_backward_long(const T* g, const T* x, T* dx, const Computed<T>* mean, const Computed<T>* rstd,
                       Affine weight, int64_t rows, int64_t n, bool rms) {
  using C = Computed<T>;
  __shared__ Pair<C> shared[kWarp];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const C m = mean[row], inverse = rstd[row];
    Pair<C> sums{C(0), C(0)};
    auto weighted = [&](int64_t i) {
      C w[1];
      read_affine<T, 1>(weight, i, w, C(1));
      return C(load(g[row * n + i])) * w[0];
    };
    auto normal = [&](int64_t i) { return (C(load(x[row * n + i])) - m) * inverse; };
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < n; i += kNormThreads) {
      const C wg = weighted(i);
      sums.a += wg;
      sums.b += wg * normal(i);
    }
    sums = group_join(sums, kNormThreads, shared, JoinPairs<C>());
    const C mean_wg = rms ? C(0) : sums.a / C(n), mean_dot = sums.b / C(n);
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < n; i += kNormThreads)
      store(dx + row * n + i, inverse * (weighted(i) - mean_wg - normal(i) * mean_dot));
    __syncthreads();
  }
}
constexpr int kColumnsX = 32, kColumnsY = 8;
// partial is [parts][2][n]; part p has rows p, p + parts, ...
template <class T>
__global__ void __launch_bounds__(kColumnsX* kColumnsY)
    norm_backward_columns(const T* g, const T* x, const Computed<T>* mean, const Computed<T>* rstd,
                          Computed<T>* partial, int64_t rows, int64_t n) {
  using C = Computed<T>;
  __shared__ Pair<C> shared[kColumnsY][kColumnsX];
  const int64_t i = int64_t(blockIdx.x) * kColumnsX + threadIdx.x;
  Pair<C> sums{C(0), C(0)};
  if (i < n)
#pragma unroll 4
    for (int64_t row = int64_t(blockIdx.y) * kColumnsY + threadIdx.y; row < rows;
         row += int64_t(gridDim.y) * kColumnsY) {
      const C gv = C(load(g[row * n + i]));
      sums.a += gv * ((C(load(x[row * n + i])) - mean[row]) * rstd[row]);
      sums.b += gv;
    }
  shared[threadIdx.y][threadIdx.x] = sums;
  __syncthreads();
  if (threadIdx.y != 0 || i >= n) return;
  for (int k = 1; k < kColumnsY; ++k) sums = JoinPairs<C>()(sums, shared[k][threadIdx.x]);
  C* to = partial + int64_t(blockIdx.y) * 2 * n + i;
  to[0] = sums.a, to[n] = sums.b;
}

constexpr int kPartsY = 32;
// The sums of [parts][2][n], as dweight and dbias; either may be null.
template <class C>
__global__ void __launch_bounds__(kColumnsX* kPartsY)
    add_parts(const C* partial, int parts, int64_t n, void* dweight, void* dbias, DType t) {
  __shared__ C shared[kPartsY][kColumnsX];
  const int64_t i = int64_t(blockIdx.x) * kColumnsX + threadIdx.x;
  C sum = C(0);
  if (i < 2 * n)
#pragma unroll 4
    for (int p = int(threadIdx.y); p < parts; p += kPartsY) sum += partial[p * 2 * n + i];
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= 2 * n) return;
  for (int k = 1; k < kPartsY; ++k) sum += shared[k][threadIdx.x];
  void* to = i < n ? dweight : dbias;
  if (to) write_number(to, t, i < n ? i : i - n, sum);
}

int64_t product(std::span<const int64_t> sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}
template <class T>
Affine affine(const Call& c, int i) {
  if (!c.has(i)) return {nullptr, false};
  const bool wide = c.dtype(i) != kStored<T>;
  return {dense(c, c.in(i), wide ? computed_float(kStored<T>) : kStored<T>).data, wide};
}
bool aligned(std::initializer_list<const void*> pointers) {
  uintptr_t all = 0;
  for (const void* p : pointers) all |= reinterpret_cast<uintptr_t>(p);
  return all % 16 == 0;
}

template <class T>
void forward(const Call& c, int64_t n, int64_t rows) {
  using C = Computed<T>;
  const haft_tensor_view in = dense(c, c.in(0));
  const T* x = static_cast<const T*>(in.data);
  T* y = c.out_data<T>(0);
  C *mean = c.out_data<C>(1), *rstd = c.out_data<C>(2);
  const Affine weight = affine<T>(c, 1), bias = affine<T>(c, 2);
  const C eps = C(c.attrs.d(1));
  const bool rms = c.attrs.b(2);
  const bool vectors = n * int64_t(sizeof(T)) % 16 == 0 && aligned({x, y, weight.data, bias.data});
  if (held_rows<T>(vectors, n, [&]<int kVec, int kCount>(int threads) {
        launch(c, rows_shape(rows, threads), norm_rows<T, kVec, kCount>, x, y, mean, rstd, weight, bias, rows,
               int(n), threads, eps, rms);
      }))
    return;
  Shape3 s;
  s.grid.x = uint32_t(std::min<int64_t>(rows, INT32_MAX)), s.block.x = kNormThreads;
  launch(c, s, vectors ? norm_long<T, int(16 / sizeof(T))> : norm_long<T, 1>, x, y, mean, rstd, weight, bias,
         rows, n, eps, rms);
}

template <class T>
void backward(const Call& c, int64_t n, int64_t rows) {
  using C = Computed<T>;
  constexpr DType computed = computed_float(kStored<T>);
  constexpr int kVec = int(16 / sizeof(T));
  const T* g = static_cast<const T*>(dense(c, c.in(0), kStored<T>).data);
  const T* x = static_cast<const T*>(dense(c, c.in(1), kStored<T>).data);
  const Affine weight = affine<T>(c, 2);
  const C* mean = static_cast<const C*>(dense(c, c.in(3), computed).data);
  const C* rstd = static_cast<const C*>(dense(c, c.in(4), computed).data);
  T* dx = c.out_data<T>(0);
  const bool rms = c.attrs.b(1);
  const int64_t sms = multiprocessors(c.device());
  C* partial = nullptr;
  int64_t parts = 0;
  auto go = [&]<int kWide, int kCount>() {
    const int threads = int(round_up(blocks_of(n, kWide * kCount), kWarp));
    parts = std::min<int64_t>(rows, sms * std::max(1, 672 / threads));  // whose registers there are
    partial = c.scratch<C>(parts * 2 * n);
    Shape3 s;
    s.grid.x = uint32_t(parts), s.block.x = uint32_t(threads);
    launch(c, s, norm_backward_rows<T, kWide, kCount>, g, x, dx, mean, rstd, weight, partial, rows, int(n),
           threads, rms);
  };
  if (n * int64_t(sizeof(T)) % 16 == 0 && aligned({g, x, dx, weight.data}) && n <= 2 * kVec * kNormThreads) {
    n <= kVec * 256 ? go.template operator()<kVec, 1>() : go.template operator()<kVec, 2>();
  } else if (n <= 8 * kNormThreads) {
    go.template operator()<1, 8>();
  } else {
    Shape3 s;
    s.grid.x = uint32_t(std::min<int64_t>(rows, INT32_MAX)), s.block.x = kNormThreads;
    launch(c, s, norm_backward_long<T>, g, x, dx, mean, rstd, weight, rows, n, rms);
    const int64_t columns = blocks_of(n, kColumnsX);
    parts = std::clamp<int64_t>(std::min(blocks_of(sms * 8, columns), rows / (4 * kColumnsY)), 1, 65535);
    partial = c.scratch<C>(parts * 2 * n);
    s.grid = {uint32_t(columns), uint32_t(parts), 1}, s.block = {kColumnsX, kColumnsY, 1};
    launch(c, s, norm_backward_columns<T>, g, x, mean, rstd, partial, rows, n);
  }
  Shape3 s;
  s.grid.x = uint32_t(blocks_of(2 * n, kColumnsX)), s.block = {kColumnsX, kPartsY, 1};
  launch(c, s, add_parts<C>, static_cast<const C*>(partial), int(parts), n, c.out(1).data, c.out(2).data,
         c.out_dtype(1));
}

}  // namespace

// in: input, weight, bias; out: out, mean, rstd
void k_layer_norm_stats(const Call& c) {
  const int64_t n = product(c.attrs.ints(0));
  if (c.out(1).numel == 0 || n == 0) return;
  visit_float(c, c.dtype(0), [&]<class T>() { forward<T>(c, n, c.out(1).numel); });
}
// in: grad, input, weight, mean, rstd; out: dx, dweight, dbias
void k_layer_norm_backward(const Call& c) {
  const int64_t n = product(c.attrs.ints(0)), rows = c.in(3).numel;
  if (n == 0) return;
  if (rows == 0) {
    for (int k = 1; k <= 2; ++k) c.zero(c.out(k).data, bytes(c.out(k)));
    return;
  }
  visit_float(c, c.dtype(1), [&]<class T>() { backward<T>(c, n, rows); });
}

}  // namespace haft::cuda
