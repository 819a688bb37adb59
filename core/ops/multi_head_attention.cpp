// Attention with its projections: multi_head_attention, a composition.
#include <cmath>
#include <limits>

#include "core/ops/arithmetic.h"

namespace haft::ops {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The operator's parameters. What is left out is undefined.
struct Attention {
  const Tensor &query, &key, &value;
  const Tensor &in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight, &in_proj_bias, &bias_k,
      &bias_v;
  const Tensor &out_proj_weight, &out_proj_bias, &key_padding_mask, &attn_mask, &static_k, &static_v;
  int64_t heads;
  bool add_zero_attn;
  double p;
  bool causal, need_weights, average, batch_first;
  Generator* gen;

  bool single() const { return query.ndim() == 2; }  // no dimension of the batch
  int64_t embed() const { return query.size(-1); }
  int64_t width() const { return embed() / heads; }
  int64_t extra() const { return int64_t(bias_k.defined()) + add_zero_attn; }  // keys that everybody sees
};

struct Projected {
  Tensor q, k, v;
};

[[noreturn, gnu::cold]] void refuse_shape(const char* argument, const Tensor& x, const std::string& wanted) {
  fail(Code::shape,
       concat("[multi_head_attention] ", argument, " must have shape ", wanted, ", got ", x.sizes()), {},
       argument);
}

void check(const Attention& a) {
  if (!a.single() && a.query.ndim() != 3)
    refuse_shape("query", a.query, "(L, N, E), (N, L, E) with batch_first, or (L, E)");
  if (a.key.ndim() != a.query.ndim()) refuse_shape("key", a.key, "of as many dimensions as query");
  if (a.value.ndim() != a.query.ndim()) refuse_shape("value", a.value, "of as many dimensions as query");
  if (a.heads < 1 || a.embed() % a.heads)
    fail(Code::invalid_argument,
         concat("[multi_head_attention] num_heads must divide the width of query, ", a.embed(), ", got ",
                a.heads),
         {}, "num_heads");
  const bool together = a.in_proj_weight.defined();
  const int apart = a.q_proj_weight.defined() + a.k_proj_weight.defined() + a.v_proj_weight.defined();
  if (apart != (together ? 0 : 3))
    fail(Code::invalid_argument,
         "[multi_head_attention] takes in_proj_weight, or q_proj_weight, k_proj_weight and v_proj_weight", {},
         "in_proj_weight");
  if (a.bias_k.defined() != a.bias_v.defined())
    fail(Code::invalid_argument, "[multi_head_attention] bias_k and bias_v come together", {}, "bias_k");
  if (a.bias_k.defined() && (a.static_k.defined() || a.static_v.defined()))
    fail(Code::invalid_argument, "[multi_head_attention] a bias cannot be added to static keys or values", {},
         "bias_k");
  if (!(a.p >= 0 && a.p <= 1))
    fail(Code::invalid_argument, concat("[multi_head_attention] dropout_p must be in 0..1, got ", a.p), {},
         "dropout_p");
}

// As few products as there are different inputs.
Projected project(const Attention& a) {
  const int64_t embed = a.embed();
  const Tensor& bias = a.in_proj_bias;
  if (!a.in_proj_weight.defined()) {
    const std::vector<Tensor> b = bias.defined() ? split(bias, embed, 0) : std::vector<Tensor>(3);
    if (b.size() != 3) refuse_shape("in_proj_bias", bias, concat("(", 3 * embed, ")"));
    return {linear(a.query, a.q_proj_weight, b[0]), linear(a.key, a.k_proj_weight, b[1]),
            linear(a.value, a.v_proj_weight, b[2])};
  }
  const Tensor& weight = a.in_proj_weight;
  if (weight.ndim() != 2 || weight.size(0) != 3 * embed)
    refuse_shape("in_proj_weight", weight, concat("(", 3 * embed, ", ", embed, ")"));
  const bool one_source = a.key.impl() == a.value.impl();
  if (one_source && a.query.impl() == a.key.impl()) {
    const std::vector<Tensor> all = chunk(linear(a.query, weight, bias), 3, -1);
    return {all[0], all[1], all[2]};
  }
  const Shape parts = one_source ? Shape{embed, 2 * embed} : Shape{embed, embed, embed};
  const std::vector<Tensor> w = split_sizes(weight, parts, 0);
  const std::vector<Tensor> b =
      bias.defined() ? split_sizes(bias, parts, 0) : std::vector<Tensor>(parts.size());
  const Tensor q = linear(a.query, w[0], b[0]), k = linear(a.key, w[1], b[1]);
  if (!one_source) return {q, k, linear(a.value, w[2], b[2])};
  const std::vector<Tensor> both = chunk(k, 2, -1);
  return {q, both[0], both[1]};
}

// (N, heads, length, width of a head), which the tiles read as it lies.
Tensor in_heads(const Attention& a, const Tensor& x, const char* name) {
  if (x.size(-1) != a.embed()) refuse_shape(name, x, concat("(..., ", a.embed(), ") after its projection"));
  const Tensor rows = a.single() ? unsqueeze(x, a.batch_first ? 0 : 1) : x;
  const int64_t order[] = {1, 2, 0, 3};
  const Tensor h = reshape(rows, Shape{rows.size(0), rows.size(1), a.heads, a.width()});
  return a.batch_first ? transpose(h, 1, 2) : permute(h, order);
}

Projected in_heads(const Attention& a, const Projected& x) {
  Projected h{in_heads(a, x.q, "query"), {}, {}};
  const int64_t n = h.q.size(0), width = a.width();
  auto given = [&](const Tensor& t, const char* name) {
    if (t.ndim() != 3 || t.size(0) != n * a.heads || t.size(2) != width)
      refuse_shape(name, t, concat("(", n * a.heads, ", S, ", width, ")"));
    return reshape(t, Shape{n, a.heads, t.size(1), width});
  };
  h.k = a.static_k.defined() ? given(a.static_k, "static_k") : in_heads(a, x.k, "key");
  h.v = a.static_v.defined() ? given(a.static_v, "static_v") : in_heads(a, x.v, "value");
  if (h.k.size(0) != n || h.v.size(0) != n || h.k.size(2) != h.v.size(2))
    refuse_shape("key", a.key, "and value's to be of one length, in query's batch");
  return h;
}

// bias_k and bias_v, and zeros, behind the keys and values.
void append_extra(const Attention& a, Projected& h) {
  if (!a.extra()) return;
  const Shape sizes{h.q.size(0), a.heads, 1, a.width()};
  std::vector<Tensor> more_k{h.k}, more_v{h.v};
  if (a.bias_k.defined()) {
    for (const Tensor* b : {&a.bias_k, &a.bias_v})
      if (b->numel() != a.embed())
        refuse_shape(b == &a.bias_k ? "bias_k" : "bias_v", *b, concat("(1, 1, ", a.embed(), ")"));
    const Shape one{1, a.heads, 1, a.width()};
    more_k.push_back(expand(reshape(a.bias_k, one), sizes));
    more_v.push_back(expand(reshape(a.bias_v, one), sizes));
  }
  if (a.add_zero_attn)
    for (std::vector<Tensor>* parts : {&more_k, &more_v})
      parts->push_back(zeros(sizes, h.k.dtype(), h.k.device()));
  h.k = cat(more_k, 2), h.v = cat(more_v, 2);
}

// Masks that hide: bool (true: not attended to) or numbers that are added. Both at once: either hides.
Tensor as_added(const Tensor& hides, DType t) {
  if (hides.dtype() != DType::boolean) return as_dtype(hides, t);
  return masked_fill(zeros(hides.sizes(), t, hides.device()), hides, -kInfinity);
}
Tensor hidden_by(const Tensor& a, const Tensor& b, DType t) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  if (a.dtype() == DType::boolean && b.dtype() == DType::boolean) return logical_or(a, b);
  return as_added(a, t) + as_added(b, t);
}
// `n` more columns, which everybody sees.
Tensor wider_mask(const Tensor& mask, int64_t n) {
  if (!mask.defined() || n == 0) return mask;
  Shape sizes(mask.sizes());
  sizes.back() = n;
  const Tensor parts[] = {mask, zeros(sizes, mask.dtype(), mask.device())};
  return cat(parts, -1);
}

