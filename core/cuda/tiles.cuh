// The plug-in's own product of matrices: a block makes 64 x 64 results from tiles of both factors in shared memory, a
// thread 4 x 4 of them in registers. Where elements come from is a Source's matter, so that products of matrices and
// convolutions are one loop.
#pragma once
#include <initializer_list>

#include "core/cuda/device.cuh"

namespace haft::cuda {

// What a type in memory is multiplied in; integers wrap around.
template <class T>
struct FactorOf {
  using type = Computed<T>;
};
template <>
struct FactorOf<int32_t> {
  using type = uint32_t;
};
template <>
struct FactorOf<int64_t> {
  using type = uint64_t;
};
template <class T>
using FactorType = typename FactorOf<T>::type;

// Whether `elements` at once may be accessed at p, and at these strides from it.
template <class T>
bool aligned(const T* p, int64_t elements, std::initializer_list<int64_t> strides) {
  if (reinterpret_cast<uintptr_t>(p) % (sizeof(T) * uint64_t(elements))) return false;
  for (int64_t s : strides)
    if (s % elements) return false;
  return true;
}

constexpr int kTileSide = 64, kTileThreads = 256;
constexpr int kTilePitch = kTileSide + 4;  // keeps 16 bytes aligned
// Elements along k in a tile, and how many of them a thread brings: 16 bytes, twice that of 8-byte types.
template <class T>
constexpr int kTileDepth = sizeof(T) == 2 ? 32 : 16;
template <class T>
constexpr int kTileShare = kTileDepth<T> / 4;

// Which elements of a tile a thread brings: share j of thread t is element (row, k).
enum class Order {
  along_k,     // neighbours in memory are neighbours in k: a thread has kTileShare of one row
  along_rows,  // in rows: a thread has kTileShare rows of one k
  row_a_lane,  // a thread has one row, the warp 32 of them
};
template <class T, Order kOrder>
struct Share {
  static constexpr int n = kTileShare<T>;
  __device__ static int row(int j) {
    const int t = int(threadIdx.x);
    return kOrder == Order::along_k      ? t / 4
           : kOrder == Order::along_rows ? t % (kTileSide / n) * n + j
                                         : t % kTileSide;
  }
  __device__ static int k(int j) {
    const int t = int(threadIdx.x);
    return kOrder == Order::along_k      ? t % 4 * n + j
           : kOrder == Order::along_rows ? t / (kTileSide / n)
                                         : t / kTileSide * n + j;
  }
};
template <class T, Order kOrder, class F>
__device__ inline void place_share(F (*tile)[kTilePitch], const F* share) {
  using S = Share<T, kOrder>;
#pragma unroll
  for (int j = 0; j < S::n; ++j) tile[S::k(j)][S::row(j)] = share[j];
}

// A matrix in memory, by strides in elements. `rows` are those of a factor, along m or n; k is the other dimension.
template <class T>
struct MatrixSource {
  const T* data;
  int64_t row, k_step, rows;
  bool along_k, vectors;  // which stride is 1 (or smaller), and whether 16 bytes may be read at once

  using Factor = FactorType<T>;
  static constexpr int n = kTileShare<T>, kLanes = sizeof(T) == 8 ? 2 : n;

  __device__ void begin(int64_t, int64_t) {}
  template <Order kOrder>
  __device__ void read(int64_t first, int64_t k0, int64_t k_end, Factor* to) const {
    using S = Share<T, kOrder>;
    const int64_t r = first + S::row(0), k = k0 + S::k(0);
    const bool inside = kOrder == Order::along_k ? r < rows && k + n <= k_end : k < k_end && r + n <= rows;
    if (inside && vectors) {
      const T* from = data + r * row + k * k_step;
#pragma unroll
      for (int j = 0; j < n; j += kLanes) {
        const auto v = *reinterpret_cast<const Vector<T, kLanes>*>(from + j);
#pragma unroll
        for (int i = 0; i < kLanes; ++i) to[j + i] = Factor(load(v.at[i]));
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < n; ++j) {
      const int64_t rj = first + S::row(j), kj = k0 + S::k(j);
      to[j] = rj < rows && kj < k_end ? Factor(load(data[rj * row + kj * k_step])) : Factor(0);
    }
  }
  __device__ void fetch(int64_t first, int64_t, int64_t k, int64_t k_end, Factor* to) const {
    along_k ? read<Order::along_k>(first, k, k_end, to) : read<Order::along_rows>(first, k, k_end, to);
  }
  __device__ void put(Factor (*tile)[kTilePitch], const Factor* share) const {
    along_k ? place_share<T, Order::along_k>(tile, share) : place_share<T, Order::along_rows>(tile, share);
  }
};

// sum over k in [k0, k_end) of A(m0 + i, k) * B(n0 + j, k); thread t gets i = t / 16 * 4 + [0, 4), j = t % 16 * 4 +
// [0, 4).
template <class T, class A, class B>
__device__ inline void multiply_tile(A& a, B& b, int64_t m0, int64_t n0, int64_t k0, int64_t k_end,
                                     FactorType<T> (&sum)[4][4]) {
  using F = FactorType<T>;
  constexpr int kDepth = kTileDepth<T>, kShare = kTileShare<T>;
  __align__(16) __shared__ F tile_a[kDepth][kTilePitch];
  __align__(16) __shared__ F tile_b[kDepth][kTilePitch];
  F next_a[kShare], next_b[kShare];
  const int i0 = int(threadIdx.x) / 16 * 4, j0 = int(threadIdx.x) % 16 * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[i][j] = F(0);
  if (k0 < k_end) {
    a.begin(m0, k0);
    b.begin(n0, k0);
    a.fetch(m0, k0, k0, k_end, next_a);
    b.fetch(n0, k0, k0, k_end, next_b);
  }
  for (int64_t k = k0; k < k_end; k += kDepth) {
    __syncthreads();  // the tiles before have been read
    a.put(tile_a, next_a);
    b.put(tile_b, next_b);
    __syncthreads();
    if (k + kDepth < k_end) {
      a.fetch(m0, k0, k + kDepth, k_end, next_a);
      b.fetch(n0, k0, k + kDepth, k_end, next_b);
    }
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      const auto va = *reinterpret_cast<const Vector<F, 4>*>(&tile_a[d][i0]),
                 vb = *reinterpret_cast<const Vector<F, 4>*>(&tile_b[d][j0]);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += va.at[i] * vb.at[j];
    }
  }
}

// Stores what a factor's type holds as a type in memory.
template <class T>
__device__ inline void store_sum(T* to, FactorType<T> x) {
  if constexpr (fn::is_int<T>)
    *to = T(x);
  else
    store(to, x);
}

// Four neighbouring elements at once where `vectors` says that they are aligned, else those of the first `n`, `step`
// apart.
template <class T>
__device__ inline void store_four(T* to, int64_t step, int n, bool vectors, const FactorType<T>* x) {
  if (vectors && n == 4) {
    if constexpr (sizeof(T) == 8) {
#pragma unroll
      for (int h = 0; h < 4; h += 2) {
        Vector<T, 2> v;
        store_sum(&v.at[0], x[h]), store_sum(&v.at[1], x[h + 1]);
        *reinterpret_cast<Vector<T, 2>*>(to + h) = v;
      }
    } else {
      Vector<T, 4> v;
#pragma unroll
      for (int j = 0; j < 4; ++j) store_sum(&v.at[j], x[j]);
      *reinterpret_cast<Vector<T, 4>*>(to) = v;
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (j < n) store_sum(to + j * step, x[j]);
}

}  // namespace haft::cuda
