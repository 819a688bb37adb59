// Elements from one view to another: any strides, any types.
#include "core/cuda/float8.cuh"
#include "core/cuda/space.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

template <class To, class From>
__global__ void __launch_bounds__(kThreads) convert_elements(Space<2> space) {
  char* p[2];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    store(reinterpret_cast<To*>(p[0]), convert_to<To>(load(*reinterpret_cast<const From*>(p[1]))));
  }
}
// With an 8-bit float on a side, by way of float: one kernel for all, whose branches all threads take alike.
__global__ void __launch_bounds__(kThreads) convert_float8(Space<2> space, DType to, DType from) {
  char* p[2];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    const float x = is_float(from) ? read_as_float(p[1], from, 0) : float(read_stored<int64_t>(p[1], from));
    if (is_float(to))
      write_from_float(p[0], to, 0, x);
    else if (to == DType::boolean)
      *reinterpret_cast<bool*>(p[0]) = x != 0;
    else
      write_stored<int64_t>(p[0], to, to == DType::i64 ? convert<int64_t>(x) : convert<int32_t>(x));
  }
}
// The same between floats of at most 32 bits in dense memory, four at a time; 8-bit ones are bytes here.
template <class T>
__device__ inline float as_float(T x, DType t) {
  if constexpr (sizeof(T) == 1)
    return float_of_byte(x, t);
  else
    return load(x);
}
template <class To, class From>
__global__ void __launch_bounds__(kThreads)
    convert_fours(Vector<To, 4>* out, const Vector<From, 4>* in, int64_t fours, DType to, DType from) {
  for (int64_t i = grid_index(); i < fours; i += grid_size()) {
    const Vector<From, 4> x = in[i];
    Vector<To, 4> y;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if constexpr (sizeof(To) == 1)
        // By value: of writes to y through a pointer to void nvcc 13 makes zeros.
        y.at[k] = byte_of_float(as_float(x.at[k], from), to);
      else
        store(&y.at[k], as_float(x.at[k], from));
    }
    out[i] = y;
  }
}
// The same type on both sides: bytes, kN elements at a time.
template <class T, int kN>
__global__ void __launch_bounds__(kThreads) move_elements(Space<2> space) {
  char* p[2];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    *reinterpret_cast<Vector<T, kN>*>(p[0]) = *reinterpret_cast<const Vector<T, kN>*>(p[1]);
  }
}

// A matrix turned by tiles through shared memory, so that both sides are read and written along their rows.
constexpr int kTile = 32, kTileRows = 8;
template <class T>
__global__ void __launch_bounds__(kTile* kTileRows)
    turn(T* to, const T* from, int64_t rows, int64_t columns, int64_t batch_stride) {
  __shared__ T tile[kTile][kTile + 1];
  const int64_t batch = int64_t(blockIdx.z) * batch_stride;
  const int64_t x = int64_t(blockIdx.x) * kTile, y = int64_t(blockIdx.y) * kTile;
  for (int i = int(threadIdx.y); i < kTile; i += kTileRows)
    if (y + i < rows && x + int(threadIdx.x) < columns)
      tile[i][threadIdx.x] = from[batch + (y + i) * columns + x + threadIdx.x];
  __syncthreads();
  for (int i = int(threadIdx.y); i < kTile; i += kTileRows)
    if (x + i < columns && y + int(threadIdx.x) < rows)
      to[batch + (x + i) * rows + y + threadIdx.x] = tile[threadIdx.x][i];
}

// Whether w turns matrices: dst dense, src dense but for its last two dimensions (of the walk) exchanged.
bool turns(const Walk& w, int64_t item) {
  if (w.ndim < 2 || w.ndim > 3) return false;
  const int r = w.ndim - 2, c = w.ndim - 1;
  const Operand &to = w.operands[0], &from = w.operands[1];
  return to.strides[c] == item && to.strides[r] == item * w.sizes[c] && from.strides[r] == item &&
         from.strides[c] == item * w.sizes[r] && w.sizes[r] >= 16 && w.sizes[c] >= 16 &&
         (w.sizes[r] + kTile - 1) / kTile <= 65535 &&
         (w.ndim == 2 || (w.sizes[0] <= 65535 && to.strides[0] == from.strides[0] &&
                          to.strides[0] == item * w.sizes[r] * w.sizes[c]));
}

