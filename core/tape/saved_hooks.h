// Saved-tensor hooks: what the tape keeps until backward may be packed into something else meanwhile, written
// elsewhere or made anew. A thread has a stack of them; the innermost serves whatever is recorded.
#pragma once
#include <functional>
#include <memory>

#include "core/tape/tape.h"

namespace haft {

struct SavedTensorHooks : RefCounted {
  // Takes a tensor that is kept, without its history, and answers what stands for it.
  std::function<std::shared_ptr<void>(const Tensor&)> pack;
  // Answers a tensor of the same shape, dtype and device when backward reads it.
  std::function<Tensor(const std::shared_ptr<void>&)> unpack;
};

void push_saved_tensor_hooks(Ref<SavedTensorHooks> hooks);
void pop_saved_tensor_hooks();  // fails with invalid_argument when there are none

// None act while the scope lives.
class NoSavedTensorHooks {
  ThreadState& ts_;
  void* const before_;

 public:
  NoSavedTensorHooks() : ts_(thread_state()), before_(std::exchange(ts_.slots[kSlotSavedHooks], nullptr)) {}
  ~NoSavedTensorHooks() {
    if (void* forgotten = std::exchange(ts_.slots[kSlotSavedHooks], before_))
      ts_.slot_destroy[kSlotSavedHooks](forgotten);
  }
  NoSavedTensorHooks(const NoSavedTensorHooks&) = delete;
};

// One pair acts in place of all others around a function of the host's: what it pushes or pops besides does not get
// out.
class OnlySavedTensorHooks {
  NoSavedTensorHooks others_;
  const Ref<SavedTensorHooks> hooks_;

 public:
  explicit OnlySavedTensorHooks(Ref<SavedTensorHooks> hooks) : hooks_(hooks) {
    push_saved_tensor_hooks(std::move(hooks));
  }
  // Fails with callback where the function has popped the pair, or left one of its own behind.
  void check(const char* what) const;
};

inline bool saves_are_hooked(const ThreadState& ts) { return ts.slots[kSlotSavedHooks]; }

// A saved tensor as its hooks packed it. Writing in place cannot be noticed through hooks.
class PackedTensor {
  Ref<SavedTensorHooks> hooks_;
  std::shared_ptr<void> object_;
  Shape sizes_;
  DType dtype_;
  Device device_;

 public:
  explicit PackedTensor(const TensorImpl& t);  // by the thread's innermost hooks
  // A tensor of its own, with that history.
  Tensor unpack(Ref<GraphNode> node, uint32_t output) const;
};

// The node of a call whose saved tensors are packed.
struct PackedNode final : OpNode {
  struct Value {
    PackedTensor tensor;
    uint32_t what;  // as in Saved
  };
  std::vector<Value> values;

  void backward(std::span<Tensor> grads, std::span<Tensor> result, bool create_graph) override;
  void release_saved() override;
  void dispose() noexcept override;
};

}  // namespace haft
