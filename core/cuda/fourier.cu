// What stands around cuFFT's transforms: factors, and halves of real lines made clean.
#include "core/cuda/fourier.h"

#include "core/cuda/device.cuh"

namespace haft::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads, 1) scaled(T* x, int64_t n, T by) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) x[i] *= by;
}

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    clean_halves(const T* from, T* to, int64_t lines, int64_t numbers, bool even) {
  for (int64_t i = grid_index(); i < lines * numbers; i += grid_size()) {
    const int64_t k = i % numbers;
    to[2 * i] = from[2 * i];
    to[2 * i + 1] = k == 0 || (even && k == numbers - 1) ? T(0) : from[2 * i + 1];
  }
}

template <class F>
void in_type(const Call& c, F&& f) {
  c.dtype() == DType::f64 ? f.template operator()<double>() : f.template operator()<float>();
}

}  // namespace

void scale_elements(const Call& c, void* x, int64_t n, double by) {
  in_type(c, [&]<class T>() { launch(c, blocks_for(c, n), scaled<T>, static_cast<T*>(x), n, T(by)); });
}

void copy_halves(const Call& c, const void* from, void* to, int64_t lines, int64_t n) {
  const int64_t numbers = n / 2 + 1;
  in_type(c, [&]<class T>() {
    launch(c, blocks_for(c, lines * numbers), clean_halves<T>, static_cast<const T*>(from),
           static_cast<T*>(to), lines, numbers, n % 2 == 0);
  });
}

}  // namespace haft::cuda
