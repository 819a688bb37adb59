// Reductions of elements that an index sends to the same place.
#include <cmath>

#include "core/ops/gradient.h"

namespace haft {

namespace {

void scatter_rule_of(ShapeContext& c) {
  c.set_word(0, word(wrap_dim(c.attrs.i(0), c.in(0).ndim(), c.name())));
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}

Tensor gathered(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  return index.numel() ? ops::gather(x, dim, index) : ops::zeros_like(src);
}

// Shared equally by all elements that equal the result.
void scatter_extreme_gradient(Backward& b) {
  const int64_t dim = b.attrs.i(0);
  Tensor g = b.grad(), x = b.in(0), index = b.in(1), src = b.in(2), out = b.out();
  Tensor x_wins = ops::cast(ops::eq(x, out), g.dtype());
  Tensor src_wins = ops::cast(ops::eq(src, gathered(out, dim, index, src)), g.dtype());
  Tensor count = ops::scatter_add(x_wins, dim, index, src_wins);
  Tensor share = g / ops::masked_fill(count, ops::eq_scalar(count, 0), 1.0);
  if (b.needs(0)) b.set(0, share * x_wins);
  if (b.needs(2)) b.set(2, gathered(share, dim, index, src) * src_wins);
}

}  // namespace

SHAPE(scatter_prod) { scatter_rule_of(c); }
// The product without one element: divided by it, or, where it is the only 0 among src, multiplied anew.
GRADIENT(scatter_prod, .saves = {IN0 | IN1 | IN2, 0, IN0 | IN1 | IN2 | OUT0}) {
  const int64_t dim = b.attrs.i(0);
  Tensor g = b.grad(), x = b.in(0), index = b.in(1), src = b.in(2);
  if (b.needs(0)) {
    Tensor safe = ops::masked_fill(x, ops::eq_scalar(x, 0), 1.0);
    b.set(0, g * ops::scatter_prod(safe, dim, index, src) / safe);
  }
  if (b.needs(2)) {
    Tensor zero = ops::eq_scalar(src, 0);
    Tensor zeros = ops::scatter_add(ops::zeros_like(g), dim, index, ops::cast(zero, g.dtype()));
    Tensor only = ops::logical_and(zero, ops::eq_scalar(gathered(zeros, dim, index, src), 1));
    Tensor others = ops::scatter_prod(x, dim, index, ops::masked_fill(src, only, 1.0));
    b.set(2, ops::where(only, gathered(g * others, dim, index, src),
                        gathered(g * b.out(), dim, index, src) / ops::masked_fill(src, zero, 1.0)));
  }
}

SHAPE(scatter_amax) { scatter_rule_of(c); }
GRADIENT(scatter_amax, .always = IN0 | IN1 | IN2 | OUT0) { scatter_extreme_gradient(b); }
SHAPE(scatter_amin) { scatter_rule_of(c); }
GRADIENT(scatter_amin, .always = IN0 | IN1 | IN2 | OUT0) { scatter_extreme_gradient(b); }

namespace ops {

namespace {

enum Reduce { kSum, kProd, kMean, kAmax, kAmin };

// The part of src that index covers; scatter itself says what does not fit.
Tensor covered(const Tensor& src, const Tensor& index) {
  Tensor part = src.ndim() == index.ndim() ? src : reshape(src, index.sizes());
  for (int64_t d = 0; d < part.ndim(); ++d)
    if (part.size(d) != index.size(d)) part = slice(part, d, 0, index.size(d));
  return part;
}

// What changes nothing. Integers have no infinities: there one of the elements does for the extremes.
Tensor neutral(const Tensor& src, int64_t reduce) {
  if (reduce == kAmax || reduce == kAmin)
    return is_float(src.dtype()) ? full_like(src, reduce == kAmax ? -INFINITY : INFINITY) : src;
  return reduce == kProd ? ones_like(src) : zeros_like(src);
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, int64_t reduce,
                      bool include_self) {
  if (reduce < kSum || reduce > kAmin)
    fail(Code::invalid_argument,
         concat("[scatter_reduce] reduce must be 0 (sum), 1 (prod), 2 (mean), 3 (amax) or 4 (amin), got ",
                reduce),
         {}, "reduce");
  if (reduce == kSum && include_self) return scatter_add(x, dim, index, src);
  // Checks all arguments, and takes out what index points to.
  Tensor start = scatter(x, dim, index, neutral(src, reduce));
  if (include_self) start = x;
  if (index.numel() == 0) return start;
  Tensor part = covered(src, index);
  switch (reduce) {
    case kProd: return scatter_prod(start, dim, index, part);
    case kAmax: return scatter_amax(start, dim, index, part);
    case kAmin: return scatter_amin(start, dim, index, part);
    case kSum: return scatter_add(start, dim, index, part);
    default: break;
  }
  Tensor total = scatter_add(start, dim, index, part), one, count;
  {
    NoGradGuard constant;
    DType t = is_float(x.dtype()) ? x.dtype() : DType::i64;
    one = ones_like(part, t);
    count = scatter_add(
        include_self ? ones_like(x, t) : scatter(ones_like(x, t), dim, index, zeros_like(part, t)), dim,
        index, one);
  }
  if (is_float(x.dtype())) return total / count;
  return cast(floor_divide(total, count), x.dtype());
}

Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, int64_t reduce,
                    bool include_self) {
  dim = wrap_dim(dim, x.ndim(), "index_reduce");
  if (x.ndim() == 0 && src.ndim() == 0)
    return reshape(index_reduce(reshape(x, Shape{1}), 0, index, reshape(src, Shape{1}), reduce, include_self),
                   {});
  bool fits = index.ndim() <= 1 && src.ndim() == x.ndim() && x.ndim() > 0 && src.size(dim) == index.numel();
  for (int64_t d = 0; fits && d < x.ndim(); ++d) fits = d == dim || src.size(d) == x.size(d);
  if (!fits)
    fail(Code::shape,
         concat("[index_reduce] source of shape ", src.sizes(), " and index of shape ", index.sizes(),
                " do not fit to input of shape ", x.sizes(), " along dimension ", dim),
         "index has one dimension, and source one slice for each index", "source");
  Shape line;
  for (int64_t d = 0; d < x.ndim(); ++d) line.push_back(d == dim ? index.numel() : 1);
  return scatter_reduce(x, dim, expand(reshape(index, line), src.sizes()), src, reduce, include_self);
}

Tensor segment_reduce(const Tensor& x, const Tensor& lengths, int64_t reduce, Scalar initial) {
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[segment_reduce] data must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "data");
  if (x.ndim() == 0 || lengths.ndim() != 1)
    fail(Code::shape,
         concat("[segment_reduce] data has a dimension to cut and lengths are a vector, got shapes ",
                x.sizes(), " and ", lengths.sizes()),
         {}, "lengths");
  if (reduce < kSum || reduce > kAmin)
    fail(Code::invalid_argument,
         concat("[segment_reduce] reduce must be 0 (sum), 1 (prod), 2 (mean), 3 (amax) or 4 (amin), got ",
                reduce),
         {}, "reduce");
  const int64_t n = lengths.numel();
  const Tensor index = repeat_interleave(arange(0, n, 1, DType::i64, x.device()), lengths, 0);
  if (index.numel() != x.size(0))
    fail(Code::invalid_argument,
         concat("[segment_reduce] lengths add up to ", index.numel(), ", data has ", x.size(0), " slices"),
         {}, "lengths");
  const bool given = initial.kind != ScalarKind::none;
  const double none = reduce == kProd ? 1 : reduce == kAmax ? -INFINITY : reduce == kAmin ? INFINITY : 0;
  Shape sizes(x.sizes());
  sizes[0] = n;
  const Tensor start = full(sizes, given ? initial.to_double() : none, x.dtype(), x.device());
  const Tensor y = index_reduce(start, 0, index, x, reduce == kMean ? int64_t(kSum) : reduce, true);
  if (reduce != kMean) return y;
  Shape column(sizes.size(), 1);
  column[0] = n;
  const Tensor count = reshape(as_dtype(lengths, x.dtype()), column);
  return given ? y / clamp(count, 1) : y / count;  // a mean of nothing is NaN
}

}  // namespace ops
}  // namespace haft
