// Products and quotients of complex numbers, which are pairs of neighbouring reals.
#include "core/cuda/space.cuh"

namespace haft::cuda {

namespace {

// `sign` -1 takes the conjugates of the second operand. Quotients go by its larger part (Smith, Algorithm 116, 1962),
// so that no square of it leaves the type's range: over infinity what is finite is 0, over 0 it is infinite.
template <class T, bool kQuotient>
__global__ void __launch_bounds__(kThreads, 1) combine_numbers(Space<3> numbers, T sign) {
  char* p[3];
  for (uint32_t i = uint32_t(grid_index()); i < numbers.count; i += uint32_t(grid_size())) {
    numbers.at(i, p);
    const T *x = reinterpret_cast<const T*>(p[1]), *y = reinterpret_cast<const T*>(p[2]);
    T* z = reinterpret_cast<T*>(p[0]);
    const T a = x[0], b = x[1];
    const T u = y[0], v = y[1] * sign;
    if constexpr (kQuotient) {
      const bool wide = (u < 0 ? -u : u) >= (v < 0 ? -v : v);
      const T large = wide ? u : v, small = wide ? v : u, ratio = small / (large == 0 ? T(1) : large);
      const T below = (large == 0 ? T(0) : large) + small * ratio;  // of -0, too, +0
      z[0] = ((wide ? a : b) + (wide ? b : a) * ratio) / below;
      z[1] = ((wide ? b : -a) + (wide ? -a : b) * ratio) / below;
    } else {
      z[0] = a * u - b * v;
      z[1] = a * v + b * u;
    }
  }
}

// A number is an element of the walk; parts that are no neighbours are copied.
void add_numbers(const Call& c, Walk& walk, haft_tensor_view v) {
  if (v.strides[v.ndim - 1] != 1) v = dense(c, v);
  v.numel /= 2;
  --v.ndim;
  walk.add(v);
  walk.operands[walk.n - 1].item *= 2;
}

template <bool kQuotient>
void combine(const Call& c) {
  if (c.out().numel == 0) return;
  Walk whole;
  add_numbers(c, whole, c.out());
  for (int i = 0; i < 2; ++i) add_numbers(c, whole, c.in(i));
  whole.merge();
  const double sign = c.attrs.b(0) ? -1 : 1;
  for (const Walk& w : pieces(whole)) {
    if (c.dtype() == DType::f64)
      launch(c, blocks_for(c, w.numel), combine_numbers<double, kQuotient>, Space<3>(w), sign);
    else
      launch(c, blocks_for(c, w.numel), combine_numbers<float, kQuotient>, Space<3>(w), float(sign));
  }
}

}  // namespace

// in: two of one shape (*, 2), float32 or float64; attrs: conj
void k_complex_product(const Call& c) { combine<false>(c); }
void k_complex_quotient(const Call& c) { combine<true>(c); }

}  // namespace haft::cuda
