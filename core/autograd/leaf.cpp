#include "core/autograd/leaf.h"

#include <utility>

#include "core/autograd/rows.h"
#include "core/dispatch/dispatch.h"
#include "core/tensor/batched.h"

namespace haft {

void accumulate(LeafNode& leaf, Tensor g, bool create_graph) {
  Tensor old;  // dies after the lock, as g does: what their memory belongs to may call the host
  LeafLock lock(leaf);
  if (!std::ranges::equal(g.sizes(), IntList(leaf.sizes)))
    fail(Code::shape,
         concat("a gradient of shape ", g.sizes(), " arrived at a leaf of shape ", IntList(leaf.sizes)));
  if (is_rows(g) || (leaf.grad.defined() && is_rows(leaf.grad))) [[unlikely]] {
    if (!leaf.frozen) old = std::exchange(leaf.grad, accumulate_rows(leaf.grad, g, leaf.dtype, create_graph));
    return;
  }
  if (is_batched(g) && (!leaf.owner || !is_batched(*leaf.owner))) [[unlikely]]
    fail(Code::unsupported,
         concat("under vmap, backward came with a gradient for each example to a leaf of shape ",
                IntList(leaf.sizes), ", which has one"),
         "take gradients inside of the mapped function by grad(), which answers them");
  if (g.dtype() != leaf.dtype) {  // the leaf was given other memory since
    uint64_t w[] = {word(leaf.dtype)};
    g = call1(OpId::cast, {&g}, w);
  }
  if (leaf.frozen) return;
  if (leaf.grad.defined()) {
    if (!create_graph && !leaf.grad.requires_grad()) {
      call1_inplace(OpId::add, {&leaf.grad, &g});
    } else {
      Tensor sum = call1(OpId::add, {&leaf.grad, &g});
      old = std::exchange(leaf.grad, std::move(sum));
    }
    return;
  }
  TensorImpl& impl = *g.impl();
  // Others may hold g, the other input of an addition for one; what is added in place later must be this
  // leaf's alone.
  bool mine = impl.unique() && impl.storage->unique() &&
              (impl.view.contiguous || (impl.view.layout != HAFT_LAYOUT_STRIDED && !is_batched(impl)));
  leaf.grad = mine && (create_graph || !impl.node) ? std::move(g) : call1(OpId::contiguous_copy, {&g});
}

}  // namespace haft
