// Tensor: one counted pointer to a TensorImpl, which is a plain view, its storage and at most one tape node.
#pragma once
#include <atomic>

#include "core/base/error.h"
#include "core/tensor/dtype.h"
#include "core/tensor/shape.h"
#include "core/tensor/storage.h"
#include "core/tensor/view.h"

namespace haft {

// What the tape hangs on a tensor; tape/tape.h says what it is.
struct GraphNode : RefCounted {
  GraphNode* next_dying = nullptr;  // links nodes that wait for destroy()
  virtual ~GraphNode() = default;
  static void destroy(GraphNode* n) noexcept;  // iterative: chains of a million nodes do not recurse
  virtual void dispose() noexcept = 0;         // destructs and returns the cell to its pool
  // A tensor that this node knows dies; false when somebody asked the node for it meanwhile.
  virtual bool let_go(struct TensorImpl&) noexcept { return true; }
};

struct TensorImpl : RefCounted {
  uint32_t output = 0;  // which result of `node` this is
  haft_tensor_view view;
  Ref<Storage> storage;
  Ref<GraphNode> node;      // NULL: needs no gradient. A LeafNode: the tensor is a leaf.
  Ref<TensorImpl> base;     // for a view: the tensor that owns the history of the memory
  uint32_t base_epoch = 0;  // the base's epoch when `node` was made
  uint32_t epoch = 0;       // raised when an in-place write gives this tensor a new history
  bool inference = false;   // born in inference mode: never recorded
  bool moved = false;  // was given other memory once (nn/set_data.h): its views may not be views any more
  uint32_t moves = 0;  // added to the storage's version, so that a move counts as a write
  bool known = false;  // a leaf points back to it (LeafNode::variable)
  // The strided twin of a blocked tensor, made on demand (dispatch/layout.h); owned.
  std::atomic<TensorImpl*> twin{nullptr};
  Ref<GraphNode> frozen;  // the leaf it was, with its gradient, while it requires none

  ~TensorImpl() {
    if (TensorImpl* t = twin.load(std::memory_order_acquire)) Ref<TensorImpl>::adopt(t);
  }
  static void destroy(TensorImpl* t) noexcept {
    if (t->known && !t->let_go()) [[unlikely]]
      return;
    t->~TensorImpl();
    pool_give(thread_state(), kPoolTensor, t);
  }

  IntList sizes() const { return {view.sizes, view.ndim}; }
  IntList strides() const { return {view.strides, view.ndim}; }
  DType dtype() const { return DType(view.dtype); }
  Device device() const { return {view.device_type, view.device_index}; }
  // The base, unless it was given other memory since.
  TensorImpl* live_base() const { return base && (!base->moved || lies_in(*base)) ? base.get() : nullptr; }
  // True when operators on this tensor must be recorded. A view whose base got a history counts.
  bool needs_grad() const { return node || (base && base->epoch != base_epoch && base->node && live_base()); }

 private:
  [[gnu::cold]] bool lies_in(const TensorImpl& whole) const;
  [[gnu::cold]] bool let_go() noexcept;
};

class Tensor {
  Ref<TensorImpl> p_;

 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> p) : p_(std::move(p)) {}

  explicit operator bool() const { return bool(p_); }
  bool defined() const { return bool(p_); }
  TensorImpl* impl() const { return p_.get(); }
  const Ref<TensorImpl>& ref() const { return p_; }
  Ref<TensorImpl> take() { return std::move(p_); }
  void reset() { p_.reset(); }

  DType dtype() const { return p_->dtype(); }
  Device device() const { return p_->device(); }
  int64_t ndim() const { return p_->view.ndim; }
  int64_t numel() const { return p_->view.numel; }
  int64_t bytes() const { return numel() * item_size(dtype()); }
  IntList sizes() const { return p_->sizes(); }
  IntList strides() const { return p_->strides(); }
  int64_t size(int64_t d) const { return p_->view.sizes[d < 0 ? d + ndim() : d]; }
  bool is_contiguous() const { return p_->view.contiguous; }
  bool requires_grad() const { return p_->needs_grad(); }
  const haft_tensor_view& view() const { return p_->view; }
  // The raw address in the tensor's own layout; readers that want strides go through dispatch/layout.h.
  template <class T>
  T* data() const {
    return static_cast<T*>(p_->view.data);
  }
};

// A fresh TensorImpl whose view is not filled in.
inline Ref<TensorImpl> new_impl(ThreadState& ts) {
  auto p = Ref<TensorImpl>::adopt(new (pool_take(ts, kPoolTensor, sizeof(TensorImpl))) TensorImpl);
  p->inference = ts.inference;
  return p;
}

// A dense tensor with undefined content.
Tensor new_tensor(IntList sizes, DType dtype, Device device = {}, uint8_t layout = HAFT_LAYOUT_STRIDED);
// A tensor over given storage; `offset` counts elements from the storage's start.
Tensor tensor_over(Ref<Storage> storage, IntList sizes, IntList strides, DType dtype, int64_t offset = 0);
// A new tensor on the memory of `x` with other sizes and strides; no history, no base.
Tensor view_over(const TensorImpl& x, IntList sizes, IntList strides, int64_t offset);
// The same view and storage, no history.
Tensor shallow_copy(const TensorImpl& x);

}  // namespace haft
