// The end of every call: the one place where the tape and the modes learn what ran.
#pragma once
#include <memory>

#include "core/dispatch/modes.h"
#include "core/dispatch/op_table.h"
#include "core/tape/tape.h"

namespace haft {

// True when gradients are on, the operator has one and an input takes part.
inline bool wants_record(Inputs in, const OpInfo& op, const ThreadState& ts) {
  if (!ts.grad_enabled || !op.gradient) return false;
  for (const Tensor* t : in)
    if (t->defined() && t->impl()->needs_grad()) return true;
  return false;
}

// `in` and `words` are the call's as its kernel took them; nobody keeps the spans.
inline void finish(const Call& c, const OpInfo& op, ThreadState& ts, Inputs in, Words words) {
  if (wants_record(in, op, ts)) record(c.op, in, {c.out, c.n_out}, words);
  if (ts.entered) [[unlikely]]
    tell_modes(ts, {c, in, words, {c.out, c.n_out}});
}

// What the tape records of a call in place, made before the write: inputs that the gradient reads and that
// lie in the memory to be written are copied, with their history.
class InputsBeforeWrite {
  SmallVec<const Tensor*, 16> in_;
  std::unique_ptr<Tensor[]> copies_;

 public:
  InputsBeforeWrite(Inputs in, const OpInfo& op, const TensorImpl& written);
  Inputs inputs() const { return {in_.data(), size_t(in_.size())}; }
};

// The same for a call that wrote into `self`; `before` is NULL where nothing is to be recorded.
void finish_inplace(const Call& c, ThreadState& ts, const Tensor& self, Inputs in, Words words,
                    const InputsBeforeWrite* before);

// True when writing one may change the other, twins of blocked tensors included.
bool shares_memory(const TensorImpl& a, const TensorImpl& b);

}  // namespace haft
