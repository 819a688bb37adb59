#include "core/cuda/dnn_attention.h"

namespace haft::cuda::dnn {

namespace {

using Four = std::array<int64_t, 4>;

// A tensor (batch, heads, places, width), or its transpose (batch, heads, width, places).
struct Maker {
  Graph& g;
  const AttentionShape& s;

  Tensor of_queries(const Four& strides) {
    return g.tensor(Four{s.batch, s.heads, s.queries, s.width}, strides, s.type);
  }
  Tensor of_keys(const Four& strides) {
    return g.tensor(Four{s.batch, s.own, s.keys, s.width}, strides, s.type);
  }
  Tensor turned_keys(const Four& strides) {
    return g.tensor(Four{s.batch, s.own, s.width, s.keys},
                    Four{strides[0], strides[1], strides[3], strides[2]}, s.type);
  }
  // What `a` times `b`, (batch, heads, keys, width), is to each key head: the sum over those that share it.
  void multiply_to_keys(const Tensor& a, const Tensor& b, const Tensor& out) {
    const Four all{s.batch, s.heads, s.keys, s.width};
    if (s.own == s.heads) {
      g.multiply(a, b, all, &out);
      return;
    }
    const Tensor of_each = g.packed(all, s.type, Place::between);
    g.multiply(a, b, all, &of_each);
    g.reduce(kSum, of_each, Four{s.batch, s.own, s.keys, s.width}, &out);
  }
  // The scaled scores, and the bias of them where there is one.
  Tensor scaled(const Tensor& q, const Tensor& k, const Tensor& scale, Tensor* bias) {
    const Tensor x = with(kMultiply, g.multiply(q, k, scores()), scale);
    if (s.bias.type == DType::none) return x;
    *bias = g.tensor(s.bias.sizes, s.bias.strides, s.bias.type);
    return with(kAdd, x, *bias);
  }
  Four rows() const { return {s.batch, s.heads, s.queries, 1}; }
  Four scores() const { return {s.batch, s.heads, s.queries, s.keys}; }
  Tensor with(Mode mode, const Tensor& a, const Tensor& b, DType type = DType::f32) {
    return g.pointwise(mode, a, {.b = &b, .type = type});
  }

  // Row i sees columns up to i.
  Tensor mask(const Tensor& scores, const Tensor& masked) {
    const Tensor row = g.pointwise(kIndex, scores, {.type = DType::i32, .compute = DType::i32, .axis = 2});
    const Tensor column = g.pointwise(kIndex, scores, {.type = DType::i32, .compute = DType::i32, .axis = 3});
    const Tensor seen =
        g.pointwise(kGreaterEqual, row, {.b = &column, .type = DType::boolean, .compute = DType::boolean});
    return g.pointwise(kSelect, scores, {.b = &masked, .mask = &seen});
  }
};

}  // namespace

AttentionForward attention_forward(const Functions& lib, const AttentionShape& s) {
  AttentionForward a;
  a.graph = std::make_unique<Graph>(lib);
  Graph& g = *a.graph;
  Maker m{g, s};
  a.q = m.of_queries(s.q);
  a.k = m.turned_keys(s.k);
  a.v = m.of_keys(s.v);
  a.o = m.of_queries(s.o);
  a.statistics = g.packed(m.rows(), DType::f32);
  a.scale = g.number(4);
  Tensor scores = m.scaled(a.q, a.k, a.scale, &a.bias);
  if (s.causal) {
    a.masked = g.number(4);
    scores = m.mask(scores, a.masked);
  }
  const Tensor most = g.reduce(kMaximum, scores, m.rows());
  const Tensor e = g.pointwise(kExp, m.with(kSubtract, scores, most));
  const Tensor sum = g.reduce(kSum, e, m.rows());
  const Tensor log_sum = g.pointwise(kLog, sum);
  g.pointwise(kAdd, most, {.b = &log_sum, .out = &a.statistics});
  g.multiply(m.with(kDivide, e, sum, s.type), a.v, Four{s.batch, s.heads, s.queries, s.width}, &a.o);
  return a;
}

AttentionBackward attention_backward(const Functions& lib, const AttentionShape& s) {
  AttentionBackward a;
  a.graph = std::make_unique<Graph>(lib);
  Graph& g = *a.graph;
  Maker m{g, s};
  const Four turned{s.batch, s.heads, s.keys, s.queries},
      turned_strides{s.heads * s.queries * s.keys, s.queries * s.keys, 1, s.keys};
  a.q = m.of_queries(s.q);
  a.k = m.turned_keys(s.k);
  a.v = m.turned_keys(s.v);
  a.o = m.of_queries(s.o);
  a.d_o = m.of_queries(s.d_o);
  a.statistics = g.packed(m.rows(), DType::f32);
  a.scale = g.number(4);
  a.one = g.number(4);
  if (s.causal) a.masked = g.number(4);
  a.dq = m.of_queries(s.dq);
  a.dk = m.of_keys(s.dk);
  a.dv = m.of_keys(s.dv);
  a.sums = g.packed(m.rows(), DType::f32);
  a.dq_sums = g.packed(Four{s.batch, s.heads, s.queries, s.width}, DType::f32);

  // The sum of dO * O of each row, in workspace.
  g.pointwise(kMultiply, g.reduce(kSum, m.with(kMultiply, a.d_o, a.o), m.rows()),
              {.b = &a.one, .out = &a.sums});
  // P again, from the scores and the statistics.
  Tensor scores = m.scaled(a.q, a.k, a.scale, &a.bias);
  scores = m.with(kSubtract, scores, a.statistics);
  if (s.causal) scores = m.mask(scores, a.masked);
  const Tensor p = g.pointwise(kExp, scores);
  m.multiply_to_keys(g.reshape(p, turned, turned_strides, s.type), a.d_o, a.dv);
  // dS = P * (dO V^T - sums) * scale; dK = dS^T Q, dQ = dS K.
  const Tensor dp = m.with(kMultiply, m.with(kSubtract, g.multiply(a.d_o, a.v, m.scores()), a.sums), p);
  const Tensor ds = m.with(kMultiply, dp, a.scale, s.type);
  m.multiply_to_keys(g.reshape(ds, turned, turned_strides, s.type), a.q, a.dk);
  const Tensor k = g.reshape(a.k, Four{s.batch, s.own, s.keys, s.width}, s.k, s.type);
  g.multiply(ds, k, Four{s.batch, s.heads, s.queries, s.width}, &a.dq_sums);
  g.pointwise(kIdentity, a.dq_sums, {.out = &a.dq});
  return a;
}

}  // namespace haft::cuda::dnn
