// Reductions and scans: shapes, gradients, compositions.
#include <algorithm>
#include <cmath>

#include "core/ops/linalg.h"
#include "core/tensor/batched.h"

namespace haft {

namespace {

// Attribute word 0 as sorted, non-negative dimensions; written back only when that changes it.
Shape normalise_dims(ShapeContext& c, int fixed_words) {
  IntList given = c.attrs.ints(0);
  Shape dims = wrap_dims(given, c.in(0).ndim(), c.name());
  if (std::ranges::equal(given, IntList(dims))) return dims;
  AttrWriter w;
  w.add(IntList(dims));
  for (int i = 1; i < fixed_words; ++i) w.add(c.attrs.i(i));
  c.set_words(w);
  return dims;
}

int64_t reduced_count(IntList sizes, IntList dims) {
  int64_t n = 1;
  if (dims.empty())
    for (int64_t s : sizes) n *= s;
  else if (!sizes.empty())
    for (int64_t d : dims) n *= sizes[d];
  return n;
}

DType sum_dtype(DType t) { return is_float(t) ? t : DType::i64; }

// (dims, keepdim): what mean, prod, amax, any and their like have.
void reduce_rule(ShapeContext& c, DType out, bool may_be_empty) {
  Shape dims = normalise_dims(c, 2);
  IntList sizes = c.in(0).sizes();
  if (!may_be_empty && reduced_count(sizes, dims) == 0)
    fail(Code::shape,
         concat("[", c.name(), "] no elements to choose from: shape ", sizes, ", dim ", IntList(dims)),
         "reduce over dimensions that are not empty", "dim");
  c.out(0, out, reduced_sizes(sizes, dims, c.attrs.b(1)));
}

// A reduction's result (or its gradient) with the reduced dimensions as 1.
Tensor keep_dims(const Tensor& t, IntList sizes, IntList dims) {
  Shape kept = reduced_sizes(sizes, dims, true);
  return std::ranges::equal(t.sizes(), IntList(kept)) ? t : ops::view(t, kept);
}
Tensor spread(const Tensor& t, IntList sizes, IntList dims) {
  return ops::expand(keep_dims(t, sizes, dims), sizes);
}

// Equal shares for all elements that are the extreme.
void extreme_gradient(Backward& b) {
  Tensor x = b.in(0);
  IntList dims = b.attrs.ints(0);
  Tensor best = ops::detach(keep_dims(b.out(), x.sizes(), dims));
  Tensor mask = ops::logical_or(ops::eq(x, best), ops::isnan(x));  // where a NaN won, NaNs are the extreme
  Tensor share = keep_dims(b.grad(), x.sizes(), dims) / ops::sum(mask, dims, true);
  b.set(0, ops::where(mask, share, ops::zeros_like(share)));
}

void extreme_along(ShapeContext& c) {
  const Tensor& x = c.in(0);
  int64_t dim = wrap_dim(c.attrs.i(0), x.ndim(), c.name());
  c.set_word(0, word(dim));
  if (x.ndim() && x.size(dim) == 0)
    fail(Code::shape, concat("[", c.name(), "] dimension ", dim, " of shape ", x.sizes(), " is empty"), {},
         "dim");
  Shape sizes = reduced_sizes(x.sizes(), IntList(&dim, 1), c.attrs.b(1));
  c.out(0, x.dtype(), sizes);
  c.out(1, DType::i64, sizes);
}

// Zeros with the gradient where the extremes stood.
void extreme_along_gradient(Backward& b) {
  IntList sizes = b.in_sizes(0);
  if (sizes.empty()) return b.set(0, b.grad());
  int64_t dim = b.attrs.i(0);
  IntList dims(&dim, 1);
  Tensor zero = ops::zeros(sizes, b.in_dtype(0), b.in_device(0));
  b.set(0, ops::scatter(zero, dim, keep_dims(b.out(1), sizes, dims), keep_dims(b.grad(), sizes, dims)));
}

void index_of_extreme(ShapeContext& c) {
  const Tensor& x = c.in(0);
  int64_t dim = c.attrs.i(0);
  if (dim != kNone) {
    dim = wrap_dim(dim, x.ndim(), c.name());
    c.set_word(0, word(dim));
  }
  if (dim == kNone || x.ndim() == 0 ? x.numel() == 0 : x.size(dim) == 0)
    fail(Code::shape, concat("[", c.name(), "] no elements to choose from: shape ", x.sizes()), {}, "input");
  c.out(0, DType::i64, reduced_sizes(x.sizes(), dim == kNone ? IntList() : IntList(&dim, 1), c.attrs.b(1)));
}

void scan_rule(ShapeContext& c) {
  const Tensor& x = c.in(0);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), c.name())));
  c.out(0, sum_dtype(x.dtype()), x.sizes());
}

