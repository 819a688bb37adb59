// Functions whose bounds, weights or roundings are tensors or a choice, and answers about two tensors as a whole.
#include <algorithm>

#include "core/ops/gradient.h"

namespace haft::ops {

// What equals a bound counts as input's own; NaN wins on both sides, and the upper bound over the lower one.
Tensor clamp_tensor(const Tensor& x, const Tensor& low, const Tensor& high) {
  if (!low.defined() && !high.defined())
    fail(Code::invalid_argument, "[clamp_tensor] at least one of min and max must be given", {}, "min");
  Tensor y = x;
  if (low.defined()) y = where(logical_or(lt(y, low), isnan(low)), low, y);
  if (high.defined()) y = where(logical_or(gt(y, high), isnan(high)), high, y);
  return y;
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
  if (is_float(x.dtype()) || is_float(y.dtype())) return rounding == kFloor ? floor(x / y) : trunc(x / y);
  return rounding == kFloor ? floor_divide(x, y) : floor_divide(x - fmod(x, y), y);
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
