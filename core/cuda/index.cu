// Indexing by slices of index tensors: index_select, index_add, index, index_put; and by masks: masked_select, nonzero.
#include "core/cuda/indices.h"
#include "core/cuda/space.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

int64_t wrapped(int64_t dim, const haft_tensor_view& v) { return dim < 0 ? dim + v.ndim : dim; }

// ---- masks: blocks count what is not 0 in runs of tiles, the counts are summed, and blocks write each run from
// its sum on ----

constexpr int kTile = kThreads * 4;

// Dense elements of a size that are not 0; a float's sign does not count.
template <class U>
struct Truth {
  const U* data;
  U mask;
  __device__ bool at(int64_t i) const { return (data[i] & mask) != 0; }
};

template <class U>
__global__ void __launch_bounds__(kThreads)
    count_true(Truth<U> truth, int64_t n, int64_t run, int64_t* counts) {
  __shared__ int64_t shared[kWarp];
  const int64_t begin = blockIdx.x * run, end = begin + run < n ? begin + run : n;
  int64_t count = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) count += truth.at(i);
  count = block_reduce(count, int64_t(0), shared, Plus());
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
// counts[i] becomes the sum of those before it; one block.
__global__ void __launch_bounds__(kThreads) sum_counts(int64_t* counts, int n) {
  __shared__ int64_t sums[kThreads];
  const int each = (n + kThreads - 1) / kThreads, begin = int(threadIdx.x) * each,
            end = begin + each < n ? begin + each : n;
  int64_t sum = 0;
  for (int i = begin; i < end; ++i) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    const int64_t before = int(threadIdx.x) >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  sum = sums[threadIdx.x] - sum;
  for (int i = begin; i < end; ++i) {
    const int64_t own = counts[i];
    counts[i] = sum;
    sum += own;
  }
}
// write(i, k) for the k-th element i that is true.
template <class U, class Write>
__device__ inline void for_true(const Truth<U>& truth, int64_t n, int64_t run, const int64_t* sums,
                                Write write) {
  __shared__ int counts[kThreads / kWarp];
  const int64_t begin = blockIdx.x * run, end = begin + run < n ? begin + run : n;
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp;
  int64_t before = sums[blockIdx.x];
  for (int64_t first = begin; first < end; first += kThreads) {
    const int64_t i = first + threadIdx.x;
    const bool is_true = i < end && truth.at(i);
    const unsigned ballot = __ballot_sync(kAllLanes, is_true);
    if (lane == 0) counts[warp] = __popc(ballot);
    __syncthreads();
    int64_t k = before + __popc(ballot & ((1u << lane) - 1));
    for (int w = 0; w < kThreads / kWarp; ++w) {
      if (w < warp) k += counts[w];
      before += counts[w];
    }
    if (is_true) write(i, k);
    __syncthreads();
  }
}

struct Sizes {
  int ndim;
  int64_t sizes[HAFT_MAX_DIMS], strides[HAFT_MAX_DIMS];
  explicit Sizes(const haft_tensor_view& v) : ndim(v.ndim) {
    for (int d = 0; d < ndim; ++d) sizes[d] = v.sizes[d], strides[d] = v.strides[d];
  }
};

template <class U>
__global__ void __launch_bounds__(kThreads)
    write_places(Truth<U> truth, int64_t n, int64_t run, const int64_t* sums, Sizes shape, int64_t* out,
                 int64_t most) {
  for_true(truth, n, run, sums, [&](int64_t i, int64_t k) {
    if (k >= most) return;
    for (int d = shape.ndim - 1; d >= 0; --d) {
      const int64_t q = i / shape.sizes[d];
      out[k * shape.ndim + d] = i - q * shape.sizes[d];
      i = q;
    }
  });
}
template <class T>
__global__ void __launch_bounds__(kThreads)
    write_selected(Truth<uint8_t> mask, int64_t n, int64_t run, const int64_t* sums, Sizes shape, const T* x,
                   bool is_dense, T* out, int64_t most) {
  for_true(mask, n, run, sums, [&](int64_t i, int64_t k) {
    if (k >= most) return;
    int64_t at = i;
    if (!is_dense) {
      at = 0;
      for (int d = shape.ndim - 1; d >= 0; --d) {
        const int64_t q = i / shape.sizes[d];
        at += (i - q * shape.sizes[d]) * shape.strides[d];
        i = q;
      }
    }
    out[k] = x[at];
  });
}