Tensor flip_one(const Tensor& x, int64_t dim) { return ops::flip(x, IntList(&dim, 1)); }

// Products of all elements before each one: (1, x0, x0 x1, ...).
Tensor product_before(const Tensor& x, int64_t dim) {
  int64_t n = x.size(dim);
  Tensor parts[] = {ops::ones_like(ops::slice(x, dim, 0, 1)),
                    ops::cumprod(ops::slice(x, dim, 0, n - 1), dim)};
  return ops::cat(parts, dim);
}

// r[k] = g[k] + x[k + 1] r[k + 1], the gradient that reaches the k-th partial product from those after it.
// Doubling takes log2(n) steps, divides by nothing (x may be 0) and is differentiable.
Tensor sum_of_products_after(const Tensor& g, const Tensor& x, int64_t dim) {
  int64_t n = x.size(dim);
  if (n == 1) return g;
  Tensor r = g, a = ops::slice(x, dim, 1, n);
  for (int64_t s = 1; s < n; s *= 2) {  // a[k] = x[k + 1] ... x[k + s], of length n - s
    Tensor parts[] = {ops::slice(r, dim, 0, n - s) + a * ops::slice(r, dim, s, n),
                      ops::slice(r, dim, n - s, n)};
    r = ops::cat(parts, dim);
    if (2 * s < n) a = ops::slice(a, dim, 0, n - 2 * s) * ops::slice(a, dim, s, n - s);
  }
  return r;
}

// The square root of something that is 0 has no slope; as PyTorch, its gradient is 0 there.
Tensor sqrt_or_zero(const Tensor& x) {
  if (!thread_state().grad_enabled || !requires_grad_anywhere(x)) return ops::sqrt(x);
  Tensor zero = ops::eq_scalar(x, 0);
  return ops::masked_fill(ops::sqrt(ops::masked_fill(x, zero, 1.0)), zero, 0.0);
}

}  // namespace

SHAPE(sum) {
  DType want = DType(c.attrs.i(2)), have = c.in(0).dtype();
  Shape dims = normalise_dims(c, 3);
  if (want == DType::boolean && have != DType::boolean) c.set_in(0, ops::cast(c.in(0), want));
  c.out(0, want == DType::none ? sum_dtype(have) : want, reduced_sizes(c.in(0).sizes(), dims, c.attrs.b(1)));
}
GRADIENT(sum, .saves = {SIZES}) {
  b.set(0, spread(as_dtype(b.grad(), b.in_dtype(0)), b.in_sizes(0), b.attrs.ints(0)));
}

SHAPE(mean) {
  require_float(c, c.in(0));
  reduce_rule(c, c.in(0).dtype(), true);
}
GRADIENT(mean, .saves = {SIZES}) {
  IntList sizes = b.in_sizes(0), dims = b.attrs.ints(0);
  // Of no elements there is nothing to divide: 0 / 0 would stand in the derivative of this.
  const int64_t count = reduced_count(sizes, dims);
  b.set(0, spread(count ? b.grad() / double(count) : b.grad(), sizes, dims));
}

