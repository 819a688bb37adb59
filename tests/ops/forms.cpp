// Records of functions whose bounds, weights or roundings are tensors or a choice.
#include <cmath>

#include "tests/ops/elements.h"

namespace haft::test {

void add_forms(Records& r) {
  r.op("clamp_tensor")
      .on(kNumbers, 0)
      .add({real({3, 4}), real({3, 4}, -2, -0.5), real({}, 0.5, 2)},
           CALL(ops::clamp_tensor(t[0], t[1], t[2])), each(EACH(std::fmin(std::fmax(x[0], x[1]), x[2]))))
      .add({real({5}), real({5})}, CALL(ops::clamp_tensor(t[0], t[1], Tensor())),
           each(EACH(std::fmax(x[0], x[1]))))
      .add({real({5}), real({5})}, CALL(ops::clamp_tensor(t[0], Tensor(), t[1])),
           each(EACH(std::fmin(x[0], x[1]))))
      .bad({real({2})}, CALL(ops::clamp_tensor(t[0], Tensor(), Tensor())), Code::invalid_argument,
           {"[clamp_tensor]", "min and max"})
      .bad({real({2, 3}), real({2, 2})}, CALL(ops::clamp_tensor(t[0], t[1], Tensor())), Code::shape,
           {"[2, 3]", "[2, 2]"});
  r.op("lerp_tensor")
      .on(kFloats, 0)
      .tolerance(4)
      .add({real({3, 4}), real({3, 4}), real({3, 4}, 0, 1)}, CALL(ops::lerp_tensor(t[0], t[1], t[2])),
           each(EACH(x[0] + x[2] * (x[1] - x[0]))))
      .add({real({3}), real({3}), real({}, 0, 1)}, CALL(ops::lerp_tensor(t[0], t[1], t[2])),
           each(EACH(x[0] + x[2] * (x[1] - x[0]))))
      .bad({real({2, 3}), real({2, 2}), real({})}, CALL(ops::lerp_tensor(t[0], t[1], t[2])), Code::shape,
           {"[2, 3]", "[2, 2]"});
  constexpr DTypes kExact = kNumbers & ~(bit(DType::f16) | bit(DType::bf16));
  Record& rounded = r.op("div_rounded").on(kExact, 0);
  rounded.add({real({3, 4}, -9, 9), real({3, 4}, 1, 3).nonzero(0.7)}, CALL(ops::div_rounded(t[0], t[1], 1)),
              each(EACH(std::floor(x[0] / x[1]))));
  rounded.add({real({3, 4}, -9, 9), real({3, 4}, 1, 3).nonzero(0.7)}, CALL(ops::div_rounded(t[0], t[1], 2)),
              each(EACH(std::trunc(x[0] / x[1]))));
  for (Case& c : rounded.cases) c.exact = true, c.grad = false;
  rounded.add({real({4}, -9, 9), real({}).constant().fixed([](Array& a) { a.v = {2}; })},
              CALL(ops::div_rounded(t[0], t[1], 1)), each(EACH(std::floor(x[0] / x[1]))));
  rounded.bad({real({2}), real({2})}, CALL(ops::div_rounded(t[0], t[1], 0)), Code::invalid_argument,
              {"[div_rounded]", "got 0"});
  const auto yes = [](const Arrays&) -> Arrays { return {Array({}, 1)}; };
  const auto no = [](const Arrays&) -> Arrays { return {Array({}, 0)}; };
  r.op("allclose")
      .on(kAll)
      .gives({always_bool})
      .add({real({3, 4})}, CALL(ops::allclose(t[0], t[0])), yes)
      .add({real({3}, 0, 1).fixed([](Array& a) {
             a.v = {0, 1, 1};
           })},
           CALL(ops::allclose(t[0], ops::zeros_like(t[0]))), no)
      .bad({real({2}), index_below({2}, 3)}, CALL(ops::allclose(t[0], t[1])), Code::dtype,
           {"[isclose]", "int64"});
  r.op("equal")
      .on(kAll)
      .gives({always_bool})
      .add({real({3, 4})}, CALL(ops::equal(t[0], t[0])), yes)
      .add({real({3, 1})}, CALL(ops::equal(t[0], ops::squeeze(t[0], 1))), no)
      .add({real({3}, 0, 1).fixed([](Array& a) {
             a.v = {0, 1, 1};
           })},
           CALL(ops::equal(t[0], ops::zeros_like(t[0]))), no);
}

}  // namespace haft::test
