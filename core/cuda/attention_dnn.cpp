// Attention by cuDNN, for what it has one kernel for: 16-bit floats, heads of equal widths, no dropout. Its numbers of
// dropout are its own, and haft's are those of the CPU.
#include <algorithm>
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
  if ((t != DType::f16 && t != DType::bf16) || c.attrs.d(2) > 0 || c.exact()) return false;
  if (q.numel == 0 || k.numel == 0 || q.sizes[3] != v.sizes[3] || q.sizes[3] % 8 || q.sizes[3] > 128)
    return false;
  *s = {};
  s->batch = q.sizes[0], s->heads = q.sizes[1], s->own = k.sizes[1], s->queries = q.sizes[2],
  s->keys = k.sizes[2], s->width = q.sizes[3];
  s->type = t;
  s->causal = c.attrs.b(1);
  if (c.has(i + 3)) s->bias = bias_of(c.in(i + 3));
  s->q = strides_of(q), s->k = strides_of(k), s->v = strides_of(v);
  return fits(q.data, s->q) && fits(k.data, s->k) && fits(v.data, s->v);
}

dnn::Key key_of(OpId op, const dnn::AttentionShape& s) {
  dnn::Key key = {int64_t(op), s.batch, s.heads,         s.own,    s.queries,
                  s.keys,      s.width, int64_t(s.type), s.causal, int64_t(s.bias.type)};
  for (const Strides* of :
       {&s.q, &s.k, &s.v, &s.o, &s.d_o, &s.dq, &s.dk, &s.dv, &s.bias.sizes, &s.bias.strides})
    key.insert(key.end(), of->begin(), of->end());
  return key;
}

constexpr float kUnseen = -std::numeric_limits<float>::infinity(), kOne = 1;

// What a graph of masks binds behind all else, and what that is.
template <class G>
void add_masks(const G& g, const dnn::AttentionShape& s, std::vector<dnn::Tensor>* tensors) {
  if (s.causal) tensors->push_back(g.masked);
  if (s.bias.type != DType::none) tensors->push_back(g.bias);
}
void run_masked(const Call& c, const dnn::Kept& kept, const dnn::AttentionShape& s,
                std::initializer_list<const void*> pointers) {
  std::array<const void*, 16> all;
  size_t n = size_t(std::copy(pointers.begin(), pointers.end(), all.begin()) - all.begin());
  if (s.causal) all[n++] = &kUnseen;
  if (s.bias.type != DType::none) all[n++] = s.bias.data;
  dnn::run(c, kept, std::span(all.data(), n));
}

bool forward(const Call& c) {
  dnn::AttentionShape s;
  if (!describe(c, 0, &s)) return false;
  s.o = strides_of_rows(c.out(0));
  const auto kept = dnn::plan_for(c, key_of(OpId::attention, s), {},
                                  [&](const dnn::Functions& lib, std::vector<dnn::Tensor>* tensors) {
                                    dnn::AttentionForward g = dnn::attention_forward(lib, s);
                                    *tensors = {g.q, g.k, g.v, g.o, g.statistics, g.scale};
                                    add_masks(g, s, tensors);
                                    return std::move(g.graph);
                                  });
  if (!kept) return false;
  const float scale = float(c.attrs.d(0));
  const bool biased = s.bias.type != DType::none;
  if (biased) fill_bias(c, c.in(3), &s.bias);
  run_masked(c, *kept, s, {c.in(0).data, c.in(1).data, c.in(2).data, c.out(0).data, c.out(1).data, &scale});
  if (biased) blind_rows(c, c.out(0), c.out(1));
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
                                    add_masks(g, s, tensors);
                                    return std::move(g.graph);
                                  });
  if (!kept) return false;
  const int64_t rows = s.batch * s.heads * s.queries;
  float *sums = c.scratch<float>(rows), *dq_sums = c.scratch<float>(rows * s.width);
  c.zero(dq_sums, rows * s.width * int64_t(sizeof(float)));  // blocks of keys add to it
  const haft_tensor_view lse = dense(c, c.in(6));
  const void* statistics = lse.data;
  if (s.bias.type != DType::none) fill_bias(c, c.in(4), &s.bias), statistics = seeing_logarithms(c, lse);
  const float scale = float(c.attrs.d(0));
  run_masked(c, *kept, s,
             {c.in(1).data, c.in(2).data, c.in(3).data, out.data, grad.data, statistics, c.out(0).data,
              c.out(1).data, c.out(2).data, sums, dq_sums, &scale, &kOne});
  return true;
}

// What the caller has said about it.
bool chosen(const Call& c, bool (*library)(const Call&)) {
  const uint32_t flags = c.call.flags;
  if (!(flags & HAFT_CALL_NO_DNN_ATTENTION) && library(c)) return true;
  if (flags & HAFT_CALL_DNN_ATTENTION)
    fail(Code::unsupported, concat("[", c.name(), "] cuDNN does not take this call, and was asked for alone"),
         "it takes 16-bit floats, heads of at most 128 numbers (a multiple of 8) and no dropout");
  return false;
}

}  // namespace

bool library_attention(const Call& c) { return chosen(c, forward); }
bool library_attention_backward(const Call& c) { return chosen(c, backward); }

}  // namespace haft::cuda
