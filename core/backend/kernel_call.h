// How kernels of every backend read a call of the device seam, and the views in it.
#pragma once
#include <haft/backend.h>

#include <span>

#include "core/schema/attrs.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"

namespace haft {

// One call as C++ likes to read it; costs nothing.
struct CallView {
  const haft_kernel_call& call;
  AttrReader attrs;

  explicit CallView(const haft_kernel_call& c) : call(c), attrs{c.attrs} {}

  OpId op() const { return OpId(call.op); }
  const char* name() const { return op_name(op()); }
  int n_in() const { return call.n_in; }
  int n_out() const { return call.n_out; }
  bool has(int i) const { return i < call.n_in && call.in[i] != nullptr; }
  const haft_tensor_view& in(int i) const { return *call.in[i]; }
  const haft_tensor_view& out(int i = 0) const { return *call.out[i]; }
  DType dtype(int i = 0) const { return DType(call.in[i]->dtype); }
  DType out_dtype(int i = 0) const { return DType(call.out[i]->dtype); }

  template <class T>
  const T* data(int i) const {
    return static_cast<const T*>(call.in[i]->data);
  }
  // Of an input that may be absent: NULL then.
  template <class T>
  const T* data_or_null(int i) const {
    return has(i) ? data<T>(i) : nullptr;
  }
  template <class T>
  T* out_data(int i = 0) const {
    return static_cast<T*>(call.out[i]->data);
  }
};

inline std::span<const int64_t> sizes(const haft_tensor_view& v) { return {v.sizes, v.ndim}; }
inline std::span<const int64_t> strides(const haft_tensor_view& v) { return {v.strides, v.ndim}; }
inline int64_t bytes(const haft_tensor_view& v) { return v.numel * item_size(DType(v.dtype)); }

// A dense tensor as (outer, n, inner) around one dimension.
struct Around {
  int64_t outer = 1, n = 1, inner = 1;
};
inline Around around(const haft_tensor_view& v, int64_t dim) {
  Around a;
  for (int d = 0; d < v.ndim; ++d) (d < dim ? a.outer : d == dim ? a.n : a.inner) *= v.sizes[d];
  return a;
}

// The part of v's memory that sizes, strides and an offset in elements choose.
inline haft_tensor_view window_of(haft_tensor_view v, std::span<const int64_t> sizes,
                                  std::span<const int64_t> strides, int64_t offset) {
  v.data = static_cast<char*>(v.data) + offset * item_size(DType(v.dtype));
  v.ndim = uint8_t(sizes.size());
  v.contiguous = 0;
  v.numel = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    v.sizes[d] = sizes[d];
    v.strides[d] = strides[d];
    v.numel *= sizes[d];
  }
  return v;
}

}  // namespace haft
