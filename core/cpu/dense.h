// Operands of library calls as dense memory of a wanted type: the view itself when it is that already, else a copy.
#pragma once
#include "core/cpu/kernel.h"

namespace haft::cpu {

// Row-major (or blocked, as the view is) elements of v as `want`.
class DenseIn {
  HostBuffer copy_;
  const void* data_;

 public:
  DenseIn(const haft_view& v, DType want) : data_(v.data) {
    DType have = DType(v.dtype);
    if (v.numel == 0 || (dense(v) && have == want)) return;
    HostBuffer strided;
    const void* src = v.data;
    if (!dense(v)) {
      HostBuffer b(bytes(v));
      copy_dense(b.data(), v);
      strided = std::move(b);
      src = strided.data();
    }
    if (have == want) {
      copy_ = std::move(strided);
    } else {
      copy_ = HostBuffer(v.numel * item_size(want));
      convert(copy_.data(), want, src, have, v.numel);
    }
    data_ = copy_.data();
  }
  explicit DenseIn(const haft_view& v) : DenseIn(v, DType(v.dtype)) {}
  const void* data() const { return data_; }
  template <class T> const T* as() const { return static_cast<const T*>(data_); }
};

// Memory for a result in `have`, written into v by finish().
class DenseOut {
  const haft_view& v_;
  DType have_;
  HostBuffer copy_;
  void* data_;

 public:
  DenseOut(const haft_view& v, DType have) : v_(v), have_(have), data_(v.data) {
    if (v.numel == 0 || (dense(v) && have == DType(v.dtype))) return;
    copy_ = HostBuffer(v.numel * item_size(have));
    data_ = copy_.data();
  }
  explicit DenseOut(const haft_view& v) : DenseOut(v, DType(v.dtype)) {}
  void* data() const { return data_; }
  template <class T> T* as() const { return static_cast<T*>(data_); }
  void finish() const {
    if (data_ == v_.data) return;
    if (dense(v_)) return convert(v_.data, DType(v_.dtype), data_, have_, v_.numel);
    haft_view src = v_;
    src.data = data_;
    src.dtype = uint8_t(have_);
    src.contiguous = 1;
    int64_t stride = 1;
    for (int d = v_.ndim - 1; d >= 0; --d) src.strides[d] = stride, stride *= v_.sizes[d];
    copy_view(v_, src);
  }
};

}  // namespace haft::cpu