SHAPE(prod) { reduce_rule(c, sum_dtype(c.in(0).dtype()), true); }
// The product of all others, never a division: x may be 0. In float64, where products of some numbers of narrower types
// do not leave the range that those of all of them are in.
GRADIENT(prod, .saves = {IN0}) {
  const DType own = b.in(0).dtype();
  Tensor x = as_dtype(b.in(0), DType::f64);
  IntList dims = b.attrs.ints(0);
  if (x.ndim() == 0) return b.set(0, b.grad());
  if (x.numel() == 0) return b.set(0, ops::zeros_like(b.in(0)));
  Shape order, sizes, back(x.ndim());  // kept dimensions, then the reduced ones as a single last one
  uint32_t reduced = dims.empty() ? ~0u : 0;
  for (int64_t d : dims) reduced |= 1u << d;
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t d = 0; d < x.ndim(); ++d)
      if (int(reduced >> d & 1) == pass) order.push_back(d);
  for (int64_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  for (int64_t d : order)
    if (!(reduced >> d & 1)) sizes.push_back(x.size(d));
  sizes.push_back(reduced_count(x.sizes(), dims));
  int64_t last = sizes.size() - 1;
  Tensor moved = ops::permute(x, order);
  Tensor flat = ops::reshape(moved, sizes);
  Tensor others = product_before(flat, last) * flip_one(product_before(flip_one(flat, last), last), last);
  Tensor unflat = ops::permute(ops::reshape(others, moved.sizes()), back);
  b.set(0, as_dtype(unflat * keep_dims(as_dtype(b.grad(), DType::f64), x.sizes(), dims), own));
}

SHAPE(amax) { reduce_rule(c, c.in(0).dtype(), false); }
GRADIENT(amax, .saves = {IN0 | OUT0}) { extreme_gradient(b); }
SHAPE(amin) { reduce_rule(c, c.in(0).dtype(), false); }
GRADIENT(amin, .saves = {IN0 | OUT0}) { extreme_gradient(b); }

SHAPE(max_dim) { extreme_along(c); }
GRADIENT(max_dim, .saves = {OUT1 | SIZES}) { extreme_along_gradient(b); }
SHAPE(min_dim) { extreme_along(c); }
GRADIENT(min_dim, .saves = {OUT1 | SIZES}) { extreme_along_gradient(b); }
SHAPE(argmax) { index_of_extreme(c); }
SHAPE(argmin) { index_of_extreme(c); }

SHAPE(any) { reduce_rule(c, DType::boolean, true); }
SHAPE(all) { reduce_rule(c, DType::boolean, true); }

SHAPE(var) {
  require_float(c, c.in(0));
  Shape dims = normalise_dims(c, 3);
  c.out(0, c.in(0).dtype(), reduced_sizes(c.in(0).sizes(), dims, c.attrs.b(2)));
}
GRADIENT(var, .saves = {IN0}) {
  Tensor x = b.in(0);
  IntList dims = b.attrs.ints(0);
  if (x.numel() == 0) return b.set(0, spread(b.grad(), x.sizes(), dims));
  double divisor = std::max<double>(0, double(reduced_count(x.sizes(), dims)) - double(b.attrs.i(1)));
  Tensor g = keep_dims(b.grad(), x.sizes(), dims) * (2 / divisor);
  b.set(0, (x - ops::mean(x, dims, true)) * g);
}

SHAPE(cumsum) { scan_rule(c); }
GRADIENT(cumsum) {
  int64_t dim = b.attrs.i(0);
  if (b.grad().ndim() == 0) return b.set(0, b.grad());
  b.set(0, flip_one(ops::cumsum(flip_one(b.grad(), dim), dim), dim));
}

