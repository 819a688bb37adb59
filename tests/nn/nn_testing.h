// Small tensors and expectations for the tests of modules.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/nn/factories.h"
#include "core/ops/functions.h"

namespace haft::nn::testing {

struct NnTest : ::testing::Test {
  static void SetUpTestSuite() { init(); }
};

inline std::vector<double> values(const Tensor& t) {
  std::vector<double> v(size_t(t.numel()));
  NoGradGuard off;
  copy_to_host(ops::cast(t, DType::f64), v.data());
  return v;
}

inline Tensor tensor(const std::vector<double>& v, DType dtype = DType::f32) {
  Tensor t = new_tensor(Shape{int64_t(v.size())}, DType::f64);
  copy_from_host(t, v.data());
  return ops::cast(t, dtype);
}

inline void backward(const Tensor& loss) { haft::backward({&loss, 1}, {}); }

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

}  // namespace haft::nn::testing
