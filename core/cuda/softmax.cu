// softmax and log_softmax along any dimension, and their gradients. A row is held in the registers of a warp or a
// block, read once and written once; longer ones are read twice, the maximum and the sum of exponentials being
// renewed together on the way. Rows that do not lie along memory are columns: neighbouring threads take neighbouring
// ones.
#include "core/cuda/rows.cuh"

namespace haft::cuda {

namespace {

constexpr int kLongThreads = 512, kColumnThreads = 256;

struct Larger {
  template <class C>
  __device__ C operator()(C a, C b) const {
    return a > b ? a : b;
  }
};

template <class T, int kVec, int kCount>
__global__ void __launch_bounds__(kMostThreads, 2) softmax_rows(Space<2> rows, int n, int threads, bool log) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  __shared__ C shared[2][kWarp];
  const int lane = int(threadIdx.x) % threads;
  const int per_block = int(blockDim.x) / threads, here = int(threadIdx.x) / threads;
  for (int64_t first = int64_t(blockIdx.x) * per_block; first < rows.count;
       first += int64_t(gridDim.x) * per_block) {
    const int64_t row = first + here;
    const int mine = row < rows.count ? n : 0;
    char* p[2];
    rows.at(uint32_t(mine ? row : 0), p);
    C e[kCount][kVec];
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      V v;
      if (i < mine) v = *reinterpret_cast<const V*>(reinterpret_cast<const T*>(p[1]) + i);
#pragma unroll
      for (int j = 0; j < kVec; ++j) e[u][j] = i < mine ? C(load(v.at[j])) : C(-fn::infinity());
    }
    C top = C(-fn::infinity());
#pragma unroll
    for (int u = 0; u < kCount; ++u)
#pragma unroll
      for (int j = 0; j < kVec; ++j) top = e[u][j] > top ? e[u][j] : top;
    top = group_join(top, threads, shared[0], Larger());
    C sum = C(0);
#pragma unroll
    for (int u = 0; u < kCount; ++u)
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        const C x = e[u][j] - top, y = fn::exp(x);
        if ((u * threads + lane) * kVec < mine) sum += y;
        e[u][j] = log ? x : y;
      }
    sum = group_join(sum, threads, shared[1], Plus());
    const C scale = C(1) / sum, shift = fn::log(sum);
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= mine) continue;
      V v;
#pragma unroll
      for (int j = 0; j < kVec; ++j) store(&v.at[j], log ? e[u][j] - shift : e[u][j] * scale);
      *reinterpret_cast<V*>(reinterpret_cast<T*>(p[0]) + i) = v;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLongThreads, 1) softmax_long(Space<2> rows, int64_t n, bool log) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T));
  using V = Vector<T, kVec>;
  __shared__ ExpSum<C> shared[kWarp];
  const int lane = int(threadIdx.x);
  for (int64_t row = blockIdx.x; row < rows.count; row += gridDim.x) {
    char* p[2];
    rows.at(uint32_t(row), p);
    const T* x = reinterpret_cast<const T*>(p[1]);
    T* y = reinterpret_cast<T*>(p[0]);
    const int64_t head = row_head<T>(x, n, y, y), vectors = (n - head) / kVec, tail = head + vectors * kVec;
    auto s = ExpSum<C>::none();
    for (int64_t i = lane; i < head; i += kLongThreads) s.add(C(load(x[i])));
    for (int64_t i = tail + lane; i < n; i += kLongThreads) s.add(C(load(x[i])));
#pragma unroll 2
    for (int64_t v = lane; v < vectors; v += kLongThreads)
      s.add_all(*reinterpret_cast<const V*>(x + head + v * kVec), kVec);
    s = group_join(s, kLongThreads, shared, JoinExpSums<C>());
    const C top = s.top, sum = s.sum + (top - top), scale = C(1) / sum, shift = fn::log(sum);
    auto result = [&](T in) {
      const C d = C(load(in)) - top;
      T out;
      store(&out, log ? d - shift : fn::exp(d) * scale);
      return out;
    };
    for (int64_t i = lane; i < head; i += kLongThreads) y[i] = result(x[i]);
    for (int64_t i = tail + lane; i < n; i += kLongThreads) y[i] = result(x[i]);
#pragma unroll 2
    for (int64_t v = lane; v < vectors; v += kLongThreads) {
      const V in = *reinterpret_cast<const V*>(x + head + v * kVec);
      V out;
#pragma unroll
      for (int j = 0; j < kVec; ++j) out.at[j] = result(in.at[j]);
      *reinterpret_cast<V*>(y + head + v * kVec) = out;
    }
    __syncthreads();
  }
}

