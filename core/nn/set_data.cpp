#include "core/nn/set_data.h"

#include <optional>

#include "core/dispatch/layout.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

namespace haft::nn {

void set_data(const Tensor& t, const Tensor& value) {
  // What dies with the old memory may call the host, which may let go of t: everything lives until the end.
  Tensor self = t, source = value, old_gradient;
  Ref<TensorImpl> old_twin, old_base;
  Ref<Storage> old_memory;
  TensorImpl &to = *self.impl(), *blocked_source = source.impl();
  if (&to == blocked_source) return;
  const TensorImpl& from = resolve(*blocked_source, false);
  const Ref<Node> node = gradient_node(to);  // renewed while the memory is still the base's
  if (node && !is_float(from.dtype()))
    fail(Code::dtype,
         concat("a tensor that requires a gradient must stay floating, got ", dtype_name(from.dtype())),
         "detach() it, or cast the new data", "data");
  LeafNode* leaf = leaf_of(self);
  if (node && !leaf &&
      (!std::ranges::equal(to.sizes(), from.sizes()) || to.dtype() != from.dtype() ||
       to.device() != from.device()))
    fail(
        Code::autograd,
        concat("the result of an operator can take only data of its own kind: it is ", dtype_name(to.dtype()),
               " of shape ", to.sizes(), ", the data ", dtype_name(from.dtype()), " of shape ", from.sizes()),
        "detach() it first", "data");

  std::optional<LeafLock> lock;
  if (leaf) {
    lock.emplace(*leaf);
    old_gradient = leaf->grad;
  }
  Tensor gradient;
  if (old_gradient && std::ranges::equal(old_gradient.sizes(), from.sizes())) {
    NoGradGuard off;
    gradient = ops::to(old_gradient, from.dtype(), from.device());
  }
  // From here on nothing fails. A version of its own goes on counting: the new memory never passes for the
  // old, and the version that others see of it does not move.
  to.moves = version_of(to) + 1 - from.storage->version.load(std::memory_order_relaxed);
  to.moved = true;
  old_twin = Ref<TensorImpl>::adopt(to.twin.exchange(nullptr));
  to.view = from.view;
  old_memory = std::exchange(to.storage, from.storage);
  old_base = std::exchange(to.base, nullptr);
  if (!leaf) return;
  if (!is_float(from.dtype())) {
    lock.reset();  // the leaf may go
    return drop_leaf(to);
  }
  leaf->sizes.assign(from.sizes());
  leaf->dtype = from.dtype();
  leaf->device = from.device();
  leaf->grad = std::move(gradient);
}

}  // namespace haft::nn
