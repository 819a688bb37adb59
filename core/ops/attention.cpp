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
  fits = fits && q.size(0) == k.size(0) && k.size(0) == v.size(0) && k.size(1) == v.size(1) &&
         k.size(2) == v.size(2) && q.size(3) == k.size(3);
  fits = fits && (k.size(1) ? q.size(1) % k.size(1) == 0 : q.size(1) == 0);
  if (!fits)
    fail(Code::shape,
         concat("[scaled_dot_product_attention] query ", q.sizes(), ", key ", k.sizes(), " and value ",
                v.sizes(), " do not fit together"),
         "they are (N, H, L, E), (N, Hk, S, E) and (N, Hk, S, Ev)");
  if (!c.has(i + 3)) return;
  const Tensor& m = c.in(i + 3);
  if (!std::ranges::equal(m.sizes(), IntList(Shape{q.size(0), q.size(1), q.size(2), k.size(2)})))
    fail(Code::shape, concat("[attention] mask of shape ", m.sizes(), " is not that of the weights"), {},
         "mask");
  if (m.dtype() != DType::boolean && m.dtype() != wide_dtype(q.dtype()))
    fail(Code::dtype,
         concat("[attention] mask is ", dtype_name(m.dtype()), ", not bool or ",
                dtype_name(wide_dtype(q.dtype()))),
         {}, "mask");
}

