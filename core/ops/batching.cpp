// The mode of vmap: what a call is made of at the level of its inputs, and how its history is kept there.
#include "core/ops/batching.h"

#include "core/base/log.h"
#include "core/dispatch/finish.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/prepare.h"

namespace haft {

namespace {

// Inside, calls see the levels below `level` only.
class Below {
  ScopedValue<size_t> active_;
  ScopedValue<uint32_t> modes_;

 public:
  Below(Batching& b, size_t level)
      : active_(b.active, level - 1),
        modes_(thread_state().modes, level > 1 ? thread_state().modes | kModeBatch
                                               : thread_state().modes & ~uint32_t(kModeBatch)) {}
};

// What stands for t one level down: the value of a tensor of that level, any other as it is.
Tensor taken_down(const Tensor& t, uint64_t number, bool& many) {
  many = false;
  if (!is_batched(t)) return t;
  const BatchPlace p = place_of(*t.impl());
  if (p.level != number) return t;
  many = p.many;
  return value_of(*t.impl());
}

// A result with memory that sizes and strides describe: those of a convolution may lie in blocks.
Tensor wrapped(const Tensor& value, BatchPlace p) {
  const uint8_t layout = value.view().layout;
  const bool blocked = layout == HAFT_LAYOUT_BLOCKED8 || layout == HAFT_LAYOUT_BLOCKED16;
  return batched(blocked ? ops::alias(value) : value, p);
}

bool draws(const Call& c, const OpInfo& op) {
  if (op.seed_word < 0) return false;
  // Their dropout's probability stands before the seed.
  const bool optional = c.op == OpId::attention || c.op == OpId::attention_backward;
  return !optional || AttrReader{c.words.data()}.d(op.seed_word - 1) > 0;
}

size_t level_of_call(const Batching& b, const Call& c, const OpInfo& op) {
  size_t level = draws(c, op) ? b.active : 0;
  for (int i = 0; i < c.n_in; ++i)
    if (c.in[i]->defined()) level = std::max(level, b.level_of(*c.in[i]));
  if (c.into) level = std::max(level, b.level_of(c.out[0]));
  return level;
}

[[noreturn]] void fail_written(const OpInfo& op, const Tensor& self) {
  fail(Code::unsupported,
       concat("vmap: inplace arithmetic [", op.name, "_] is not possible: the tensor of shape ", self.sizes(),
              " that it writes is one for all examples, and what is written differs between them"),
       "use the operator that returns a new tensor; statistics of batch norm: track_running_stats=False, or "
       "eval()");
}

// The tensor that is written, made one for each example where that is possible: it was made in the mapped function, and
// nobody but its base has its memory.
void spread(Batching& b, size_t level, const OpInfo& op, const Tensor& self) {
  BatchLevel& l = b.at(level);
  TensorImpl& t = *self.impl();
  if (is_batched(t) && place_of(t).level == l.number && place_of(t).many) return;
  TensorImpl* base = t.base.get();
  TensorImpl& owner = base ? *base : t;
  bool inside = false;
  for (size_t k = level; k <= b.levels.size(); ++k) inside |= b.at(k).made.contains(&owner);
  const bool alone = t.storage->refs.n.load() == (base ? 2u : 1u) && owner.storage == t.storage &&
                     t.view.layout == HAFT_LAYOUT_STRIDED && owner.view.contiguous;
  if (!inside || !alone || owner.base) fail_written(op, self);
  const int64_t offset =
      (static_cast<char*>(t.view.data) - static_cast<char*>(owner.view.data)) / item_size(t.dtype());
  Tensor value;
  {
    Below lower(b, level);
    const Tensor whole = shallow_copy(owner);  // with its history, which goes on in the examples'
    whole.impl()->node = owner.node;
    whole.impl()->output = owner.output;
    value = ops::contiguous_copy(ops::expand(whole, with_examples(l.size, whole.sizes())));
    if (base) {
      const Shape sizes = with_examples(l.size, t.sizes()),
                  strides = with_examples(value.strides()[0], t.strides());
      become_batched(t, ops::as_strided(value, sizes, strides, offset), l.number);
    }
  }
  become_batched(owner, value, l.number);
}

bool differs(const Batching& b, size_t level, Inputs in) {
  for (const Tensor* t : in)
    if (is_batched(*t) && b.level_of(*t) == level && place_of(*t->impl()).many) return true;
  return false;
}

void pointwise(Batching& b, size_t level, const Call& c, const OpInfo& op) {
  ThreadState& ts = thread_state();
  PointwiseInputs p(c);
  prepare_pointwise(c, op, p);
  const Tensor& lead = *p.in[p.lead];
  const uint64_t number = b.at(level).number;
  if (c.inplace) {
    const Tensor self = *c.in[0];
    const DType dtype = op.traits & BOOLOUT ? DType::boolean : lead.dtype();
    check_target(c, op, self, lead, dtype);
    if (dtype != self.dtype()) {
      AllModes modes(ts);
      Tensor result;
      dispatch({.op = c.op, .n_in = c.n_in, .in = p.in, .words = c.words, .out = &result});
      call1_inplace(OpId::copy, {&self, &result});
      return;
    }
    if (differs(b, level, p.inputs())) spread(b, level, op, self);
    const auto before = inputs_to_record(p.inputs(), op, self);
    bool many;
    {
      const Tensor *in[kMaxPointwise], to = taken_down(self, number, many);
      Tensor values[kMaxPointwise];
      for (int i = 0; i < p.n; ++i) in[i] = &(values[i] = taken_down(*p.in[i], number, many));
      in[0] = &to;
      Below lower(b, level);
      dispatch({.op = c.op, .n_in = c.n_in, .inplace = true, .in = in, .words = c.words});
    }
    self.impl()->storage->bump();
    return finish_inplace(c, ts, self, p.inputs(), c.words, before ? &*before : nullptr);
  }
  bool any = false;
  Tensor value;
  {
    const Tensor* in[kMaxPointwise];
    Tensor values[kMaxPointwise];
    for (int i = 0; i < p.n; ++i) {
      bool many;
      in[i] = &(values[i] = taken_down(*p.in[i], number, many));
      any |= many;
    }
    Below lower(b, level);
    dispatch({.op = c.op, .n_in = c.n_in, .in = in, .words = c.words, .out = &value});
    c.out[0] = wrapped(value, {number, any});
  }
  finish(c, op, ts, p.inputs(), c.words);
}

// The view of all examples that is `like` for one of them.
Tensor view_of_all(OpId op, const Tensor& x, const Tensor& like, AttrReader a) {
  const int64_t n = x.size(0);
  switch (op) {
    case OpId::as_strided:
      return ops::as_strided(x, with_examples(n, a.ints(0)), with_examples(x.strides()[0], a.ints(1)),
                             a.i(2));
    case OpId::permute: return ops::permute(x, with_examples(0, behind_examples(a.ints(0), like.ndim())));
    case OpId::transpose: return like.ndim() ? ops::transpose(x, a.i(0) + 1, a.i(1) + 1) : ops::alias(x);
    case OpId::expand: {
      Shape aligned{n};
      for (int64_t d = like.ndim() - x.ndim() + 1; d > 0; --d) aligned.push_back(1);
      for (int64_t d = 1; d < x.ndim(); ++d) aligned.push_back(x.size(d));
      return ops::expand(ops::reshape(x, aligned), with_examples(n, like.sizes()));
    }
    case OpId::slice: return ops::slice(x, a.i(0) + 1, a.i(1), a.i(2), a.i(3));
    case OpId::select: return ops::select(x, a.i(0) + 1, a.i(1));
    case OpId::diagonal: return ops::diagonal(x, a.i(0), a.i(1) + 1, a.i(2) + 1);
    case OpId::unfold:
      return x.ndim() == 1 ? ops::unsqueeze(x, 1) : ops::unfold(x, a.i(0) + 1, a.i(1), a.i(2));
    case OpId::detach: return ops::detach(x);
    case OpId::alias: return ops::alias(x);
    case OpId::view_as_real: return ops::view_as_real(x);
    case OpId::view_as_complex: return ops::view_as_complex(x);
    default: return ops::reshape(x, with_examples(n, like.sizes()));  // view, squeeze, unsqueeze
  }
}

void view(Batching& b, size_t level, const Call& c, const OpInfo& op) {
  ThreadState& ts = thread_state();
  const Tensor& x = *c.in[0];
  const uint64_t number = b.at(level).number;
  // The rule looks at one example: plain memory without a history.
  const Tensor one(new_impl(ts));
  one.impl()->view = x.view();
  one.impl()->view.layout = HAFT_LAYOUT_STRIDED;
  one.impl()->view.contiguous = is_row_major(x);
  one.impl()->storage = Ref<Storage>::share(&memory_under(*x.impl()));
  const Tensor* stand_in = &one;
  Call of_one = c;
  of_one.in = &stand_in;
  ShapeContext ctx(of_one);
  op.shape(ctx);
  if (c.op == OpId::as_strided && x.requires_grad() && !is_row_major(x))
    fail(Code::autograd, "[as_strided] under vmap, the gradient is that of rows: the tensor does not lie so",
         "make it contiguous() first");
  bool many;
  const Tensor value = taken_down(x, number, many);
  {
    Below lower(b, level);
    Tensor made;
    if (many) {
      made = view_of_all(c.op, value, ctx.view_result, ctx.attrs);
    } else {
      const Tensor* in = &value;
      dispatch({.op = c.op, .n_in = 1, .in = &in, .words = ctx.words(), .out = &made});
    }
    c.out[0] = batched(made, {number, many});
  }
  TensorImpl& v = *c.out[0].impl();
  if (op.gradient && !ts.inference) {
    v.base = x.impl()->live_base() ? x.impl()->base : x.ref();
    v.base_epoch = v.base->epoch;
  }
  finish(c, op, ts, c.inputs(), ctx.words());
}

// Results of the rule, or of the loop, in the shapes that examples have.
void run_rule(Batching& b, size_t level, const Call& c, const OpInfo& op, const ShapeContext& ctx,
              std::span<Tensor> out, bool& many) {
  BatchLevel& l = b.at(level);
  const Inputs in = ctx.inputs();
  BatchCall call{.op = c.op,
                 .size = l.size,
                 .logical = in,
                 .in = {},
                 .many = {},
                 .words = {ctx.words().begin(), ctx.words().end()},
                 .results = {ctx.outs, out.size()},
                 .out = out};
  many = false;
  for (const Tensor* t : in) {
    bool own = false;
    call.in.push_back(t->defined() ? taken_down(*t, l.number, own) : Tensor());
    call.many.push_back(own);
    many |= own;
  }
  const bool random = draws(c, op), apart = random && l.randomness == Randomness::different;
  Below lower(b, level);
  if (!many && !apart) return call.run();
  many = true;
  int64_t blocks = apart ? l.blocks : 0;
  const bool weights = random && (c.op == OpId::attention || c.op == OpId::attention_backward);
  if (weights && apart) {  // a number for each weight, in backward that of the forward call
    const size_t query = c.op == OpId::attention_backward;
    const Tensor &q = *in[query], &k = *in[query + 1];
    blocks = (q.size(0) * q.size(1) * q.size(2) * k.size(2) + 3) / 4;
    for (size_t above = level + 1; above <= b.levels.size(); ++above)
      if (b.at(above).randomness == Randomness::different) blocks *= b.at(above).size;
  }
  if (const BatchRule rule = batch_rule(c.op); rule && !weights && (apart || !random)) {
    rule(call);
  } else {
    if (l.warns)
      log_warning("vmap: [", op.name, "] has no rule for many examples, it is called for each of ", l.size);
    loop_over_examples(call, blocks);
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const Shape want = with_examples(l.size, ctx.outs[k].sizes());
    if (!std::ranges::equal(out[k].sizes(), IntList(want))) out[k] = ops::reshape(out[k], want);
  }
}

void general(Batching& b, size_t level, const Call& c, const OpInfo& op) {
  ThreadState& ts = thread_state();
  const uint64_t number = b.at(level).number;
  if (op.written_inputs | op.written_lists) {
    // The scaler's and the optimizers'.
    fail(Code::unsupported,
         concat("vmap: [", op.name, "] writes tensors, which have one value for all examples"),
         "take steps outside of the mapped function");
  }
  ShapeContext ctx(c);
  {
    AllModes modes(ts);
    op.shape(ctx);
  }
  for (int k = 0; k < c.n_out; ++k)
    if (is_complex(ctx.outs[k].dtype) && !moves_complex(c.op)) return run_complex(c);
  bool many;
  if (c.inplace) {
    const Tensor self = ctx.in(0);
    check_inplace(self, op);
    const ShapeContext::Out& want = ctx.outs[0];
    if (want.dtype != self.dtype() || !std::ranges::equal(self.sizes(), want.sizes()))
      fail(Code::shape,
           concat("[", op.name, "_] the result is ", dtype_name(want.dtype), " of shape ", want.sizes(),
                  ", the tensor to write into ", dtype_name(self.dtype()), " of shape ", self.sizes()));
    if (differs(b, level, ctx.inputs())) spread(b, level, op, self);
    const auto before = inputs_to_record(ctx.inputs(), op, self);
    const Tensor to = taken_down(self, number, many);
    Tensor result;
    if (c.op == OpId::copy) {
      const Tensor from = taken_down(ctx.in(1), number, many);
      Below lower(b, level);
      ops::copy_(to, from);
    } else if (c.op == OpId::fill) {
      Below lower(b, level);
      ops::fill_(to, ctx.attrs.scalar(0));
    } else {
      run_rule(b, level, c, op, ctx, {&result, 1}, many);
      Below lower(b, level);
      ops::copy_(to, result);
    }
    self.impl()->storage->bump();
    return finish_inplace(c, ts, self, ctx.inputs(), ctx.words(), before ? &*before : nullptr);
  }
  std::vector<Tensor> values(c.n_out);
  run_rule(b, level, c, op, ctx, values, many);
  {
    Below lower(b, level);
    for (size_t k = 0; k < values.size(); ++k) c.out[k] = wrapped(values[k], {number, many});
  }
  finish(c, op, ts, ctx.inputs(), ctx.words());
}

}  // namespace

void at_each_level(std::vector<Tensor> inputs, std::vector<Tensor> results,
                   const std::function<void(std::span<const Tensor> inputs, std::span<Tensor> results)>& f) {
  f(inputs, results);
  Batching& b = batching();
  size_t level = 0;
  for (const Tensor& t : results) level = std::max(level, b.level_of(t));
  if (level == 0) return;
  const BatchLevel& l = b.at(level);
  bool many = false, own;
  for (Tensor& t : results) {
    t = taken_down(t, l.number, own);
    many |= own;
  }
  Below lower(b, level);
  for (Tensor& t : inputs) {
    t = taken_down(t, l.number, own);
    if (many && !own) t = ops::expand(t, with_examples(l.size, t.sizes()));
  }
  at_each_level(std::move(inputs), std::move(results), f);
}

void batch_call(const Call& c) {
  Batching& b = batching();
  const OpInfo& op = op_info(c.op);
  const size_t level = level_of_call(b, c, op);
  if (level == 0) {
    dispatch(c);
    if (op.kind != OpKind::view && !c.inplace && !c.into && b.active)
      for (int k = 0; k < c.n_out; ++k) b.at(b.active).made.insert(c.out[k].impl());
    return;
  }
  // By parts, each of whose calls comes here: the gradient is theirs.
  if (op.kind != OpKind::view && has_complex(c.inputs()) && !moves_complex(c.op)) return run_complex(c);
  if (c.into) {
    AllModes modes(thread_state());
    Tensor result;
    Call fresh = c;
    fresh.into = false;
    fresh.out = &result;
    dispatch(fresh);
    ops::copy_(c.out[0], result);
    return;
  }
  switch (op.kind) {
    case OpKind::pointwise: return pointwise(b, level, c, op);
    case OpKind::view: return view(b, level, c, op);
    default: return general(b, level, c, op);
  }
}

}  // namespace haft
