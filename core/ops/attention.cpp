// Attention: the fused pair's shapes, their composition for further derivatives, and the public form.
#include <cmath>
#include <limits>

#include "core/dispatch/generator.h"
#include "core/dispatch/layout.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum Word { kScale, kCausal, kDropout, kSeed, kOffset };

Tensor turned(const Tensor& x) { return ops::transpose(x, -2, -1); }
Tensor heads_first(const Tensor& x) { return ops::transpose(x, 1, 2); }

// (N, Hk, S, E) -> (N, H, S, E): each head as often as queries share it.
Tensor shared(const Tensor& x, int64_t heads) {
  const int64_t n = x.size(0), own = x.size(1), s = x.size(2), e = x.size(3);
  if (own == heads) return x;
  const int64_t many = heads / own;
  return ops::reshape(ops::expand(ops::unsqueeze(x, 2), Shape{n, own, many, s, e}), Shape{n, heads, s, e});
}
// The sum over those that share one: shared()'s gradient.
Tensor gathered(const Tensor& x, int64_t own) {
  const int64_t n = x.size(0), heads = x.size(1), s = x.size(2), e = x.size(3), dim = 2;
  if (own == heads) return x;
  return ops::sum(ops::reshape(x, Shape{n, own, heads / own, s, e}), IntList(&dim, 1));
}

// query, key, value at i, i + 1, i + 2 and the mask behind them.
void check_inputs(ShapeContext& c, int i) {
  const Tensor &q = c.in(i), &k = c.in(i + 1), &v = c.in(i + 2);
  require_float(c, q, "query");
  require_same_dtype(c, i + 1, "key");
  require_same_dtype(c, i + 2, "value");
  bool fits = q.ndim() == 4 && k.ndim() == 4 && v.ndim() == 4;
  fits = fits && q.size(0) == k.size(0) && k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2) && q.size(3) == k.size(3);
  fits = fits && (k.size(1) ? q.size(1) % k.size(1) == 0 : q.size(1) == 0);
  if (!fits)
    fail(Code::shape, concat("[scaled_dot_product_attention] query ", q.sizes(), ", key ", k.sizes(), " and value ", v.sizes(),
                             " do not fit together"),
         "they are (N, H, L, E), (N, Hk, S, E) and (N, Hk, S, Ev)");
  if (!c.has(i + 3)) return;
  const Tensor& m = c.in(i + 3);
  if (!std::ranges::equal(m.sizes(), IntList(Shape{q.size(0), q.size(1), q.size(2), k.size(2)})))
    fail(Code::shape, concat("[attention] mask of shape ", m.sizes(), " is not that of the weights"), {}, "mask");
  if (m.dtype() != DType::boolean && m.dtype() != wide_dtype(q.dtype()))
    fail(Code::dtype, concat("[attention] mask is ", dtype_name(m.dtype()), ", not bool or ", dtype_name(wide_dtype(q.dtype()))), {}, "mask");
}

// All gradients with operators that have gradients, from the inputs alone.
void differentiable_attention(Backward& b) {
  const DType wide = wide_dtype(b.in_dtype(0));
  const double scale = b.attrs.d(kScale), p = b.attrs.d(kDropout);
  const Tensor q = as_dtype(b.in(0), wide);
  const int64_t heads = q.size(1), own = b.in(1).size(1);
  const Tensor k = shared(as_dtype(b.in(1), wide), heads), v = shared(as_dtype(b.in(2), wide), heads), mask = b.in(3);
  Tensor s = ops::matmul(q, turned(k)) * scale;
  if (mask.defined())
    s = mask.dtype() == DType::boolean ? ops::masked_fill(s, ops::logical_not(mask), -kInfinity) : s + mask;
  if (b.attrs.b(kCausal)) {
    const Tensor later = ops::triu(ops::ones(Shape{s.size(2), s.size(3)}, DType::boolean, s.device()), 1);
    s = ops::masked_fill(s, later, -kInfinity);
  }
  // Rows that see nothing take part as zeros: their softmax is no number.
  const Tensor blind = ops::unsqueeze(ops::eq_scalar(b.out(1), -kInfinity), -1);
  s = ops::masked_fill(s, blind, 0.0);
  Tensor weights = ops::masked_fill(ops::softmax(s, -1), blind, 0.0);
  Tensor kept = weights, keep;
  if (p == 1) {
    kept = ops::zeros_like(weights);
  } else if (p > 0) {
    auto [dropped, mask_of_it] = ops::philox_dropout(weights, p, b.attrs.i(kSeed), b.attrs.i(kOffset));
    kept = dropped;
    keep = mask_of_it;
  }
  Tensor ds;
  const int64_t last = -1;
  if (b.has_grad(0)) {
    const Tensor g = heads_first(as_dtype(b.grad(0), wide));
    if (b.needs(2)) b.set(2, as_dtype(gathered(ops::matmul(turned(kept), g), own), b.in_dtype(2)));
    Tensor dp = ops::matmul(g, turned(v));
    if (p == 1)
      dp = ops::zeros_like(dp);
    else if (p > 0)
      dp = where_or_zero(keep, dp * (1 / (1 - p)));
    ds = weights * (dp - ops::sum(weights * dp, IntList(&last, 1), true));
  }
  if (b.has_grad(1)) {
    const Tensor of_lse = weights * ops::unsqueeze(b.grad(1), -1);
    ds = ds.defined() ? ds + of_lse : of_lse;
  }
  if (b.needs(0)) b.set(0, as_dtype(ops::matmul(ds, k) * scale, b.in_dtype(0)));
  if (b.needs(1)) b.set(1, as_dtype(gathered(ops::matmul(turned(ds), q) * scale, own), b.in_dtype(1)));
  if (b.needs(3)) b.set(3, ds);
}