// False where it is not of that kind.
bool convert_dense_float8(const Call& c, const haft_tensor_view& dst, const haft_tensor_view& src) {
  const DType to = DType(dst.dtype), from = DType(src.dtype);
  if (!dst.contiguous || !src.contiguous || dst.numel % 4 || !is_float(to) || !is_float(from) ||
      item_size(to) > 4 || item_size(from) > 4 || !is_aligned(dst.data, 16) || !is_aligned(src.data, 16))
    return false;
  auto go = [&]<class To, class From>() {
    launch(c, blocks_for(c, dst.numel / 4), convert_fours<To, From>, static_cast<Vector<To, 4>*>(dst.data),
           static_cast<const Vector<From, 4>*>(src.data), dst.numel / 4, to, from);
  };
  auto to_eight = [&]<class From>() {
    if constexpr (sizeof(From) <= 4) go.template operator()<uint8_t, From>();
  };
  auto from_eight = [&]<class To>() {
    if constexpr (sizeof(To) <= 4) go.template operator()<To, uint8_t>();
  };
  if (!is_float8(from))
    visit_float(c, from, to_eight);
  else if (!is_float8(to))
    visit_float(c, to, from_eight);
  else
    to_eight.template operator()<uint8_t>();
  return true;
}

int64_t vector_of(const Walk& w) {
  for (int64_t n = 16 / w.operands[0].item; n > 1; n /= 2)
    if (w.sizes[w.ndim - 1] % n == 0 && w.in_vectors(0, n) && w.in_vectors(1, n)) return n;
  return 1;
}

template <class T>
void move_piece(const Call& c, const Walk& w) {
  if (turns(w, int64_t(sizeof(T)))) {
    // In the walk a row of dst is a column of src.
    const int64_t rows = w.sizes[w.ndim - 1], columns = w.sizes[w.ndim - 2];
    Shape3 s;
    s.grid = {uint32_t((columns + kTile - 1) / kTile), uint32_t((rows + kTile - 1) / kTile),
              uint32_t(w.ndim == 3 ? w.sizes[0] : 1)};
    s.block = {kTile, kTileRows, 1};
    launch(c, s, turn<T>, reinterpret_cast<T*>(w.operands[0].data),
           reinterpret_cast<const T*>(w.operands[1].data), rows, columns, rows * columns);
    return;
  }
  auto go = [&]<int kN>() { launch(c, blocks_for(c, w.numel / kN), move_elements<T, kN>, Space<2>(w, kN)); };
  const int64_t n = vector_of(w);
  if (n == 1) return go.template operator()<1>();
  if constexpr (sizeof(T) <= 8)
    if (n * int64_t(sizeof(T)) == 16) return go.template operator()<int(16 / sizeof(T))>();
  if constexpr (sizeof(T) <= 4)
    if (n * int64_t(sizeof(T)) == 8) return go.template operator()<int(8 / sizeof(T))>();
  launch(c, blocks_for(c, w.numel), move_elements<T, 1>, Space<2>(w));
}

}  // namespace

void copy_view(const Call& c, const haft_tensor_view& dst, const haft_tensor_view& src) {
  if (dst.numel == 0) return;
  if (dst.dtype == src.dtype && dst.contiguous && src.contiguous)
    return c.copy(dst.data, src.data, bytes(dst));
  if ((is_float8(DType(dst.dtype)) || is_float8(DType(src.dtype))) && dst.dtype != src.dtype &&
      convert_dense_float8(c, dst, src))
    return;
  Walk whole;
  whole.add(dst);
  whole.add(src);
  whole.merge();
  for (const Walk& w : pieces(whole)) {
    if (dst.dtype == src.dtype) {
      visit_size(w.operands[0].item, [&]<class T>() { move_piece<T>(c, w); });
    } else if (is_float8(DType(dst.dtype)) || is_float8(DType(src.dtype))) {
      launch(c, blocks_for(c, w.numel), convert_float8, Space<2>(w), DType(dst.dtype), DType(src.dtype));
    } else {
      visit_any(c, DType(dst.dtype), [&]<class To>() {
        visit_any(c, DType(src.dtype), [&]<class From>() {
          launch(c, blocks_for(c, w.numel), convert_elements<To, From>, Space<2>(w));
        });
      });
    }
  }
}

haft_tensor_view scratch_view(const Call& c, std::span<const int64_t> sizes, DType t) {
  haft_tensor_view v{};
  v.dtype = uint8_t(t);
  v.ndim = uint8_t(sizes.size());
  v.contiguous = 1;
  v.numel = 1;
  for (int d = v.ndim - 1; d >= 0; --d) {
    v.sizes[d] = sizes[size_t(d)];
    v.strides[d] = v.numel;
    v.numel *= v.sizes[d];
  }
  v.data = c.scratch_bytes(v.numel * item_size(t));
  return v;
}
haft_tensor_view dense(const Call& c, const haft_tensor_view& v, DType t) {
  if (t == DType::none) t = DType(v.dtype);
  if (v.contiguous && DType(v.dtype) == t) return v;
  const haft_tensor_view copy = scratch_view(c, sizes(v), t);
  copy_view(c, copy, v);
  return copy;
}

void k_cast(const Call& c) { copy_view(c, c.out(), c.in(0)); }
void k_copy(const Call& c) { copy_view(c, c.out(), c.in(c.n_in() - 1)); }
void k_contiguous_copy(const Call& c) { copy_view(c, c.out(), c.in(0)); }

}  // namespace haft::cuda
