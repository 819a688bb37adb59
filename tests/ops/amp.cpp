// Records of the operators over all gradients, behind their scaler and limits: those in place answer what they have
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

Outs norms(Ins t) { return haft::ops::foreach_norm(t); }
// Copies, times a number of either type.
Outs multiplied(Ins t, double by, DType type) {
  std::vector<Tensor> changed;
  for (const Tensor& x : t) changed.push_back(ops::clone(x));
  const Tensor factor = haft::ops::full(Shape{}, Scalar(by), type, t[0].device());
  haft::ops::foreach_mul(int64_t(changed.size()), changed, {&factor, 1});
  return changed;
}
DType at_least_f32(DType t) { return t == DType::f64 ? t : DType::f32; }

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
           {"[amp_unscale]", "tensor 0"})
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
  const auto lengths = [](const Arrays& x) -> Arrays {
    Array out({int64_t(x.size())});
    for (size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (double v : x[i].v) sum += v * v;
      out.v[i] = std::sqrt(sum);
    }
    return {out};
  };
  r.op("foreach_norm")
      .on(kFloats)
      .gives({at_least_f32})
      .add({real({3, 5}), real({7}), real({})}, CALL(norms(t)), lengths)
      .add({real({2, 3, 4}), real({0, 3}), real({1}), real({0}), real({3, 11000})}, CALL(norms(t)), lengths)
      .add({real({3, 5}).fixed(infinite), real({2, 1100}).fixed(missing)}, CALL(norms(t)), lengths)
      .bad({real({3}), real({2})}, CALL(norms(std::vector{t[0], ops::cast(t[1], DType::i64)})), Code::dtype,
           {"[foreach_norm]", "tensor 1"});
#define MULTIPLIED(by, type)                                     \
  CALL(multiplied(t, by, type)), [](const Arrays& x) -> Arrays { \
    Arrays out = x;                                              \
    for (Array & a : out)                                        \
      for (double& v : a.v) v *= by;                             \
    return out;                                                  \
  }
  r.op("foreach_mul")
      .on(kFloats)
      .add({real({3, 5}), real({7}), real({})}, MULTIPLIED(0.3125, DType::f32))
      .add({real({2, 3, 4}), real({0, 3}), real({1}), real({3, 11000})}, MULTIPLIED(-1.75, DType::f64))
      .bad({real({3})}, CALL(multiplied(std::vector{ops::cast(t[0], DType::i64)}, 1, DType::f32)),
           Code::dtype, {"[foreach_mul]", "tensor 0"})
      .bad({real({3})}, CALL(multiplied(t, 1, DType::f16)), Code::invalid_argument,
           {"[foreach_mul]", "one number"});
#undef MULTIPLIED
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
