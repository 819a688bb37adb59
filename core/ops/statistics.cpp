// Reductions that are compositions: without NaN, differences, quantiles, what is different.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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
    fail(Code::dtype, concat("[nanmean] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "input");
  // More than 65504 elements are no float16.
  const Tensor total = nansum(x, dims, keepdim, wide_dtype(x.dtype()));
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

namespace {

// Slices [from, from + n) along dim.
Tensor part(const Tensor& x, int64_t dim, int64_t from, int64_t n) { return narrow(x, dim, from, n); }

// The slopes along dim of what is `step` apart, one number or the differences of neighbouring places: second order
// inside, edge_order at both ends (Fornberg, Mathematics of Computation 51, 1988, for unequal steps).
Tensor slopes(const Tensor& x, int64_t dim, const Tensor& step, int64_t edge_order) {
  const int64_t n = x.size(dim);
  Tensor before = step, after = step, first[2] = {step, step}, last[2] = {step, step};
  if (step.ndim()) {
    const Tensor along_dim = along(step, x, dim);
    before = part(along_dim, dim, 0, n - 2), after = part(along_dim, dim, 1, n - 2);
    for (int64_t i : {0, 1}) {
      first[i] = part(along_dim, dim, std::min(i, n - 2), 1);
      last[i] = part(along_dim, dim, std::max<int64_t>(n - 2 - i, 0), 1);
    }
  }
  const auto slope = [](const Tensor& a, const Tensor& b, const Tensor& h) { return (b - a) / h; };
  const auto at = [&](int64_t i) { return part(x, dim, i, 1); };
  // Weighted means of the slopes on both sides.
  const Tensor left =
      slope(part(x, dim, 0, n - 1), part(x, dim, 1, n - 1), step.ndim() ? along(step, x, dim) : step);
  Tensor begin = slope(at(0), at(1), first[0]), end = slope(at(n - 2), at(n - 1), last[0]);
  if (edge_order == 2) {
    begin = begin + (begin - slope(at(1), at(2), first[1])) * first[0] / (first[0] + first[1]);
    end = end + (end - slope(at(n - 3), at(n - 2), last[1])) * last[0] / (last[0] + last[1]);
  }
  if (n == 2) {
    const Tensor both[] = {begin, end};
    return cat(both, dim);
  }
  const Tensor between =
      (part(left, dim, 0, n - 2) * after + part(left, dim, 1, n - 2) * before) / (before + after);
  const Tensor parts[] = {begin, between, end};
  return cat(parts, dim);
}

}  // namespace

std::vector<Tensor> gradient(const Tensor& given, std::span<const Tensor> spacing, IntList dims,
                             int64_t edge_order) {
  const Tensor x = is_float(given.dtype()) ? given : cast(given, default_float());
  if (edge_order != 1 && edge_order != 2)
    fail(Code::invalid_argument, concat("[gradient] edge_order is 1 or 2, got ", edge_order), {},
         "edge_order");
  Shape which;
  if (dims.empty())
    for (int64_t d = 0; d < x.ndim(); ++d) which.push_back(d);
  for (int64_t d : dims) {
    which.push_back(wrap_dim(d, x.ndim(), "gradient"));
    if (std::ranges::count(which, which.back()) > 1)
      fail(Code::invalid_argument, concat("[gradient] dim ", which.back(), " is named twice"), {}, "dim");
  }
  if (spacing.size() > 1 && spacing.size() != size_t(which.size()))
    fail(Code::invalid_argument,
         concat("[gradient] there are ", spacing.size(), " spacings for ", which.size(), " dimensions"),
         "give none, one number, or one for each dimension", "spacing");
  std::vector<Tensor> out;
  for (int64_t i = 0; i < which.size(); ++i) {
    const int64_t d = which[i], n = x.size(d);
    if (n < edge_order + 1)
      fail(Code::shape,
           concat("[gradient] dimension ", d, " of shape ", x.sizes(), " must have at least ", edge_order + 1,
                  " elements"),
           {}, "input");
    Tensor step =
        spacing.empty() ? ones({}, x.dtype(), x.device()) : spacing[spacing.size() == 1 ? 0 : size_t(i)];
    if (step.ndim() > 1 || (step.ndim() == 1 && step.numel() != n))
      fail(Code::shape,
           concat("[gradient] a spacing is one number, or a place for each of the ", n,
                  " elements along dimension ", d, "; got shape ", step.sizes()),
           {}, "spacing");
    if (step.ndim()) step = diff(as_dtype(step, x.dtype()), 1, 0, {}, {});
    out.push_back(slopes(x, d, step, edge_order));
  }
  return out;
}

namespace {

// What both quantiles check and begin with: x without the dimension's place, its values sorted along the last one.
struct Quantiles {
  enum { kLinear, kLower, kHigher, kMidpoint, kNearest };
  Tensor sorted;  // (*, n)
  Tensor wanted;  // (Q), float64
  Shape sizes;    // of the result

  Quantiles(const Tensor& x, const Tensor& q, int64_t dim, bool keepdim, int64_t interpolation,
            const char* op) {
    if (!is_float(x.dtype()))
      fail(Code::dtype, concat("[", op, "] input must be a floating tensor, got ", dtype_name(x.dtype())),
           "cast it first", "input");
    if (x.numel() == 0)
      fail(Code::shape, concat("[", op, "] shape ", x.sizes(), " has no elements"), {}, "input");
    if (q.ndim() > 1)
      fail(Code::shape, concat("[", op, "] q is a number or a vector, got shape ", q.sizes()), {}, "q");
    if (interpolation < kLinear || interpolation > kNearest)
      fail(Code::invalid_argument,
           concat("[", op, "] interpolation is 0 linear, 1 lower, 2 higher, 3 midpoint or 4 nearest, got ",
                  interpolation),
           {}, "interpolation");
    wanted = reshape(as_dtype(q, DType::f64), Shape{-1});
    if (wanted.numel()) {
      const double least = item(amin(wanted)).to_double(), most = item(amax(wanted)).to_double();
      if (!(least >= 0 && most <= 1))
        fail(Code::invalid_argument,
             concat("[", op, "] q must be in [0, 1], got ", least >= 0 ? most : least), {}, "q");
    }
    const int64_t last[] = {-1};
    if (q.ndim()) sizes.push_back(wanted.numel());
    if (dim == kNone || x.ndim() == 0) {
      if (dim != kNone) wrap_dim(dim, 0, op);
      if (keepdim && dim == kNone) sizes.resize(sizes.size() + size_t(x.ndim()), 1);
      sorted = sort(reshape(x, last), 0)[0];
      return;
    }
    const int64_t own[] = {wrap_dim(dim, x.ndim(), op)};
    for (int64_t d = 0; d < x.ndim(); ++d)
      if (d != own[0])
        sizes.push_back(x.size(d));
      else if (keepdim)
        sizes.push_back(1);
    sorted = sort(movedim(x, own, last), -1)[0];
  }

  // (*, Q), where `place` (Q) or (*, Q) says which of the sorted elements; between two of them by `interpolation`.
  template <class At>
  static Tensor between(Tensor place, int64_t interpolation, At at) {
    if (interpolation == kNearest) place = round(place);
    Tensor low = at(cast(interpolation == kHigher ? ceil(place) : floor(place), DType::i64));
    if (interpolation != kLinear && interpolation != kMidpoint) return low;
    Tensor part = interpolation == kMidpoint ? full_like(place, 0.5) : place - floor(place);
    return low + (at(cast(ceil(place), DType::i64)) - low) * as_dtype(part, low.dtype());
  }

  Tensor shaped(const Tensor& y) const {
    const int64_t last[] = {-1}, first[] = {0};
    return reshape(movedim(y, last, first), sizes);
  }
};

}  // namespace

Tensor uncast::quantile(const Tensor& x, const Tensor& q, int64_t dim, bool keepdim, int64_t interpolation) {
  const Quantiles of(x, q, dim, keepdim, interpolation, "quantile");
  const int64_t n = of.sorted.size(-1);
  Tensor y = Quantiles::between(of.wanted * double(n - 1), interpolation,
                                [&](const Tensor& i) { return index_select(of.sorted, -1, i); });
  return of.shaped(masked_fill(y, isnan(slice(of.sorted, -1, n - 1, n)), NAN));
}

// NaN stand last, so that each row has its own number of others before them.
Tensor uncast::nanquantile(const Tensor& x, const Tensor& q, int64_t dim, bool keepdim,
                           int64_t interpolation) {
  const Quantiles of(x, q, dim, keepdim, interpolation, "nanquantile");
  const int64_t last[] = {-1};
  Tensor most = sum(logical_not(isnan(of.sorted)), last, true) - 1, none = lt_scalar(most, 0);
  Tensor place = as_dtype(clamp(most, 0), DType::f64) * of.wanted;
  Tensor y =
      Quantiles::between(place, interpolation, [&](const Tensor& i) { return gather(of.sorted, -1, i); });
  return of.shaped(masked_fill(y, none, NAN));
}

// Of sorted elements the runs count themselves; the longest that comes first is that of the least element.
std::array<Tensor, 2> mode(const Tensor& x, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, x.ndim(), "mode");
  if (x.ndim() == 0) return {alias(x), zeros({}, DType::i64, x.device())};
  const int64_t n = x.size(d);
  if (n == 0)
    fail(Code::index, concat("[mode] dimension ", dim, " of shape ", x.sizes(), " has no elements"), {},
         "dim");
  Tensor where;
  {
    NoGradGuard none;
    auto [sorted, order] = sort(x, d);
    Tensor place = along(arange(0, n, 1, DType::i64, x.device()), order, d), begins = zeros_like(order);
    if (n > 1) {
      Tensor differ = ne(slice(sorted, d, 1, n), slice(sorted, d, 0, n - 1));
      const Tensor parts[] = {slice(begins, d, 0, 1), slice(place, d, 1, n) * cast(differ, DType::i64)};
      begins = cummax(cat(parts, d), d)[0];
    }
    where = gather(order, d, argmax(place - begins, d, true));
  }
  Tensor values = gather(x, d, where);
  if (keepdim) return {values, where};
  return {squeeze(values, d), squeeze(where, d)};
}

Tensor cov(const Tensor& given, int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  if (given.ndim() > 2)
    fail(Code::shape, concat("[cov] input is a vector or a matrix (D, N), got shape ", given.sizes()), {},
         "input");
  if (given.dtype() == DType::boolean)
    fail(Code::dtype, "[cov] input must not be bool", "cast it first", "input");
  const Tensor whole = is_differentiable(given.dtype()) ? given : cast(given, default_float());
  const Tensor x = whole.ndim() == 2 ? whole : reshape(whole, Shape{1, -1});
  const int64_t n = x.size(1), columns[] = {1};
  const DType part = real_dtype(x.dtype());
  Tensor weights;
  auto weigh = [&](const Tensor& w, const char* name, bool right_type, const char* type) {
    if (!w.defined()) return;
    if (w.ndim() != 1 || w.numel() != n)
      fail(Code::shape,
           concat("[cov] ", name, " has one element for each of the ", n, " observations, got shape ",
                  w.sizes()),
           {}, name);
    if (!right_type)
      fail(Code::dtype, concat("[cov] ", name, " are ", type, ", got ", dtype_name(w.dtype())), {}, name);
    if (n && item(any(lt_scalar(w, 0))).to_int() != 0)
      fail(Code::invalid_argument, concat("[cov] ", name, " must not be negative"), {}, name);
    const Tensor own = as_dtype(w, part);
    weights = weights.defined() ? weights * own : own;
  };
  weigh(fweights, "fweights", fweights.defined() && is_integer(fweights.dtype()), "whole numbers");
  weigh(aweights, "aweights", aweights.defined() && is_float(aweights.dtype()), "floats");
  Tensor count = full({}, double(n), part, x.device()), centred, weighed;
  if (weights.defined()) {
    count = sum(weights);
    centred = x - sum(x * weights, columns, true) / count;
    weighed = centred * weights;
    if (aweights.defined() && correction != 0)  // the unbiased count of weighted observations
      count = count - sum(weights * as_dtype(aweights, part)) / count * double(correction);
    else
      count = count - correction;
  } else {
    count = count - correction;
    weighed = centred = x - mean(x, columns, true);
  }
  const Tensor c = matmul(weighed, conj(transpose(centred, 0, 1))) / clamp(count, 0.0);
  return c.size(0) == 1 ? reshape(c, {}) : c;
}

Tensor corrcoef(const Tensor& x) {
  if (x.ndim() > 2)
    fail(Code::shape, concat("[corrcoef] input is a vector or a matrix (D, N), got shape ", x.sizes()), {},
         "input");
  const Tensor c = cov(x);
  if (c.ndim() == 0) return c / c;
  const Tensor deviation = sqrt(real(diagonal(c)));
  const Tensor r = c / unsqueeze(deviation, 1) / unsqueeze(deviation, 0);
  if (!is_complex(r.dtype())) return clamp(r, -1.0, 1.0);
  return complex(clamp(real(r), -1.0, 1.0), clamp(imag(r), -1.0, 1.0));
}

namespace {

// The area between each place along dim and the next one.
Tensor trapezoids(const Tensor& y, const Tensor& x, double dx, int64_t dim, const char* op) {
  if (y.ndim() == 0)
    fail(Code::shape, concat("[", op, "] y is a 0-dim tensor, which has no places"), {}, "y");
  const int64_t d = wrap_dim(dim, y.ndim(), op), n = y.size(d);
  if (n == 0) return y;
  const Tensor high = slice(y, d, 1, n) + slice(y, d, 0, n - 1);
  if (!x.defined()) return high * (dx / 2);
  const int64_t own = x.ndim() == 1 ? 0 : wrap_dim(d - y.ndim(), x.ndim(), op);
  if (x.ndim() == 0 || x.size(own) != n)
    fail(Code::shape,
         concat("[", op, "] x has ", x.ndim() ? x.size(own) : 0, " places along dim ", dim,
                " of y, which has ", n),
         {}, "x");
  Tensor apart = slice(x, own, 1, n) - slice(x, own, 0, n - 1);
  if (x.ndim() == 1) {
    Shape sizes(size_t(y.ndim()), 1);
    sizes[size_t(d)] = n - 1;
    apart = view(contiguous(apart), sizes);
  }
  return high * apart / 2;
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, double dx, int64_t dim) {
  const Tensor parts = trapezoids(y, x, dx, dim, "trapezoid");
  return sum(parts, IntList(&dim, 1));
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, double dx, int64_t dim) {
  return cumsum(trapezoids(y, x, dx, dim, "cumulative_trapezoid"), dim);
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
