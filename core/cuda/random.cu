// Random numbers; core/schema/philox.h defines every one of them. A thread draws the words of four elements, which
// is one call.
#include <cmath>

#include "core/cuda/cub.h"
#include "core/cuda/fault.cuh"
#include "core/cuda/philox.cuh"
#include "core/cuda/sort.h"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

using fn::Philox, fn::PhiloxWords;

__device__ inline double unit_double(uint32_t high, uint32_t low) {
  return fn::philox_unit(uint64_t(high) << 32 | low);
}

// Elements a thread makes at a time: whole calls of Philox, and 16 bytes of a 16-bit type.
template <class T>
constexpr int kDrawn = sizeof(T) == 2 ? 8 : 4;

// The words of kN elements from i on, i a multiple of four.
template <int kN>
__device__ inline void draw(const Philox& source, int64_t i, uint32_t plane, uint32_t (&w)[kN]) {
#pragma unroll
  for (int q = 0; q < kN / 4; ++q) {
    const PhiloxWords words = source.words(uint64_t(i) / 4 + uint64_t(q), plane);
#pragma unroll
    for (int j = 0; j < 4; ++j) w[4 * q + j] = words.at[j];
  }
}

// Of as many bits as the type holds, so that rounding does not reach 1.
template <class T>
__device__ inline float unit_float(uint32_t word) {
  if constexpr (sizeof(T) == 4) {
    return float(int32_t(word >> 8)) * 0x1p-24f;
  } else {
    constexpr bool is_half = std::is_same_v<T, half>;
    return float(int32_t(word >> (is_half ? 21 : 24))) * (is_half ? 0x1p-11f : 0x1p-8f);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    draw_uniform(T* out, int64_t n, LivePhilox live, double low, double high) {
  const Philox source = live.now();
  constexpr int kN = kDrawn<T>;
  using C = Computed<T>;
  const C from = C(low), width = C(high - low), limit = C(high);
  for (int64_t i = grid_index() * kN; i < n; i += grid_size() * kN) {
    uint32_t w[kN];
    T v[kN];
    draw(source, i, 0, w);
    if constexpr (sizeof(C) == 8) {
      uint32_t w2[kN];
      draw(source, i, 1, w2);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        const C x = __dadd_rn(from, __dmul_rn(unit_double(w[j], w2[j]), width));
        v[j] = x >= limit ? from : x;
      }
    } else {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        const C x = __fadd_rn(from, __fmul_rn(unit_float<T>(w[j]), width));
        store(&v[j], x >= limit ? from : x);
        if (load(v[j]) >= limit) store(&v[j], from);  // what the type rounds up to the limit
      }
    }
    write_some(v, out, i, n, true);
  }
}