// Blocks are columns by rows; steps between the elements of a column.
template <class T>
__global__ void __launch_bounds__(kColumnThreads)
    softmax_columns(Space<2> columns, int64_t n, int64_t to_step, int64_t from_step, bool log) {
  using C = Computed<T>;
  __shared__ ExpSum<C> shared[kColumnThreads];
  const int bx = int(blockDim.x), by = int(blockDim.y), x = int(threadIdx.x), y = int(threadIdx.y);
  for (int64_t first = int64_t(blockIdx.x) * bx; first < columns.count; first += int64_t(gridDim.x) * bx) {
    const bool valid = first + x < columns.count;
    char* p[2];
    columns.at(uint32_t(valid ? first + x : 0), p);
    const T* from = reinterpret_cast<const T*>(p[1]);
    T* to = reinterpret_cast<T*>(p[0]);
    const int64_t mine = valid ? n : 0;
    auto s = ExpSum<C>::none();
    int64_t r = y;
    for (; r + 3 * by < mine; r += 4 * by) {
      Vector<T, 4> v;
#pragma unroll
      for (int u = 0; u < 4; ++u) v.at[u] = from[(r + u * by) * from_step];
      s.add_all(v, 4);
    }
    for (; r < mine; r += by) s.add(C(load(from[r * from_step])));
    shared[y * bx + x] = s;
    for (int half = by / 2; half > 0; half /= 2) {
      __syncthreads();
      if (y < half) shared[y * bx + x] = shared[y * bx + x].joined(shared[(y + half) * bx + x]);
    }
    __syncthreads();
    const C top = shared[x].top, sum = shared[x].sum + (top - top), scale = C(1) / sum, shift = fn::log(sum);
#pragma unroll 4
    for (r = y; r < mine; r += by) {
      const C d = C(load(from[r * from_step])) - top;
      store(to + r * to_step, log ? d - shift : fn::exp(d) * scale);
    }
    __syncthreads();
  }
}

// ---- gradients: dx = y (g - sum g y), or g - exp(y) sum g ----

template <class C>
__device__ inline C softmax_term(C g, C y, bool log) {
  return log ? g : g * y;
}
template <class C>
__device__ inline C softmax_slope(C g, C y, C sum, bool log) {
  return log ? g - fn::exp(y) * sum : y * (g - sum);
}

template <class T, int kVec, int kCount>
__global__ void __launch_bounds__(kMostThreads)
    softmax_backward_rows(Space<3> rows, int n, int threads, bool log) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  __shared__ C shared[kWarp];
  const int lane = int(threadIdx.x) % threads;
  const int per_block = int(blockDim.x) / threads, here = int(threadIdx.x) / threads;
  for (int64_t first = int64_t(blockIdx.x) * per_block; first < rows.count;
       first += int64_t(gridDim.x) * per_block) {
    const int64_t row = first + here;
    const int mine = row < rows.count ? n : 0;
    char* p[3];
    rows.at(uint32_t(mine ? row : 0), p);
    V g[kCount], y[kCount];
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= mine) continue;
      g[u] = *reinterpret_cast<const V*>(reinterpret_cast<const T*>(p[1]) + i);
      y[u] = *reinterpret_cast<const V*>(reinterpret_cast<const T*>(p[2]) + i);
    }
    C sum = C(0);
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      if ((u * threads + lane) * kVec >= mine) continue;
#pragma unroll
      for (int j = 0; j < kVec; ++j) sum += softmax_term(C(load(g[u].at[j])), C(load(y[u].at[j])), log);
    }
    sum = group_join(sum, threads, shared, Plus());
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const int i = (u * threads + lane) * kVec;
      if (i >= mine) continue;
      V v;
