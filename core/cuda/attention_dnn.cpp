// Attention by cuDNN, for what it has one kernel for: 16-bit floats, heads of equal numbers and widths, no mask but
// the diagonal, no dropout.
#include <limits>

#include "core/cuda/attention.h"
#include "core/cuda/dnn_attention.h"
#include "core/cuda/dnn_plans.h"

namespace haft::cuda {

namespace {

using Strides = std::array<int64_t, 4>;

Strides strides_of(const haft_tensor_view& v) {
  return {v.strides[0], v.strides[1], v.strides[2], v.strides[3]};
}
// (N, L, H, E) in memory, told as (N, H, L, E).
Strides strides_of_rows(const haft_tensor_view& v) {
  return {v.strides[0], v.strides[2], v.strides[1], v.strides[3]};
}

bool fits(const void* p, const Strides& s) {
  for (int d = 0; d < 3; ++d)
    if (s[size_t(d)] % 8) return false;
  return s[3] == 1 && reinterpret_cast<uintptr_t>(p) % 16 == 0;
}

// q, k and v at inputs i to i + 2; whether the library may be asked.
bool describe(const Call& c, int i, dnn::AttentionShape* s) {
  const haft_tensor_view &q = c.in(i), &k = c.in(i + 1), &v = c.in(i + 2);
  const DType t = c.dtype(i);
  if ((t != DType::f16 && t != DType::bf16) || c.has(i + 3) || c.attrs.d(2) > 0 || c.exact()) return false;
  if (q.numel == 0 || k.numel == 0 || q.sizes[1] != k.sizes[1] || q.sizes[3] != v.sizes[3] ||
      q.sizes[3] % 8 || q.sizes[3] > 128)
    return false;
  *s = {};
  s->batch = q.sizes[0], s->heads = q.sizes[1], s->queries = q.sizes[2], s->keys = k.sizes[2],
  s->width = q.sizes[3];
  s->type = t;
  s->causal = c.attrs.b(1);
  s->q = strides_of(q), s->k = strides_of(k), s->v = strides_of(v);
  return fits(q.data, s->q) && fits(k.data, s->k) && fits(v.data, s->v);
}

dnn::Key key_of(OpId op, const dnn::AttentionShape& s) {
  dnn::Key key = {int64_t(op), s.batch, s.heads, s.queries, s.keys, s.width, int64_t(s.type), s.causal};
  for (const Strides* of : {&s.q, &s.k, &s.v, &s.o, &s.d_o, &s.dq, &s.dk, &s.dv})
    key.insert(key.end(), of->begin(), of->end());
  return key;
}

constexpr float kUnseen = -std::numeric_limits<float>::infinity(), kOne = 1;

}  // namespace

namespace {

bool forward(const Call& c) {
  dnn::AttentionShape s;
  if (!describe(c, 0, &s)) return false;
  s.o = strides_of_rows(c.out(0));
  const auto kept = dnn::plan_for(c, key_of(OpId::attention, s), {},
                                  [&](const dnn::Functions& lib, std::vector<dnn::Tensor>* tensors) {
                                    dnn::AttentionForward g = dnn::attention_forward(lib, s);
                                    *tensors = {g.q, g.k, g.v, g.o, g.statistics, g.scale};
                                    if (s.causal) tensors->push_back(g.masked);
                                    return std::move(g.graph);
                                  });
  if (!kept) return false;
  const float scale = float(c.attrs.d(0));
  const void *q = c.in(0).data, *k = c.in(1).data, *v = c.in(2).data, *out = c.out(0).data,
             *lse = c.out(1).data;
  if (s.causal)
    dnn::run(c, *kept, {q, k, v, out, lse, &scale, &kUnseen});
  else
    dnn::run(c, *kept, {q, k, v, out, lse, &scale});
  return true;
}

bool backward(const Call& c) {
  dnn::AttentionShape s;
  if (!describe(c, 1, &s)) return false;
  const haft_tensor_view &grad = c.in(0), &out = c.in(5);
  s.o = strides_of_rows(out), s.d_o = strides_of_rows(grad);
  s.dq = strides_of_rows(c.out(0)), s.dk = strides_of_rows(c.out(1)), s.dv = strides_of_rows(c.out(2));
  if (!fits(out.data, s.o) || !fits(grad.data, s.d_o)) return false;
  const auto kept = dnn::plan_for(c, key_of(OpId::attention_backward, s), {},
                                  [&](const dnn::Functions& lib, std::vector<dnn::Tensor>* tensors) {
                                    dnn::AttentionBackward g = dnn::attention_backward(lib, s);
                                    *tensors = {g.q,  g.k,  g.v,    g.o,       g.d_o,   g.statistics, g.dq,
                                                g.dk, g.dv, g.sums, g.dq_sums, g.scale, g.one};
                                    if (s.causal) tensors->push_back(g.masked);
                                    return std::move(g.graph);
                                  });
  if (!kept) return false;
  const int64_t rows = s.batch * s.heads * s.queries;
  float *sums = c.scratch<float>(rows), *dq_sums = c.scratch<float>(rows * s.width);
  c.zero(dq_sums, rows * s.width * int64_t(sizeof(float)));  // blocks of keys add to it
  const haft_tensor_view lse = dense(c, c.in(6));
  const float scale = float(c.attrs.d(0));
  const void *q = c.in(1).data, *k = c.in(2).data, *v = c.in(3).data, *dq = c.out(0).data,
             *dk = c.out(1).data, *dv = c.out(2).data;
  if (s.causal)
    dnn::run(c, *kept,
             {q, k, v, out.data, grad.data, lse.data, dq, dk, dv, sums, dq_sums, &scale, &kOne, &kUnseen});
  else
    dnn::run(c, *kept, {q, k, v, out.data, grad.data, lse.data, dq, dk, dv, sums, dq_sums, &scale, &kOne});
  return true;
}

// What the caller has said about it.
bool chosen(const Call& c, bool (*library)(const Call&)) {
  const uint32_t flags = c.call.flags;
  if (!(flags & HAFT_CALL_NO_DNN_ATTENTION) && library(c)) return true;
  if (flags & HAFT_CALL_DNN_ATTENTION)
    fail(Code::unsupported, concat("[", c.name(), "] cuDNN does not take this call, and was asked for alone"),
         "it takes 16-bit floats, heads of at most 128 numbers (a multiple of 8), no mask but the diagonal "
         "and no dropout");
  return false;
}

}  // namespace

bool library_attention(const Call& c) { return chosen(c, forward); }
bool library_attention_backward(const Call& c) { return chosen(c, backward); }

}  // namespace haft::cuda
