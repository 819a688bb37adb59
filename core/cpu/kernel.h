// What every CPU kernel is written with.
//
// A kernel of a GENERAL op is `void k_<op>(const haft_kernel_call& c)` in namespace haft::cpu. It may throw
// Error or std::bad_alloc; `guarded` turns it into the C function of the table, so a missing kernel is a link error.
#pragma once
#include <haft/backend.h>

#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "core/backend/kernel_call.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {

struct KernelCall : CallView {
  using CallView::CallView;
};

// Dense memory of numel elements in an order of its own: row-major, or a blocked layout.
inline bool dense(const haft_tensor_view& v) { return v.contiguous || v.layout != HAFT_LAYOUT_STRIDED; }
// A float32 number, which a device that computes by these kernels may hold as float64.
inline double number(const haft_tensor_view& v) {
  return DType(v.dtype) == DType::f64 ? *static_cast<const double*>(v.data)
                                      : double(*static_cast<const float*>(v.data));
}

// Kernels compute in three types only: float (which the 16-bit floats share), double, and int64_t for integers
// and bool. Others pass through rows of these (dense.h, rows.h). Calls f.template operator()<C>().
template <class F>
decltype(auto) visit_compute(DType t, F&& f) {
  if (t == DType::f64) return f.template operator()<double>();
  if (is_float(t)) return f.template operator()<float>();
  return f.template operator()<int64_t>();
}
// The same for floating dtypes; anything else is an error that names the op.
[[noreturn, gnu::cold]] void fail_not_float(const KernelCall& k, DType t);
template <class F>
decltype(auto) visit_compute_float(const KernelCall& k, DType t, F&& f) {
  if (t == DType::f64) return f.template operator()<double>();
  if (!is_float(t)) fail_not_float(k, t);
  return f.template operator()<float>();
}

// The C function around a kernel; what it throws becomes a status at one place (backend.cpp).
[[gnu::cold]] int32_t report_failure(const haft_kernel_call* c) noexcept;
template <auto F>
int32_t guarded(const haft_kernel_call* c) noexcept {
  try {
    F(*c);
    return 0;
  } catch (...) {
    return report_failure(c);
  }
}

// Scratch of a kernel, typed.
template <class T>
struct Scratch {
  HostBuffer buffer;
  explicit Scratch(int64_t n) : buffer(n * int64_t(sizeof(T))) {}
  T* get() const { return buffer.as<T>(); }
  T& operator[](int64_t i) const { return get()[i]; }
};

// ---- shared routines (copy.cpp) ----
// Writes src into dst, elementwise, with a cast; equal sizes, any strides; dst is strided, src may be blocked.
void copy_view(const haft_tensor_view& dst, const haft_tensor_view& src);
// dst is blocked, src strided with the same sizes and dtype.
void to_blocked(const haft_tensor_view& dst, const haft_tensor_view& src);
// A row-major copy of src's data in `dst`: numel elements of t, or of src's dtype.
void copy_dense(void* dst, const haft_tensor_view& src, DType t = DType::none);
// n elements from one dtype to another, both dense; convert_here stays on the calling thread.
void convert(void* dst, DType to, const void* src, DType from, int64_t n);
void convert_here(void* dst, DType to, const void* src, DType from, int64_t n);

}  // namespace haft::cpu
