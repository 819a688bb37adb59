// Reductions that are compositions: without NaN, differences, quantiles, what is different.
#include <algorithm>
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

using Three = std::array<Tensor, 3>;

Tensor along(const Tensor& factors, const Tensor& like, int64_t dim) {
  Shape sizes(like.ndim(), 1);
  sizes[dim] = factors.numel();
  return view(as_dtype(factors, like.dtype()), sizes);
}

// Slices of dimension 0 that differ from the one before; for each slice of the original order, which of them it is
// (`order` says where the slices stood, undefined: here), and how often each comes.
Three grouped(const Tensor& slices, const Tensor& order) {
  const int64_t n = slices.size(0);
  Tensor first = ones(Shape{n}, DType::boolean, slices.device());
  if (n > 1) {
    Tensor differ = ne(slice(slices, 0, 1, n), slice(slices, 0, 0, n - 1));
    if (differ.ndim() > 1) differ = any(reshape(differ, Shape{n - 1, differ.numel() / (n - 1)}), Shape{1});
    const Tensor parts[] = {slice(first, 0, 0, 1), differ};
    first = cat(parts, 0);
  }
  Tensor number = sub_scalar(cumsum(first, 0), 1);
  Tensor values = index_select(slices, 0, select(nonzero(first), 1, 0));
  Tensor inverse = order.defined() ? scatter(number, 0, order, number) : number;
  Tensor counts = zeros(Shape{values.size(0)}, DType::i64, slices.device());
  return {values, inverse, index_add_(counts, 0, number, ones(Shape{n}, DType::i64, slices.device()))};
}

}  // namespace

Tensor nansum(const Tensor& x, IntList dims, bool keepdim, DType dtype) {
  return sum(is_float(x.dtype()) ? masked_fill(x, isnan(x), 0.0) : x, dims, keepdim, dtype);
}

Tensor nanmean(const Tensor& x, IntList dims, bool keepdim) {
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[nanmean] input must be a floating tensor, got ", dtype_name(x.dtype())), "cast it first",
         "input");
  const Tensor total = nansum(x, dims, keepdim, wide_dtype(x.dtype()));  // more than 65504 elements are no float16
  return as_dtype(total / sum(logical_not(isnan(x)), dims, keepdim), x.dtype());
}

std::array<Tensor, 2> aminmax(const Tensor& x, int64_t dim, bool keepdim) {
  const IntList dims = dim == kNone ? IntList() : IntList(&dim, 1);
  return {amin(x, dims, keepdim), amax(x, dims, keepdim)};
}

Tensor msort(const Tensor& x) { return sort(x, 0)[0]; }

Tensor diff(const Tensor& x, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  if (n < 0) fail(Code::invalid_argument, concat("[diff] n must not be negative, got ", n), {}, "n");
  if (x.ndim() == 0) fail(Code::shape, "[diff] a 0-dim tensor has no neighbours", {}, "input");
  const int64_t d = wrap_dim(dim, x.ndim(), "diff");
  if (n == 0) return alias(x);  // nothing is joined for no differences, as in PyTorch
  std::vector<Tensor> parts;
  for (const Tensor* part : {&prepend, &x, &append})
    if (part->defined()) parts.push_back(*part);
  Tensor t = parts.size() > 1 ? cat(parts, d) : alias(x);
  for (int64_t i = 0; i < n && t.size(d); ++i) {
    Tensor later = slice(t, d, 1, t.size(d)), earlier = slice(t, d, 0, t.size(d) - 1);
    t = t.dtype() == DType::boolean ? logical_xor(later, earlier) : later - earlier;
  }
  return t;
}

