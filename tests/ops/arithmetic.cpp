// Records of functions of one or two elements that are compositions.
#include <algorithm>
#include <cmath>

#include "tests/ops/elements.h"

namespace haft::test {

namespace {

using F = double (*)(const double*);

Record& unary(Records& r, const char* name, CallFn call, F f, double low = -2, double high = 2) {
  Record& op = r.op(name).on(kAll);
  for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}}) op.add({real(s, low, high)}, call, each(f));
  return op;
}
Record& binary(Records& r, const char* name, CallFn call, F f) {
  Record& op = r.op(name).on(kAll).specials();
  for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}}) op.add({real(s), real(s)}, call, each(f));
  return op.bad({real({2, 3}), real({2, 2})}, call, Code::shape, {"[2, 3]", "[2, 2]"});
}

}  // namespace

void add_arithmetic(Records& r) {
  unary(r, "frac", CALL(ops::frac(t[0])), EACH(x[0] - std::trunc(x[0]))).on(kNumbers, 0);
  unary(r, "signbit", CALL(ops::signbit(t[0])), EACH(double(std::signbit(x[0]))))
      .gives({always_bool})
      .specials();
  Record& logit = unary(r, "logit", CALL(ops::logit(t[0])), EACH(std::log(x[0] / (1 - x[0]))), 0.1, 0.9);
  logit.on(kFloats, 0).tolerance(8).add({real({5})}, CALL(ops::logit(t[0], 0.25)), each(EACH([](double p) {
                                          return std::log(p / (1 - p));
                                        }(std::clamp(x[0], 0.25, 0.75)))));
  logit.add({real({5})}, CALL(ops::logit(t[0], 0.625)), each(EACH([](double p) {
              return std::log(p / (1 - p));
            }(x[0] < 0.625 ? 0.625 : std::min(x[0], 0.375)))));
  unary(r, "deg2rad", CALL(ops::deg2rad(t[0])), EACH(x[0] * M_PI / 180)).gives({float_type}).specials();
  unary(r, "rad2deg", CALL(ops::rad2deg(t[0])), EACH(x[0] * 180 / M_PI))
      .gives({float_type})
      .specials()
      .tolerance(4);
  unary(r, "sinc", CALL(ops::sinc(t[0])), EACH(x[0] == 0 ? 1 : std::sin(M_PI * x[0]) / (M_PI * x[0])))
      .on(kFloats, 0)
      .tolerance(8);
  unary(r, "nan_to_num", CALL(ops::nan_to_num(t[0], 0.5, 2, -3)),
        EACH(std::isnan(x[0])   ? 0.5
             : std::isinf(x[0]) ? (x[0] > 0 ? 2 : -3)
                                : x[0]))
      .specials();
  unary(r, "isposinf", CALL(ops::isposinf(t[0])), EACH(double(x[0] == INFINITY)))
      .gives({always_bool})
      .specials();
  unary(r, "isneginf", CALL(ops::isneginf(t[0])), EACH(double(x[0] == -INFINITY)))
      .gives({always_bool})
      .specials();
  r.op("heaviside")
      .on(kAll)
      .add({real({4}).constant().fixed([](Array& a) {
              a.v = {-1, 0, 2, 0};
            }),
            real({4})},
           CALL(ops::heaviside(t[0], t[1])), each(EACH(x[0] == 0 ? x[1] : double(x[0] > 0))))
      .bad({real({2, 3}), real({2})}, CALL(ops::heaviside(t[0], t[1])), Code::shape, {"[2, 3]", "[2]"});
  binary(r, "fmax", CALL(ops::fmax(t[0], t[1])), EACH(std::fmax(x[0], x[1])));
  binary(r, "fmin", CALL(ops::fmin(t[0], t[1])), EACH(std::fmin(x[0], x[1])));
  r.op("ldexp")
      .on(kFloats, 0)
      .tolerance(8)
      .add({real({3, 4}), real({4})}, CALL(ops::ldexp(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             return {make_array({3, 4},
                                [&](const Sizes& i) { return in[0][i] * std::exp2(in[1].v[size_t(i[1])]); })};
           })
      .bad({real({2, 3}), real({2})}, CALL(ops::ldexp(t[0], t[1])), Code::shape, {"[2, 3]", "[2]"});
  r.op("isclose")
      .on(kAll)
      .gives({always_bool})
      .add({real({5}).fixed([](Array& a) {
              a.v = {1, 2, -1, INFINITY, NAN};
            }),
            real({5}).fixed([](Array& a) {
              a.v = {1, 1, 1, INFINITY, NAN};
            })},
           CALL(ops::isclose(t[0], t[1], 0, 1, true)),
           each(EACH(double(std::isnan(x[0]) || x[0] == x[1] || std::fabs(x[0] - x[1]) <= 1))))
      .bad({real({2}), index_below({2}, 3)}, CALL(ops::isclose(t[0], t[1])), Code::dtype,
           {"[isclose]", "float32", "int64"})
      .bad({real({2}), real({2})}, CALL(ops::isclose(t[0], t[1], -1)), Code::invalid_argument,
           {"[isclose]", "-1"});
}

}  // namespace haft::test
