// Poisson and binomial variables: elements of core/schema/counts.h, in double.
#include "core/schema/counts.h"

#include "core/cuda/fault.cuh"
#include "core/cuda/philox.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

struct Numbers {
  const char* data;
  DType dtype;
  int item;

  __device__ double at(int64_t i) const { return read_stored<double>(data + i * item, dtype); }
};
Numbers numbers(const Call& c, int input) {
  const haft_tensor_view v = dense(c, c.in(input));
  return {static_cast<const char*>(v.data), DType(v.dtype), int(item_size(DType(v.dtype)))};
}

__global__ void __launch_bounds__(kThreads)
    draw_poissons(Numbers rates, char* out, int64_t n, LivePhilox live, Fault* fault, uint32_t op) {
  const fn::Philox source = live.now();
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const double rate = rates.at(i);
    double k = 0;
    if (rate >= 0)
      k = fn::draw_poisson(source, uint64_t(i), rate);
    else
      raise(fault, op, __double_as_longlong(rate), i, 0, 0, kBadRate);
    write_stored(out + i * rates.item, rates.dtype, k);
  }
}

__global__ void __launch_bounds__(kThreads)
    draw_binomials(Numbers probs, Numbers counts, char* out, int64_t n, LivePhilox live, Fault* fault,
                   uint32_t op) {
  const fn::Philox source = live.now();
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const double p = probs.at(i), trials = counts.at(i);
    double k = 0;
    if (!(trials >= 0))
      raise(fault, op, __double_as_longlong(trials), i, 0, 0, kBadCount);
    else if (!(p >= 0 && p <= 1))
      raise(fault, op, __double_as_longlong(p), i, 0, 0, kBadProbability);
    else
      k = fn::draw_binomial(source, uint64_t(i), trials, p);
    write_stored(out + i * probs.item, probs.dtype, k);
  }
}

}  // namespace

// attrs: seed, offset
void k_philox_poisson(const Call& c) {
  if (c.out().numel == 0) return;
  launch(c, blocks_for(c, c.out().numel), draw_poissons, numbers(c, 0), c.out_data<char>(), c.out().numel,
         live_philox(c, 0, 1), fault_of(c.device()), uint32_t(c.op()));
}

// in: probabilities, trials; attrs: seed, offset
void k_philox_binomial(const Call& c) {
  if (c.out().numel == 0) return;
  launch(c, blocks_for(c, c.out().numel), draw_binomials, numbers(c, 0), numbers(c, 1), c.out_data<char>(),
         c.out().numel, live_philox(c, 0, 1), fault_of(c.device()), uint32_t(c.op()));
}

}  // namespace haft::cuda
