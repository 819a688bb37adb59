// Products of 16-bit floats by a warp's tensor cores, a tile of 16 x 8 at a time: PTX's mma.m16n8k16 with sums in
// float. A lane is g = lane / 4, t = lane % 4, and has, as pairs of neighbours in a word:
//   a (16 x 16)   rows g and g + 8 at columns 2 t, then the same at 2 t + 8
//   b (16 x 8)    column g at rows 2 t and 2 t + 8
//   c (16 x 8)    rows g and g + 8 at columns 2 t, 2 t + 1
#pragma once
#include "core/cuda/device.cuh"

namespace haft::cuda {

template <class T>
__device__ inline void multiply_add(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<T, half>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  static thread_local uint32_t words[32][kWarp]
                                    [6];  // as shared memory: one block at a time on a thread of the host
  const int lane = int(threadIdx.x) % kWarp, g = lane / 4, t = lane % 4;
  auto& warp = words[int(threadIdx.x) / kWarp];
  __builtin_memcpy(warp[lane], a, sizeof a), __builtin_memcpy(warp[lane] + 4, b, sizeof b);
  __syncwarp();
  const auto part = [](uint32_t word, int i) {
    Vector<T, 2> v;
    __builtin_memcpy(&v, &word, 4);
    return load(v.at[i]);
  };
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 16; ++k) {
      const int of = k % 8 / 2, half = k / 8;
      c[i] += part(warp[g * 4 + of][2 * half + i / 2], k % 2) *
              part(warp[(2 * t + i % 2) * 4 + of][4 + half], k % 2);
    }
  __syncwarp();
#endif
}

// Two numbers as a word.
template <class T>
__device__ inline uint32_t pair_of(float x, float y) {
  Vector<T, 2> v;
  store(&v.at[0], x), store(&v.at[1], y);
  uint32_t word;
  __builtin_memcpy(&word, &v, 4);
  return word;
}

// Tiles in shared memory: rows of kN vectors, of which the last is never used, so that rows begin in other banks.
template <class T, int kN>
using TileRow = Vector<T, 8>[kN];

template <class T>
__device__ inline uint32_t neighbours(const Vector<T, 8>* row, int k) {  // k is even
  const auto v = *reinterpret_cast<const Vector<T, 2>*>(reinterpret_cast<const T*>(row) + k);
  uint32_t word;
  __builtin_memcpy(&word, &v, 4);
  return word;
}
#ifdef __CUDACC__
// ldmatrix: kCount tiles of 8 x 8, whose rows begin at what lanes 0 to 7, 8 to 15, ... say; turned: by columns.
template <bool kTurned, int kCount, class Row>
__device__ inline void load_tiles(uint32_t (&to)[kCount], const Row* from) {
  static_assert(kCount == 2 || (kCount == 4 && !kTurned));
  const uint32_t at = uint32_t(__cvta_generic_to_shared(from));
  if constexpr (kCount == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at));
  else if constexpr (kTurned)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(at));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(at));
}
#endif
// `a` of rows r.. and columns k.. of x.
template <class T, int kN>
__device__ inline void left_factor(uint32_t (&a)[4], const TileRow<T, kN>* x, int r, int k) {
  const int lane = int(threadIdx.x) % kWarp;
#ifdef __CUDACC__
  load_tiles<false>(a, x[r + lane % 16] + (k / 8 + lane / 16));
#else
  const int g = lane / 4, t = lane % 4;
  for (int i = 0; i < 4; ++i) a[i] = neighbours(x[r + g + i % 2 * 8], k + 2 * t + i / 2 * 8);
#endif
}
// `b` of the rows n.. of x, turned: its columns k.. are rows of b.
template <class T, int kN>
__device__ inline void turned_factor(uint32_t (&b)[2], const TileRow<T, kN>* x, int n, int k) {
  const int lane = int(threadIdx.x) % kWarp;
#ifdef __CUDACC__
  load_tiles<false>(b, x[n + lane % 8] + (k / 8 + lane / 8 % 2));
#else
  const int g = lane / 4, t = lane % 4;
  for (int i = 0; i < 2; ++i) b[i] = neighbours(x[n + g], k + 2 * t + 8 * i);
#endif
}
// `b` of rows k.. and columns n.. of x.
template <class T, int kN>
__device__ inline void right_factor(uint32_t (&b)[2], const TileRow<T, kN>* x, int k, int n) {
  const int lane = int(threadIdx.x) % kWarp;
#ifdef __CUDACC__
  load_tiles<true>(b, x[k + lane % 16] + n / 8);
#else
  const int g = lane / 4, t = lane % 4;
  for (int i = 0; i < 2; ++i) {
    const int row = k + 2 * t + 8 * i;
    const Vector<T, 2> v{
        {reinterpret_cast<const T*>(x[row])[n + g], reinterpret_cast<const T*>(x[row + 1])[n + g]}};
    __builtin_memcpy(&b[i], &v, 4);
  }
#endif
}
// `a` of what two neighbouring products came to: c's columns are a's.
template <class T>
__device__ inline void as_left_factor(uint32_t (&a)[4], const float (&c)[4], const float (&next)[4]) {
  a[0] = pair_of<T>(c[0], c[1]), a[1] = pair_of<T>(c[2], c[3]);
  a[2] = pair_of<T>(next[0], next[1]), a[3] = pair_of<T>(next[2], next[3]);
}

}  // namespace haft::cuda
