// Kernels called by hand over arrays: views of any shape, order and dtype, read and written as doubles.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/cpu/backend.h"
#include "core/cpu/kernel.h"

namespace haft::test {
inline namespace kernels {  // test_cpu holds tests/ops' records, too, whose Array is another

enum class Form { dense, transposed, sliced, expanded };

// Memory and one view of it. Elements are numbered in row-major order of the view.
struct Array {
  std::vector<char> memory;
  haft_tensor_view view{};

  Array() = default;
  Array(DType t, std::vector<int64_t> sizes, Form form = Form::dense) {
    const int n = int(sizes.size());
    view.dtype = uint8_t(t);
    view.ndim = uint8_t(n);
    view.numel = 1;
    for (int d = 0; d < n; ++d) view.sizes[d] = sizes[d], view.numel *= sizes[d];
    int64_t stride = form == Form::sliced ? 2 : 1;
    if (form == Form::transposed) {
      for (int d = 0; d < n; ++d) view.strides[d] = stride, stride *= sizes[d];
    } else {
      for (int d = n - 1; d >= 0; --d)
        view.strides[d] = stride, stride *= sizes[d] + (form == Form::sliced && d == n - 1);
    }
    if (form == Form::expanded && n) view.strides[n > 1 ? 0 : n - 1] = 0;
    view.contiguous = form == Form::dense || view.numel <= 1 || (form == Form::transposed && n < 2);
    memory.assign(size_t(stride * 2 * item_size(t)) + 64, char(0));
    view.data = aligned();
  }
  Array(Array&& o) noexcept
      : memory(std::move(o.memory)), view(o.view) {}  // the heap block stays where it is
  Array& operator=(Array&& o) noexcept {
    memory = std::move(o.memory);
    view = o.view;
    return *this;
  }

  char* aligned() {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  }
  DType dtype() const { return DType(view.dtype); }
  int64_t numel() const { return view.numel; }
  char* address(int64_t i) const {
    int64_t offset = 0;
    for (int d = view.ndim - 1; d >= 0; --d)
      offset += i % view.sizes[d] * view.strides[d], i /= view.sizes[d];
    return static_cast<char*>(view.data) + offset * item_size(dtype());
  }
  double get(int64_t i) const {
    return visit_dtype(dtype(), [&]<class T>() -> double {
      if constexpr (std::is_same_v<T, bool>)
        return *reinterpret_cast<uint8_t*>(address(i));
      else
        return double(*reinterpret_cast<T*>(address(i)));
    });
  }
  void set(int64_t i, double v) {
    visit_dtype(dtype(), [&]<class T>() {
      if constexpr (std::is_floating_point_v<T>)
        *reinterpret_cast<T*>(address(i)) = T(v);
      else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        *reinterpret_cast<T*>(address(i)) = T(float(v));
      else if constexpr (std::is_same_v<T, bool>)
        *reinterpret_cast<uint8_t*>(address(i)) = v != 0;
      else
        *reinterpret_cast<T*>(address(i)) = T(int64_t(v));
    });
  }
  void fill(const std::function<double(int64_t)>& f) {
    for (int64_t i = 0; i < numel(); ++i) set(i, f(i));
  }
  std::vector<double> values() const {
    std::vector<double> v;
    for (int64_t i = 0; i < numel(); ++i) v.push_back(get(i));
    return v;
  }
};

struct Attrs : AttrWriter {
  template <class... A>
  explicit Attrs(A... a) {
    (add_one(a), ...);
  }
  void add_one(Scalar s) { add(s); }
  void add_one(int64_t v) { add(v); }
  void add_one(int v) { add(int64_t(v)); }
  void add_one(double v) { add(v); }
  void add_one(bool v) { add(int64_t(v)); }
  void add_one(std::vector<int64_t> v) { add(std::span<const int64_t>(v)); }
};

// Status of the call; the message goes to `error`.
inline int32_t run(OpId op, std::vector<const Array*> in, std::vector<Array*> out, AttrWriter attrs = {},
                   std::string* error = nullptr) {
  std::vector<const haft_tensor_view*> i, o;
  for (auto* a : in) i.push_back(a ? &a->view : nullptr);
  for (auto* a : out) o.push_back(&a->view);
  char text[256] = "";
  auto words = attrs.finish();
  haft_kernel_call c{};
  c.op = uint32_t(op);
  c.n_in = uint16_t(i.size());
  c.n_out = uint16_t(o.size());
  c.in = i.data();
  c.out = o.data();
  c.attrs = words.data();
  c.n_attrs = uint32_t(words.size());
  c.error = text;
  c.error_size = sizeof text;
  haft_kernel_fn f = cpu_kernel(c.op, in.empty() ? o[0]->dtype : i[0]->dtype);
  if (!f) return int32_t(Code::unsupported);
  int32_t status = f(&c);
  if (error) *error = text;
  return status;
}

inline double epsilon(DType t) {
  switch (t) {
    case DType::f16: return 1.0 / 1024;
    case DType::bf16: return 1.0 / 128;
    case DType::f32: return 6e-8;
    default: return 1.2e-16;
  }
}

}  // namespace kernels
}  // namespace haft::test