#pragma unroll
      for (int j = 0; j < kVec; ++j)
        store(&v.at[j], softmax_slope(C(load(g[u].at[j])), C(load(y[u].at[j])), sum, log));
      *reinterpret_cast<V*>(reinterpret_cast<T*>(p[0]) + i) = v;
    }
    if (threads > kWarp) __syncthreads();
  }
}

template <class T>
__global__ void __launch_bounds__(kLongThreads, 1) softmax_backward_long(Space<3> rows, int64_t n, bool log) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T));
  using V = Vector<T, kVec>;
  __shared__ C shared[kWarp];
  const int lane = int(threadIdx.x);
  for (int64_t row = blockIdx.x; row < rows.count; row += gridDim.x) {
    char* p[3];
    rows.at(uint32_t(row), p);
    const T *g = reinterpret_cast<const T*>(p[1]), *y = reinterpret_cast<const T*>(p[2]);
    T* dx = reinterpret_cast<T*>(p[0]);
    const int64_t head = row_head<T>(g, n, y, dx), vectors = (n - head) / kVec, tail = head + vectors * kVec;
    C sum = C(0);
    auto term = [&](T a, T b) { return softmax_term(C(load(a)), C(load(b)), log); };
    for (int64_t i = lane; i < head; i += kLongThreads) sum += term(g[i], y[i]);
    for (int64_t i = tail + lane; i < n; i += kLongThreads) sum += term(g[i], y[i]);
#pragma unroll 2
    for (int64_t v = lane; v < vectors; v += kLongThreads) {
      const V a = *reinterpret_cast<const V*>(g + head + v * kVec),
              b = *reinterpret_cast<const V*>(y + head + v * kVec);
#pragma unroll
      for (int j = 0; j < kVec; ++j) sum += term(a.at[j], b.at[j]);
    }
    sum = group_join(sum, kLongThreads, shared, Plus());
    auto slope = [&](T a, T b) {
      T out;
      store(&out, softmax_slope(C(load(a)), C(load(b)), sum, log));
      return out;
    };
    for (int64_t i = lane; i < head; i += kLongThreads) dx[i] = slope(g[i], y[i]);
    for (int64_t i = tail + lane; i < n; i += kLongThreads) dx[i] = slope(g[i], y[i]);
#pragma unroll 2
    for (int64_t v = lane; v < vectors; v += kLongThreads) {
      const V a = *reinterpret_cast<const V*>(g + head + v * kVec),
              b = *reinterpret_cast<const V*>(y + head + v * kVec);
      V out;
#pragma unroll
      for (int j = 0; j < kVec; ++j) out.at[j] = slope(a.at[j], b.at[j]);
      *reinterpret_cast<V*>(dx + head + v * kVec) = out;
    }
    __syncthreads();
  }
}