Tensor quantile(const Tensor& given, const Tensor& q, int64_t dim, bool keepdim, int64_t interpolation) {
  enum { kLinear, kLower, kHigher, kMidpoint, kNearest };
  if (!is_float(given.dtype()))
    fail(Code::dtype, concat("[quantile] input must be a floating tensor, got ", dtype_name(given.dtype())),
         "cast it first", "input");
  if (given.numel() == 0) fail(Code::shape, concat("[quantile] shape ", given.sizes(), " has no elements"), {}, "input");
  if (q.ndim() > 1) fail(Code::shape, concat("[quantile] q is a number or a vector, got shape ", q.sizes()), {}, "q");
  if (interpolation < kLinear || interpolation > kNearest)
    fail(Code::invalid_argument,
         concat("[quantile] interpolation is 0 linear, 1 lower, 2 higher, 3 midpoint or 4 nearest, got ", interpolation), {},
         "interpolation");
  Tensor wanted = reshape(as_dtype(detach(q), DType::f64), Shape{-1});
  if (wanted.numel()) {
    const double least = item(amin(wanted)).to_double(), most = item(amax(wanted)).to_double();
    if (!(least >= 0 && most <= 1))
      fail(Code::invalid_argument, concat("[quantile] q must be in [0, 1], got ", least >= 0 ? most : least), {}, "q");
  }
  const bool all = dim == kNone;
  Tensor x = all || given.ndim() == 0 ? reshape(given, Shape{-1}) : given;
  const int64_t d = all ? 0 : wrap_dim(dim, x.ndim(), "quantile");
  Tensor sorted = sort(x, d)[0];
  const int64_t n = sorted.size(d);
  Tensor place = wanted * double(n - 1);
  if (interpolation == kNearest) place = round(place);
  auto at = [&](const Tensor& p) { return index_select(sorted, d, cast(p, DType::i64)); };
  Tensor low = at(interpolation == kHigher ? ceil(place) : floor(place)), y = low;
  if (interpolation == kLinear || interpolation == kMidpoint) {
    Tensor part = interpolation == kMidpoint ? full_like(place, 0.5) : place - floor(place);
    y = low + (at(ceil(place)) - low) * along(part, low, d);
  }
  y = movedim(masked_fill(y, isnan(slice(sorted, d, n - 1, n)), NAN), IntList(&d, 1), Shape{0});
  Shape sizes(y.sizes().first(1));
  if (given.ndim() == 0) sizes.resize(1);  // the one element has no dimension
  else if (all) sizes.resize(keepdim ? 1 + given.ndim() : 1, 1);
  else {
    sizes = Shape(y.sizes());
    if (keepdim) sizes.insert(d + 1, 1);
  }
  if (q.ndim() == 0) sizes.erase(0);
  return reshape(y, sizes);
}

Three unique(const Tensor& given, int64_t dim) {
  NoGradGuard none;
  const bool all = dim == kNone || given.ndim() == 0;
  if (all) {
    auto [values, order] = sort(reshape(given, Shape{-1}), 0);
    Three r = grouped(values, order);
    r[1] = reshape(r[1], given.sizes());
    return r;
  }
  const int64_t d = wrap_dim(dim, given.ndim(), "unique");
  Tensor slices = movedim(given, IntList(&d, 1), Shape{0});
  const int64_t n = slices.size(0), columns = n ? slices.numel() / n : 0;
  Tensor flat = reshape(slices, Shape{n, columns}), order = arange(0, n, 1, DType::i64, given.device());
  for (int64_t c = columns; c-- > 0;)  // stable, from the last column to the first
    order = index_select(order, 0, sort(index_select(select(flat, 1, c), 0, order), 0)[1]);
  Three r = grouped(index_select(slices, 0, order), order);
  r[0] = movedim(r[0], Shape{0}, IntList(&d, 1));
  return r;
}

Three unique_consecutive(const Tensor& given, int64_t dim) {
  NoGradGuard none;
  if (dim == kNone || given.ndim() == 0) {
    Three r = grouped(reshape(given, Shape{-1}), Tensor());
    r[1] = reshape(r[1], given.sizes());
    return r;
  }
  const int64_t d = wrap_dim(dim, given.ndim(), "unique_consecutive");
  Three r = grouped(movedim(given, IntList(&d, 1), Shape{0}), Tensor());
  r[0] = movedim(r[0], Shape{0}, IntList(&d, 1));
  return r;
}

}  // namespace haft::ops
