#include "core/dispatch/dispatch.h"

#include <algorithm>

#include "core/dispatch/finish.h"
#include "core/dispatch/kernel.h"
#include "core/dispatch/layout.h"
#include "core/dispatch/prepare.h"
#include "core/dispatch/shape_context.h"
#include "core/tensor/order.h"

namespace haft {

OpInfo op_table[kOpCount];
void (*run_complex)(const Call& c);

namespace {

bool same_sizes(const haft_tensor_view& a, const haft_tensor_view& b) {
  for (int i = 0; i < a.ndim; ++i)
    if (a.sizes[i] != b.sizes[i]) return false;
  return true;
}

inline bool takes_bool(const Call& c, const OpInfo& op) {
  return c.in[0]->dtype() == DType::boolean ||
         (op.scalar_word >= 0 && c.words[op.scalar_word] == uint64_t(ScalarKind::boolean));
}

// Nothing to promote, broadcast or convert: all inputs have one meta word and one shape, and the op's compute
// type is theirs. Everything else goes through the cold prepare_pointwise.
inline bool is_uniform(const Call& c, const OpInfo& op) {
  const haft_tensor_view& a = c.in[0]->impl()->view;
  if (uint32_t special = op.traits & (MASK0 | MASK1 | INTONLY | NOBOOL))
    if (special != NOBOOL || takes_bool(c, op)) return false;
  if (a.layout != HAFT_LAYOUT_STRIDED) return false;
  if (!is_float(DType(a.dtype)) && (op.traits & FLOAT || op.scalar_word >= 0 || is_complex(DType(a.dtype))))
    return false;
  for (int i = 1; i < c.n_in; ++i) {
    const haft_tensor_view& b = c.in[i]->impl()->view;
    if (meta(a) != meta(b) || !same_sizes(a, b)) return false;
  }
  return true;
}

// A result for inputs that are not all row-major: dense, its dimensions in the order in which theirs lie.
[[gnu::cold, gnu::noinline]] Tensor new_in_order(std::span<const haft_tensor_view* const> in, DType dtype) {
  const haft_tensor_view& v = *in[0];
  const IntList sizes(v.sizes, v.ndim);
  // The gradient of a sum is one number in all places: it says nothing of an order.
  auto mute = [](const haft_tensor_view* x) {
    for (int d = 0; d < x->ndim; ++d)
      if (x->strides[d] != 0 && x->sizes[d] != 1) return false;
    return true;
  };
  size_t first = 0;
  while (first < in.size() && mute(in[first])) ++first;
  if (first == in.size() || in[first]->contiguous)
    return new_tensor(sizes, dtype, {v.device_type, v.device_index});
  const int64_t* strides[kMaxPointwise];
  for (size_t i = 0; i < in.size(); ++i) strides[i] = in[i]->strides;
  return new_tensor_strided(sizes, strides_in_order_of(sizes, {strides, in.size()}), dtype,
                            {v.device_type, v.device_index});
}

// `v`, one of the inputs, has the result's sizes.
[[gnu::always_inline]] inline Tensor new_like(ThreadState& ts, const haft_tensor_view& v,
                                              std::span<const haft_tensor_view* const> in, DType dtype) {
  if (!(v.contiguous & in[0]->contiguous) && v.layout == HAFT_LAYOUT_STRIDED) [[unlikely]]
    return new_in_order(in, dtype);
  auto p = new_impl(ts);
  haft_tensor_view& w = p->view;
  w.numel = v.numel;
  set_meta(w, meta(v));
  w.dtype = uint8_t(dtype);
  w.version_key = 0;
  for (int i = 0; i < v.ndim; ++i) {
    w.sizes[i] = v.sizes[i];
    w.strides[i] = v.strides[i];
  }
  p->storage = new_storage(ts, {v.device_type, v.device_index}, v.numel * item_size(dtype));
  w.data = p->storage->data;
  return Tensor(std::move(p));
}

// The result of a pointwise call whose inputs' memory stands in `views`.
inline void finish_pointwise(const Call& c, const OpInfo& op, ThreadState& ts, Inputs in,
                             const haft_tensor_view* const* views, int lead_index) {
  const haft_tensor_view& lead = *views[lead_index];
  c.out[0] = new_like(ts, lead, {views, in.size()}, op.traits & BOOLOUT ? DType::boolean : DType(lead.dtype));
  if (lead.numel) {
    const haft_tensor_view* out = &c.out[0].view();
    run_kernel(c.op, {views, in.size()}, {&out, 1}, c.words);
  }
  finish(c, op, ts, in, c.words);
}

[[gnu::noinline]] void run_pointwise_prepared(const Call& c, const OpInfo& op, ThreadState& ts) {
  if (has_complex(c.inputs())) return run_complex(c);
  PointwiseInputs prepared(c);
  if (!is_uniform(c, op)) prepare_pointwise(c, op, prepared);
  if (c.inplace || c.into) return run_pointwise_into(c, op, prepared);
  const haft_tensor_view* views[kMaxPointwise];
  for (int i = 0; i < c.n_in; ++i) views[i] = &resolve(*prepared.in[i]->impl(), prepared.blocked).view;
  finish_pointwise(c, op, ts, prepared.inputs(), views, prepared.lead);
}

// The tensor that x.add_(y) or add_out(x, y, out) writes, when uniform inputs go straight into its dense
// memory: the inputs share it wholly or not at all, and nothing is recorded.
inline TensorImpl* plain_target(const Call& c, const OpInfo& op, ThreadState& ts) {
  TensorImpl& t = *(c.inplace ? *c.in[0] : c.out[0]).impl();
  const haft_tensor_view& lead = c.in[0]->impl()->view;
  if (!t.view.contiguous || meta(t.view) != meta(lead) || op.traits & BOOLOUT || !same_sizes(t.view, lead))
    return nullptr;
  if ((c.into || ts.grad_enabled) && (t.base || t.node || wants_record(c.inputs(), op, ts))) return nullptr;
  for (int i = 0; i < c.n_in; ++i) {
    const TensorImpl& x = *c.in[i]->impl();
    if (x.storage == t.storage && x.view.data != t.view.data) return nullptr;
  }
  return &t;
}

void run_pointwise(const Call& c, const OpInfo& op, ThreadState& ts) {
  if (!is_uniform(c, op)) [[unlikely]]
    return run_pointwise_prepared(c, op, ts);
  if (c.inplace | c.into) {
    TensorImpl* target = plain_target(c, op, ts);
    if (!target) return run_pointwise_prepared(c, op, ts);
    const haft_tensor_view *views[kMaxPointwise], *out = &target->view;
    for (int i = 0; i < c.n_in; ++i) views[i] = &c.in[i]->impl()->view;
    target->storage->bump();  // first: a kernel that fails may have written something
    if (out->numel) run_kernel(c.op, {views, c.n_in}, {&out, 1}, c.words);
    if (ts.entered) [[unlikely]]
      tell_modes(ts, {c, c.inputs(), c.words, {c.inplace ? c.in[0] : c.out, 1}});
    return;
  }
  const haft_tensor_view* views[kMaxPointwise];
  for (int i = 0; i < c.n_in; ++i) views[i] = &c.in[i]->impl()->view;
  finish_pointwise(c, op, ts, c.inputs(), views, 0);
}

void run_view(const Call& c, const OpInfo& op, ThreadState& ts) {
  ShapeContext ctx(c);
  op.shape(ctx);
  Tensor& v = c.out[0] = std::move(ctx.view_result);
  // The base is the tensor that owns the memory's history, so views of views share one. A view without a
  // gradient has left it.
  if (op.gradient && !ts.inference) {
    const Tensor& x = ctx.in(0);
    v.impl()->base = x.impl()->live_base() ? x.impl()->base : x.ref();
    v.impl()->base_epoch = v.impl()->base->epoch;
  }
  finish(c, op, ts, ctx.inputs(), ctx.words());
}

void check_out(const ShapeContext::Out& want, Device device, const Tensor& out, const char* name) {
  if (out.dtype() != want.dtype || !std::ranges::equal(out.sizes(), want.sizes()) || out.device() != device)
    fail(Code::shape,
         concat("[", name, "] out must be ", dtype_name(want.dtype), " of shape ", want.sizes(), ", got ",
                dtype_name(out.dtype()), " of shape ", out.sizes()),
         "give a tensor of that shape, dtype and device, or call the function without out", "out");
  if (out.requires_grad())
    fail(Code::autograd, concat("[", name, "] out must not require a gradient"),
         "call the function without out", "out");
  check_distinct(out, name, "_out");
}

// An output whose order of dimensions is that of the first input, the device's or another one.
[[gnu::cold, gnu::noinline]] Tensor new_ordered(const ShapeContext& ctx, const OpInfo& op,
                                                const ShapeContext::Out& o, Device device) {
  if (o.layout == kLayoutOfInput)
    return new_tensor_like(resolve(*ctx.in(0).impl(), op.traits & LAYOUT), o.dtype);
  if (o.layout == kLayoutTurned) {
    Shape strides(o.sizes());
    int64_t step = 1;
    for (int64_t d = o.ndim - 1; d >= 0; --d) {
      const int64_t at = d == 1 ? 2 : d == 2 ? 1 : d;
      strides[size_t(at)] = step;
      step *= o.dims[at];
    }
    return new_tensor_strided(o.sizes(), strides, o.dtype, device);
  }
  return new_tensor_strided(o.sizes(), channels_last_strides(o.sizes()), o.dtype, device);
}

inline Tensor new_output(const ShapeContext& ctx, const OpInfo& op, const ShapeContext::Out& o,
                         Device device) {
  if (o.layout > HAFT_LAYOUT_BLOCKED16) [[unlikely]]
    return new_ordered(ctx, op, o, device);
  return new_tensor(o.sizes(), o.dtype, device, o.layout);
}

// Calls f with each input that the kernel writes.
template <class F>
void each_written(const OpInfo& op, Inputs in, Words words, F&& f) {
  auto call = [&](const Tensor& t) {
    if (t.defined()) f(t);
  };
  for (int i = 0; i < op.fixed_inputs; ++i)
    if (op.written_inputs >> i & 1) call(*in[size_t(i)]);
  const size_t length = op.list_length < 0 ? in.size() : size_t(words[size_t(op.list_length)]);
  for (size_t k = 0; k < op.list_count; ++k) {
    if (!(op.written_lists >> k & 1)) continue;
    const size_t first = op.fixed_inputs + k * length;
    const size_t end = k + 1 == op.list_count ? in.size() : std::min(in.size(), first + length);
    for (size_t i = first; i < end; ++i) call(*in[i]);
  }
}

// Before the kernel, which may fail halfway: what was saved or packed of this memory is stale.
[[gnu::cold, gnu::noinline]] void prepare_written(const OpInfo& op, Inputs in, Words words) {
  each_written(op, in, words, [&](const Tensor& t) { check_distinct(t, op.name, ""); });
  each_written(op, in, words, [](const Tensor& t) { resolve_written(*t.impl(), false).storage->bump(); });
}

void run_general(const Call& c, const OpInfo& op, ThreadState& ts) {
  if (has_complex(c.inputs()) && !moves_complex(c.op)) [[unlikely]]
    return run_complex(c);
  ShapeContext ctx(c);
  Device device;
  {
    AllModes modes(ts);
    op.shape(ctx);
    device = ctx.out_device;
    for (int i = 0; i < ctx.n_in(); ++i) {
      const Tensor& x = ctx.in(i);
      if (!x.defined()) continue;
      Device d = x.device();
      if (device == kDefaultDevice) device = d;
      if (is_float8(x.dtype()) && !(op.traits & FLOAT8)) [[unlikely]]
        fail_float8(c.op, x.dtype());
      if (op.traits & DENSE && !x.is_contiguous()) ctx.set_in(i, make_contiguous(x));
      if (d != device && !op.engine_kernel) fail_devices(c, op);
    }
  }
  if (device == kDefaultDevice) device = Device{};
  if (c.inplace) return run_general_inplace(c, op, ctx);

  Tensor given = c.into ? c.out[0] : Tensor();
  if (c.into) {
    check_out(ctx.outs[0], device, given, op.name);
    if (wants_record(ctx.inputs(), op, ts)) fail_recorded_out(op);
  }
  for (int k = 0; k < c.n_out && !op.engine_kernel; ++k) {
    if (ctx.outs[k].dtype >= DType::c64) [[unlikely]] {
      if (is_complex(ctx.outs[k].dtype) && !moves_complex(c.op)) return run_complex(c);
      if (is_float8(ctx.outs[k].dtype) && !(op.traits & FLOAT8)) fail_float8(c.op, ctx.outs[k].dtype);
    }
    c.out[k] = new_output(ctx, op, ctx.outs[k], device);
  }
  if (op.traits & CLONES) copy_into(c.out[0], ctx.in(0));
  if (op.written_inputs | op.written_lists) [[unlikely]]
    prepare_written(op, ctx.inputs(), ctx.words());
  run_general_kernel(c.op, op, ctx.inputs(), ctx.words(), {c.out, c.n_out});
  if (c.into) {
    resolve_written(*given.impl(), false).storage->bump();
    copy_into(given, c.out[0]);
    c.out[0] = std::move(given);
  }
  finish(c, op, ts, ctx.inputs(), ctx.words());
}

}  // namespace

void run_general_kernel(OpId id, const OpInfo& op, Inputs inputs, Words words, std::span<Tensor> outputs) {
  if (op.engine_kernel) return op.engine_kernel(inputs, words, outputs);
  const int n_in = int(inputs.size());
  SmallVec<const haft_tensor_view*, 16> in(n_in);
  SmallVec<haft_tensor_view, 1> keyed;
  const haft_tensor_view* out[kMaxOutputs];
  // Weights are never blocked like activations, though a result of a convolution may serve as one.
  const bool weight = op.traits & WEIGHT1;
  for (int i = 0; i < n_in; ++i)
    in[i] = inputs[i]->defined()
                ? &resolve(*inputs[i]->impl(), op.traits & LAYOUT && !(weight && i == 1)).view
                : nullptr;
  for (size_t k = 0; k < outputs.size(); ++k) out[k] = &outputs[k].view();
  // The library keeps reordered weights under this key; see Storage::id.
  if (weight) {
    keyed.push_back(*in[1]);
    keyed[0].version_key = version_key(*resolve(*inputs[1]->impl(), false).storage);
    in[1] = &keyed[0];
  }
  run_kernel(id, in, {out, outputs.size()}, words);
}

void dispatch(const Call& c) {
  ThreadState& ts = thread_state();
  if (ts.modes) [[unlikely]]
    return dispatch_modes(c, ts);
  const OpInfo& op = op_info(c.op);
  switch (op.kind) {
    case OpKind::pointwise: return run_pointwise(c, op, ts);
    case OpKind::view: return run_view(c, op, ts);
    default: return run_general(c, op, ts);
  }
}

namespace {

std::vector<const Tensor*> join(std::initializer_list<const Tensor*> fixed,
                                std::initializer_list<std::span<const Tensor>> lists) {
  size_t count = fixed.size();
  for (auto list : lists) count += list.size();
  if (count > UINT16_MAX)
    fail(Code::invalid_argument,
         concat("an operator takes at most ", int(UINT16_MAX), " tensors, got ", int64_t(count)),
         "call it in parts");
  std::vector<const Tensor*> in;
  in.reserve(count);
  in.insert(in.end(), fixed);
  for (auto list : lists)
    for (const Tensor& t : list) in.push_back(&t);
  return in;
}

}  // namespace

Tensor call1_list(OpId op, std::initializer_list<const Tensor*> fixed, std::span<const Tensor> list,
                  std::span<uint64_t> words) {
  auto in = join(fixed, {list});
  Tensor out;
  Call c{.op = op, .n_in = uint16_t(in.size()), .in = in.data(), .words = words, .out = &out};
  dispatch(c);
  return out;
}

Tensor call1_list_inplace(OpId op, std::initializer_list<const Tensor*> fixed, std::span<const Tensor> list,
                          std::span<uint64_t> words) {
  auto in = join(fixed, {list});
  Tensor self = *in[0];
  Call c{.op = op, .n_in = uint16_t(in.size()), .inplace = true, .in = in.data(), .words = words};
  dispatch(c);
  return self;
}

void call_lists_effect(OpId op, std::initializer_list<std::span<const Tensor>> lists,
                       std::span<uint64_t> words) {
  auto in = join({}, lists);
  Call c{.op = op, .n_in = uint16_t(in.size()), .n_out = 0, .in = in.data(), .words = words};
  dispatch(c);
}

}  // namespace haft
