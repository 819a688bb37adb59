// Triangular systems, a warp for each vector, and what stands around cuSOLVER's factors.
#include "core/cuda/linalg.h"

#include "core/cuda/fault.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

constexpr int kBlock = 128;

template <class T>
__global__ void __launch_bounds__(kBlock) unit_matrices(T* p, int64_t rows, int64_t columns, int64_t count) {
  for (int64_t i = grid_index(); i < count; i += grid_size()) p[i] = T(i / columns % rows == i % columns);
}

__global__ void __launch_bounds__(kBlock) orders(const int64_t* exchanged, int64_t count, int64_t k,
                                                 int64_t rows, int32_t* pivots, int64_t* order) {
  for (int64_t b = grid_index(); b < count; b += grid_size()) {
    int64_t* own = order + b * rows;
    for (int64_t i = 0; i < rows; ++i) own[i] = i;
    for (int64_t i = 0; i < k; ++i) {
      int64_t with = exchanged[b * k + i];
      if (with <= i || with > rows) with = i + 1;  // the library may leave those of singular matrices unset
      pivots[b * k + i] = int32_t(with);
      const int64_t row = own[i];
      own[i] = own[with - 1];
      own[with - 1] = row;
    }
  }
}

__global__ void __launch_bounds__(kBlock)
    look_along(Diagonals d, int item, int64_t count, int64_t k, bool positive, int32_t* info) {
  for (int64_t b = grid_index(); b < count; b += grid_size()) {
    int32_t found = positive ? info[b] : 0;
    for (int64_t i = 0; i < k && !found; ++i) {
      const double x =
          read_stored<double>(static_cast<const char*>(d.data) + (b * d.each + i * d.step) * item, d.dtype);
      if (positive ? !(x > 0) : x == 0) found = int32_t(i + 1);
    }
    info[b] = found;
  }
}

// Grid: (parts of a matrix, matrices). has: of each matrix, whether it has a NaN.
template <class T>
__global__ void __launch_bounds__(kBlock) look_for_nan(const T* a, int64_t each, int64_t count, bool* has) {
  for (int64_t b = blockIdx.y; b < count; b += gridDim.y)
#pragma unroll 4
    for (int64_t i = grid_index(); i < each; i += grid_size())
      if (a[b * each + i] != a[b * each + i]) has[b] = true;
}
template <class T>
__global__ void __launch_bounds__(kBlock) spread(T* a, int64_t each, int64_t count, const bool* has) {
  for (int64_t b = blockIdx.y; b < count; b += gridDim.y)
    if (has[b])
      for (int64_t i = grid_index(); i < each; i += grid_size()) a[b * each + i] = T(fn::not_a_number());
}

template <class T>
__global__ void __launch_bounds__(kBlock) look_for_odd(const T* a, int64_t rows, int64_t columns,
                                                       int64_t count, bool lower, Fault* fault, uint32_t op) {
  const int64_t each = rows * columns;
  for (int64_t i = grid_index(); i < each * count; i += grid_size()) {
    const int64_t row = i / columns % rows, column = i % columns;
    if ((!lower || column <= row) && !(fn::abs(a[i]) < T(fn::infinity())))
      raise(fault, op, 0, i / each, 0, count, kNotFinite);
  }
}

__global__ void __launch_bounds__(kBlock)
    look_for_unended(const int* info, int64_t count, Fault* fault, uint32_t op) {
  for (int64_t b = grid_index(); b < count; b += grid_size())
    if (info[b]) raise(fault, op, info[b], b, 0, count, kNotConverged);
}

// X of A X = X, of `count` vectors, whose elements are `step` apart; `each` of them belong to a matrix.
template <class T>
__global__ void __launch_bounds__(kBlock)
    solve_vectors(const T* a, int64_t row, int64_t column, T* x, int64_t n, int64_t step, int64_t next,
                  int64_t each, int64_t count, bool upper, bool unit) {
  const int lane = int(threadIdx.x) % kWarp;
  for (int64_t v = grid_index() / kWarp; v < count; v += grid_size() / kWarp) {
    const T* m = a + v / each * n * n;
    T* own = x + v / each * n * each + v % each * next;
    for (int64_t s = 0; s < n; ++s) {
      const int64_t i = upper ? n - 1 - s : s;
      T sum = 0;
      for (int64_t p = lane; p < s; p += kWarp) {
        const int64_t j = upper ? n - 1 - p : p;
        sum += m[i * row + j * column] * own[j * step];
      }
      sum = warp_reduce(sum, [](T u, T w) { return u + w; });
      if (lane == 0) {
        const T rest = own[i * step] - sum;
        own[i * step] = unit ? rest : rest / m[i * (row + column)];
      }
      __syncwarp();
    }
  }
}

