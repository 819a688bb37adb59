#include "core/tape/saved_hooks.h"

#include "core/backend/device.h"

namespace haft {

namespace {

using Stack = std::vector<Ref<SavedTensorHooks>>;

Stack* stack(ThreadState& ts) { return static_cast<Stack*>(ts.slots[kSlotSavedHooks]); }

}  // namespace

void push_saved_tensor_hooks(Ref<SavedTensorHooks> hooks) {
  ThreadState& ts = thread_state();
  auto fresh = stack(ts) ? nullptr : std::make_unique<Stack>();
  (fresh ? *fresh : *stack(ts)).push_back(std::move(hooks));
  if (!fresh) return;
  ts.slots[kSlotSavedHooks] = fresh.release();
  ts.slot_destroy[kSlotSavedHooks] = [](void* p) { delete static_cast<Stack*>(p); };
}

void pop_saved_tensor_hooks() {
  ThreadState& ts = thread_state();
  Stack* all = stack(ts);
  if (!all) fail(Code::invalid_argument, "this thread has no saved-tensor hooks to pop", "push a pair first");
  Ref<SavedTensorHooks> last = std::move(all->back());  // goes at the end: it may run the host's code
  all->pop_back();
  if (!all->empty()) return;
  ts.slots[kSlotSavedHooks] = nullptr;  // the slot alone says whether there are any
  delete all;
}

void OnlySavedTensorHooks::check(const char* what) const {
  const Stack* all = stack(thread_state());
  if (!all || all->front().get() != hooks_.get())
    fail(Code::callback, concat(what, ": the function popped saved-tensor hooks that are not its own"),
         "pop what was pushed, once");
  if (all->size() > 1)
    fail(Code::callback, concat(what, ": the function left saved-tensor hooks behind that it had pushed"),
         "pop them before it ends");
}

PackedTensor::PackedTensor(const TensorImpl& t)
    : hooks_(stack(thread_state())->back()), sizes_(t.sizes()), dtype_(t.dtype()), device_(t.device()) {
  NoGradGuard no_grad;
  NoSavedTensorHooks none;
  object_ = hooks_->pack(shallow_copy(t));
}

Tensor PackedTensor::unpack(Ref<GraphNode> node, uint32_t output) const {
  Tensor t;
  {
    NoGradGuard no_grad;
    NoSavedTensorHooks none;
    t = hooks_->unpack(object_);
  }
  if (!t.defined()) fail(Code::callback, "the unpack hook of a saved tensor answered no tensor");
  if (!std::ranges::equal(t.sizes(), IntList(sizes_)) || t.dtype() != dtype_ || t.device() != device_)
    fail(Code::callback,
         concat("the unpack hook of a saved tensor must answer a ", dtype_name(dtype_), " tensor of shape ",
                IntList(sizes_), " on ", device_, ", it gave ", dtype_name(t.dtype()), " of shape ",
                t.sizes(), " on ", t.device()),
         "undo what the pack hook did");
  Tensor own = shallow_copy(*t.impl());
  own.impl()->node = std::move(node);
  own.impl()->output = output;
  return own;
}

void PackedNode::backward(std::span<Tensor> grads, std::span<Tensor> result, bool create_graph) {
  std::vector<Saved> unpacked(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t what = values[i].what;
    const bool is_result = what & Saved::kResult;  // Backward::out() joins those to this node
    Edge history = is_result ? Edge{} : edges[what];
    unpacked[i].value = values[i].tensor.unpack(history.node, history.output);
    unpacked[i].version = version_of(*unpacked[i].value.impl());
    unpacked[i].what = what;
  }
  ScopedValue<Saved*> here(saved, unpacked.data());
  ScopedValue<uint32_t> count(n_saved, uint32_t(unpacked.size()));
  OpNode::backward(grads, result, create_graph);
}

void PackedNode::release_saved() {
  if (values.empty()) return;
  released = true;
  std::vector<Value>().swap(values);
}

}  // namespace haft
