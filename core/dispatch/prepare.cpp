#include "core/dispatch/prepare.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/backend/device.h"
#include "core/backend/registry.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/finish.h"
#include "core/dispatch/kernel.h"
#include "core/dispatch/layout.h"

namespace haft {

namespace {

bool is_mask(const OpInfo& op, int i) {
  return (i == 0 && op.traits & MASK0) || (i == 1 && op.traits & MASK1);
}

// PyTorch's rule: tensors with dimensions decide; 0-dim tensors and then scalars count only with a higher category.
DType compute_dtype(const Call& c, const OpInfo& op) {
  DType dims = DType::none, zero = DType::none;
  auto meet = [](DType a, DType b) { return a == DType::none ? b : promote(a, b); };
  for (int i = 0; i < c.n_in; ++i) {
    if (is_mask(op, i)) continue;
    const Tensor& t = *c.in[i];
    DType& group = t.ndim() ? dims : zero;
    group = meet(group, t.dtype());
    if (op.traits & KEEPS) {
      check_fits(AttrReader{c.words.data()}.scalar(op.scalar_word), t.dtype(), op.name);
      return t.dtype();
    }
  }
  DType result = dims;
  if (result == DType::none || (zero != DType::none && category(zero) > category(dims))) result = zero;
  AttrReader attrs{c.words.data()};
  for (int k = 0; k < op.scalar_count; ++k) {
    Scalar s = attrs.scalar(op.scalar_word + 2 * k);
    if (s.kind == ScalarKind::none) continue;
    Category kind = s.kind == ScalarKind::floating  ? Category::floating
                    : s.kind == ScalarKind::integer ? Category::integer
                                                    : Category::boolean;
    if (kind > category(result)) result = kind == Category::floating ? default_float() : DType::i64;
  }
  if (op.traits & FLOAT && !is_float(result)) result = default_float();
  return result;
}

Tensor to_device(const Tensor& x, Device d) {
  uint64_t w[] = {word(d), 0};
  return call1(OpId::to_device, {&x}, w);
}

bool same_memory_other_view(const TensorImpl& a, const TensorImpl& b) {
  if (a.storage.get() != b.storage.get()) return false;
  const haft_tensor_view &u = a.view, &v = b.view;
  return u.data != v.data || meta(u) != meta(v) || !std::ranges::equal(a.strides(), b.strides());
}

}  // namespace

void check_inplace(const Tensor& self, const OpInfo& op) {
  TensorImpl& t = *self.impl();
  check_distinct(self, op.name, "_");
  if (!thread_state().grad_enabled) return;
  TensorImpl *base = t.live_base(), &owner = base ? *base : t;
  auto* n = static_cast<Node*>(owner.node.get());
  if (n && n->is_leaf())
    fail(Code::autograd,
         concat("[", op.name, "_] a leaf that requires a gradient", base ? " (through a view of it)" : "",
                " must not be written in place"),
         "use no_grad, or the operator that returns a new tensor");
  // Before the write, which the tape would refuse to record (rebase_history).
  if (base && t.node && !dynamic_cast<const OpNode*>(t.node.get()))
    fail(Code::autograd,
         concat("[", op.name,
                "_] a function's result that is a view of its input must not be written in place"),
         "clone() what the function answers");
  if (!op.gradient && self.requires_grad())
    fail(Code::autograd,
         concat("[", op.name, "_] has no gradient, so it must not overwrite a tensor that takes part in one"),
         "use the operator that returns a new tensor, or detach() first");
}

namespace {

// Raises the version of what is being written, also when the kernel fails halfway.
struct WriteGuard {
  Storage& storage;
  ~WriteGuard() { storage.bump(); }
};

}  // namespace

std::optional<InputsBeforeWrite> inputs_to_record(Inputs in, const OpInfo& op, const Tensor& self) {
  std::optional<InputsBeforeWrite> before;
  if (is_differentiable(self.dtype()) && wants_record(in, op, thread_state()))
    before.emplace(in, op, *self.impl());
  return before;
}

void check_target(const Call& c, const OpInfo& op, const Tensor& self, const Tensor& lead, DType dtype) {
  const char *form = c.inplace ? "_" : "_out", *argument = c.inplace ? "" : "out";
  if (c.inplace) check_inplace(self, op);
  if (!std::ranges::equal(self.sizes(), lead.sizes()))
    fail(Code::shape,
         concat("[", op.name, form, "] the result has shape ", lead.sizes(), ", the tensor to write into ",
                self.sizes()),
         "in-place operators do not change shapes; use the form that returns a new tensor", argument);
  if (category(dtype) > category(self.dtype()) || (c.into && dtype != self.dtype()))
    fail(Code::dtype,
         concat("[", op.name, form, "] the result is ", dtype_name(dtype), ", which ",
                dtype_name(self.dtype()), " cannot hold"),
         "cast the tensor first, or use the form that returns a new tensor", argument);
  if (c.into) {
    if (self.requires_grad())
      fail(Code::autograd, concat("[", op.name, "_out] out must not require a gradient"),
           "use the form that returns a new tensor", "out");
    check_distinct(self, op.name, "_out");
  }
  if (self.device() != lead.device()) fail_devices(c, op);
}

void check_fits(Scalar value, DType t, const char* op) {
  if (value.kind == ScalarKind::none)
    fail(Code::invalid_argument, concat("[", op, "] a value is missing"), {}, "value");
  if (!is_integer(t)) return;
  visit_dtype(t, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using L = std::numeric_limits<T>;
      bool fits;
      if (value.kind == ScalarKind::floating) {
        // 2^63 itself is a double, the largest int64 is not: compare against the power of two above.
        const double above = std::ldexp(1.0, L::digits);
        fits = value.d < above && value.d > double(L::min()) - 1;
        if (L::digits == 63) fits = value.d < above && value.d >= double(L::min());
      } else {
        fits = value.i >= int64_t(L::min()) && value.i <= int64_t(L::max());
      }
      if (fits) return;
      if (value.kind == ScalarKind::floating)
        fail(Code::invalid_argument, concat("[", op, "] ", dtype_name(t), " cannot hold ", value.d),
             "use a wider dtype", "value");
      fail(Code::invalid_argument, concat("[", op, "] ", dtype_name(t), " cannot hold ", value.i),
           "use a wider dtype", "value");
    }
  });
}