Shape3 blocks_of(int64_t threads) {
  const int64_t blocks = (threads + kBlock - 1) / kBlock;
  return {{uint32_t(blocks < 65535 ? blocks : 65535), 1, 1}, {kBlock, 1, 1}};
}

}  // namespace

void fill_unit(const Call& c, const haft_tensor_view& x) {
  if (x.numel == 0) return;
  visit_computed(c, DType(x.dtype), [&]<class T>() {
    launch(c, blocks_of(x.numel), unit_matrices<T>, static_cast<T*>(x.data), x.sizes[x.ndim - 2],
           x.sizes[x.ndim - 1], x.numel);
  });
}

void order_of_rows(const Call& c, const int64_t* exchanged, int64_t count, int64_t k, int64_t rows,
                   int32_t* pivots, int64_t* order) {
  launch(c, blocks_of(count), orders, exchanged, count, k, rows, pivots, order);
}

void find_zeros(const Call& c, const Diagonals& d, int64_t count, int64_t k, int32_t* info) {
  launch(c, blocks_of(count), look_along, d, int(item_size(d.dtype)), count, k, false, info);
}
void find_not_positive(const Call& c, const Diagonals& d, int64_t count, int64_t k, int32_t* info) {
  launch(c, blocks_of(count), look_along, d, int(item_size(d.dtype)), count, k, true, info);
}
void spread_nan(const Call& c, const haft_tensor_view& x) {
  const int64_t each = x.sizes[x.ndim - 2] * x.sizes[x.ndim - 1], count = x.numel / each;
  bool* has = c.scratch<bool>(count);
  c.zero(has, count);
  Shape3 s = blocks_of((each + 7) / 8);
  s.grid.x = std::min(s.grid.x, 1024u), s.grid.y = uint32_t(std::min<int64_t>(count, 65535));
  visit_computed(c, DType(x.dtype), [&]<class T>() {
    T* a = static_cast<T*>(x.data);
    launch(c, s, look_for_nan<T>, static_cast<const T*>(a), each, count, has);
    launch(c, s, spread<T>, a, each, count, static_cast<const bool*>(has));
  });
}
void tell_not_finite(const Call& c, const haft_tensor_view& x, bool lower) {
  const int64_t rows = x.sizes[x.ndim - 2], columns = x.sizes[x.ndim - 1];
  visit_computed(c, DType(x.dtype), [&]<class T>() {
    launch(c, blocks_of(x.numel), look_for_odd<T>, static_cast<const T*>(x.data), rows, columns,
           x.numel / (rows * columns), lower, fault_of(c.device()), uint32_t(c.op()));
  });
}
void tell_not_ended(const Call& c, const int* info, int64_t count) {
  launch(c, blocks_of(count), look_for_unended, info, count, fault_of(c.device()), uint32_t(c.op()));
}

// in: A (*, n, n), B (*, n, k) or (*, k, n); attrs: upper, left, unitriangular
void k_linalg_solve_triangular(const Call& c) {
  const haft_tensor_view &out = c.out(), a = dense(c, c.in(0));
  if (out.numel == 0) return;
  copy_view(c, out, c.in(1));
  const bool upper = c.attrs.b(0), left = c.attrs.b(1), unit = c.attrs.b(2);
  const int64_t n = a.sizes[a.ndim - 1], each = left ? out.sizes[out.ndim - 1] : out.sizes[out.ndim - 2],
                count = out.numel / n;
  // X A = B is A^T X^T = B^T: rows of X are its vectors.
  visit_computed(c, c.dtype(), [&]<class T>() {
    launch(c, blocks_of(count * kWarp), solve_vectors<T>, static_cast<const T*>(a.data), left ? n : 1,
           left ? 1 : n, c.out_data<T>(), n, left ? each : 1, left ? 1 : n, each, count,
           left ? upper : !upper, unit);
  });
}

}  // namespace haft::cuda
