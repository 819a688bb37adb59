#include "core/tensor/batched.h"

namespace haft {

namespace {

// The storage of a batched tensor has no bytes: what it owns is the place, as a number.
Ref<Storage> storage_for(const TensorImpl& value, BatchPlace p) {
  return wrap_storage(
      value.device(), nullptr, 0, [](Storage&) {}, reinterpret_cast<void*>(p.level << 1 | uint64_t(p.many)));
}

void set_twin(TensorImpl& t, const Tensor& value) {
  t.twin.store(Ref<TensorImpl>(value.ref()).leak(), std::memory_order_release);
}

}  // namespace

BatchPlace place_of(const TensorImpl& t) {
  HAFT_ASSERT(is_batched(t));
  const uint64_t word = reinterpret_cast<uint64_t>(t.storage->owner);
  return {word >> 1, bool(word & 1)};
}

Tensor batched(const Tensor& value, BatchPlace p) {
  const TensorImpl& v = *value.impl();
  Ref<TensorImpl> t = new_impl(thread_state());
  haft_tensor_view& w = t->view;
  set_meta(w, meta(v.view));
  w.layout = kLayoutBatched;
  w.contiguous = 0;
  w.version_key = 0;
  w.data = v.view.data;
  w.ndim = uint8_t(v.view.ndim - p.many);
  w.numel = 1;
  for (int d = 0; d < w.ndim; ++d) {
    w.sizes[d] = v.view.sizes[d + p.many];
    w.strides[d] = v.view.strides[d + p.many];
    w.numel *= w.sizes[d];
  }
  t->storage = storage_for(v, p);
  set_twin(*t, value);
  return Tensor(std::move(t));
}

void become_batched(TensorImpl& t, const Tensor& value, uint64_t level) {
  const TensorImpl& v = *value.impl();
  if (TensorImpl* old = t.twin.exchange(nullptr)) (void)Ref<TensorImpl>::adopt(old);
  t.storage = storage_for(v, {level, true});
  set_twin(t, value);
  t.view.layout = kLayoutBatched;
  t.view.contiguous = 0;
  t.view.data = v.view.data;
  for (int d = 0; d < t.view.ndim; ++d) t.view.strides[d] = v.view.strides[d + 1];
}

Storage& memory_under(const TensorImpl& t) {
  const TensorImpl* at = &t;
  while (is_batched(*at)) at = at->twin.load(std::memory_order_acquire);
  return *at->storage;
}

bool is_row_major(const Tensor& t) {
  if (!is_batched(t)) return t.is_contiguous();
  int64_t step = 1;
  for (int64_t d = t.ndim(); d-- > 0;) {
    if (t.size(d) != 1 && t.strides()[size_t(d)] != step) return t.numel() == 0;
    step *= t.size(d);
  }
  return true;
}

}  // namespace haft
