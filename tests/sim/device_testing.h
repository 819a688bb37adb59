// What the tests of the engine on the simulated device share.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/backend/device.h"
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "tests/autograd/autograd_testing.h"

namespace haft::testing {

// Of the type that HAFT_TEST_DEVICE names, otherwise a simulated one.
inline Device sim(int index = 0) {
  static const uint16_t type = [] {
    init();
    const char* named = std::getenv("HAFT_TEST_DEVICE");
    return named && *named ? parse_device(named).type : load_backend(HAFT_SIM_DEVICE);
  }();
  return {type, uint16_t(index)};
}

// An environment variable for the length of a scope.
struct Environment {
  const char* name;
  Environment(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~Environment() { unsetenv(name); }
  Environment(const Environment&) = delete;
};

// Devices compute float32 in their own ways: a sum that cancels is off by a part of its terms, not of itself.
inline void expect_close(const std::vector<double>& got, const std::vector<double>& want,
                         double tolerance = 2e-5) {
  ASSERT_EQ(got.size(), want.size());
  double scale = 1;
  for (double v : want) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance * scale) << "element " << i;
}

inline Tensor on(const Tensor& t, Device d) { return ops::to(t, DType::none, d); }
inline Tensor leaf_on(const Tensor& t, Device d) {
  Tensor x = ops::clone(ops::detach(on(t, d)));
  set_requires_grad(x, true);
  return x;
}

struct DeviceTest : AutogradTest {
  static void SetUpTestSuite() {
    init();
    sim();
  }
};

}  // namespace haft::testing
