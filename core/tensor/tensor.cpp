#include "core/tensor/tensor.h"

#include <algorithm>

#include "core/tensor/batched.h"

namespace haft {

namespace {

void fill_view(haft_tensor_view& v, IntList sizes, IntList strides, DType dtype, Device device,
               int64_t numel) {
  v.numel = numel;
  v.dtype = uint8_t(dtype);
  v.ndim = uint8_t(sizes.size());
  v.layout = HAFT_LAYOUT_STRIDED;
  v.contiguous = is_contiguous(sizes, strides);
  v.device_type = device.type;
  v.device_index = device.index;
  v.version_key = 0;
  std::copy(sizes.begin(), sizes.end(), v.sizes);
  std::copy(strides.begin(), strides.end(), v.strides);
}

// Sizes and row-major strides; answers how many elements.
int64_t fill_dense(haft_tensor_view& v, IntList sizes) {
  int64_t n = 1;
  bool plain = sizes.size() <= HAFT_MAX_DIMS;
  for (size_t i = sizes.size(); plain && i-- > 0;) {
    v.sizes[i] = sizes[i];
    v.strides[i] = n;
    plain = sizes[i] > 0 && !__builtin_mul_overflow(n, sizes[i], &n) && n <= kMaxNumel;
  }
  if (plain) [[likely]]
    return n;
  n = checked_numel(sizes);  // empty, or refused
  const Shape strides = contiguous_strides(sizes);
  std::copy(sizes.begin(), sizes.end(), v.sizes);
  std::copy(strides.begin(), strides.end(), v.strides);
  return n;
}

// Bytes from the first element to the end of the last.
int64_t extent(const haft_tensor_view& v) {
  int64_t last = 0;
  for (int i = 0; i < v.ndim; ++i) last += (v.sizes[i] - 1) * v.strides[i];
  return v.numel ? (last + 1) * item_size(DType(v.dtype)) : 0;
}

}  // namespace

bool TensorImpl::lies_in(const TensorImpl& whole) const {
  const TensorImpl* twin = whole.twin.load(std::memory_order_acquire);
  const TensorImpl& w = twin ? *twin : whole;
  if (storage != w.storage || dtype() != w.dtype()) return false;
  auto from = static_cast<const char*>(view.data), start = static_cast<const char*>(w.view.data);
  return !view.numel || (from >= start && from + extent(view) <= start + extent(w.view));
}

// Chains of nodes hold each other through edges and saved tensors; a list instead of recursion frees any depth.
void GraphNode::destroy(GraphNode* n) noexcept {
  static thread_local GraphNode* waiting __attribute__((tls_model("initial-exec"))) = nullptr;
  static thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;
  n->next_dying = waiting;
  waiting = n;
  if (busy) return;
  busy = true;
  while (GraphNode* next = waiting) {
    waiting = next->next_dying;
    next->dispose();
  }
  busy = false;
}

bool TensorImpl::let_go() noexcept {
  for (GraphNode* n : {node.get(), frozen.get()})
    if (n && !n->let_go(*this)) return false;
  return true;
}

Tensor new_tensor(IntList sizes, DType dtype, Device device, uint8_t layout) {
  ThreadState& ts = thread_state();
  auto p = new_impl(ts);
  haft_tensor_view& v = p->view;
  v.numel = fill_dense(v, sizes);
  v.dtype = uint8_t(dtype);
  v.ndim = uint8_t(sizes.size());
  v.layout = layout;
  v.contiguous = layout == HAFT_LAYOUT_STRIDED;
  v.device_type = device.type;
  v.device_index = device.index;
  v.version_key = 0;
  p->storage = new_storage(ts, device, v.numel * item_size(dtype));
  v.data = p->storage->data;
  return Tensor(std::move(p));
}

Tensor tensor_over(Ref<Storage> storage, IntList sizes, IntList strides, DType dtype, int64_t offset) {
  auto p = new_impl(thread_state());
  fill_view(p->view, sizes, strides, dtype, storage->device, checked_numel(sizes));
  p->view.data = static_cast<char*>(storage->data) + offset * item_size(dtype);
  p->storage = std::move(storage);
  return Tensor(std::move(p));
}

Tensor view_over(const TensorImpl& x, IntList sizes, IntList strides, int64_t offset) {
  auto p = new_impl(thread_state());
  fill_view(p->view, sizes, strides, x.dtype(), x.device(), checked_numel(sizes));
  p->view.data = static_cast<char*>(x.view.data) + offset * item_size(x.dtype());
  p->storage = x.storage;
  return Tensor(std::move(p));
}

Tensor shallow_copy(const TensorImpl& x) {
  auto p = new_impl(thread_state());
  p->view = x.view;
  p->storage = x.storage;
  if (is_batched(x)) [[unlikely]]
    p->twin.store(value_of(x).take().leak(), std::memory_order_release);
  return Tensor(std::move(p));
}

}  // namespace haft