template <class T>
__global__ void __launch_bounds__(kColumnThreads)
    softmax_backward_columns(Space<3> columns, int64_t n, int64_t to_step, int64_t g_step, int64_t y_step,
                             bool log) {
  using C = Computed<T>;
  __shared__ C shared[kColumnThreads];
  const int bx = int(blockDim.x), by = int(blockDim.y), x = int(threadIdx.x), y = int(threadIdx.y);
  for (int64_t first = int64_t(blockIdx.x) * bx; first < columns.count; first += int64_t(gridDim.x) * bx) {
    const bool valid = first + x < columns.count;
    char* p[3];
    columns.at(uint32_t(valid ? first + x : 0), p);
    const T *g = reinterpret_cast<const T*>(p[1]), *out = reinterpret_cast<const T*>(p[2]);
    T* dx = reinterpret_cast<T*>(p[0]);
    const int64_t mine = valid ? n : 0;
    C sum = C(0);
#pragma unroll 4
    for (int64_t r = y; r < mine; r += by)
      sum += softmax_term(C(load(g[r * g_step])), C(load(out[r * y_step])), log);
    shared[y * bx + x] = sum;
    for (int half = by / 2; half > 0; half /= 2) {
      __syncthreads();
      if (y < half) shared[y * bx + x] += shared[(y + half) * bx + x];
    }
    __syncthreads();
    sum = shared[x];
#pragma unroll 4
    for (int64_t r = y; r < mine; r += by)
      store(dx + r * to_step, softmax_slope(C(load(g[r * g_step])), C(load(out[r * y_step])), sum, log));
    __syncthreads();
  }
}

// ---- launches ----

Shape3 columns_shape(int64_t columns, int64_t n) {
  Shape3 s;
  const int bx = power_of_two(columns, kWarp), by = power_of_two((n + 1) / 2, kColumnThreads / bx);
  s.block = {uint32_t(bx), uint32_t(by), 1};
  s.grid.x = uint32_t(blocks_of(columns, bx));
  return s;
}

void forward(const Call& c, bool log) {
  const haft_tensor_view &x = c.in(0), &out = c.out();
  if (out.numel == 0) return;
  const RowWalk rows({&out, &x}, c.attrs.i(0));
  visit_float(c, c.out_dtype(), [&]<class T>() {
    for (const Walk& w : pieces(rows.walk)) {
      const Space<2> space(w);
      if (!rows.dense) {
        launch(c, columns_shape(w.numel, rows.n), softmax_columns<T>, space, rows.n, rows.steps[0],
               rows.steps[1], log);
      } else if (!held_rows<T>(rows.aligned(16), rows.n, [&]<int kVec, int kCount>(int threads) {
                   launch(c, rows_shape(w.numel, threads), softmax_rows<T, kVec, kCount>, space, int(rows.n),
                          threads, log);
                 })) {
        Shape3 s;
        s.grid.x = uint32_t(w.numel), s.block.x = kLongThreads;
        launch(c, s, softmax_long<T>, space, rows.n, log);
      }
    }
  });
}

void backward(const Call& c, bool log) {
  const haft_tensor_view &g = c.in(0), &y = c.in(1), &out = c.out();
  if (out.numel == 0) return;
  const DType t = c.out_dtype();
  if (c.dtype(0) != t || c.dtype(1) != t) fail_dtype(c, c.dtype(0), "one dtype for gradient and result");
  const RowWalk rows({&out, &g, &y}, c.attrs.i(0));
  visit_float(c, t, [&]<class T>() {
    for (const Walk& w : pieces(rows.walk)) {
      const Space<3> space(w);
      if (!rows.dense) {
        launch(c, columns_shape(w.numel, rows.n), softmax_backward_columns<T>, space, rows.n, rows.steps[0],
               rows.steps[1], rows.steps[2], log);
      } else if (!held_rows<T>(rows.aligned(16), rows.n, [&]<int kVec, int kCount>(int threads) {
                   launch(c, rows_shape(w.numel, threads), softmax_backward_rows<T, kVec, kCount>, space,
                          int(rows.n), threads, log);
                 })) {
        Shape3 s;
        s.grid.x = uint32_t(w.numel), s.block.x = kLongThreads;
        launch(c, s, softmax_backward_long<T>, space, rows.n, log);
      }
    }
  });
}

}  // namespace

void k_softmax(const Call& c) { forward(c, false); }
void k_log_softmax(const Call& c) { forward(c, true); }
void k_softmax_backward(const Call& c) { backward(c, false); }
void k_log_softmax_backward(const Call& c) { backward(c, true); }

}  // namespace haft::cuda
