#include "core/schema/optimizers.h"
#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

// Parameters of mixed shape; one gradient is transposed, one parameter is empty.
struct Model {
  std::vector<Array> lists[5];

  Model(DType t, DType buffers, bool strided, std::mt19937& rng) {
    for (const Sizes& s : {Sizes{3, 5}, Sizes{1}, Sizes{0, 2}, Sizes{40, 41}, Sizes{}, Sizes{700}})
      for (int k = 0; k < 5; ++k) {
        const DType own = k < 2 ? t : buffers;
        Array a = s.size() == 2 && strided && (k == 1 || k == 0)
                      ? Array::random(own, {s[1], s[0]}, rng).transpose(0, 1)
                      : Array::random(own, s, rng);
        for (int64_t i = 0; i < a.numel() && k >= 2; ++i)
          a.set(i, k == 2 ? 0.1 * a.at(i) : std::abs(a.at(i)));
        lists[k].push_back(a);
      }
  }
  std::vector<const Array*> in(int count) const {
    std::vector<const Array*> v;
    for (int k = 0; k < count; ++k)
      for (const Array& a : lists[k]) v.push_back(&a);
    return v;
  }
  std::vector<double> flat(int k) const {
    std::vector<double> v;
    for (const Array& a : lists[k])
      for (double x : a.values()) v.push_back(x);
    return v;
  }
  int64_t count() const { return int64_t(lists[0].size()); }
};

std::vector<uint64_t> step_words(OptimizerId id, int64_t n, int64_t slots, bool fresh, int64_t step,
                                 std::span<const double> options) {
  AttrWriter w;
  w.add(int64_t(id)).add(n).add(slots).add(int64_t(fresh)).add(step).add(options[0]).add(options);
  auto all = w.finish();
  return {all.begin(), all.end()};
}

void check_sgd(DType t, DType buffers, bool strided, double momentum, double dampening, double decay,
               bool nesterov, bool first, bool maximize) {
  std::mt19937 rng(1);
  const Model m(t, buffers, strided, rng);
  auto p = m.flat(0), g = m.flat(1), b = m.flat(2);
  const double lr = 0.1;
  const double options[] = {lr, momentum, dampening, decay, double(nesterov), double(maximize)};
  run(k_optimizer_step, m.in(momentum != 0 ? 3 : 2), {},
      step_words(OptimizerId::SGD, m.count(), momentum != 0 ? 1 : 0, first, 3, options));
  for (size_t i = 0; i < p.size(); ++i) {
    double d = maximize ? -g[i] : g[i];
    d += decay * p[i];
    if (momentum != 0) {
      b[i] = first ? d : momentum * b[i] + (1 - dampening) * d;
      d = nesterov ? d + momentum * b[i] : b[i];
    }
    p[i] -= lr * d;
  }
  const double tol = std::max(tolerance(t), tolerance(buffers));
  expect_near(m.flat(0), p, tol);
  expect_near(m.flat(1), g, 0);
  expect_near(m.flat(2), b, tol);
}

void check_adam(DType t, DType buffers, bool strided, int64_t step, double decay, bool decoupled,
                bool amsgrad, bool maximize) {
  std::mt19937 rng(2);
  const Model mod(t, buffers, strided, rng);
  auto p = mod.flat(0), g = mod.flat(1), m = mod.flat(2), v = mod.flat(3), top = mod.flat(4);
  const double lr = 0.01, b1 = 0.9, b2 = 0.99, eps = 1e-8;
  const double options[] = {lr, b1, b2, eps, decay, double(amsgrad), double(maximize), 0};
  run(k_optimizer_step, mod.in(amsgrad ? 5 : 4), {},
      step_words(decoupled ? OptimizerId::AdamW : OptimizerId::Adam, mod.count(), amsgrad ? 7 : 3, step == 1,
                 step, options));
  for (size_t i = 0; i < p.size(); ++i) {
    double d = maximize ? -g[i] : g[i];
    if (decoupled)
      p[i] *= 1 - lr * decay;
    else
      d += decay * p[i];
    m[i] = b1 * m[i] + (1 - b1) * d;
    v[i] = b2 * v[i] + (1 - b2) * d * d;
    double second = v[i];
    if (amsgrad) second = top[i] = std::max(top[i], v[i]);
    const double denominator = std::sqrt(second) / std::sqrt(1 - std::pow(b2, double(step))) + eps;
    p[i] -= lr / (1 - std::pow(b1, double(step))) * m[i] / denominator;
  }
  const double tol = std::max(tolerance(t), tolerance(buffers));
  expect_near(mod.flat(0), p, tol);
  expect_near(mod.flat(1), g, 0);
  expect_near(mod.flat(2), m, tol);
  expect_near(mod.flat(3), v, tol);
  expect_near(mod.flat(4), top, tol);
}

}  // namespace

TEST(Optimizer, Sgd) {
  for (DType t : kFloats)
    for (bool strided : {false, true})
      for (double decay : {0.0, 0.05})
        for (bool maximize : {false, true}) {
          check_sgd(t, t, strided, 0, 0, decay, false, false, maximize);
          check_sgd(t, t, strided, 0.9, 0, decay, false, true, maximize);
          check_sgd(t, t, strided, 0.9, 0.2, decay, false, false, maximize);
          check_sgd(t, t, strided, 0.9, 0, decay, true, false, maximize);
          check_sgd(t, t == DType::f64 ? t : DType::f32, strided, 0.9, 0, decay, true, false, maximize);
        }
}

TEST(Optimizer, Adam) {
  for (DType t : kFloats)
    for (bool strided : {false, true})
      for (bool amsgrad : {false, true})
        for (int64_t step : {1, 7}) {
          check_adam(t, t, strided, step, 0, false, amsgrad, false);
          check_adam(t, t, strided, step, 0.1, false, amsgrad, true);
          check_adam(t, t, strided, step, 0.1, true, amsgrad, false);
          check_adam(t, t == DType::f64 ? t : DType::f32, strided, step, 0.1, true, amsgrad, false);
        }
}

// Blocked tensors are dense: they are stepped as they lie in memory.
TEST(Optimizer, BlockedLayout) {
  std::mt19937 rng(3);
  Array p = Array::random(DType::f32, {8, 8, 1, 3}, rng), g = Array::random(DType::f32, {8, 8, 1, 3}, rng);
  auto want = p.values();
  for (size_t i = 0; i < want.size(); ++i) want[i] -= 0.5 * g.at(int64_t(i));
  for (Array* a : {&p, &g}) {
    a->view.layout = HAFT_LAYOUT_BLOCKED8;
    a->view.contiguous = 0;
  }
  const double options[] = {0.5, 0, 0, 0, 0, 0};
  const auto attrs = step_words(OptimizerId::SGD, 1, 0, true, 1, options);
  run(k_optimizer_step, {&p, &g}, {}, attrs);
  p.view.layout = HAFT_LAYOUT_STRIDED;
  expect_near(p.values(), want, 1e-6);
  expect_error(Code::shape, {"parameter 0", "another layout"}, [&] {
    run(k_optimizer_step, {&p, &g}, {}, attrs);
  });
}

TEST(Optimizer, NoParametersStepNothing) {
  const double options[] = {0.5, 0, 0, 0, 0, 0};
  Array p(DType::f32, {3}, {1, 2, 3}), g(DType::f32, {3}, {4, 5, 6});
  run(k_optimizer_step, {&p, &g}, {}, step_words(OptimizerId::SGD, 0, 0, true, 1, options));
  EXPECT_EQ(p.values(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(g.values(), (std::vector<double>{4, 5, 6}));
}
