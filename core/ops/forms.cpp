// Functions whose bounds, weights or roundings are tensors or a choice, and answers about two tensors as a whole.
#include <algorithm>

#include "core/ops/gradient.h"
#include "core/tensor/batched.h"

namespace haft::ops {

// NaN wins on both sides, and the upper bound over the lower one; what equals a bound shares the gradient with it.
Tensor clamp_tensor(const Tensor& x, const Tensor& low, const Tensor& high) {
  if (!low.defined() && !high.defined())
    fail(Code::invalid_argument, "[clamp_tensor] at least one of min and max must be given", {}, "min");
  const Tensor y = low.defined() ? maximum(x, low) : x;
  return high.defined() ? minimum(y, high) : y;
}

// From the nearer end, as lerp.
Tensor lerp_tensor(const Tensor& x, const Tensor& end, const Tensor& weight) {
  const Tensor way = end - x;
  return where(lt_scalar(weight, 0.5), x + weight * way, end - (1 - weight) * way);
}

Tensor div_rounded(const Tensor& x, const Tensor& y, int64_t rounding) {
  constexpr int64_t kFloor = 1, kTrunc = 2;
  if (rounding != kFloor && rounding != kTrunc)
    fail(Code::invalid_argument,
         concat("[div_rounded] rounding_mode must be 1 (floor) or 2 (trunc), got ", rounding), {},
         "rounding_mode");
  const bool floats = is_float(x.dtype()) || is_float(y.dtype());
  // A quotient may be rounded up to a whole number: 1 / 0.1 is 10, but 9 times 0.1 fits into 1.
  const Tensor whole = rounding == kFloor ? floor_divide(x, y)
                       : floats           ? trunc(detach(x) / detach(y))
                                          : floor_divide(x - fmod(x, y), y);
  if (!floats || !thread_state().grad_enabled || !(requires_grad_anywhere(x) || requires_grad_anywhere(y)))
    return whole;
  // Both have a gradient of zeros, also where the quotient's would be none.
  return where(ones({}, DType::boolean, whole.device()), whole, floor(x + y));
}

Tensor allclose(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  return all(isclose(x, y, rtol, atol, equal_nan));
}

Tensor equal(const Tensor& x, const Tensor& y) {
  NoGradGuard none;
  if (!std::ranges::equal(x.sizes(), y.sizes())) return zeros({}, DType::boolean, x.device());
  return all(eq(x, y));
}

}  // namespace haft::ops
