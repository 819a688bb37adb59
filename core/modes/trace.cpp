#include "core/modes/trace.h"

#include <algorithm>
#include <map>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/finish.h"
#include "core/dispatch/prepare.h"
#include "core/dispatch/shape_context.h"
#include "core/tensor/storage.h"

namespace haft {

namespace {

struct Tracer {
  struct Value {
    uint16_t number;
    uint8_t join = HAFT_FUSED_STORE;
    bool keepdim = true;
    Shape joined = {};   // the sizes before that
    Tensor holder = {};  // so that the memory stays this value's
  };
  const std::string& name;
  Chain chain;
  std::map<const Storage*, Value> values;  // views of a stand-in are the same value

  [[noreturn]] void refuse(std::string why, std::string hint) const {
    fail(Code::unsupported, concat("[", name, "] ", why), std::move(hint));
  }

  Tensor stand_in(IntList sizes, DType t, Device d, Value v) {
    Shape strides;
    for (size_t i = 0; i < sizes.size(); ++i) strides.push_back(0);
    v.holder = tensor_over(new_storage(thread_state(), d, item_size(t)), sizes, strides, t);
    const Tensor made = shallow_copy(*v.holder.impl());
    values[v.holder.impl()->storage.get()] = std::move(v);
    return made;
  }
  const Value& value_of(const Tensor& t, const char* op) const {
    const auto found = values.find(t.impl()->storage.get());
    if (found == values.end())
      refuse(concat(op, " takes a tensor of shape ", t.sizes(), " that is not one of the function's inputs"),
             "hand it over as an input");
    if (found->second.join != HAFT_FUSED_STORE)
      refuse(concat(op, " goes on with joined rows"), "a sum, mean, amax or amin comes last");
    return found->second;
  }
  uint16_t step(OpId op, std::initializer_list<uint16_t> in, DType kernel, DType result, Words words) {
    haft_fused_step s = {};
    s.op = uint32_t(op);
    for (uint16_t v : in) s.in[s.n_in++] = v;
    s.dtype = uint8_t(result);
    s.kernel_dtype = uint8_t(kernel);
    s.attrs = uint32_t(chain.words.size());
    s.n_attrs = uint32_t(words.size());
    chain.words.insert(chain.words.end(), words.begin(), words.end());
    chain.steps.push_back(s);
    const size_t number = chain.in_dtypes.size() + chain.steps.size() - 1;
    if (number > UINT16_MAX) refuse("the function is too long", "split it");
    return uint16_t(number);
  }
  uint16_t cast(uint16_t v, DType to) {
    const DType from = chain.dtype_of(v);
    const uint64_t words[] = {word(to)};
    return from == to ? v : step(OpId::cast, {v}, from, to, words);
  }