struct Hidden {
  Tensor mask;
  bool causal;  // the triangle is not in it
};

// The triangle, attn_mask and key_padding_mask as one.
Hidden hidden(const Attention& a, const Projected& h) {
  const DType t = h.q.dtype();
  for (const Tensor* m : {&a.attn_mask, &a.key_padding_mask})
    if (m->defined() && m->dtype() != DType::boolean && !is_float(m->dtype()))
      fail(Code::dtype,
           concat("[multi_head_attention] masks are bool (true: not attended to) or floating, got ",
                  dtype_name(m->dtype())),
           {}, m == &a.attn_mask ? "attn_mask" : "key_padding_mask");
  auto as_mask = [t](const Tensor& m) { return m.dtype() == DType::boolean ? m : as_dtype(m, t); };
  const int64_t n = h.q.size(0), length = h.q.size(2), keys = h.k.size(2) - a.extra();
  Tensor mask;
  if (a.attn_mask.defined()) {
    const bool own = a.attn_mask.ndim() == 3;  // one a head
    const int64_t of_all[] = {length, keys}, of_each[] = {n * a.heads, length, keys};
    if (!std::ranges::equal(a.attn_mask.sizes(), own ? IntList(of_each) : IntList(of_all)))
      refuse_shape("attn_mask", a.attn_mask, concat(IntList(of_all), " or ", IntList(of_each)));
    mask = reshape(as_mask(a.attn_mask), own ? Shape{n, a.heads, length, keys} : Shape{1, 1, length, keys});
  }
  if (a.key_padding_mask.defined()) {
    const Tensor rows =
        a.single() && a.key_padding_mask.ndim() == 1 ? unsqueeze(a.key_padding_mask, 0) : a.key_padding_mask;
    const int64_t wanted[] = {n, keys};
    if (!std::ranges::equal(rows.sizes(), IntList(wanted)))
      refuse_shape("key_padding_mask", a.key_padding_mask, concat(IntList(wanted)));
    mask = hidden_by(mask, reshape(as_mask(rows), Shape{n, 1, 1, keys}), t);
  }
  const bool in_mask = a.causal && (mask.defined() || a.extra() || a.need_weights);
  if (in_mask) {
    const Tensor later = triu(ones(Shape{length, keys}, DType::boolean, h.q.device()), 1);
    mask = hidden_by(mask, reshape(later, Shape{1, 1, length, keys}), t);
  }
  return {wider_mask(mask, a.extra()), a.causal && !in_mask};
}