// z(e) and z(e + 1) of u1, u2.
template <class C>
__device__ inline void box_muller(C u1, C u2, C* z) {
  const C square = C(-2) * fn::log(u1), r = fn::sqrt(square > C(0) ? square : C(0)),
          angle = u2 * C(6.283185307179586);
  z[0] = r * fn::cos(angle);
  z[1] = r * fn::sin(angle);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    draw_normal(T* out, int64_t n, LivePhilox live, double mean, double std) {
  const Philox source = live.now();
  constexpr int kN = kDrawn<T>;
  using C = Computed<T>;
  const C m = C(mean), s = C(std);
  for (int64_t i = grid_index() * kN; i < n; i += grid_size() * kN) {
    uint32_t w[kN];
    C z[kN];
    T v[kN];
    draw(source, i, 0, w);
    if constexpr (sizeof(C) == 8) {
      uint32_t w2[kN];
      draw(source, i, 1, w2);
#pragma unroll
      for (int j = 0; j < kN; j += 2)
        box_muller(unit_double(w[j], w2[j]) + 0x1p-53, unit_double(w[j + 1], w2[j + 1]), z + j);
#pragma unroll
      for (int j = 0; j < kN; ++j) v[j] = __dadd_rn(m, __dmul_rn(s, z[j]));
    } else {
#pragma unroll
      for (int j = 0; j < kN; j += 2)
        box_muller(__fadd_rn(__fmul_rn(float(w[j]), 0x1p-32f), 0x1p-33f),
                   float(int32_t(w[j + 1] >> 8)) * 0x1p-24f, z + j);
#pragma unroll
      for (int j = 0; j < kN; ++j) store(&v[j], __fadd_rn(m, __fmul_rn(s, z[j])));
    }
    write_some(v, out, i, n, true);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    draw_integers(T* out, int64_t n, LivePhilox live, int64_t low, uint64_t range) {
  const Philox source = live.now();
  constexpr int kN = 4;
  const bool wide = range > (uint64_t(1) << 20);
  for (int64_t i = grid_index() * kN; i < n; i += grid_size() * kN) {
    uint32_t w[kN], w2[kN];
    T v[kN];
    draw(source, i, 0, w);
    if (wide) draw(source, i, 1, w2);
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      const uint64_t step =
          wide ? __umul64hi(uint64_t(w[j]) << 32 | w2[j], range) : uint64_t(w[j]) * range >> 32;
      store(&v[j], convert_to<T>(int64_t(uint64_t(low) + step)));
    }
    write_some(v, out, i, n, true);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    draw_bernoulli(const T* p, T* out, int64_t n, LivePhilox live, bool aligned, Fault* fault, uint32_t op) {
  const Philox source = live.now();
  constexpr int kN = kDrawn<T>;
  for (int64_t i = grid_index() * kN; i < n; i += grid_size() * kN) {
    uint32_t w[kN], w2[kN];
    T v[kN];
    draw(source, i, 0, w);
    if constexpr (sizeof(T) == 8) draw(source, i, 1, w2);
    read_some(v, p, i, n, aligned);
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      const double chance = double(load(v[j]));
      if (!(chance >= 0 && chance <= 1))
        raise(fault, op, __double_as_longlong(chance), i + j, 0, 0, kBadProbability);
      bool one;
      if constexpr (sizeof(T) == 8)
        one = unit_double(w[j], w2[j]) < chance;
      else
        one = double(w[j] >> 8) * 0x1p-24 < chance;
      store(&v[j], Computed<T>(one));
    }
    write_some(v, out, i, n, true);
  }
}

// Keeps x[i] iff its word reaches `threshold` (2^32: nothing is kept). Dropped elements are 0 even where x is NaN.
template <class T>
__global__ void __launch_bounds__(kThreads) drop(const T* x, T* out, bool* mask, int64_t n, LivePhilox live,
                                                 uint64_t threshold, double scale, bool aligned) {
  const Philox source = live.now();
  constexpr int kN = kDrawn<T>;
  using C = Computed<T>;
  for (int64_t i = grid_index() * kN; i < n; i += grid_size() * kN) {
    uint32_t w[kN];
    T v[kN];
    bool kept[kN];
    draw(source, i, 0, w);
    read_some(v, x, i, n, aligned);
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      kept[j] = w[j] >= threshold;
      store(&v[j], kept[j] ? C(load(v[j]) * C(scale)) : C(0));
    }
    write_some(v, out, i, n, true);
    write_some(kept, mask, i, n, true);
  }
}

// What randperm sorts: words of two planes, and the places they stand at.
__global__ void __launch_bounds__(kThreads)
    draw_places(uint64_t* keys, uint64_t* places, int64_t n, LivePhilox live) {
  const Philox source = live.now();
  for (int64_t i = grid_index() * 4; i < n; i += grid_size() * 4) {
    uint32_t w[4], w2[4];
    draw(source, i, 0, w);
    draw(source, i, 1, w2);
    for (int j = 0; j < 4 && i + j < n; ++j) {
      keys[i + j] = uint64_t(w[j]) << 32 | w2[j];
      places[i + j] = uint64_t(i + j);
    }
  }
}

// ---- multinomial ----

struct Weights {
  const void* data;
  DType dtype;
  int64_t rows, classes;

  __device__ double at(int64_t row, int64_t i) const {
    const int64_t e = row * classes + i;
    return read_stored<double>(static_cast<const char*>(data) + e * (dtype == DType::f64   ? 8
                                                                     : dtype == DType::f32 ? 4
                                                                                           : 2),
                               dtype);
  }
  __device__ double checked(int64_t row, int64_t i, Fault* fault, uint32_t op) const {
    const double w = at(row, i);
    if (!(w >= 0) || w == fn::infinity())
      raise(fault, op, __double_as_longlong(w), row, i, classes, kBadWeight);
    return w;
  }
};

// Running sums of a row, added in order: rounding decides what is drawn, and every device shall draw the same. A
// block takes a row.
constexpr int kSumTile = 1024;
__global__ void __launch_bounds__(kThreads)
    running_sums(Weights weights, double* sums, Fault* fault, uint32_t op) {
  __shared__ double tile[kSumTile];
  for (int64_t row = blockIdx.x; row < weights.rows; row += gridDim.x) {
    double total = 0;  // of thread 0
    for (int64_t begin = 0; begin < weights.classes; begin += kSumTile) {
      const int count = int(weights.classes - begin < kSumTile ? weights.classes - begin : kSumTile);
      for (int i = int(threadIdx.x); i < count; i += kThreads)
        tile[i] = weights.checked(row, begin + i, fault, op);
      __syncthreads();
      if (threadIdx.x == 0)
        for (int i = 0; i < count; ++i) tile[i] = total = __dadd_rn(total, tile[i]);
      __syncthreads();
      for (int i = int(threadIdx.x); i < count; i += kThreads)
        sums[row * weights.classes + begin + i] = tile[i];
      __syncthreads();
    }
    if (threadIdx.x == 0 && !(total > 0)) raise(fault, op, 0, row, 0, weights.classes, kNoWeight);
  }
}
__global__ void __launch_bounds__(kThreads) draw_classes(const double* sums, int64_t* out, int64_t rows,
                                                         int64_t n, int64_t classes, LivePhilox live) {
  const Philox source = live.now();
  for (int64_t i = grid_index(); i < rows * n; i += grid_size()) {
    const double* const row = sums + i / n * classes;
    const double total = row[classes - 1], u = __dmul_rn(source.uniform64(uint64_t(i)), total);
    // The first sum above u; the last step up, should rounding carry u to the total.
    const bool at_end = !(total > u);
    int64_t low = 0, high = classes - 1;
    while (low < high) {
      const int64_t at = low + (high - low) / 2;
      if (at_end ? row[at] < total : !(row[at] > u))
        low = at + 1;
      else
        high = at;
    }
    out[i] = low;
  }
}

// Who comes first of a race is drawn first: the time of class i is exponential with rate weight i. Those of weight 0
// come last, in order.
__global__ void __launch_bounds__(kThreads)
    race(Weights weights, double* times, LivePhilox live, Fault* fault, uint32_t op) {
  const Philox source = live.now();
  __shared__ int64_t shared[kWarp];
  for (int64_t row = blockIdx.x; row < weights.rows; row += gridDim.x) {
    int64_t positive = 0;
    for (int64_t i = threadIdx.x; i < weights.classes; i += kThreads) {
      const double w = weights.checked(row, i, fault, op);
      const int64_t e = row * weights.classes + i;
      times[e] = w > 0 ? -fn::log1p(-source.uniform64(uint64_t(e))) / w : fn::infinity();
      positive += w > 0;
    }
    positive = block_reduce(positive, int64_t(0), shared, Plus());
    if (threadIdx.x == 0 && positive == 0) raise(fault, op, 0, row, 0, weights.classes, kNoWeight);
    __syncthreads();
  }
}

Shape3 block_a_row(int64_t rows) {
  Shape3 s;
  s.grid.x = uint32_t(rows < 65535 ? rows : 65535);
  s.block.x = kThreads;
  return s;
}

LivePhilox source_of(const Call& c, int at) { return live_philox(c, at, at + 1); }

}  // namespace

// attrs: size list, low, high, seed, offset, dtype, device
void k_philox_uniform(const Call& c) {
  const int64_t n = c.out().numel;
  if (n == 0) return;
  visit_float(c, c.out_dtype(), [&]<class T>() {
    launch(c, blocks_for(c, n, kDrawn<T>), draw_uniform<T>, c.out_data<T>(), n, source_of(c, 3), c.attrs.d(1),
           c.attrs.d(2));
  });
}

// attrs: size list, mean, std, seed, offset, dtype, device
void k_philox_normal(const Call& c) {
  const int64_t n = c.out().numel;
  if (n == 0) return;
  visit_float(c, c.out_dtype(), [&]<class T>() {
    launch(c, blocks_for(c, n, kDrawn<T>), draw_normal<T>, c.out_data<T>(), n, source_of(c, 3), c.attrs.d(1),
           c.attrs.d(2));
  });
}

// attrs: size list, low, high, seed, offset, dtype, device
void k_philox_randint(const Call& c) {
  const int64_t n = c.out().numel, low = c.attrs.i(1), high = c.attrs.i(2);
  if (n == 0) return;
  visit_any(c, c.out_dtype(), [&]<class T>() {
    launch(c, blocks_for(c, n, 4), draw_integers<T>, c.out_data<T>(), n, source_of(c, 3), low,
           uint64_t(high) - uint64_t(low));
  });
}

// attrs: seed, offset
void k_philox_bernoulli(const Call& c) {
  const int64_t n = c.out().numel;
  if (n == 0) return;
  const haft_tensor_view p = dense(c, c.in(0));
  visit_float(c, DType(p.dtype), [&]<class T>() {
    launch(c, blocks_for(c, n, kDrawn<T>), draw_bernoulli<T>, static_cast<const T*>(p.data), c.out_data<T>(),
           n, source_of(c, 0), is_aligned(p.data, kDrawn<T> * int64_t(sizeof(T))), fault_of(c.device()),
           uint32_t(c.op()));
  });
}

// attrs: n, seed, offset, dtype, device
void k_philox_randperm(const Call& c) {
  const int64_t n = c.out().numel;
  if (n == 0) return;
  uint64_t *const keys = c.scratch<uint64_t>(n), *const places = c.scratch<uint64_t>(n),
                  *const sorted = c.scratch<uint64_t>(n);
  launch(c, blocks_for(c, n, 4), draw_places, keys, places, n, source_of(c, 1));
  const int64_t size[] = {n};
  const bool direct = c.out_dtype() == DType::i64;
  const haft_tensor_view order = direct ? c.out() : scratch_view(c, size, DType::i64);
  sort_pairs(c, keys, sorted, places, static_cast<uint64_t*>(order.data), n, 64);
  if (!direct) copy_view(c, c.out(), order);
}

// attrs: p, seed, offset
void k_philox_dropout(const Call& c) {
  const int64_t n = c.out().numel;
  const double p = c.attrs.d(0);
  if (!(p >= 0 && p <= 1)) fail(Code::invalid_argument, concat("dropout: p is ", p), "p lies in [0, 1]");
  if (n == 0) return;
  // uniform >= p in integers: the upper 24 bits of the word reach ceil(p * 2^24).
  const uint64_t threshold = uint64_t(std::ceil(p * 0x1p24)) << 8;
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  visit_float(c, c.dtype(), [&]<class T>() {
    launch(c, blocks_for(c, n, kDrawn<T>), drop<T>, c.data<T>(0), c.out_data<T>(), c.out_data<bool>(1), n,
           source_of(c, 1), threshold, scale, is_aligned(c.in(0).data, kDrawn<T> * int64_t(sizeof(T))));
  });
}

// attrs: n, replacement, seed, offset. weights (classes) or (rows, classes) -> (n) or (rows, n)
void k_philox_multinomial(const Call& c) {
  const haft_tensor_view &w = c.in(0), &out = c.out();
  if (out.numel == 0) return;
  if (!is_float(c.dtype())) fail_not_float(c, c.dtype());
  const int64_t n = c.attrs.i(0), classes = w.ndim ? w.sizes[w.ndim - 1] : 1, rows = out.numel / n;
  const Weights weights{w.data, c.dtype(), rows, classes};
  const LivePhilox source = source_of(c, 2);
  Fault* const fault = fault_of(c.device());
  const int64_t size[] = {rows, classes};
  const haft_tensor_view numbers = scratch_view(c, size, DType::f64);
  double* const data = static_cast<double*>(numbers.data);
  if (c.attrs.b(1)) {
    launch(c, block_a_row(rows), running_sums, weights, data, fault, uint32_t(c.op()));
    launch(c, blocks_for(c, rows * n), draw_classes, data, c.out_data<int64_t>(), rows, n, classes, source);
    return;
  }
  launch(c, block_a_row(rows), race, weights, data, source, fault, uint32_t(c.op()));
  haft_tensor_view drawn = out;
  drawn.ndim = 2;
  drawn.sizes[0] = rows, drawn.sizes[1] = n;
  drawn.strides[0] = n, drawn.strides[1] = 1;
  sort_along(c, numbers, nullptr, drawn, 1, n, false);
}

}  // namespace haft::cuda
