#include "core/dispatch/host_access.h"

#include "core/backend/commit.h"
#include "core/backend/memory.h"
#include "core/backend/pinned.h"
#include "core/dispatch/layout.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/prepare.h"
#include "core/tensor/order.h"

namespace haft {

namespace {

// x, or a dense copy of it, as strided memory.
Tensor dense_of(const Tensor& x) {
  TensorImpl& m = resolve(*x.impl(), false);
  if (m.view.contiguous) return shallow_copy(m);
  Tensor t = new_tensor(x.sizes(), x.dtype(), x.device());
  copy_into(t, x);
  return t;
}

}  // namespace

Scalar item(const Tensor& x) {
  if (x.numel() != 1)
    fail(Code::shape, concat("item() needs a tensor of one element, got shape ", x.sizes()),
         "index or reduce it first");
  alignas(16) unsigned char raw[16];
  copy_to_host(x, raw);
  return visit_dtype(x.dtype(), [&]<class T>() -> Scalar {
    T v;
    std::memcpy(&v, raw, sizeof v);
    if constexpr (std::is_same_v<T, bool>)
      return Scalar(v);
    else if constexpr (std::is_integral_v<T>)
      return Scalar(int64_t(v));
    else
      return Scalar(double(v));
  });
}

void copy_to_host(const Tensor& x, void* dst) {
  if (x.numel() == 0) return;
  if (ThreadState& ts = thread_state(); ts.modes | ts.entered) tell_host_read(ts, x);
  check_committed(*x.impl()->storage, "read", x.data<char>());
  Tensor t = dense_of(x);
  if (t.device().is_cpu())
    std::memcpy(dst, t.view().data, size_t(t.bytes()));
  else
    copy_bytes(Device{}, dst, t.device(), t.view().data, t.bytes(), true);
}

void copy_from_host(const Tensor& x, const void* src) {
  if (x.numel() == 0) return;
  TensorImpl& m = resolve(*x.impl(), false);
  check_committed(*m.storage, "write", m.view.data);
  if (m.view.contiguous && x.device().is_cpu()) {
    std::memcpy(m.view.data, src, size_t(x.bytes()));
  } else if (m.view.contiguous) {
    copy_bytes(x.device(), m.view.data, Device{}, src, x.bytes(), true);
  } else {
    check_distinct(x, "write", "");
    Tensor t = new_tensor(x.sizes(), x.dtype(), x.device());
    copy_from_host(t, src);
    copy_into(x, t);
  }
  m.storage->bump();
}

namespace {

// Dense like x, in host memory that d's device type reaches by itself.
Tensor new_pinned(const Tensor& x, Device d) {
  return tensor_over(new_pinned_storage(d, x.bytes()), x.sizes(), x.strides(), x.dtype());
}

void copy_dense(const Tensor& to, const Tensor& from, bool blocking) {
  copy_between(*to.impl()->storage, to.view().data, *from.impl()->storage, from.view().data, from.bytes(),
               blocking);
}

}  // namespace

Tensor copy_to_device(const Tensor& x, Device d, bool non_blocking) {
  // Dense memory travels as it lies.
  const TensorImpl& m = resolve(*x.impl(), false);
  Tensor from = is_dense(m.sizes(), m.strides()) ? shallow_copy(m) : dense_of(x);
  Tensor to = d.is_cpu() && non_blocking ? new_pinned(from, x.device())
                                         : new_tensor_strided(x.sizes(), from.strides(), x.dtype(), d);
  if (x.numel()) copy_dense(to, from, !non_blocking);
  return to;
}

Tensor pin_memory(const Tensor& x, Device d) {
  if (!x.device().is_cpu())
    fail(Code::device, concat("only host memory is pinned, the tensor is on ", x.device()),
         "pin it before it goes there");
  if (is_pinned(x)) return x;
  Tensor from = dense_of(x), to = new_pinned(from, d);
  if (x.numel()) copy_dense(to, from, true);
  return to;
}

namespace {

// What decommit means by a tensor: it has the memory to itself.
Storage& whole_memory(const Tensor& x, const char* verb) {
  TensorImpl& t = *x.impl();
  if (t.view.layout != HAFT_LAYOUT_STRIDED)
    fail(Code::unsupported, concat(verb, ": a convolution's result lies in blocks of the library"),
         "give a clone()", "t");
  if (x.bytes() != t.storage->bytes || !is_dense(t.sizes(), t.strides()))
    fail(Code::invalid_argument,
         concat(verb, ": the tensor of shape ", x.sizes(), " is a view of a part of its memory of ",
                t.storage->bytes, " bytes"),
         "give the tensor that the view is of", "t");
  return *t.storage;
}

}  // namespace

void decommit(const Tensor& x) { decommit(whole_memory(x, "decommit")); }
void commit(const Tensor& x) { commit(whole_memory(x, "commit")); }

bool is_pinned(const Tensor& x) { return x.impl()->storage->pinned != 0; }

}  // namespace haft