// softmax(scores + mask) with zeros where a row sees nothing, as the tiles answer it.
Tensor visible_softmax(Tensor scores, const Tensor& mask) {
  if (!mask.defined()) return softmax(scores, -1);
  scores = mask.dtype() == DType::boolean ? masked_fill(scores, mask, -kInfinity) : scores + mask;
  const int64_t last = -1;
  if (scores.size(-1) == 0) return scores;
  const Tensor blind = eq_scalar(amax(scores, IntList(&last, 1), true), -kInfinity);
  return masked_fill(softmax(masked_fill(scores, blind, 0.0), -1), blind, 0.0);
}

// (N, heads, length, width), and the weights or an empty tensor.
std::array<Tensor, 2> attend(const Attention& a, const Projected& h) {
  const Hidden hides = hidden(a, h);
  const Tensor& mask = hides.mask;
  if (!a.need_weights) {
    const Tensor shown = mask.defined() && mask.dtype() == DType::boolean ? logical_not(mask) : mask;
    return {scaled_dot_product_attention(h.q, h.k, h.v, shown, a.p, hides.causal, Scalar(), false, a.gen),
            zeros(Shape{0}, h.q.dtype(), h.q.device())};
  }
  const double scale = a.width() ? 1 / std::sqrt(double(a.width())) : 1;
  Tensor weights = visible_softmax(matmul(h.q * scale, transpose(h.k, -2, -1)), mask);
  if (a.p > 0) weights = dropout(weights, a.p, true, a.gen);
  const Tensor out = matmul(weights, h.v);
  const int64_t of_heads = 1;
  if (a.average) weights = mean(weights, IntList(&of_heads, 1));
  return {out, a.single() ? squeeze(weights, 0) : weights};
}

}  // namespace

std::array<Tensor, 2> uncast::multi_head_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& in_proj_weight,
    const Tensor& q_proj_weight, const Tensor& k_proj_weight, const Tensor& v_proj_weight,
    const Tensor& in_proj_bias, const Tensor& bias_k, const Tensor& bias_v, const Tensor& out_proj_weight,
    const Tensor& out_proj_bias, const Tensor& key_padding_mask, const Tensor& attn_mask,
    const Tensor& static_k, const Tensor& static_v, int64_t heads, bool add_zero_attn, double p, bool causal,
    bool need_weights, bool average, bool batch_first, Generator* gen) {
  // clang-format off: the order of the struct
  const Attention a{query,
                    key,
                    value,
                    in_proj_weight,
                    q_proj_weight,
                    k_proj_weight,
                    v_proj_weight,
                    in_proj_bias,
                    bias_k,
                    bias_v,
                    out_proj_weight,
                    out_proj_bias,
                    key_padding_mask,
                    attn_mask,
                    static_k,
                    static_v,
                    heads,
                    add_zero_attn,
                    p,
                    causal,
                    need_weights,
                    average,
                    batch_first,
                    gen};
  // clang-format on
  check(a);
  Projected h = in_heads(a, project(a));
  append_extra(a, h);
  auto [out, weights] = attend(a, h);
  out = reshape(transpose(out, 1, 2), Shape{out.size(0), out.size(2), a.embed()});
  if (!batch_first) out = contiguous(transpose(out, 0, 1));
  if (a.single()) out = squeeze(out, batch_first ? 0 : 1);
  if (out_proj_weight.defined()) out = linear(out, out_proj_weight, out_proj_bias);
  return {out, weights};
}

}  // namespace haft::ops
