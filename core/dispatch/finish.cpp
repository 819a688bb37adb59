#include "core/dispatch/finish.h"

#include "core/dispatch/dispatch.h"
#include "core/dispatch/layout.h"

namespace haft {

namespace {

// The old value of a tensor about to be overwritten, with its history: what the tape saves in its place.
Tensor keep_old_value(const Tensor& self) {
  NoGradGuard off;
  AllModes modes(thread_state());
  Tensor old = call1(OpId::contiguous_copy, {&self});
  old.impl()->node = gradient_node(*self.impl());
  old.impl()->output = self.impl()->output;
  return old;
}

}  // namespace

bool shares_memory(const TensorImpl& a, const TensorImpl& b) {
  if (is_batched(a) || is_batched(b)) return &memory_under(a) == &memory_under(b);
  const TensorImpl *of_a = a.twin.load(std::memory_order_acquire),
                   *of_b = b.twin.load(std::memory_order_acquire);
  return a.storage == b.storage || (of_a && of_a->storage == b.storage) ||
         (of_b && of_b->storage == a.storage);
}

InputsBeforeWrite::InputsBeforeWrite(Inputs in, const OpInfo& op, const TensorImpl& written) : in_(in) {
  if (written.inference)
    fail(Code::autograd,
         concat("[", op.name, "_] a tensor made in inference mode cannot take part in a gradient"),
         "clone() it outside inference mode, or run under no_grad");
  const uint32_t mask = saved_mask(*op.gradient, in);
  for (int i = 0; i < int(in.size()); ++i) {
    if (!(mask & saved_input(i)) || !in[i]->defined() || !shares_memory(*in[i]->impl(), written)) continue;
    if (!copies_) copies_ = std::make_unique<Tensor[]>(in.size());
    copies_[size_t(i)] = keep_old_value(*in[i]);
    in_[i] = &copies_[size_t(i)];
  }
}

void finish_inplace(const Call& c, ThreadState& ts, const Tensor& self, Inputs in, Words words,
                    const InputsBeforeWrite* before) {
  if (before) {
    Tensor result = shallow_copy(is_batched(self) ? *self.impl() : resolve(*self.impl(), true));
    rebase_history(*self.impl(), record_node(c.op, before->inputs(), {&result, 1}, words));
  }
  if (ts.entered) tell_modes(ts, {c, in, words, {&self, 1}});
}

}  // namespace haft