void fused_attention(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(1) || b.needs(3)) return differentiable_attention(b);
  const auto d = ops::attention_backward(b.grad(0), b.in(0), b.in(1), b.in(2), b.in(3), b.out(0), b.out(1), b.attrs.d(kScale),
                                         b.attrs.b(kCausal), b.attrs.d(kDropout), b.attrs.i(kSeed), b.attrs.i(kOffset));
  for (int i = 0; i < 3; ++i)
    if (b.needs(i)) b.set(i, heads_first(d[size_t(i)]));
}

}  // namespace

SHAPE(attention) {
  check_inputs(c, 0);
  const Tensor &q = c.in(0), &v = c.in(2);
  c.out(0, q.dtype(), Shape{q.size(0), q.size(2), q.size(1), v.size(3)});
  c.out(1, wide_dtype(q.dtype()), Shape{q.size(0), q.size(1), q.size(2)});
}
GRADIENT(attention, .fused = fused_attention, .always = IN0 | IN1 | IN2 | IN3 | OUT0 | OUT1 | SIZES) { differentiable_attention(b); }

SHAPE(attention_backward) {
  check_inputs(c, 1);
  const Tensor &g = c.in(0), &q = c.in(1), &v = c.in(3), &out = c.in(5), &lse = c.in(6);
  const Shape sizes{q.size(0), q.size(2), q.size(1), v.size(3)}, rows{q.size(0), q.size(1), q.size(2)};
  if (!std::ranges::equal(g.sizes(), IntList(sizes)) || !std::ranges::equal(out.sizes(), IntList(sizes)) ||
      !std::ranges::equal(lse.sizes(), IntList(rows)))
    fail(Code::shape, concat("[attention_backward] grad ", g.sizes(), ", out ", out.sizes(), " and lse ", lse.sizes(), " do not fit query ",
                             q.sizes(), " and value ", v.sizes()));
  require_float(c, g, "grad");
  // As the inputs lie, so that gradients of dense leaves need no copy.
  for (int i = 0; i < 3; ++i) {
    const Tensor& x = c.in(i + 1);
    c.out(i, x.dtype(), Shape{x.size(0), x.size(2), x.size(1), x.size(3)}, x.is_contiguous() ? kLayoutTurned : uint8_t(HAFT_LAYOUT_STRIDED));
  }
}

// ---- rotary positions ----

SHAPE(rotary) {
  const Tensor &x = c.in(0), &cos = c.in(1), &sin = c.in(2);
  require_float(c, x);
  for (const Tensor* angle : {&cos, &sin}) {
    bool fits = angle->ndim() == x.ndim() && x.ndim() > 0 && angle->size(-1) <= x.size(-1) / 2;
    for (int64_t d = 0; fits && d + 1 < x.ndim(); ++d) fits = angle->size(d) == x.size(d);
    if (!fits || !std::ranges::equal(cos.sizes(), sin.sizes()))
      fail(Code::shape, concat("[rotary] cos ", cos.sizes(), " and sin ", sin.sizes(), " do not fit input ", x.sizes()), {}, "cos");
    if (angle->dtype() != wide_dtype(x.dtype()))
      fail(Code::dtype, concat("[rotary] cos and sin must be ", dtype_name(wide_dtype(x.dtype())), ", got ", dtype_name(angle->dtype())), {}, "cos");
  }
  c.out(0, x.dtype(), x.sizes());
}

