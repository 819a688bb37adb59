// Vector products.
#include "core/cuda/rows.cuh"

namespace haft::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    cross_products(Space<3> vectors, int64_t z_step, int64_t x_step, int64_t y_step) {
  using C = Computed<T>;
  char* p[3];
  for (uint32_t i = uint32_t(grid_index()); i < vectors.count; i += uint32_t(grid_size())) {
    vectors.at(i, p);
    C x[3], y[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      x[k] = load(reinterpret_cast<const T*>(p[1])[k * x_step]);
      y[k] = load(reinterpret_cast<const T*>(p[2])[k * y_step]);
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      store(reinterpret_cast<T*>(p[0]) + k * z_step, C(fn::sub(fn::mul(x[a], y[b]), fn::mul(x[b], y[a]))));
    }
  }
}

}  // namespace

// in: two of one shape; attrs: dim, of size 3
void k_cross(const Call& c) {
  if (c.out().numel == 0) return;
  const RowWalk v({&c.out(), &c.in(0), &c.in(1)}, c.attrs.i(0));
  visit_any(c, c.dtype(), [&]<class T>() {
    for (const Walk& w : pieces(v.walk))
      launch(c, blocks_for(c, w.numel), cross_products<T>, Space<3>(w), v.steps[0], v.steps[1], v.steps[2]);
  });
}

}  // namespace haft::cuda
