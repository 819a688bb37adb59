// Calls one CPU kernel on hand-made views, without the engine above it.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/base/thread_state.h"
#include "core/cpu/kernel.h"
#include "core/cpu/layout.h"

namespace haft::cpu {
#define POINTWISE(...)
#define VIEW(...)
#define GENERAL(name, ...) void k_##name(const haft_kernel_call&);
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
}  // namespace haft::cpu

namespace haft::test {

// A tensor of doubles as the reference sees it, and its memory as the kernel does.
struct Sample {
  std::vector<int64_t> size;
  std::vector<double> value;  // row-major, rounded to the dtype
  std::vector<char> memory;
  haft_tensor_view view{};

  Sample() = default;
  Sample(const Sample&) = delete;

  int64_t numel() const {
    int64_t n = 1;
    for (int64_t s : size) n *= s;
    return n;
  }

  static double get(DType t, const void* p, int64_t i) {
    return visit_dtype(t, [&]<class T>() { return double(static_cast<const T*>(p)[i]); });
  }
  static void put(DType t, void* p, int64_t i, double v) {
    visit_dtype(t, [&]<class T>() {
      if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>)
        static_cast<T*>(p)[i] = T(float(v));
      else
        static_cast<T*>(p)[i] = T(v);
    });
  }

  // Where element i of the row-major order lies in memory.
  int64_t position(int64_t i) const {
    int64_t at[8], rest = i;
    for (int d = int(size.size()) - 1; d >= 0; --d) at[d] = rest % size[d], rest /= size[d];
    int64_t b = cpu::channel_block(view.layout);
    if (view.layout != HAFT_LAYOUT_STRIDED)
      return (((at[0] * (size[1] / b) + at[1] / b) * size[2] + at[2]) * size[3] + at[3]) * b + at[1] % b;
    int64_t p = 0;
    for (size_t d = 0; d < size.size(); ++d) p += at[d] * view.strides[d];
    return p;
  }

  void make(DType t, std::vector<int64_t> s, uint8_t layout = HAFT_LAYOUT_STRIDED, bool gaps = false) {
    size = std::move(s);
    view = {};
    view.dtype = uint8_t(t);
    view.ndim = uint8_t(size.size());
    view.layout = layout;
    view.numel = numel();
    int64_t stride = gaps ? 2 : 1;
    for (int d = int(size.size()) - 1; d >= 0; --d) {
      view.sizes[d] = size[d];
      view.strides[d] = stride;
      stride *= size[d] + (gaps ? 1 : 0);
    }
    view.contiguous = layout == HAFT_LAYOUT_STRIDED && !gaps;
    memory.assign(size_t(std::max<int64_t>(stride, 1) * item_size(t)), 0x5a);
    view.data = memory.data();
    value.assign(size_t(numel()), 0.0);
  }
  void write() {
    for (int64_t i = 0; i < numel(); ++i) {
      put(DType(view.dtype), view.data, position(i), value[size_t(i)]);
      value[size_t(i)] = get(DType(view.dtype), view.data, position(i));
    }
  }
  void fill(std::mt19937& rng, double scale = 1) {
    std::normal_distribution<double> normal(0, scale);
    bool integer = !is_float(DType(view.dtype));
    for (double& v : value)
      v = integer ? double(int(rng() % 7) - (DType(view.dtype) == DType::u8 ? 0 : 3)) : normal(rng);
    write();
  }
  double at(int64_t i) const { return get(DType(view.dtype), view.data, position(i)); }
};

inline void run(void (*kernel)(const haft_kernel_call&), OpId op, std::vector<const Sample*> in,
                std::vector<Sample*> out, std::span<const uint64_t> attrs = {}) {
  std::vector<const haft_tensor_view*> iv, ov;
  for (const Sample* o : in) iv.push_back(o ? &o->view : nullptr);
  for (Sample* o : out) ov.push_back(&o->view);
  haft_kernel_call c{};
  c.op = uint32_t(op);
  c.n_in = uint16_t(iv.size());
  c.n_out = uint16_t(ov.size());
  c.in = iv.data();
  c.out = ov.data();
  c.attrs = attrs.data();
  c.flags = thread_state().call_flags;
  kernel(c);
}

// Unit roundoff with room for the result's size.
inline double tolerance(DType t, double length) {
  double eps = t == DType::f64    ? 1e-15
               : t == DType::f32  ? 6e-7
               : t == DType::f16  ? 2e-3
               : t == DType::bf16 ? 1.6e-2
                                  : 0;
  return eps * (t == DType::f32 || t == DType::f64 ? std::sqrt(length) + 4 : 2);
}

inline void expect_near(const Sample& got, const std::vector<double>& want, double length,
                        const std::string& what) {
  DType t = DType(got.view.dtype);
  ASSERT_EQ(size_t(got.numel()), want.size());
  double scale = 0;
  for (double w : want)
    if (std::isfinite(w)) scale = std::max(scale, std::fabs(w));
  double tol = tolerance(t, length) * std::max(scale, 1e-30);
  for (size_t i = 0; i < want.size(); ++i) {
    double g = got.at(int64_t(i));
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(g)) << what << " at " << i << ": got " << g << ", wanted NaN";
    } else {
      ASSERT_LE(std::fabs(g - want[i]), tol)
          << what << " at " << i << ": got " << g << ", wanted " << want[i];
    }
  }
}

// Memory that the next calls get, full of NaN in every type.
inline void spoil_free_memory() {
  std::vector<HostBuffer> all;
  for (int64_t bytes = 1 << 10; bytes <= 1 << 21; bytes *= 2)
    for (int64_t n : {bytes, bytes + bytes / 2}) {
      all.emplace_back(n);
      std::memset(all.back().data(), 0xff, size_t(n));
    }
}

}  // namespace haft::test
