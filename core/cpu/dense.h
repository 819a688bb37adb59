// Operands of library calls as dense memory of a wanted type: the view itself when it is that already, else a copy.
#pragma once
#include "core/cpu/kernel.h"

namespace haft::cpu {

// The same sizes over row-major memory.
inline haft_tensor_view row_major_view(const haft_tensor_view& like, DType t, const void* data) {
  haft_tensor_view v = like;
  v.data = const_cast<void*>(data);
  v.dtype = uint8_t(t);
  v.layout = HAFT_LAYOUT_STRIDED;
  v.contiguous = 1;
  v.version_key = 0;
  int64_t stride = 1;
  for (int d = v.ndim - 1; d >= 0; --d) v.strides[d] = stride, stride *= v.sizes[d];
  return v;
}

// Row-major (or blocked, as the view is) elements of v as `want`.
class DenseIn {
  HostBuffer copy_;
  const void* data_;

 public:
  DenseIn(const haft_tensor_view& v, DType want) : data_(v.data) {
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
  explicit DenseIn(const haft_tensor_view& v) : DenseIn(v, DType(v.dtype)) {}
  const void* data() const { return data_; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }
};

// Memory for a result in `have`, written into v by finish().
class DenseOut {
  const haft_tensor_view& v_;
  DType have_;
  HostBuffer copy_;
  void* data_;

 public:
  DenseOut(const haft_tensor_view& v, DType have) : v_(v), have_(have), data_(v.data) {
    if (v.numel == 0 || (dense(v) && have == DType(v.dtype))) return;
    copy_ = HostBuffer(v.numel * item_size(have));
    data_ = copy_.data();
  }
  explicit DenseOut(const haft_tensor_view& v) : DenseOut(v, DType(v.dtype)) {}
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void finish() const {
    if (data_ == v_.data) return;
    if (dense(v_)) return convert(v_.data, DType(v_.dtype), data_, have_, v_.numel);
    copy_view(v_, row_major_view(v_, have_, data_));
  }
};

// Dense memory as runs of n elements of C: in place, or converted one run at a time.
template <class C>
class RunsIn {
  const char* data_;
  DType have_;
  int64_t n_;
  HostBuffer scratch_;

 public:
  RunsIn(const void* data, DType have, int64_t n)
      : data_(static_cast<const char*>(data)), have_(have), n_(n) {
    if (have != DTypeOf<C>::value) scratch_ = HostBuffer(n * int64_t(sizeof(C)));
  }
  const C* read(int64_t run) const {
    const char* at = data_ + run * n_ * item_size(have_);
    if (have_ == DTypeOf<C>::value) return reinterpret_cast<const C*>(at);
    convert_here(scratch_.data(), DTypeOf<C>::value, at, have_, n_);
    return scratch_.template as<C>();
  }
};
// place() is where a run is made, write() puts it into the memory.
template <class C>
class RunsOut {
  char* data_;
  DType have_;
  int64_t n_;
  HostBuffer scratch_;

 public:
  RunsOut(void* data, DType have, int64_t n) : data_(static_cast<char*>(data)), have_(have), n_(n) {
    if (have != DTypeOf<C>::value) scratch_ = HostBuffer(n * int64_t(sizeof(C)));
  }
  C* place(int64_t run) const {
    return have_ == DTypeOf<C>::value ? reinterpret_cast<C*>(data_) + run * n_ : scratch_.template as<C>();
  }
  void write(int64_t run) const {
    if (have_ != DTypeOf<C>::value)
      convert_here(data_ + run * n_ * item_size(have_), have_, scratch_.data(), DTypeOf<C>::value, n_);
  }
};

// v in one layout: itself, or converted. The layout is row-major unless said.
class LaidIn {
  HostBuffer copy_, other_;
  const void* data_;

 public:
  explicit LaidIn(const haft_tensor_view& v, uint8_t layout = HAFT_LAYOUT_STRIDED) : data_(v.data) {
    if (v.numel == 0 || (v.layout == layout && dense(v))) return;
    copy_ = HostBuffer(bytes(v));
    data_ = copy_.data();
    if (layout == HAFT_LAYOUT_STRIDED) {
      copy_dense(copy_.data(), v);
      return;
    }
    haft_tensor_view src = v, dst = v;
    if (v.layout != HAFT_LAYOUT_STRIDED) {  // between two blocked layouts
      other_ = HostBuffer(bytes(v));
      copy_dense(other_.data(), v);
      src = row_major_view(v, DType(v.dtype), other_.data());
    }
    dst.data = copy_.data();
    dst.layout = layout;
    dst.contiguous = 0;
    to_blocked(dst, src);
  }
  const void* data() const { return data_; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }
};

// Memory in that layout for a result, written into v by finish().
class LaidOut {
  const haft_tensor_view& v_;
  uint8_t layout_;
  HostBuffer copy_;
  void* data_;

 public:
  explicit LaidOut(const haft_tensor_view& v, uint8_t layout = HAFT_LAYOUT_STRIDED)
      : v_(v), layout_(layout), data_(v.data) {
    if (v.numel == 0 || (v.layout == layout && dense(v))) return;
    copy_ = HostBuffer(bytes(v));
    data_ = copy_.data();
  }
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void finish() const {
    if (data_ == v_.data) return;
    haft_tensor_view src = row_major_view(v_, DType(v_.dtype), data_);
    if (layout_ != HAFT_LAYOUT_STRIDED) {
      src.layout = layout_;
      src.contiguous = 0;
      if (v_.layout != HAFT_LAYOUT_STRIDED) {
        HostBuffer flat(bytes(v_));
        copy_dense(flat.data(), src);
        return to_blocked(v_, row_major_view(v_, DType(v_.dtype), flat.data()));
      }
    } else if (v_.layout != HAFT_LAYOUT_STRIDED) {
      return to_blocked(v_, src);
    }
    copy_view(v_, src);
  }
};

}  // namespace haft::cpu