SHAPE(cumprod) { scan_rule(c); }
GRADIENT(cumprod, .saves = {IN0}) {
  const DType own = b.in(0).dtype();
  int64_t dim = b.attrs.i(0);
  if (b.in(0).ndim() == 0 || b.in(0).numel() == 0) return b.set(0, b.grad());
  const Tensor x = as_dtype(b.in(0), DType::f64), g = as_dtype(b.grad(), DType::f64);
  b.set(0, as_dtype(product_before(x, dim) * sum_of_products_after(g, x, dim), own));
}

namespace ops {

Tensor uncast::std(const Tensor& x, IntList dims, int64_t correction, bool keepdim) {
  return sqrt_or_zero(var(x, dims, correction, keepdim));
}

Tensor uncast::norm(const Tensor& x, double p, IntList dims, bool keepdim) {
  if (is_complex(x.dtype())) return norm(abs(x), p, dims, keepdim);
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[norm] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "input");
  if (x.dtype() != wide_dtype(x.dtype()))  // squares overflow 16 bits
    return cast(norm(cast(x, wide_dtype(x.dtype())), p, dims, keepdim), x.dtype());
  if (p == 2) return sqrt_or_zero(sum(square(x), dims, keepdim));
  if (p == 1) return sum(abs(x), dims, keepdim);
  // sign: counts have a gradient, which is 0.
  if (p == 0) return sum(masked_fill(sign(x), ne_scalar(x, 0), 1.0), dims, keepdim);
  if (std::isinf(p)) return p > 0 ? amax(abs(x), dims, keepdim) : amin(abs(x), dims, keepdim);
  if (std::isnan(p)) fail(Code::invalid_argument, concat("[norm] p must be a number, got ", p), {}, "p");
  // Zeros add nothing and get no gradient; |x|^(p-1) would be infinite there for p < 1. Below 0 one of them makes the
  // norm 0, and so every gradient.
  Tensor zero = eq_scalar(x, 0), size = masked_fill(abs(x), zero, 1.0);
  Tensor total = sum(masked_fill(pow_scalar(size, p), zero, 0.0), dims, keepdim);
  Tensor none = p < 0 ? logical_and(any(zero, dims, keepdim), eq(total, total)) : eq_scalar(total, 0);
  return masked_fill(pow_scalar(masked_fill(total, none, 1.0), 1 / p), none, 0.0);
}

