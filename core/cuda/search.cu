// Binary search of many values in sorted rows.
#include "core/cuda/fault.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// Values stand in rows of `row` elements, each with an edge list of n of its own, or all have one (step 0).
template <class C>
__global__ void __launch_bounds__(kThreads)
    search(const char* edges, const char* values, int64_t* out, DType dtype, int item, int64_t numel,
           int64_t row, int64_t n, int64_t step, bool right) {
  for (int64_t i = grid_index(); i < numel; i += grid_size()) {
    const char* const first = edges + (step ? i / row * step : 0) * item;
    const C v = read_stored<C>(values + i * item, dtype);
    int64_t low = 0, high = n;
    while (low < high) {  // a NaN belongs behind every number
      const int64_t at = low + (high - low) / 2;
      const C edge = read_stored<C>(first + at * item, dtype);
      if (right ? !(edge > v) : !(edge >= v))
        low = at + 1;
      else
        high = at;
    }
    out[i] = low;
  }
}

// The last of the bags that begin up to a place; all are checked, so that one which is wrong is told of, whoever looks.
__global__ void __launch_bounds__(kThreads)
    find_bags(const int64_t* begin, int64_t bags, int64_t count, int64_t* out, Fault* fault, uint32_t op) {
  const int64_t n = bags > count ? bags : count;
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    if (i < bags) {
      const int64_t before = i ? begin[i - 1] : 0, at = begin[i];
      if (at < before || at > count || (i == 0 && at != 0))
        raise(fault, op, at, i, before, count, kBadOffset);
    }
    if (i >= count) continue;
    int64_t low = 0, high = bags;
    while (low < high) {
      const int64_t at = low + (high - low) / 2;
      if (begin[at] <= i)
        low = at + 1;
      else
        high = at;
    }
    out[i] = low > 0 ? low - 1 : 0;
  }
}

}  // namespace

// offsets -> the bag of each place; attrs: count
void k_bag_numbers(const Call& c) {
  const int64_t bags = c.in(0).numel, count = c.attrs.i(0), n = bags > count ? bags : count;
  if (n)
    launch(c, blocks_for(c, n), find_bags, c.data<int64_t>(0), bags, count, c.out_data<int64_t>(),
           fault_of(c.device()), uint32_t(c.op()));
}

// in: sorted, values; attrs: right
void k_searchsorted(const Call& c) {
  const haft_tensor_view &sorted = c.in(0), &values = c.in(1);
  if (values.numel == 0) return;
  const DType t = c.dtype();
  const int64_t n = sorted.sizes[sorted.ndim - 1],
                row = sorted.ndim == 1 ? values.numel : values.sizes[values.ndim - 1];
  const haft_tensor_view of_type = dense(c, values, t);
  visit_compute(t, [&]<class C>() {
    launch(c, blocks_for(c, values.numel), search<C>, static_cast<const char*>(sorted.data),
           static_cast<const char*>(of_type.data), c.out_data<int64_t>(), t, int(item_size(t)), values.numel,
           row, n, sorted.ndim == 1 ? 0 : n, c.attrs.b(0));
  });
}

}  // namespace haft::cuda