void check_distinct(const Tensor& x, const char* name, const char* form) {
  const haft_tensor_view& v = x.view();
  for (int i = 0; i < v.ndim && v.numel; ++i)
    if (v.strides[i] == 0 && v.sizes[i] > 1)
      fail(Code::invalid_argument,
           concat("[", name, form, "] several elements of the written tensor share memory (shape ", x.sizes(),
                  ", strides ", x.strides(), ")"),
           "clone() the expanded tensor before writing into it");
}

void copy_into(const Tensor& dst, const Tensor& src) {
  const haft_tensor_view *out = &resolve(*dst.impl(), false).view,
                         *in[2] = {out, &resolve(*src.impl(), false).view};
  if (out->numel) run_kernel(OpId::copy, in, {&out, 1}, {});
}

Tensor make_contiguous(const Tensor& x) { return x.is_contiguous() ? x : call1(OpId::contiguous_copy, {&x}); }

void fail_devices(const Call& c, const OpInfo& op) {
  std::string where;
  for (int i = 0; i < c.n_in; ++i)
    if (c.in[i]->defined()) where += concat(where.empty() ? "" : ", ", c.in[i]->device());
  fail(Code::device, concat("[", op.name, "] tensors are on different devices: ", where),
       "move them to one device with to()");
}

void fail_recorded_out(const OpInfo& op) {
  fail(Code::autograd,
       concat("[", op.name, "_out] an input requires a gradient, and writing into out is not recorded"),
       "call it under no_grad, or use the form that returns a new tensor");
}

void refuse_bool(const Call& c, const OpInfo& op) {
  bool found = false;
  for (int i = 0; i < c.n_in; ++i) found |= c.in[i]->dtype() == DType::boolean;
  for (int k = 0; k < op.scalar_count; ++k)
    found |= AttrReader{c.words.data()}.scalar(op.scalar_word + 2 * k).kind == ScalarKind::boolean;
  if (found)
    fail(Code::dtype, concat("[", op.name, "] does not take bool"),
         "logical_not() inverts a mask, logical_xor() tells where two differ; cast to a number to compute");
}

void prepare_pointwise(const Call& c, const OpInfo& op, PointwiseInputs& p) {
  AllModes modes(thread_state());
  p.lead = typing_input(c.op);
  bool differs = false;  // layouts or sizes
  Device device = c.in[0]->device();
  for (int i = 0; i < c.n_in; ++i)
    if (!c.in[i]->device().is_cpu()) device = c.in[i]->device();
  auto replace = [&](int i, Tensor t) {
    p.made[i] = std::move(t);
    p.in[i] = &p.made[i];
  };
  for (int i = 0; i < c.n_in; ++i) {
    if (p.in[i]->device() == device) continue;
    if (p.in[i]->ndim() || !p.in[i]->device().is_cpu()) fail_devices(c, op);
    replace(i, to_device(*p.in[i], device));
  }

  if (op.traits & NOBOOL) refuse_bool(c, op);
  DType dtype = compute_dtype(c, op);
  if (op.traits & INTONLY && is_float(dtype))
    fail(Code::dtype, concat("[", op.name, "] takes integers and bool, got ", dtype_name(dtype)),
         "cast to an integer dtype");
  for (int i = 0; i < c.n_in; ++i) {
    DType want = is_mask(op, i) ? DType::boolean : dtype;
    if (p.in[i]->dtype() == want) continue;
    if (is_mask(op, i))
      fail(Code::dtype, concat("[", op.name, "] the mask must be bool, got ", dtype_name(p.in[i]->dtype())),
           "compare it, for example ne(mask, 0)");
    uint64_t w[] = {word(want)};
    replace(i, call1(OpId::cast, {p.in[i]}, w));
  }

  for (int i = 1; i < c.n_in; ++i) {
    differs |= p.in[i]->view().layout != p.in[0]->view().layout;
    differs |= !std::ranges::equal(p.in[i]->sizes(), p.in[0]->sizes());
  }
  p.blocked = !differs && !is_batched(*p.in[0]);
  for (int i = 0; i < c.n_in && p.blocked; ++i)  // one written twin makes all read strided memory
    p.blocked = &resolve(*p.in[i]->impl(), true) == p.in[i]->impl();
  if (!differs) return;
  Shape sizes(p.in[0]->sizes());
  for (int i = 1; i < c.n_in; ++i) sizes = broadcast_shapes(sizes, p.in[i]->sizes(), op.name);
  for (int i = 0; i < c.n_in; ++i) {
    if (std::ranges::equal(p.in[i]->sizes(), IntList(sizes))) continue;
    AttrWriter w;
    w.add(IntList(sizes));
    auto words = w.finish();
    replace(i, call1(OpId::expand, {p.in[i]}, {const_cast<uint64_t*>(words.data()), words.size()}));
  }
}

