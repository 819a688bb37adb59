// Windows that spectra are taken through (Harris, On the Use of Windows for Harmonic Analysis, 1978).
#include <numbers>

#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

struct Window {
  int64_t length;
  DType dtype;
  Device device;
};

Window checked(int64_t length, DType dtype, Device device, const char* op) {
  if (length < 0)
    fail(Code::invalid_argument, concat("[", op, "] window_length must not be negative, got ", length), {},
         "window_length");
  if (dtype != DType::none && !is_float(dtype))
    fail(Code::dtype, concat("[", op, "] dtype must be floating, got ", dtype_name(dtype)), {}, "dtype");
  return {length, dtype == DType::none ? default_float() : dtype, device};
}

// `rule` of the places 0 to 1, of which a periodic window leaves out the last. In float64, for cos of large numbers.
template <class Rule>
Tensor made(const Window& w, bool periodic, Rule rule) {
  if (w.length < 2) return ones(Shape{w.length}, w.dtype, w.device);
  const Tensor steps = arange(0, w.length, 1, DType::f64, w.device);
  return as_dtype(rule(steps / double(periodic ? w.length : w.length - 1)), w.dtype);
}

Tensor cosine(const Tensor& at, double turns) { return cos(at * (2 * std::numbers::pi * turns)); }

}  // namespace

Tensor bartlett_window(int64_t length, bool periodic, DType dtype, Device device) {
  return made(checked(length, dtype, device, "bartlett_window"), periodic,
              [](const Tensor& at) { return 1 - abs(at * 2.0 - 1); });
}

Tensor blackman_window(int64_t length, bool periodic, DType dtype, Device device) {
  return made(checked(length, dtype, device, "blackman_window"), periodic, [](const Tensor& at) {
    return abs(cosine(at, 1) * -0.5 + cosine(at, 2) * 0.08 + 0.42);  // the ends are 0 but for rounding
  });
}

Tensor hamming_window(int64_t length, bool periodic, double alpha, double beta, DType dtype, Device device) {
  return made(checked(length, dtype, device, "hamming_window"), periodic,
              [&](const Tensor& at) { return alpha - cosine(at, 1) * beta; });
}

Tensor hann_window(int64_t length, bool periodic, DType dtype, Device device) {
  return made(checked(length, dtype, device, "hann_window"), periodic,
              [](const Tensor& at) { return square(sin(at * std::numbers::pi)); });
}

Tensor kaiser_window(int64_t length, bool periodic, double beta, DType dtype, Device device) {
  return made(checked(length, dtype, device, "kaiser_window"), periodic, [&](const Tensor& at) {
    const Tensor off = sqrt(clamp(1 - square(at * 2.0 - 1), 0.0));
    return i0(off * beta) / i0(full({}, beta, DType::f64, at.device()));
  });
}

}  // namespace haft::ops