// All gradients with operators that have gradients, from the inputs alone.
void differentiable_attention(Backward& b) {
  const DType wide = wide_dtype(b.in_dtype(0));
  const double scale = b.attrs.d(kScale), p = b.attrs.d(kDropout);
  const Tensor q = as_dtype(b.in(0), wide);
  const int64_t heads = q.size(1), own = b.in(1).size(1);
  const Tensor k = shared(as_dtype(b.in(1), wide), heads), v = shared(as_dtype(b.in(2), wide), heads),
               mask = b.in(3);
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
  const auto d = ops::attention_backward(b.grad(0), b.in(0), b.in(1), b.in(2), b.in(3), b.out(0), b.out(1),
                                         b.attrs.d(kScale), b.attrs.b(kCausal), b.attrs.d(kDropout),
                                         b.attrs.i(kSeed), b.attrs.i(kOffset));
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
GRADIENT(attention, .fused = fused_attention, .always = IN0 | IN1 | IN2 | IN3 | OUT0 | OUT1 | SIZES) {
  differentiable_attention(b);
}

SHAPE(attention_backward) {
  check_inputs(c, 1);
  const Tensor &g = c.in(0), &q = c.in(1), &v = c.in(3), &out = c.in(5), &lse = c.in(6);
  const Shape sizes{q.size(0), q.size(2), q.size(1), v.size(3)}, rows{q.size(0), q.size(1), q.size(2)};
  if (!std::ranges::equal(g.sizes(), IntList(sizes)) || !std::ranges::equal(out.sizes(), IntList(sizes)) ||
      !std::ranges::equal(lse.sizes(), IntList(rows)))
    fail(Code::shape, concat("[attention_backward] grad ", g.sizes(), ", out ", out.sizes(), " and lse ",
                             lse.sizes(), " do not fit query ", q.sizes(), " and value ", v.sizes()));
  require_float(c, g, "grad");
  // As the inputs lie, so that gradients of dense leaves need no copy.
  for (int i = 0; i < 3; ++i) {
    const Tensor& x = c.in(i + 1);
    c.out(i, x.dtype(), Shape{x.size(0), x.size(2), x.size(1), x.size(3)},
          x.is_contiguous() ? kLayoutTurned : uint8_t(HAFT_LAYOUT_STRIDED));
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
      fail(Code::shape,
           concat("[rotary] cos ", cos.sizes(), " and sin ", sin.sizes(), " do not fit input ", x.sizes()),
           {}, "cos");
    if (angle->dtype() != wide_dtype(x.dtype()))
      fail(Code::dtype,
           concat("[rotary] cos and sin must be ", dtype_name(wide_dtype(x.dtype())), ", got ",
                  dtype_name(angle->dtype())),
           {}, "cos");
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
  fail(Code::shape, concat("[scaled_dot_product_attention] ", text, ", got query ", q.sizes(), ", key ",
                           k.sizes(), " and value ", v.sizes()));
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

Tensor uncast::scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                            const Tensor& attn_mask, double p, bool causal, Scalar scale,
                                            bool gqa, Generator* gen) {
  if (q.ndim() < 2 || k.ndim() < 2 || v.ndim() < 2) refuse("takes at least two dimensions", q, k, v);
  if (q.size(-1) != k.size(-1)) refuse("query and key must have one width", q, k, v);
  if (k.size(-2) != v.size(-2)) refuse("key and value must be of one length", q, k, v);
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat("[scaled_dot_product_attention] dropout_p must be in 0..1, got ", p),
         {}, "dropout_p");
  if (causal && attn_mask.defined())
    fail(Code::invalid_argument,
         "[scaled_dot_product_attention] Explicit attn_mask should not be set when is_causal=True",
         "put the triangle into the mask", "is_causal");
  // Heads are dimension -3; with enable_gqa those of key and value stay fewer, all other dimensions broadcast.
  auto lead_of = [](const Tensor& x) { return Shape(x.sizes().first(size_t(x.ndim() - 2))); };
  Shape ql = lead_of(q), kl = lead_of(k), vl = lead_of(v);
  int64_t own = -1;
  if (gqa) {
    if (ql.empty() || kl.empty() || vl.empty() || kl.back() != vl.back() || kl.back() == 0 ||
        ql.back() % kl.back())
      refuse("enable_gqa wants heads, and a number of query's that those of key and value divide", q, k, v);
    own = kl.back();
    kl.back() = vl.back() = ql.back();
  }
  Shape lead = broadcast_shapes(broadcast_shapes(ql, kl, "scaled_dot_product_attention"), vl,
                                "scaled_dot_product_attention");
  const int64_t heads = lead.empty() ? 1 : lead.back();
  if (own < 0) own = heads;
  const Tensor q4 = as_heads(q, lead, heads), k4 = as_heads(k, lead, own), v4 = as_heads(v, lead, own);
  Tensor mask = attn_mask;
  if (mask.defined()) {
    if (mask.dtype() != DType::boolean) {
      if (!is_float(mask.dtype()))
        fail(Code::dtype,
             concat("[scaled_dot_product_attention] attn_mask must be bool or floating, got ",
                    dtype_name(mask.dtype())),
             {}, "attn_mask");
      mask = as_dtype(mask, wide_dtype(q.dtype()));
    }
    Shape sizes(lead);
    sizes.push_back(q.size(-2));
    sizes.push_back(k.size(-2));
    if (!std::ranges::equal(mask.sizes(), IntList(sizes))) mask = expand(mask, sizes);
    if (lead.size() != 2) mask = reshape(mask, Shape{q4.size(0), heads, q.size(-2), k.size(-2)});
  }
  const double factor = scale.kind == ScalarKind::none ? (q.size(-1) ? 1 / std::sqrt(double(q.size(-1))) : 1)
                                                       : scale.to_double();
  Draw d{};
  if (p > 0) {
    int64_t weights = q4.size(0);
    for (int64_t n : {heads, q.size(-2), k.size(-2)})
      if (__builtin_mul_overflow(weights, n, &weights))
        fail(Code::overflow, "[scaled_dot_product_attention] there are more weights than a generator counts",
             {}, "dropout_p");
    d = draw(gen, weights);
  }
  const Tensor out =
      heads_first(attention(q4, k4, v4, mask, factor, causal, p, int64_t(d.seed), int64_t(d.offset))[0]);
  if (lead.size() == 2) return out;
  Shape sizes(lead);
  sizes.push_back(q.size(-2));
  sizes.push_back(v.size(-1));
  return reshape(out, sizes);
}

Tensor rotary_embedding(const Tensor& x, const Tensor& cos, const Tensor& sin, bool interleaved) {
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[rotary_embedding] input must be floating, got ", dtype_name(x.dtype())), {},
         "input");
  if (x.ndim() < 1 || cos.ndim() < 1 || !std::ranges::equal(cos.sizes(), sin.sizes()) ||
      cos.size(-1) > x.size(-1) / 2)
    fail(Code::shape,
         concat("[rotary_embedding] cos and sin must be of one shape whose last dimension is at most half of "
                "input's, got input ",
                x.sizes(), ", cos ", cos.sizes(), " and sin ", sin.sizes()),
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
