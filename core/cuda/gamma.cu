// Gamma variables and how they change with their shape parameter: elements of core/schema/gamma.h, in double.
#include "core/schema/gamma.h"

#include "core/cuda/fault.cuh"
#include "core/cuda/philox.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// A variable of a small shape may lie below what the type holds; its logarithm shall be finite.
double least_normal(DType t) { return t == DType::f64 ? 0x1p-1022 : t == DType::f16 ? 0x1p-14 : 0x1p-126; }

__global__ void __launch_bounds__(kThreads)
    draw(const char* shape, char* out, DType dtype, int item, int64_t n, LivePhilox live, double least,
         Fault* fault, uint32_t op) {
  const fn::Philox source = live.now();
  for (int64_t i = grid_index(); i < n; i += grid_size()) {
    const double a = read_stored<double>(shape + i * item, dtype);
    double v = 0;
    if (!(a >= 0) || a == fn::infinity()) {
      raise(fault, op, __double_as_longlong(a), i, 0, 0, kBadShape);
    } else if (a > 0) {
      v = fn::draw_gamma(source, uint64_t(i), a);
      v = v > least ? v : least;
    }
    write_stored(out + i * item, dtype, v);
  }
}

__global__ void __launch_bounds__(kThreads)
    slopes(const char* shape, const char* sample, char* out, DType dtype, int item, int64_t n) {
  for (int64_t i = grid_index(); i < n; i += grid_size())
    write_stored(out + i * item, dtype,
                 fn::gamma_slope(read_stored<double>(shape + i * item, dtype),
                                 read_stored<double>(sample + i * item, dtype)));
}

}  // namespace

// attrs: seed, offset
void k_philox_gamma(const Call& c) {
  if (c.out().numel == 0) return;
  const DType t = c.out_dtype();
  if (!is_float(t)) fail_not_float(c, t);
  const haft_tensor_view shape = dense(c, c.in(0));
  launch(c, blocks_for(c, c.out().numel), draw, static_cast<const char*>(shape.data), c.out_data<char>(), t,
         int(item_size(t)), c.out().numel, live_philox(c, 0, 1), least_normal(t), fault_of(c.device()),
         uint32_t(c.op()));
}

void k_gamma_slope(const Call& c) {
  if (c.out().numel == 0) return;
  const DType t = c.out_dtype();
  if (!is_float(t)) fail_not_float(c, t);
  const haft_tensor_view shape = dense(c, c.in(0)), sample = dense(c, c.in(1));
  launch(c, blocks_for(c, c.out().numel), slopes, static_cast<const char*>(shape.data),
         static_cast<const char*>(sample.data), c.out_data<char>(), t, int(item_size(t)), c.out().numel);
}

}  // namespace haft::cuda
