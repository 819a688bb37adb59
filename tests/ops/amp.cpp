// Records of the operators behind the scaler of gradients: all of them in place, so that a case answers what it has
// changed.
#include <cmath>
#include <limits>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

Tensor number_like(const Tensor& t, double value) {
  return haft::ops::full(Shape{}, Scalar(value), DType::f32, t.device());
}

// Copies of the gradients, divided by `scale`, and what was found, beside a `before` that stays.
Outs unscaled(Ins t, double scale, double before) {
  std::vector<Tensor> changed;
  for (const Tensor& x : t) changed.push_back(ops::clone(x));
  const Tensor state[] = {number_like(t[0], scale), number_like(t[0], before)};
  haft::ops::amp_unscale(int64_t(changed.size()), changed, state);
  changed.push_back(state[1]);
  return changed;
}

Arrays divided(const Arrays& x, double scale, double before) {
  Arrays out = x;
  for (Array& a : out)
    for (double& v : a.v) {
      if (!std::isfinite(v)) before = 1;
      v /= scale;
    }
  out.push_back(Array({}, before));
  return out;
}

Outs updated(Ins t, double growth, double backoff, int64_t interval) {
  const Tensor state[] = {ops::clone(t[0]), ops::clone(t[1])};
  haft::ops::amp_update(2, growth, backoff, interval, state, t.subspan(2));
  return std::vector<Tensor>{state[0], state[1]};
}

Input number(double value) {
  return real({}).constant().fixed([value](Array& a) { a.v.assign(a.v.size(), value); });
}
DType always_f32(DType) { return DType::f32; }

}  // namespace

void add_amp(Records& r) {
  const auto infinite = [](Array& a) { a.v[2] = -std::numeric_limits<double>::infinity(); };
  const auto missing = [](Array& a) { a.v.back() = std::numeric_limits<double>::quiet_NaN(); };
#define UNSCALED(scale, before) \
  CALL(unscaled(t, scale, before)), [](const Arrays& x) -> Arrays { return divided(x, scale, before); }
  r.op("amp_unscale")
      .on(kFloats)
      .gives({same, same, same, always_f32})
      .add({real({3, 5}), real({7}), real({})}, UNSCALED(8, 0))
      .add({real({2, 3, 4}), real({0, 3}), real({1})},
           UNSCALED(0.25, 1))  // what another call has found stays
      .add({real({3, 5}).fixed(infinite), real({7}), real({1})}, UNSCALED(8, 0))
      .add({real({3}), real({2, 1100}).fixed(missing), real({1})}, UNSCALED(2, 0))
      .bad({real({3})}, CALL(unscaled(std::vector{ops::cast(t[0], DType::i64)}, 8, 0)), Code::dtype,
           {"[amp_unscale]", "gradient 0"})
      .bad({real({3})},
           [](Ins t) -> Outs {
             const Tensor state[] = {t[0], t[0]};
             haft::ops::amp_unscale(1, t, state);
             return t[0];
           },
           Code::invalid_argument, {"[amp_unscale]", "the scale must be one float32 number"})
      .bad({real({3})},
           [](Ins t) -> Outs {
             haft::ops::amp_unscale(2, t, t);
             return t[0];
           },
           Code::invalid_argument, {"[amp_unscale]", "2 gradients"});
#undef UNSCALED
  r.op("amp_update")
      .on(bit(DType::f32), 0)
      .add({number(8), number(0), number(0)}, CALL(updated(t, 2, 0.5, 3)),
           [](const Arrays&) -> Arrays {
             return {Array({}, 8), Array({}, 1)};
           })
      .add({number(8), number(2), number(0), number(0)}, CALL(updated(t, 2, 0.5, 3)),
           [](const Arrays&) -> Arrays {
             return {Array({}, 16), Array({}, 0)};
           })
      .add({number(8), number(2), number(0), number(1)}, CALL(updated(t, 2, 0.5, 3)),
           [](const Arrays&) -> Arrays {
             return {Array({}, 4), Array({}, 0)};
           })
      .add({number(3e38), number(0), number(0)}, CALL(updated(t, 4, 0.5, 1)),  // it does not become infinite
           [](const Arrays&) -> Arrays {
             return {Array({}, 3e38), Array({}, 0)};
           })
      .bad({number(8), number(0), real({2})}, CALL(updated(t, 2, 0.5, 3)), Code::invalid_argument,
           {"[amp_update]", "what was found"})
      .bad({number(8), number(0)}, CALL(updated(t, 2, 0.5, 3)), Code::invalid_argument,
           {"[amp_update]", "2 tensors"});
}

}  // namespace haft::test
