#include "core/nn/set_data.h"

#include "core/dispatch/layout.h"
#include "core/dispatch/tape.h"
#include "core/ops/functions.h"

namespace haft::nn {

void set_data(const Tensor& t, const Tensor& value) {
  TensorImpl& to = *t.impl();
  if (!is_leaf(t))
    fail(Code::autograd, "only a leaf can get other memory; this tensor is the result of an operator",
         "detach() it");
  const TensorImpl& from = resolve(*value.impl(), false);
  if (to.storage == from.storage) return;
  if (to.node && !is_float(from.dtype()))
    fail(Code::dtype,
         concat("a tensor that requires a gradient must stay floating, got ", dtype_name(from.dtype())));

  LeafNode* leaf = leaf_of(t);
  Tensor grad;
  if (leaf && leaf->grad && std::ranges::equal(leaf->grad.sizes(), from.sizes())) {
    NoGradGuard off;
    grad = ops::to(leaf->grad, from.dtype(), from.device());
  }
  // Graphs that kept t for backward compare versions: the new memory must never pass for the old.
  uint32_t next = version_of(to) + 1;
  if (from.storage->version.load() < next) from.storage->version.store(next);
  if (TensorImpl* twin = to.twin.exchange(nullptr)) Ref<TensorImpl>::adopt(twin);
  to.view = from.view;
  to.storage = from.storage;
  to.base.reset();
  if (!leaf) return;
  if (!is_float(from.dtype())) return drop_leaf(to);  // to.node is empty
  leaf->sizes.assign(from.sizes());
  leaf->dtype = from.dtype();
  leaf->device = from.device();
  leaf->grad = std::move(grad);
}

}  // namespace haft::nn
