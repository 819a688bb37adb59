// Checks 2 and 3: first and second derivatives against differences, fused gradients against differentiable ones.
#include "core/autograd/gradcheck.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

int64_t total(const std::vector<Tensor>& ts) {
  int64_t n = 0;
  for (const Tensor& t : ts) n += t.defined() ? t.numel() : 0;
  return n;
}

template <class F>
void each_case(const Record& r, const char* check, F&& f) {
  Random random = random_for(r, check);
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    if (!c.grad) continue;
    SCOPED_TRACE("case " + std::to_string(k));
    Drawn d = draw(c, DType::f64, random, true);
    std::vector<Tensor> wanted;
    std::vector<Tensor> leaves = make_leaves(c, d.tensors, &wanted);
    if (wanted.empty() || total(wanted) > 300) continue;
    try {
      f(c, d.tensors, leaves);
    } catch (const Error& e) {
      ADD_FAILURE() << e.message;
    }
  }
}

}  // namespace

void check_gradient(const Record& r) {
  each_case(r, "gradient", [](const Case& c, auto&, const std::vector<Tensor>& leaves) {
    gradcheck([&](Ins t) -> std::vector<Tensor> { return c.call(t); }, leaves);
  });
}

void check_second(const Record& r) {
  each_case(r, "second", [](const Case& c, auto&, const std::vector<Tensor>& leaves) {
    if (total(leaves) <= 60) gradgradcheck([&](Ins t) -> std::vector<Tensor> { return c.call(t); }, leaves);
  });
  Random random = random_for(r, "fused");
  for (const Case& c : r.cases)
    for (DType t : {DType::f64, DType::f32}) {
      if (!(r.works & bit(t)) || !c.grad) continue;
      Drawn d = draw(c, t, random, true);
      uint64_t s = random();
      Tolerance tol = t == DType::f64 ? Tolerance{1e-10 * r.loose64, 1e-11 * r.loose64}
                                      : Tolerance{1e-4 * r.loose, 2e-5 * r.loose};
      std::vector<Tensor> differentiable = gradients(c, d.tensors, s, true);
      poison(differentiable);
      expect_near(gradients(c, d.tensors, s, false), differentiable, tol,
                  std::string("gradient without a graph (fused) against the one with it, ") + dtype_name(t));
    }
}

}  // namespace haft::test
