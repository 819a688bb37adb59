#include "core/parallel/ring_attention.h"

#include <algorithm>
#include <cmath>

#include "core/autograd/function.h"
#include "core/ops/functions.h"
#include "core/parallel/calls.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

using dist::Group;
using dist::Job;
using dist::Kind;
using dist::Work;

namespace {

// Tensors on their way to the next rank, and those that come from the one before.
class Ring {
  Group& g_;
  std::vector<Tensor> coming_;
  std::vector<Ref<Work>> sent_, asked_;

  Ref<Work> start(Kind kind, const Tensor& t, int peer, int32_t tag) {
    Job j;
    j.call.kind = kind;
    (kind == Kind::send ? j.in : j.out) = {t};
    j.peer = peer;
    j.tag = tag;
    return g_.start(std::move(j));
  }

 public:
  explicit Ring(Group& g) : g_(g) {}
  // Tags tell what goes around once from what goes around twice.
  void begin(std::span<const Tensor> blocks, int32_t tag) {
    const int n = g_.size(), r = g_.rank();
    tag |= 1 << 30 | 1 << 28;
    coming_.clear();
    for (const Tensor& t : blocks) {
      coming_.push_back(new_tensor(t.sizes(), t.dtype(), t.device()));
      asked_.push_back(start(Kind::recv, coming_.back(), (r + n - 1) % n, tag));
      sent_.push_back(start(Kind::send, t, (r + 1) % n, tag));
    }
  }
  std::vector<Tensor> end() {
    for (auto* works : {&asked_, &sent_}) {
      for (Ref<Work>& w : *works) finish_work(w);
      works->clear();
    }
    return std::move(coming_);
  }
};

DType computed(DType t) { return t == DType::f64 ? DType::f64 : DType::f32; }
Tensor wide(const Tensor& t) {
  return t.dtype() == computed(t.dtype()) ? t : ops::cast(t, computed(t.dtype()));
}

// (..., positions, width) as (1, heads, positions, width), what the kernel takes; and back from (1, positions, heads,
// width), what it gives.
Tensor as_heads(const Tensor& t) {
  int64_t heads = 1;
  for (int64_t n : t.sizes().first(size_t(t.ndim() - 2))) heads *= n;
  const int64_t sizes[] = {1, heads, t.size(-2), t.size(-1)};
  return ops::reshape(t, sizes);
}
Tensor turned(const Tensor& t) { return ops::transpose(t, 1, 2); }
Tensor like(const Tensor& t, const Tensor& other) {
  std::vector<int64_t> sizes(other.sizes().begin(), other.sizes().end());
  sizes.back() = t.size(-1);
  return ops::cast(ops::contiguous(ops::reshape(turned(t), sizes)), other.dtype());
}
// (1, heads, positions) against (1, positions, heads, width).
Tensor by_row(const Tensor& t) { return ops::unsqueeze(turned(t), -1); }

// The result as (1, positions, heads, width) and, a row, the logarithm of the softmax's divisor.
std::pair<Tensor, Tensor> attend(Group& g, const Tensor& q, Tensor k, Tensor v,
                                 const RingAttentionOptions& o) {
  const Tensor query = as_heads(wide(q));
  Tensor out, divisor;
  for (int i = 0; i < g.size(); ++i) {
    Ring ring(g);
    const Tensor passed[] = {k, v};
    const bool more = i + 1 < g.size();
    if (more) ring.begin(passed, 0);
    if (!o.causal || i <= g.rank()) {  // others lie behind all of this rank's queries
      auto [part, own] = ops::attention(query, as_heads(wide(k)), as_heads(wide(v)), Tensor(), o.scale,
                                        i == 0 && o.causal, 0, 0, 0);
      if (i) {
        const Tensor both = ops::logaddexp(divisor, own);
        out = ops::add(ops::mul(out, by_row(ops::exp(ops::sub(divisor, both)))),
                       ops::mul(part, by_row(ops::exp(ops::sub(own, both)))));
        divisor = both;
      } else {
        out = part;
        divisor = own;
      }
    }
    if (!more) break;
    std::vector<Tensor> next = ring.end();
    k = next[0];
    v = next[1];
  }
  return {out, divisor};
}

// Gradients of key and value travel with their block and come home after a whole turn.
std::vector<Tensor> attend_backward(Group& g, const Tensor& q, Tensor k, Tensor v, const Tensor& out,
                                    const Tensor& divisor, const Tensor& grad,
                                    const RingAttentionOptions& o) {
  const Tensor query = as_heads(wide(q)), dout = turned(as_heads(wide(grad)));
  const Tensor own_k = k, own_v = v;
  Tensor dq, dk, dv;
  for (int i = 0; i < g.size(); ++i) {
    Ring blocks(g), gradients(g);
    const Tensor passed[] = {k, v};
    const bool more = i + 1 < g.size();
    if (more) blocks.begin(passed, 0);
    if (!o.causal || i <= g.rank()) {
      auto [to_q, to_k, to_v] =
          ops::attention_backward(dout, query, as_heads(wide(k)), as_heads(wide(v)), Tensor(), out, divisor,
                                  o.scale, i == 0 && o.causal, 0, 0, 0);
      dq = i ? ops::add(dq, to_q) : to_q;
      dk = i ? ops::add(dk, to_k) : to_k;
      dv = i ? ops::add(dv, to_v) : to_v;
    }
    const Tensor gathered[] = {dk, dv};
    if (g.size() > 1) {
      gradients.begin(gathered, 1);
      std::vector<Tensor> home = gradients.end();
      dk = home[0];
      dv = home[1];
    }
    if (!more) break;
    std::vector<Tensor> next = blocks.end();
    k = next[0];
    v = next[1];
  }
  return {like(dq, q), like(dk, own_k), like(dv, own_v)};
}

}  // namespace