// How n elements are cut into runs of whole tiles, and where each run's results begin.
struct Runs {
  int64_t run;
  Shape3 shape;
  int64_t* sums;
};
template <class U>
Runs count_runs(const Call& c, const Truth<U>& truth, int64_t n) {
  const int64_t tiles = (n + kTile - 1) / kTile, most = int64_t(multiprocessors(c.device())) * 16,
                each = (tiles + most - 1) / most;
  Runs r;
  r.run = each * kTile;
  const int64_t blocks = (n + r.run - 1) / r.run;
  r.shape.grid.x = uint32_t(blocks);
  r.shape.block.x = kThreads;
  r.sums = c.scratch<int64_t>(blocks);
  launch(c, r.shape, count_true<U>, truth, n, r.run, r.sums);
  Shape3 one;
  one.block.x = kThreads;
  launch(c, one, sum_counts, r.sums, int(blocks));
  return r;
}

}  // namespace

// in: x, index; attrs: dim
void k_index_select(const Call& c) {
  take(c, along_dim(c, c.in(0), c.in(1), c.out(), wrapped(c.attrs.i(0), c.in(0))));
}

// in: x, index, src; attrs: dim; out holds x already
void k_index_add(const Call& c) {
  put_into(c, c.out(), Join::sum, [&](const haft_tensor_view& table) {
    return along_dim(c, table, c.in(1), c.in(2), wrapped(c.attrs.i(0), table));
  });
}

// in: x, indices
void k_index(const Call& c) { take(c, advanced(c, c.in(0), c.call.in + 1, c.n_in() - 1, c.out())); }

// in: x, values, indices; attrs: accumulate; out holds x already
void k_index_put(const Call& c) {
  put_into(c, c.out(), c.attrs.b(0) ? Join::sum : Join::last, [&](const haft_tensor_view& table) {
    return advanced(c, table, c.call.in + 2, c.n_in() - 2, c.in(1));
  });
}

// in: x, mask of x's sizes; out has as many elements as the mask has ones
void k_masked_select(const Call& c) {
  const haft_tensor_view &x = c.in(0), &out = c.out();
  if (out.numel == 0) return;
  const haft_tensor_view mask = dense(c, c.in(1));
  const Truth<uint8_t> truth{static_cast<const uint8_t*>(mask.data), 0xff};
  const Runs r = count_runs(c, truth, mask.numel);
  visit_size(item_size(c.dtype()), [&]<class T>() {
    launch(c, r.shape, write_selected<T>, truth, mask.numel, r.run, r.sums, Sizes(x),
           static_cast<const T*>(x.data), x.contiguous != 0, c.out_data<T>(), out.numel);
  });
}

// out (count, ndim) int64, as many rows as x has elements that are not 0
void k_nonzero(const Call& c) {
  if (c.out().numel == 0) return;
  const haft_tensor_view x = dense(c, c.in(0));
  visit_size(item_size(c.dtype()), [&]<class U>() {
    const Truth<U> truth{static_cast<const U*>(x.data), U(is_float(c.dtype()) ? U(~U(0)) >> 1 : U(~U(0)))};
    const Runs r = count_runs(c, truth, x.numel);
    launch(c, r.shape, write_places<U>, truth, x.numel, r.run, r.sums, Sizes(x), c.out_data<int64_t>(),
           c.out().sizes[0]);
  });
}

}  // namespace haft::cuda