namespace {

// The two members of each of the first `pairs` pairs of x's last dimension.
std::pair<Tensor, Tensor> members(const Tensor& x, int64_t pairs, bool interleaved) {
  if (interleaved) return {ops::slice(x, -1, 0, 2 * pairs, 2), ops::slice(x, -1, 1, 2 * pairs, 2)};
  return {ops::slice(x, -1, 0, pairs, 1), ops::slice(x, -1, pairs, 2 * pairs, 1)};
}

}  // namespace

GRADIENT(rotary, .saves = {IN1 | IN2, IN0 | SIZES, IN0 | SIZES}) {
  const bool interleaved = b.attrs.b(0);
  if (b.needs(0)) b.set(0, ops::rotary(b.grad(), b.in(1), -b.in(2), interleaved));  // back by the same angle
  if (!b.needs(1) && !b.needs(2)) return;
  const DType wide = b.in_dtype(1);
  const int64_t pairs = b.in_sizes(1).back();
  const auto [x, y] = members(as_dtype(b.in(0), wide), pairs, interleaved);
  const auto [gx, gy] = members(as_dtype(b.grad(), wide), pairs, interleaved);
  if (b.needs(1)) b.set(1, gx * x + gy * y);
  if (b.needs(2)) b.set(2, gy * x - gx * y);
}

namespace ops {

namespace {

[[noreturn, gnu::cold]] void refuse(const char* text, const Tensor& q, const Tensor& k, const Tensor& v) {
  fail(Code::shape, concat("[scaled_dot_product_attention] ", text, ", got query ", q.sizes(), ", key ", k.sizes(), " and value ", v.sizes()));
}

// (*, rows, width) as (N, H, rows, width); `lead` is what * broadcasts to.
Tensor as_heads(const Tensor& x, const Shape& lead, int64_t heads) {
  Shape sizes(lead);
  if (!sizes.empty()) sizes.back() = heads;
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  const Tensor e = std::ranges::equal(x.sizes(), IntList(sizes)) ? x : expand(x, sizes);
  if (lead.size() == 2) return e;
  int64_t n = 1;
  for (int64_t d = 0; d + 1 < lead.size(); ++d) n *= lead[d];
  return reshape(e, Shape{n, lead.empty() ? 1 : heads, x.size(-2), x.size(-1)});
}

}  // namespace

Tensor uncast::scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& attn_mask, double p, bool causal,
                                    Scalar scale, bool gqa, Generator* gen) {
  if (q.ndim() < 2 || k.ndim() < 2 || v.ndim() < 2) refuse("takes at least two dimensions", q, k, v);
  if (q.size(-1) != k.size(-1)) refuse("query and key must have one width", q, k, v);
  if (k.size(-2) != v.size(-2)) refuse("key and value must be of one length", q, k, v);
  if (!(p >= 0 && p <= 1)) fail(Code::invalid_argument, concat("[scaled_dot_product_attention] dropout_p must be in 0..1, got ", p), {}, "dropout_p");
  if (causal && attn_mask.defined())
    fail(Code::invalid_argument, "[scaled_dot_product_attention] Explicit attn_mask should not be set when is_causal=True",
         "put the triangle into the mask", "is_causal");
  // Heads are dimension -3; with enable_gqa those of key and value stay fewer, all other dimensions broadcast.
  auto lead_of = [](const Tensor& x) { return Shape(x.sizes().first(size_t(x.ndim() - 2))); };
  Shape ql = lead_of(q), kl = lead_of(k), vl = lead_of(v);
  int64_t own = -1;
  if (gqa) {
    if (ql.empty() || kl.empty() || vl.empty() || kl.back() != vl.back() || kl.back() == 0 || ql.back() % kl.back())
      refuse("enable_gqa wants heads, and a number of query's that those of key and value divide", q, k, v);
    own = kl.back();
    kl.back() = vl.back() = ql.back();
  }
  Shape lead = broadcast_shapes(broadcast_shapes(ql, kl, "scaled_dot_product_attention"), vl, "scaled_dot_product_attention");
  const int64_t heads = lead.empty() ? 1 : lead.back();
  if (own < 0) own = heads;
  const Tensor q4 = as_heads(q, lead, heads), k4 = as_heads(k, lead, own), v4 = as_heads(v, lead, own);
  Tensor mask = attn_mask;
  if (mask.defined()) {
    if (mask.dtype() != DType::boolean) {
      if (!is_float(mask.dtype()))
        fail(Code::dtype, concat("[scaled_dot_product_attention] attn_mask must be bool or floating, got ", dtype_name(mask.dtype())), {}, "attn_mask");
      mask = as_dtype(mask, wide_dtype(q.dtype()));
    }
    Shape sizes(lead);
    sizes.push_back(q.size(-2));
    sizes.push_back(k.size(-2));
    if (!std::ranges::equal(mask.sizes(), IntList(sizes))) mask = expand(mask, sizes);
    if (lead.size() != 2) mask = reshape(mask, Shape{q4.size(0), heads, q.size(-2), k.size(-2)});
  }
  const double factor = scale.kind == ScalarKind::none ? (q.size(-1) ? 1 / std::sqrt(double(q.size(-1))) : 1) : scale.to_double();
  Draw d{};
  if (p > 0) {
    int64_t weights = q4.size(0);
    for (int64_t n : {heads, q.size(-2), k.size(-2)})
      if (__builtin_mul_overflow(weights, n, &weights))
        fail(Code::overflow, "[scaled_dot_product_attention] there are more weights than a generator counts", {}, "dropout_p");
    d = draw(gen, weights);
  }
  const Tensor out = heads_first(attention(q4, k4, v4, mask, factor, causal, p, int64_t(d.seed), int64_t(d.offset))[0]);
  if (lead.size() == 2) return out;
  Shape sizes(lead);
  sizes.push_back(q.size(-2));
  sizes.push_back(v.size(-1));
  return reshape(out, sizes);
}