void run_pointwise_into(const Call& c, const OpInfo& op, const PointwiseInputs& p) {
  const Tensor self = c.inplace ? *c.in[0] : c.out[0], &lead = *p.in[p.lead];
  const DType dtype = op.traits & BOOLOUT ? DType::boolean : lead.dtype();
  ThreadState& ts = thread_state();
  check_target(c, op, self, lead, dtype);
  if (c.into && wants_record(p.inputs(), op, ts)) fail_recorded_out(op);
  if (dtype != self.dtype()) {  // two operators, each with gradients of its dtype
    AllModes modes(ts);
    Tensor result;
    dispatch({.op = c.op, .n_in = c.n_in, .in = p.in, .words = c.words, .out = &result});
    call1_inplace(OpId::copy, {&self, &result});
    return;
  }

  const auto before = c.inplace ? inputs_to_record(p.inputs(), op, self) : std::nullopt;
  // All in the layout of the inputs, or all in strided memory.
  const bool blocked = p.blocked && resolve_written(*self.impl(), true).view.layout == p.in[0]->view().layout;
  TensorImpl& memory = resolve_written(*self.impl(), blocked);
  const haft_tensor_view *views[kMaxPointwise], *out = &memory.view;
  bool overlaps = false;
  for (int i = 0; i < p.n; ++i) {
    const TensorImpl& x = resolve(*p.in[i]->impl(), blocked);
    views[i] = &x.view;
    overlaps |= same_memory_other_view(x, memory);
  }
  memory.storage->bump();  // first: a kernel that fails may have written something
  if (memory.view.numel && overlaps) {
    Tensor aside = new_tensor(lead.sizes(), dtype, lead.device());
    out = &aside.view();
    run_kernel(c.op, {views, size_t(p.n)}, {&out, 1}, c.words);
    copy_into(self, aside);
  } else if (memory.view.numel) {
    run_kernel(c.op, {views, size_t(p.n)}, {&out, 1}, c.words);
  }
  if (c.inplace)
    finish_inplace(c, ts, self, p.inputs(), c.words, before ? &*before : nullptr);
  else
    finish(c, op, ts, p.inputs(), c.words);
}

void run_general_inplace(const Call& c, const OpInfo& op, ShapeContext& ctx) {
  const Tensor self = ctx.in(0);
  check_inplace(self, op);
  const auto& want = ctx.outs[0];
  if (want.dtype != self.dtype() || !std::ranges::equal(self.sizes(), want.sizes()))
    fail(Code::shape,
         concat("[", op.name, "_] the result is ", dtype_name(want.dtype), " of shape ", want.sizes(),
                ", the tensor to write into ", dtype_name(self.dtype()), " of shape ", self.sizes()));
  const auto before = inputs_to_record(ctx.inputs(), op, self);
  TensorImpl& memory = resolve(*self.impl(), false);
  Tensor mine = shallow_copy(memory);  // the memory as the kernel writes it
  bool aside = op.traits & CLONES && !memory.view.contiguous;
  SmallVec<const Tensor*, 16> in(ctx.inputs());
  std::vector<Tensor> copies;
  copies.reserve(in.size());  // addresses stay
  for (int i = 1; i < in.size(); ++i) {
    if (!in[i]->defined()) continue;
    TensorImpl& x = *in[i]->impl();
    if (op.traits & CLONES) {
      aside |= shares_memory(x, *self.impl());
    } else if (same_memory_other_view(resolve(x, false), memory)) {
      copies.push_back(new_tensor(x.sizes(), x.dtype(), x.device()));
      copy_into(copies.back(), *in[i]);
      in[i] = &copies.back();
    }
  }
  {
    WriteGuard write(*memory.storage);
    Tensor temporary = aside ? new_tensor(self.sizes(), self.dtype(), self.device()) : mine;
    if (aside) copy_into(temporary, mine);
    run_general_kernel(c.op, op, {in.data(), size_t(in.size())}, ctx.words(), {&temporary, 1});
    if (aside) copy_into(mine, temporary);
  }
  finish_inplace(c, thread_state(), self, ctx.inputs(), ctx.words(), before ? &*before : nullptr);
}

}  // namespace haft
