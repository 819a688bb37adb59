// What the tests of the plug-in for NVIDIA's GPUs share: the device, and calls that must answer what the CPU
// answers. The device is that of HAFT_TEST_DEVICE, or the plug-in that was compiled for the host.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "core/backend/device.h"
#include "core/backend/registry.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/tensor/dtype.h"
#include "tests/seed.h"

namespace haft::testing {

inline Device cuda() {
  static const Device d = [] {
    init();
    const char* name = std::getenv("HAFT_TEST_DEVICE");
    return name && *name ? parse_device(name) : Device{load_backend(HAFT_CUDA_PLUGIN), 0};
  }();
  return d;
}

inline Tensor on(const Tensor& t, Device d) { return t.defined() ? ops::to_device(t, d) : t; }

// The elements as bytes; of a NaN only that it is one, since its bits are each processor's own.
inline std::vector<char> raw(const Tensor& t) {
  std::vector<char> bytes(size_t(t.numel() * item_size(t.dtype())));
  const Tensor same =
      is_float(t.dtype()) && !is_float8(t.dtype()) ? ops::masked_fill(t, ops::isnan(t), Scalar(NAN)) : t;
  copy_to_host(ops::contiguous(same), bytes.data());
  return bytes;
}
inline std::vector<double> numbers(const Tensor& t) {
  std::vector<double> v(size_t(t.numel()));
  copy_to_host(ops::cast(on(t, Device{}), DType::f64), v.data());
  return v;
}

using Tensors = std::vector<Tensor>;
using Call = std::function<Tensors(const Tensors&)>;

// Runs f on both; results are equal bit for bit (tolerance 0), or near beside the largest of them.
inline void expect_same(const Tensors& inputs, const Call& f, double tolerance = 0) {
  Tensors there;
  for (const Tensor& t : inputs) there.push_back(on(t, cuda()));
  const Tensors want = f(inputs), got = f(there);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    ASSERT_EQ(got[i].device(), cuda());
    ASSERT_EQ(got[i].dtype(), want[i].dtype());
    ASSERT_TRUE(std::ranges::equal(got[i].sizes(), want[i].sizes()));
    const std::vector<double> a = numbers(got[i]), b = numbers(want[i]);
    if (tolerance == 0) {
      const std::vector<char> bits = raw(on(got[i], Device{})), wanted = raw(want[i]);
      const size_t each = size_t(item_size(want[i].dtype()));
      for (size_t k = 0; k < b.size(); ++k)  // which NaN it is may differ
        ASSERT_TRUE(std::memcmp(&bits[k * each], &wanted[k * each], each) == 0 ||
                    (std::isnan(a[k]) && std::isnan(b[k])))
            << "the bits of element " << k << " differ: " << a[k] << ", wanted " << b[k];
      continue;
    }
    double scale = 1e-30;
    for (double v : b)
      if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
    for (size_t k = 0; k < a.size(); ++k) {
      if (std::isnan(b[k]) || std::isinf(b[k]))
        ASSERT_TRUE(std::isnan(b[k]) ? std::isnan(a[k]) : a[k] == b[k]) << "element " << k;
      else
        ASSERT_NEAR(a[k], b[k], tolerance * scale) << "element " << k;
    }
  }
}

template <class T>
Tensor vector_of(const std::vector<T>& v, DType t, IntList size) {
  Tensor x = new_tensor(size, t, Device{});
  copy_from_host(x, v.data());
  return x;
}
inline Tensor indices(const std::vector<int64_t>& v, IntList size) { return vector_of(v, DType::i64, size); }
inline Tensor indices(const std::vector<int64_t>& v) { return indices(v, Shape{int64_t(v.size())}); }

struct CudaTest : ::testing::Test {
  std::mt19937_64 random{test::seed()};

  static void SetUpTestSuite() { cuda(); }

  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }
  // Few different values, so that there are many equal ones; with `odd` also NaN, infinities and both zeros.
  Tensor few(IntList size, DType t, bool odd = false) {
    Tensor x = new_tensor(size, DType::f64, Device{});
    std::vector<double> v(size_t(x.numel()));
    const double strange[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
    for (double& e : v)
      e = odd && below(8) == 0 ? strange[below(5)]
                               : double(below(41) - (t == DType::u8 ? 0 : 20)) / (is_float(t) ? 8 : 1);
    copy_from_host(x, v.data());
    return ops::cast(x, t);
  }
  // Numbers of many bits.
  Tensor real(IntList size, DType t) {
    Tensor x = new_tensor(size, DType::f64, Device{});
    std::vector<double> v(size_t(x.numel()));
    for (double& e : v) e = double(random() >> 11) * 0x1p-53 - 0.5;
    copy_from_host(x, v.data());
    return ops::cast(x, t);
  }
  Tensor picks(IntList size, int64_t n) {
    Tensor x = new_tensor(size, DType::i64, Device{});
    std::vector<int64_t> v(size_t(x.numel()));
    for (int64_t& e : v) e = below(n);
    copy_from_host(x, v.data());
    return x;
  }
};

}  // namespace haft::testing