namespace {

[[noreturn, gnu::cold]] void refuse_shape(const char* argument, const Tensor& x, const std::string& wanted) {
  fail(Code::shape, concat("[multi_head_attention] ", argument, " must have shape ", wanted, ", got ", x.sizes()), {}, argument);
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
Tensor widened(const Tensor& mask, int64_t n) {
  if (!mask.defined() || n == 0) return mask;
  Shape sizes(mask.sizes());
  sizes.back() = n;
  const Tensor parts[] = {mask, zeros(sizes, mask.dtype(), mask.device())};
  return cat(parts, -1);
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

}  // namespace

std::array<Tensor, 2> uncast::multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& in_proj_weight,
                                           const Tensor& q_proj_weight, const Tensor& k_proj_weight, const Tensor& v_proj_weight,
                                           const Tensor& in_proj_bias, const Tensor& bias_k, const Tensor& bias_v,
                                           const Tensor& out_proj_weight, const Tensor& out_proj_bias, const Tensor& key_padding_mask,
                                           const Tensor& attn_mask, const Tensor& static_k, const Tensor& static_v, int64_t heads,
                                           bool add_zero_attn, double p, bool causal, bool need_weights, bool average, bool batch_first,
                                           Generator* gen) {
  const bool single = query.ndim() == 2;
  if (!single && query.ndim() != 3) refuse_shape("query", query, "(L, N, E), (N, L, E) with batch_first, or (L, E)");
  if (key.ndim() != query.ndim()) refuse_shape("key", key, "of as many dimensions as query");
  if (value.ndim() != query.ndim()) refuse_shape("value", value, "of as many dimensions as query");
  const int64_t embed = query.size(-1);
  if (heads < 1 || embed % heads)
    fail(Code::invalid_argument, concat("[multi_head_attention] num_heads must divide the width of query, ", embed, ", got ", heads), {}, "num_heads");
  const bool together = in_proj_weight.defined();
  if (together == (q_proj_weight.defined() || k_proj_weight.defined() || v_proj_weight.defined()) ||
      (!together && !(q_proj_weight.defined() && k_proj_weight.defined() && v_proj_weight.defined())))
    fail(Code::invalid_argument, "[multi_head_attention] takes in_proj_weight, or q_proj_weight, k_proj_weight and v_proj_weight", {}, "in_proj_weight");
  if (bias_k.defined() != bias_v.defined())
    fail(Code::invalid_argument, "[multi_head_attention] bias_k and bias_v come together", {}, "bias_k");
  if (bias_k.defined() && (static_k.defined() || static_v.defined()))
    fail(Code::invalid_argument, "[multi_head_attention] a bias cannot be added to static keys or values", {}, "bias_k");
  if (!(p >= 0 && p <= 1)) fail(Code::invalid_argument, concat("[multi_head_attention] dropout_p must be in 0..1, got ", p), {}, "dropout_p");

  // Projections, as few products as there are different inputs.
  Tensor q, k, v;
  if (together) {
    if (in_proj_weight.ndim() != 2 || in_proj_weight.size(0) != 3 * embed)
      refuse_shape("in_proj_weight", in_proj_weight, concat("(", 3 * embed, ", ", embed, ")"));
    const bool one_source = key.impl() == value.impl();
    if (one_source && query.impl() == key.impl()) {
      const std::vector<Tensor> all = chunk(linear(query, in_proj_weight, in_proj_bias), 3, -1);
      q = all[0], k = all[1], v = all[2];
    } else {
      const Shape parts = one_source ? Shape{embed, 2 * embed} : Shape{embed, embed, embed};
      const std::vector<Tensor> w = split_sizes(in_proj_weight, parts, 0);
      const std::vector<Tensor> b = in_proj_bias.defined() ? split_sizes(in_proj_bias, parts, 0) : std::vector<Tensor>(parts.size());
      q = linear(query, w[0], b[0]);
      if (one_source) {
        const std::vector<Tensor> both = chunk(linear(key, w[1], b[1]), 2, -1);
        k = both[0], v = both[1];
      } else {
        k = linear(key, w[1], b[1]), v = linear(value, w[2], b[2]);
      }
    }
  } else {
    const std::vector<Tensor> b = in_proj_bias.defined() ? split(in_proj_bias, embed, 0) : std::vector<Tensor>(3);
    if (b.size() != 3) refuse_shape("in_proj_bias", in_proj_bias, concat("(", 3 * embed, ")"));
    q = linear(query, q_proj_weight, b[0]), k = linear(key, k_proj_weight, b[1]), v = linear(value, v_proj_weight, b[2]);
  }

  // (N, heads, length, width of a head), which the tiles read as it lies.
  const int64_t width = embed / heads;
  auto in_heads = [&](const Tensor& x, const char* name) {
    if (x.size(-1) != embed) refuse_shape(name, x, concat("(..., ", embed, ") after its projection"));
    const Tensor rows = single ? unsqueeze(x, batch_first ? 0 : 1) : x;
    const int64_t order[] = {1, 2, 0, 3};
    const Tensor h = reshape(rows, Shape{rows.size(0), rows.size(1), heads, width});
    return batch_first ? transpose(h, 1, 2) : permute(h, order);
  };
  q = in_heads(q, "query");
  const int64_t n = q.size(0), length = q.size(2);
  auto given = [&](const Tensor& x, const char* name) {
    if (x.ndim() != 3 || x.size(0) != n * heads || x.size(2) != width) refuse_shape(name, x, concat("(", n * heads, ", S, ", width, ")"));
    return reshape(x, Shape{n, heads, x.size(1), width});
  };
  k = static_k.defined() ? given(static_k, "static_k") : in_heads(k, "key");
  v = static_v.defined() ? given(static_v, "static_v") : in_heads(v, "value");
  if (k.size(0) != n || v.size(0) != n || k.size(2) != v.size(2)) refuse_shape("key", key, "and value's to be of one length, in query's batch");
  const int64_t keys = k.size(2), extra = bias_k.defined() + add_zero_attn;
  std::vector<Tensor> more_k{k}, more_v{v};
  if (bias_k.defined()) {
    for (const Tensor* b : {&bias_k, &bias_v})
      if (b->numel() != embed) refuse_shape(b == &bias_k ? "bias_k" : "bias_v", *b, concat("(1, 1, ", embed, ")"));
    const Shape sizes{n, heads, 1, width}, one{1, heads, 1, width};
    more_k.push_back(expand(reshape(bias_k, one), sizes));
    more_v.push_back(expand(reshape(bias_v, one), sizes));
  }
  if (add_zero_attn)
    for (std::vector<Tensor>* parts : {&more_k, &more_v}) parts->push_back(zeros(Shape{n, heads, 1, width}, k.dtype(), k.device()));
  if (extra) k = cat(more_k, 2), v = cat(more_v, 2);

  // What hides: the triangle, attn_mask and key_padding_mask.
  const DType t = q.dtype();
  for (const Tensor* m : {&attn_mask, &key_padding_mask})
    if (m->defined() && m->dtype() != DType::boolean && !is_float(m->dtype()))
      fail(Code::dtype, concat("[multi_head_attention] masks are bool (true: not attended to) or floating, got ", dtype_name(m->dtype())), {},
           m == &attn_mask ? "attn_mask" : "key_padding_mask");
  auto as_mask = [t](const Tensor& m) { return m.dtype() == DType::boolean ? m : as_dtype(m, t); };
  Tensor hides;
  if (attn_mask.defined()) {
    const bool own = attn_mask.ndim() == 3;  // one a head
    const int64_t of_all[] = {length, keys}, of_each[] = {n * heads, length, keys};
    if (!std::ranges::equal(attn_mask.sizes(), own ? IntList(of_each) : IntList(of_all)))
      refuse_shape("attn_mask", attn_mask, concat(IntList(of_all), " or ", IntList(of_each)));
    hides = reshape(as_mask(attn_mask), own ? Shape{n, heads, length, keys} : Shape{1, 1, length, keys});
  }
  if (key_padding_mask.defined()) {
    const Tensor rows = single && key_padding_mask.ndim() == 1 ? unsqueeze(key_padding_mask, 0) : key_padding_mask;
    const int64_t wanted[] = {n, keys};
    if (!std::ranges::equal(rows.sizes(), IntList(wanted))) refuse_shape("key_padding_mask", key_padding_mask, concat(IntList(wanted)));
    hides = hidden_by(hides, reshape(as_mask(rows), Shape{n, 1, 1, keys}), t);
  }
  if (causal && (hides.defined() || extra || need_weights)) {
    const Tensor later = triu(ones(Shape{length, keys}, DType::boolean, q.device()), 1);
    hides = hidden_by(hides, reshape(later, Shape{1, 1, length, keys}), t);
    causal = false;
  }
  hides = widened(hides, extra);

  Tensor out, weights;
  if (need_weights) {
    const double scale = width ? 1 / std::sqrt(double(width)) : 1;
    weights = visible_softmax(matmul(q * scale, turned(k)), hides);
    if (p > 0) weights = dropout(weights, p, true, gen);
    out = matmul(weights, v);
    const int64_t of_heads = 1;
    if (average) weights = mean(weights, IntList(&of_heads, 1));
    if (single) weights = squeeze(weights, 0);
  } else {
    const Tensor shown = !hides.defined() ? hides : hides.dtype() == DType::boolean ? logical_not(hides) : hides;
    out = scaled_dot_product_attention(q, k, v, shown, p, causal, Scalar(), false, gen);
    weights = zeros(Shape{0}, t, q.device());
  }
  out = reshape(heads_first(out), Shape{n, length, embed});
  if (!batch_first) out = contiguous(transpose(out, 0, 1));
  if (single) out = squeeze(out, batch_first ? 0 : 1);
  if (out_proj_weight.defined()) out = linear(out, out_proj_weight, out_proj_bias);
  return {out, weights};
}

Tensor rotary_embedding(const Tensor& x, const Tensor& cos, const Tensor& sin, bool interleaved) {
  if (!is_float(x.dtype())) fail(Code::dtype, concat("[rotary_embedding] input must be floating, got ", dtype_name(x.dtype())), {}, "input");
  if (x.ndim() < 1 || cos.ndim() < 1 || !std::ranges::equal(cos.sizes(), sin.sizes()) || cos.size(-1) > x.size(-1) / 2)
    fail(Code::shape,
         concat("[rotary_embedding] cos and sin must be of one shape whose last dimension is at most half of input's, got input ", x.sizes(), ", cos ",
                cos.sizes(), " and sin ", sin.sizes()),
         {}, "cos");
  Shape sizes(x.sizes());
  sizes.back() = cos.size(-1);
  auto spread = [&](const Tensor& angle) {
    const Tensor a = as_dtype(angle, wide_dtype(x.dtype()));
    return std::ranges::equal(a.sizes(), IntList(sizes)) ? a : expand(a, sizes);
  };
  return rotary(x, spread(cos), spread(sin), interleaved);
}

}  // namespace ops
}  // namespace haft