Tensor ring_attention(Ref<Group> g, const Tensor& q, const Tensor& k, const Tensor& v,
                      RingAttentionOptions o) {
  const auto refuse = [&](std::string_view text) {
    fail(Code::shape, concat("ring attention: ", text, ", got query ", q.sizes(), ", key ", k.sizes(),
                             ", value ", v.sizes()));
  };
  const int64_t n = q.ndim();
  if (n < 2 || k.ndim() != n || v.ndim() != n) refuse("takes three tensors of shape (..., positions, width)");
  if (q.size(-1) != k.size(-1) ||
      !std::ranges::equal(k.sizes().first(size_t(n - 1)), v.sizes().first(size_t(n - 1))) ||
      !std::ranges::equal(q.sizes().first(size_t(n - 2)), k.sizes().first(size_t(n - 2))) || k.size(-2) == 0)
    refuse(
        "leading dimensions, the widths of query and key and the positions of key and value must be equal");
  if (o.causal && q.size(-2) != k.size(-2)) refuse("a causal one has as many queries as keys");
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype() || !is_float(q.dtype()))
    fail(Code::dtype, concat("ring attention: takes one floating type, got ", dtype_name(q.dtype()), ", ",
                             dtype_name(k.dtype()), " and ", dtype_name(v.dtype())));
  if (o.scale == 0) o.scale = 1 / std::sqrt(double(q.size(-1)));
  auto fn = make_ref<CustomFunction>();
  fn->name = "ring_attention";
  fn->forward = [g, o](FunctionContext& c, std::span<const Tensor> in) {
    return or_kill(*g, "ring attention", [&]() -> std::vector<Tensor> {
      auto [out, divisor] = attend(*g, in[0], in[1], in[2], o);
      for (const Tensor& t : in) c.save(t);
      c.save(out);
      c.save(divisor);
      return {like(out, in[0])};
    });
  };
  fn->backward = [g, o](FunctionContext& c, std::span<const Tensor> grads) {
    if (thread_state().grad_enabled)
      fail(Code::unsupported, "ring attention has a first gradient only",
           "call backward without create_graph");
    return or_kill(*g, "ring attention", [&] {
      return attend_backward(*g, c.saved(0), c.saved(1), c.saved(2), c.saved(3), c.saved(4), grads[0], o);
    });
  };
  const Tensor in[] = {q, k, v};
  return apply_function(fn, in)[0];
}

}  // namespace haft::parallel
