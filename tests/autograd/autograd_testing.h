// What the tests of autograd share: leaves, values, one-line backward, errors by code and text.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/autograd/engine.h"
#include "core/autograd/function.h"
#include "core/autograd/gradcheck.h"
#include "core/autograd/hooks.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "tests/seed.h"

namespace haft::testing {

struct AutogradTest : ::testing::Test {
  static void SetUpTestSuite() { init(); }
};

inline std::vector<double> values(const Tensor& t) {
  NoGradGuard off;
  std::vector<double> v(static_cast<size_t>(t.numel()));
  copy_to_host(ops::cast(t, DType::f64), v.data());
  return v;
}
inline Tensor tensor(const std::vector<double>& v, IntList size, Device device = {}) {
  Tensor t = new_tensor(size, DType::f64, device);
  copy_from_host(t, v.data());
  return t;
}

struct RandomTest : AutogradTest {
  std::mt19937_64 random{test::seed()};
  // Normal numbers, new in each run.
  Tensor some(Shape sizes) {
    std::normal_distribution<double> normal;
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    std::vector<double> v(static_cast<size_t>(n));
    for (double& x : v) x = normal(random);
    return tensor(v, sizes);
  }
};
inline Tensor tensor(const std::vector<double>& v) { return tensor(v, Shape{int64_t(v.size())}); }
inline Tensor leaf(const std::vector<double>& v) {
  Tensor t = tensor(v);
  set_requires_grad(t, true);
  return t;
}
inline Tensor leaf(const std::vector<double>& v, IntList size) {
  Tensor t = tensor(v, size);
  set_requires_grad(t, true);
  return t;
}
inline void backward(const Tensor& out, BackwardOptions o = {}) { haft::backward({&out, 1}, {}, o); }
inline Tensor grad(const Tensor& out, const Tensor& in, BackwardOptions o = {}) {
  return haft::grad({&out, 1}, {&in, 1}, {}, o)[0];
}
inline std::vector<double> grad_of(const Tensor& t) {
  Tensor g = gradient_of(t);
  return g.defined() ? values(g) : std::vector<double>{};
}

template <class F>
void expect_error(F&& f, Code code, const std::string& part) {
  try {
    f();
    ADD_FAILURE() << "nothing failed; wanted: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
  }
}

using Numbers = std::vector<double>;

}  // namespace haft::testing