std::array<Tensor, 2> uncast::var_mean(const Tensor& x, IntList dims, int64_t correction, bool keepdim) {
  return {var(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}

std::array<Tensor, 2> uncast::std_mean(const Tensor& x, IntList dims, int64_t correction, bool keepdim) {
  return {std(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}

// Frobenius', by sums over one of the two dimensions, or by singular values.
Tensor uncast::matrix_norm(const Tensor& x, Scalar ord, IntList dims, bool keepdim) {
  const auto both = linalg::matrix_dims("matrix_norm", x, dims);
  const auto [rows, columns] = both;
  if (ord.kind == ScalarKind::none) return norm(x, 2, both, keepdim);
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[matrix_norm] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "input");
  const double p = ord.to_double();
  if (std::fabs(p) == 2) {
    const Tensor s = linalg::singular_values(x, both), y = p < 0        ? amin(s, Shape{-1})
                                                           : s.size(-1) ? amax(s, Shape{-1})
                                                                        : sum(s, Shape{-1});
    return keepdim ? linalg::with_dims(y, both) : y;
  }
  if (std::fabs(p) != 1 && !std::isinf(p))
    fail(Code::invalid_argument,
         concat("[matrix_norm] ord is absent, 1, -1, 2, -2, infinity or -infinity, got ", p),
         "nuclear_norm is the sum of singular values", "ord");
  const int64_t summed = std::isinf(p) ? columns : rows, left = std::isinf(p) ? rows : columns;
  const Tensor sums = sum(abs(x), IntList(&summed, 1), true);
  const Tensor y = p < 0             ? amin(sums, IntList(&left, 1), true)
                   : sums.size(left) ? amax(sums, IntList(&left, 1), true)
                                     : sum(sums, IntList(&left, 1), true);
  return keepdim ? y : squeeze(squeeze(y, std::max(rows, columns)), std::min(rows, columns));
}

Tensor uncast::normalize(const Tensor& x, double p, IntList dims, double eps) {
  const int64_t second[] = {1};
  return x / clamp(norm(x, p, dims.empty() ? IntList(second) : dims, true), Scalar(eps), Scalar());
}

Tensor uncast::pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t last = -1;
  return norm(x1 - x2 + eps, p, IntList(&last, 1), keepdim);
}

Tensor uncast::cosine_similarity(const Tensor& given1, const Tensor& given2, int64_t dim, double eps) {
  const IntList along(&dim, 1);
  // dim counts in the common shape.
  const Shape common = broadcast_shapes(given1.sizes(), given2.sizes(), "cosine_similarity");
  const Tensor x1 = expand(given1, common), x2 = expand(given2, common);
  auto unit = [&](const Tensor& x) { return x / clamp(norm(x, 2, along, true), Scalar(eps), Scalar()); };
  return sum(unit(x1) * unit(x2), along);
}

// Cold, so that it is short: the time is its kernels'.
[[gnu::cold]] Tensor uncast::logsumexp(const Tensor& x, IntList dims, bool keepdim) {
  const DType t = x.dtype();
  const bool complex = is_complex(t), is_real = is_float(t);
  // Along one dimension it is what the losses keep of rows whose target is ignored, unless a device would be busy with
  // few long ones.
  if (is_real && dims.size() == 1 && x.ndim() && x.numel()) {
    const int64_t dim = wrap_dim(dims[0], x.ndim(), "logsumexp"), n = x.size(dim), last[] = {-1};
    if (n <= 1 << 16 || x.numel() / n >= 64) {
      const Tensor rows = movedim(x, IntList(&dim, 1), last);
      const Tensor ignored =
          full(rows.sizes().first(size_t(x.ndim() - 1)), Scalar(-1), DType::i32, x.device());
      const Tensor y = as_dtype(cross_entropy_rows(rows, ignored, Tensor(), -1, 0)[2], t);
      return keepdim ? unsqueeze(y, dim) : y;
    }
  }
  // A sum of many ones overflows 16 bits.
  if (const DType wide = is_real || complex ? wide_dtype(t) : default_float(); t != wide)
    return as_dtype(logsumexp(cast(x, wide), dims, keepdim), is_real ? t : wide);
  if (x.numel() == 0) return sum(x, dims, keepdim) - INFINITY;  // its derivatives are 0, not 0 / 0
  Tensor top;
  {
    NoGradGuard constant;  // the shift cancels out of every derivative
    top = amax(complex ? real(x) : x, dims, true);
    top = masked_fill(top, isinf(top), 0.0);
  }
  Tensor total = log(sum(exp(x - top), dims, keepdim));
  return total + (keepdim ? top : view(top, total.sizes()));
}

Tensor count_nonzero(const Tensor& x, IntList dims) { return sum(ne_scalar(x, 0), dims); }

Tensor sum_to_size(const Tensor& x, IntList size) {
  if (std::ranges::equal(x.sizes(), size)) return x;
  int64_t lead = x.ndim() - int64_t(size.size());
  Shape dims;
  bool fits = lead >= 0;
  for (int64_t d = 0; fits && d < x.ndim(); ++d) {
    int64_t want = d < lead ? 1 : size[d - lead];
    if (d < lead || (want == 1 && x.size(d) != 1))
      dims.push_back(d);
    else
      fits = want == x.size(d);
  }
  if (!fits)
    fail(Code::shape, concat("[sum_to_size] shape ", size, " does not broadcast to ", x.sizes()), {}, "size");
  Tensor total = dims.empty() ? x : sum(x, dims, true, x.dtype());
  return lead ? view(total, size) : total;
}

}  // namespace ops

}  // namespace haft
