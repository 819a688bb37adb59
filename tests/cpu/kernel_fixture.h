// Arrays and calls for testing CPU kernels without the engine: plain views over memory with guard bytes around it.
#pragma once
#include <haft/backend.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/schema/attrs.h"
#include "core/tensor/dtype.h"

namespace haft::cpu::testing {

using Sizes = std::vector<int64_t>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

inline int64_t product(const Sizes& s) {
  int64_t n = 1;
  for (int64_t v : s) n *= v;
  return n;
}

// Owns its memory (shared by views of it) and notices writes before and behind it.
class Array {
  static constexpr int64_t kGuard = 64;
  struct Memory {
    std::vector<unsigned char> bytes;
    explicit Memory(int64_t n) : bytes(size_t(n + 2 * kGuard), 0xa5) {}
    ~Memory() {
      for (int64_t i = 0; i < kGuard; ++i) {
        EXPECT_EQ(bytes[size_t(i)], 0xa5) << "written before the array";
        EXPECT_EQ(bytes[bytes.size() - 1 - size_t(i)], 0xa5) << "written behind the array";
      }
    }
  };
  std::shared_ptr<Memory> memory_;

 public:
  haft_tensor_view view{};

  Array(DType dtype, const Sizes& sizes)
      : memory_(std::make_shared<Memory>(product(sizes) * item_size(dtype))) {
    view.dtype = uint8_t(dtype);
    view.numel = product(sizes);
    view.ndim = uint8_t(sizes.size());
    view.contiguous = 1;
    view.data = view.numel ? memory_->bytes.data() + kGuard : nullptr;
    int64_t stride = 1;
    for (int i = int(sizes.size()) - 1; i >= 0; --i) {
      view.sizes[i] = sizes[size_t(i)];
      view.strides[i] = stride;
      stride *= sizes[size_t(i)];
    }
  }
  Array(DType dtype, const Sizes& sizes, const std::vector<double>& values) : Array(dtype, sizes) {
    for (int64_t i = 0; i < numel(); ++i) set(i, values[size_t(i)]);
  }
  static Array random(DType dtype, const Sizes& sizes, std::mt19937& rng, double low = -3, double high = 3) {
    Array a(dtype, sizes);
    std::uniform_real_distribution<double> u(low, high);
    for (int64_t i = 0; i < a.numel(); ++i) a.set(i, is_float(dtype) ? u(rng) : std::floor(u(rng)));
    return a;
  }

  DType dtype() const { return DType(view.dtype); }
  int64_t numel() const { return view.numel; }
  int64_t size(int d) const { return view.sizes[d]; }

  // Element i in row-major order of the view.
  void* address(int64_t i) const {
    int64_t at = 0;
    for (int d = view.ndim - 1; d >= 0; --d) {
      at += i % view.sizes[d] * view.strides[d];
      i /= view.sizes[d];
    }
    return static_cast<char*>(view.data) + at * item_size(dtype());
  }
  double at(int64_t i) const {
    return visit_dtype(dtype(), [&]<class T>() { return double(*static_cast<const T*>(address(i))); });
  }
  void set(int64_t i, double v) {
    visit_dtype(dtype(), [&]<class T>() {
      if constexpr (is_float(DTypeOf<T>::value) && sizeof(T) == 2)
        *static_cast<T*>(address(i)) = T(float(v));
      else
        *static_cast<T*>(address(i)) = T(v);
    });
  }
  std::vector<double> values() const {
    std::vector<double> v;
    for (int64_t i = 0; i < numel(); ++i) v.push_back(at(i));
    return v;
  }

  Array transpose(int a, int b) const {
    Array t = *this;
    std::swap(t.view.sizes[a], t.view.sizes[b]);
    std::swap(t.view.strides[a], t.view.strides[b]);
    t.view.contiguous = 0;
    return t;
  }
  // A dimension of size 1 repeated without memory.
  Array expand(int d, int64_t n) const {
    Array t = *this;
    t.view.numel = t.view.numel / t.view.sizes[d] * n;
    t.view.sizes[d] = n;
    t.view.strides[d] = 0;
    t.view.contiguous = 0;
    return t;
  }
  // Every second element along a dimension.
  Array every_second(int d) const {
    Array t = *this;
    const int64_t n = (t.view.sizes[d] + 1) / 2;
    t.view.numel = t.view.sizes[d] ? t.view.numel / t.view.sizes[d] * n : 0;
    t.view.sizes[d] = n;
    t.view.strides[d] *= 2;
    t.view.contiguous = 0;
    return t;
  }
};

// A kernel call; fails by throwing Error as the kernel does. NULL stands for an absent input.
inline void run(void (*kernel)(const haft_kernel_call&), const std::vector<const Array*>& in,
                const std::vector<Array*>& out, std::span<const uint64_t> attrs) {
  std::vector<const haft_tensor_view*> iv, ov;
  for (const Array* a : in) iv.push_back(a ? &a->view : nullptr);
  for (Array* a : out) ov.push_back(&a->view);
  haft_kernel_call c{};
  c.n_in = uint16_t(in.size());
  c.n_out = uint16_t(out.size());
  c.in = iv.data();
  c.out = ov.data();
  c.attrs = attrs.data();
  c.n_attrs = uint32_t(attrs.size());
  kernel(c);
}

// Attribute words from C++ values: int64_t, double, Scalar, lists.
template <class... A>
std::vector<uint64_t> words(A... a) {
  AttrWriter w;
  (w.add(a), ...);
  const auto s = w.finish();
  return {s.begin(), s.end()};
}

inline double tolerance(DType t) {
  switch (t) {
    case DType::f64: return 1e-12;
    case DType::f16: return 2e-3;
    case DType::bf16: return 1.6e-2;
    default: return 4e-6;
  }
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& want, double tol) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
      continue;
    }
    if (std::isinf(want[i])) {
      EXPECT_EQ(got[i], want[i]) << "element " << i;
      continue;
    }
    ASSERT_NEAR(got[i], want[i], tol * (1 + std::abs(want[i]))) << "element " << i;
  }
}

// Runs f and expects an Error of that code whose message contains every given part.
inline void expect_error(Code code, const std::vector<std::string>& parts, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    for (const auto& p : parts)
      EXPECT_NE(e.message.find(p), std::string::npos) << e.message << " lacks " << p;
  }
}

constexpr DType kFloats[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

}  // namespace haft::cpu::testing

namespace haft::cpu {
#define GENERAL(name, ...) void k_##name(const haft_kernel_call&);
#define POINTWISE(...)
#define VIEW(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef GENERAL
#undef POINTWISE
#undef VIEW
#undef COMPOSITE
}  // namespace haft::cpu