  void pointwise(const Call& c, const OpInfo& op);
  void constant(const Call& c, const OpInfo& op);
  void join(const Call& c, const OpInfo& op, uint8_t kind);
  void prune();
};

thread_local Tracer* current = nullptr;

// Powers that have cheaper functions with the same value.
OpId simpler(OpId op, Words words, DType t) {
  if (op != OpId::pow_scalar || !is_float(t)) return op;
  const double e = AttrReader{words.data()}.scalar(0).to_double();
  return e == 2 ? OpId::square : e == 0.5 ? OpId::sqrt : e == -1 ? OpId::reciprocal : op;
}

void Tracer::pointwise(const Call& c, const OpInfo& op) {
  for (int i = 0; i < c.n_in; ++i) value_of(*c.in[i], op.name);
  PointwiseInputs p(c);
  prepare_pointwise(c, op, p);
  const Tensor& lead = *p.in[p.lead];
  const DType t = lead.dtype(), result = op.traits & BOOLOUT ? DType::boolean : t;
  const OpId id = simpler(c.op, c.words, t);
  uint16_t in[kMaxPointwise] = {};
  for (int i = 0; i < c.n_in; ++i) in[i] = value_of(*p.in[i], op.name).number;
  const uint16_t v = c.n_in == 1   ? step(id, {in[0]}, t, result, id == c.op ? Words(c.words) : Words())
                       : c.n_in == 2 ? step(id, {in[0], in[1]}, t, result, c.words)
                                   : step(id, {in[0], in[1], in[2]}, t, result, c.words);
  if (c.inplace) {  // what was written has a new value from here on
    const Tensor& self = *c.in[0];
    if (values.at(self.impl()->storage.get()).number < chain.in_dtypes.size())
      refuse(concat(op.name, "_ writes into an input"), "use the operator that returns a new tensor");
    if (wants_record(p.inputs(), op, thread_state()) || category(result) > category(self.dtype()) ||
        !std::ranges::equal(lead.sizes(), self.sizes()))
      refuse(concat(op.name, "_ does not fit the tensor that it writes"),
             "use the operator that returns a new tensor");
    values.at(self.impl()->storage.get()).number = cast(v, self.dtype());
    return;
  }
  c.out[0] = stand_in(lead.sizes(), result, lead.device(), {v});
  finish(c, op, thread_state(), p.inputs(), c.words);
}

// A number in all places, made of an input whatever that is: where(x is 0 or x is not 0, number, x).
void Tracer::constant(const Call& c, const OpInfo& op) {
  ShapeContext ctx(c);
  op.shape(ctx);
  const ShapeContext::Out& o = ctx.outs[0];
  const uint16_t zero = step(OpId::logical_not, {0}, chain.in_dtypes[0], DType::boolean, {}),
                 other = step(OpId::logical_not, {zero}, DType::boolean, DType::boolean, {}),
                 all = step(OpId::logical_or, {zero, other}, DType::boolean, DType::boolean, {}),
                 x = cast(0, o.dtype);
  const Scalar value = AttrReader{ctx.words().data()}.scalar(1);
  const uint64_t words[] = {word_kind(value), word_bits(value)};
  c.out[0] = stand_in(o.sizes(), o.dtype, ctx.out_device == kDefaultDevice ? Device{} : ctx.out_device,
                      {step(OpId::masked_fill, {x, all}, o.dtype, o.dtype, words)});
}

void Tracer::join(const Call& c, const OpInfo& op, uint8_t kind) {
  uint16_t v = value_of(*c.in[0], op.name).number;
  ShapeContext ctx(c);
  {
    AllModes modes(thread_state());
    op.shape(ctx);
  }
  const Tensor& x = ctx.in(0);
  const IntList dims = ctx.attrs.ints(0);
  const bool rows = dims.empty() ? x.ndim() == 1 : dims.size() == 1 && dims[0] == x.ndim() - 1;
  if (!rows || x.ndim() == 0)
    refuse(concat(op.name, " over dimensions ", dims, " of shape ", x.sizes(), " does not join rows"),
           "join the last dimension, and that alone");
  const ShapeContext::Out& o = ctx.outs[0];
  if (kind == HAFT_FUSED_SUM && o.dtype != (is_float(x.dtype()) ? x.dtype() : DType::i64)) {
    if (!is_float(o.dtype))
      refuse(concat("a sum of ", dtype_name(x.dtype()), " in ", dtype_name(o.dtype), " cannot be fused"),
             "sums of integers are int64, all others of a floating dtype");
    v = cast(v, o.dtype);
  }
  c.out[0] = stand_in(o.sizes(), o.dtype, x.device(), {v, kind, ctx.attrs.b(1), Shape(x.sizes())});
  finish(c, op, thread_state(), ctx.inputs(), ctx.words());
}

// Without steps and inputs that no output needs.
void Tracer::prune() {
  const size_t n_in = chain.in_dtypes.size();
  std::vector<bool> needed(n_in + chain.steps.size());
  for (const Chain::Output& o : chain.outputs) needed[o.value] = true;
  for (size_t s = chain.steps.size(); s-- > 0;)
    if (needed[n_in + s])
      for (int i = 0; i < chain.steps[s].n_in; ++i) needed[chain.steps[s].in[i]] = true;
  Chain less;
  less.space = chain.space;
  std::vector<uint16_t> number(needed.size());
  uint16_t next = 0;
  for (size_t i = 0; i < n_in; ++i) {
    if (!needed[i]) continue;
    number[i] = next++;
    less.inputs.push_back(chain.inputs[i]);
    less.in_dtypes.push_back(chain.in_dtypes[i]);
  }
  for (size_t s = 0; s < chain.steps.size(); ++s) {
    if (!needed[n_in + s]) continue;
    number[n_in + s] = next++;
    haft_fused_step step = chain.steps[s];
    for (int i = 0; i < step.n_in; ++i) step.in[i] = number[step.in[i]];
    const auto words = chain.words.begin() + step.attrs;
    step.attrs = uint32_t(less.words.size());
    less.words.insert(less.words.end(), words, words + step.n_attrs);
    less.steps.push_back(step);
  }
  for (Chain::Output o : chain.outputs) {
    o.value = number[o.value];
    less.outputs.push_back(o);
  }
  chain = std::move(less);
}

}  // namespace

Chain trace(const std::string& name, const TracedFunction& fn, std::span<const Tensor> inputs,
            std::vector<bool>* defined) {
  ThreadState& ts = thread_state();
  Tracer tracer{name, {}, {}};
  Chain& chain = tracer.chain;
  ScopedValue<bool> usual(ts.inference, false);
  std::vector<Tensor> in;
  if (inputs.empty())
    tracer.refuse("the function has no inputs", "a fused function computes with at least one tensor");
  for (size_t i = 0; i < inputs.size(); ++i) {
    chain.inputs.push_back(int64_t(i));
    chain.in_dtypes.push_back(inputs[i].dtype());
    in.push_back(tracer.stand_in(inputs[i].sizes(), inputs[i].dtype(), inputs[i].device(), {uint16_t(i)}));
  }
  std::vector<Tensor> out;
  {
    ScopedValue<uint32_t> modes(ts.modes, ts.modes | kModeTrace);
    ScopedValue<Tracer*> here(current, &tracer);
    out = fn(in);
  }
  if (out.empty()) tracer.refuse("the function answers nothing", "return the tensors that it computes");
  bool first = true;
  for (const Tensor& t : out) {
    if (defined) defined->push_back(t.defined());
    if (!t.defined()) continue;
    const auto found = tracer.values.find(t.impl()->storage.get());
    if (found == tracer.values.end())
      tracer.refuse("a result does not depend on the inputs", "compute it outside of the function");
    const Tracer::Value& v = found->second;
    chain.outputs.push_back({v.number, v.join, v.keepdim, t.dtype(), Shape(t.sizes())});
    if (v.number < chain.in_dtypes.size() && v.join == HAFT_FUSED_STORE) continue;  // an input as it is
    const IntList sizes = v.join == HAFT_FUSED_STORE ? t.sizes() : IntList(v.joined);
    if (!first && !std::ranges::equal(sizes, IntList(chain.space)))
      tracer.refuse(concat("results are computed in the shapes ", IntList(chain.space), " and ", sizes),
                    "a fused function has one shape: make two of it");
    chain.space = Shape(sizes);
    first = false;
  }
  if (chain.outputs.empty()) return chain;
  tracer.prune();
  return chain;
}

void trace_call(const Call& c) {
  Tracer& t = *current;
  const OpInfo& op = op_info(c.op);
  if (c.into)
    t.refuse(concat(op.name, "_out writes into a tensor"), "use the operator that returns a new one");
  if (op.kind == OpKind::pointwise) return t.pointwise(c, op);
  if (!c.inplace) switch (c.op) {
      case OpId::expand: t.value_of(*c.in[0], op.name); return dispatch(c);
      case OpId::cast: {
        const Tensor& x = *c.in[0];
        const uint16_t v = t.value_of(x, op.name).number;
        ShapeContext ctx(c);
        op.shape(ctx);
        const DType to = ctx.outs[0].dtype;
        c.out[0] = t.stand_in(x.sizes(), to, x.device(), {t.cast(v, to)});
        return finish(c, op, thread_state(), c.inputs(), c.words);
      }
      case OpId::contiguous_copy: {
        const Tensor& x = *c.in[0];
        c.out[0] = t.stand_in(x.sizes(), x.dtype(), x.device(), {t.value_of(x, op.name).number});
        return finish(c, op, thread_state(), c.inputs(), c.words);
      }
      case OpId::full: return t.constant(c, op);
      case OpId::sum: return t.join(c, op, HAFT_FUSED_SUM);
      case OpId::mean: return t.join(c, op, HAFT_FUSED_MEAN);
      case OpId::amax: return t.join(c, op, HAFT_FUSED_MAX);
      case OpId::amin: return t.join(c, op, HAFT_FUSED_MIN);
      default: break;
    }
  t.refuse(concat(op.name, c.inplace ? "_" : "", " does not compute element by element"),
           "a fused function has pointwise operators, casts, expand and, last, sum, mean, amax or amin over "
           "the last dimension");
}

void trace_host_read(const Tensor&) {
  current->refuse("the function reads values on the host",
                  "its tensors have sizes and dtypes, no values yet");
}

}  // namespace haft
