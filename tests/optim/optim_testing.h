// What the tests of optimizers share: leaves, values, errors by code and text.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/optim/optimizer.h"
#include "tests/seed.h"

namespace haft::testing {

using Numbers = std::vector<double>;

class DrawnNumbers : public ::testing::Test {
 protected:
  std::mt19937_64 random{test::seed()};
  void SetUp() override { init(); }
  Numbers some(int64_t n) {
    std::normal_distribution<double> normal;
    Numbers v(static_cast<size_t>(n));
    for (double& x : v) x = normal(random);
    return v;
  }
};

inline Tensor tensor_of(const std::vector<double>& v, const Shape& sizes, DType t = DType::f64) {
  Tensor x = new_tensor(sizes, DType::f64);
  copy_from_host(x, v.data());
  return t == DType::f64 ? x : ops::cast(x, t);
}

inline Tensor leaf(const std::vector<double>& v, const Shape& sizes, DType t = DType::f64) {
  Tensor x = tensor_of(v, sizes, t);
  set_requires_grad(x, true);
  return x;
}

inline std::vector<double> values(const Tensor& x) {
  const Tensor d = ops::contiguous(ops::cast(ops::detach(x), DType::f64));
  std::vector<double> v(size_t(d.numel()));
  copy_to_host(d, v.data());
  return v;
}

template <class F>
void expect_failure(F&& f, Code code, const char* part) {
  try {
    f();
    ADD_FAILURE() << "did not fail: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
  }
}

}  // namespace haft::testing
