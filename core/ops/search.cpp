// What stands in the middle, where a value belongs, and how often it comes.
#include <algorithm>
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"
#include "core/tensor/batched.h"

namespace haft {

SHAPE(searchsorted) {
  const Tensor &sorted = c.in(0), &values = c.in(1);
  bool fits = sorted.ndim() > 0 && (sorted.ndim() == 1 || sorted.ndim() == values.ndim());
  for (int64_t d = 0; fits && d + 1 < sorted.ndim(); ++d) fits = sorted.size(d) == values.size(d);
  if (!fits)
    fail(Code::shape,
         concat("[searchsorted] sorted_sequence of shape ", sorted.sizes(),
                " does not fit to input of shape ", values.sizes()),
         "sorted_sequence is a vector, or has all but the last size of input", "sorted_sequence");
  if (sorted.dtype() != values.dtype())
    fail(Code::dtype,
         concat("[searchsorted] sorted_sequence is ", dtype_name(sorted.dtype()), ", input is ",
                dtype_name(values.dtype())),
         "convert one with to()", "input");
  c.out(0, DType::i64, values.sizes());
}

namespace ops {

namespace {

using Pair = std::array<Tensor, 2>;

// values and indices at `at` (1 element along dim) of what sort gave; `vector` is false for a 0-dim tensor.
Pair picked(const Pair& sorted, int64_t dim, const Tensor& at, bool keepdim, bool vector) {
  Pair out;
  for (int i : {0, 1}) {
    out[i] = gather(sorted[i], dim, at);
    if (!keepdim || !vector) out[i] = squeeze(out[i], dim);
  }
  return out;
}

Pair middle(const Tensor& given, int64_t dim, bool keepdim, bool skip_nan, const char* name) {
  dim = wrap_dim(dim, given.ndim(), name);
  const bool vector = given.ndim() > 0;
  Tensor x = vector ? given : reshape(given, Shape{1});
  const int64_t n = x.size(dim);
  if (n == 0)
    fail(Code::shape, concat("[", name, "] no elements to choose from: shape ", x.sizes()), {}, "input");
  Pair sorted = sort(x, dim, false);
  Tensor at;
  {
    NoGradGuard constant;
    // NaN stand at the end, the first of them behind all numbers.
    Tensor numbers = sum(eq(sorted[0], sorted[0]), IntList(&dim, 1), true);
    at = skip_nan ? floor_divide_scalar(clamp(sub_scalar(numbers, 1), 0, Scalar()), 2)
                  : masked_fill(numbers, eq_scalar(numbers, n), (n - 1) / 2);
  }
  return picked(sorted, dim, at, keepdim, vector);
}

// Of all elements; while it is recorded, of all that equal it, for they share the gradient.
Tensor middle_of_all(const Tensor& x, bool skip_nan, const char* name) {
  Tensor flat = reshape(x, Shape{-1});
  if (flat.numel() == 0 && is_float(x.dtype())) return sum(x) + NAN;
  Tensor value = middle(detach(flat), 0, false, skip_nan, name)[0];
  if (!thread_state().grad_enabled || !requires_grad_anywhere(x)) return value;
  Tensor same = logical_or(eq(flat, value), logical_and(isnan(flat), isnan(value)));
  if (is_batched(flat))
    return amax(masked_fill(flat, logical_not(same), -INFINITY));  // as many for each example
  return amax(masked_select(flat, same));
}

}  // namespace

Pair kthvalue(const Tensor& given, int64_t k, int64_t dim, bool keepdim) {
  dim = wrap_dim(dim, given.ndim(), "kthvalue");
  const bool vector = given.ndim() > 0;
  Tensor x = vector ? given : reshape(given, Shape{1});
  if (k < 1 || k > x.size(dim))
    fail(Code::index,
         concat("[kthvalue] k must be in 1..", x.size(dim), ", the size of dimension ", dim, ", got ", k), {},
         "k");
  Shape line(x.sizes());
  line[dim] = 1;
  return picked(sort(x, dim, false), dim, full(line, k - 1, DType::i64, x.device()), keepdim, vector);
}

Tensor median(const Tensor& x) { return middle_of_all(x, false, "median"); }
Tensor nanmedian(const Tensor& x) { return middle_of_all(x, true, "nanmedian"); }
Pair median_dim(const Tensor& x, int64_t dim, bool keepdim) {
  return middle(x, dim, keepdim, false, "median_dim");
}
Pair nanmedian_dim(const Tensor& x, int64_t dim, bool keepdim) {
  return middle(x, dim, keepdim, true, "nanmedian_dim");
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right) {
  if (boundaries.ndim() != 1)
    fail(Code::shape, concat("[bucketize] boundaries has one dimension, got shape ", boundaries.sizes()), {},
         "boundaries");
  DType t = promote(x.dtype(), boundaries.dtype());
  return searchsorted(as_dtype(boundaries, t), as_dtype(x, t), right);
}

Tensor isin(const Tensor& x, const Tensor& test, bool invert) {
  NoGradGuard none;
  if (test.numel() == 0) return full(x.sizes(), invert, DType::boolean, x.device());
  DType t = promote(x.dtype(), test.dtype());
  Tensor values = as_dtype(x, t), sorted = sort(reshape(as_dtype(test, t), Shape{-1}), 0, false)[0];
  Tensor at = clamp(searchsorted(sorted, values, false), Scalar(), sorted.numel() - 1);
  Tensor found = reshape(index_select(sorted, 0, reshape(at, Shape{-1})), x.sizes());
  return invert ? ne(found, values) : eq(found, values);
}

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength) {
  NoGradGuard none;
  if (is_float(x.dtype()) || x.dtype() == DType::boolean)
    fail(Code::dtype, concat("[bincount] input must be an integer tensor, got ", dtype_name(x.dtype())),
         "convert with cast", "input");
  if (x.ndim() != 1 || (weights.defined() && !std::ranges::equal(weights.sizes(), x.sizes())))
    fail(Code::shape, weights.defined()
                          ? concat("[bincount] input and weights are vectors of equal length, got shapes ",
                                   x.sizes(), " and ", weights.sizes())
                          : concat("[bincount] input is a vector, got shape ", x.sizes()));
  if (minlength < 0)
    fail(Code::invalid_argument, concat("[bincount] minlength must not be negative, got ", minlength), {},
         "minlength");
  const DType t = !weights.defined() ? DType::i64 : is_float(weights.dtype()) ? weights.dtype() : DType::f64;
  int64_t n = minlength;
  if (x.numel()) {
    if (int64_t least = item(amin(x)).to_int(); least < 0)
      fail(Code::invalid_argument, concat("[bincount] input must not be negative, it holds ", least), {},
           "input");
    n = std::max(n, item(amax(x)).to_int() + 1);
  }
  Tensor each = weights.defined() ? as_dtype(weights, t) : ones(x.sizes(), t, x.device());
  return index_add_(zeros(Shape{n}, t, x.device()), 0, as_dtype(x, DType::i64), each);
}

// A value belongs to the bin whose edges, as linspace rounds them, stand around it.
Tensor histc(const Tensor& given, int64_t bins, double low, double high) {
  NoGradGuard none;
  if (!is_float(given.dtype()))
    fail(Code::dtype, concat("[histc] input must be a floating tensor, got ", dtype_name(given.dtype())),
         "cast it first", "input");
  if (bins < 1 || bins == INT64_MAX)
    fail(Code::invalid_argument, concat("[histc] bins must be positive, got ", bins), {}, "bins");
  if (low > high)
    fail(Code::invalid_argument, concat("[histc] min must not be above max, got ", low, " and ", high), {},
         "min");
  Tensor x = reshape(given, Shape{-1});
  if (low == high && x.numel()) {
    low = item(amin(x)).to_double();
    high = item(amax(x)).to_double();
  }
  if (low == high) low -= 1, high += 1;
  if (!std::isfinite(low) || !std::isfinite(high))
    fail(Code::invalid_argument, concat("[histc] the range from ", low, " to ", high, " is not finite"), {},
         "min");
  const DType wide = wide_dtype(x.dtype());
  x = as_dtype(x, wide);
  Tensor edges = linspace(low, high, bins + 1, wide, x.device());
  Tensor at = clamp(sub_scalar(searchsorted(edges, x, true), 1), 0, bins - 1);
  Tensor inside = cast(logical_and(ge_scalar(x, low), le_scalar(x, high)), DType::i64);
  return cast(index_add_(zeros(Shape{bins}, DType::i64, x.device()), 0, at, inside), given.dtype());
}

Tensor searchsorted_by(const Tensor& sequence, const Tensor& x, const Tensor& sorter, bool right) {
  return searchsorted(gather(sequence, -1, sorter), x, right);
}

// Edges that are given, or those of bins of equal width from low to high (equal: the range of the data).
static Tensor edges_of(const char* op, const Tensor& x, const Tensor& given, int64_t bins, double low,
                       double high) {
  if (given.defined()) {
    if (given.ndim() != 1 || given.numel() < 2)
      fail(Code::shape,
           concat("[", op, "] bins are at least two edges in a vector, got shape ", given.sizes()), {},
           "edges");
    return as_dtype(given, x.dtype());
  }
  if (bins < 1 || bins == INT64_MAX)
    fail(Code::invalid_argument, concat("[", op, "] bins must be positive, got ", bins), {}, "bins");
  if (low > high)
    fail(Code::invalid_argument, concat("[", op, "] min must not be above max, got ", low, " and ", high), {},
         "min");
  if (low == high && x.numel()) {
    low = item(amin(x)).to_double();
    high = item(amax(x)).to_double();
  } else if (low == 0 && high == 0) {  // of no elements, as PyTorch and NumPy
    high = 1;
  }
  if (low == high) low -= 0.5, high += 0.5;
  if (!std::isfinite(low) || !std::isfinite(high))
    fail(Code::invalid_argument, concat("[", op, "] the range from ", low, " to ", high, " is not finite"),
         {}, "min");
  return linspace(low, high, bins + 1, x.dtype(), x.device());
}

namespace {

// In which bin each value lies, and whether in any. Bins are half open but for the last.
struct Places {
  Tensor at, inside;
  Places(const Tensor& edges, const Tensor& x) {
    const int64_t n = edges.numel() - 1;
    inside = logical_and(ge(x, select(edges, 0, 0)), le(x, select(edges, 0, n)));
    at = clamp(sub_scalar(searchsorted(edges, x, true), 1), 0, n - 1);
  }
};

void check_values(const char* op, const Tensor& x, const Tensor& weight, IntList wanted) {
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[", op, "] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "input");
  if (weight.defined() && !std::ranges::equal(weight.sizes(), wanted))
    fail(Code::shape,
         concat("[", op, "] weight of shape ", weight.sizes(), " does not fit to input of shape ", x.sizes()),
         {}, "weight");
}

// What counts for each value that is inside: one, or its weight.
Tensor counts_of(const Tensor& inside, const Tensor& weight, DType t) {
  if (!weight.defined()) return as_dtype(inside, t);
  const Tensor each = as_dtype(reshape(weight, Shape{-1}), t);
  return where(inside, each, zeros_like(each));
}

}  // namespace

std::array<Tensor, 2> histogram(const Tensor& given, const Tensor& given_edges, const Tensor& weight,
                                int64_t bins, double low, double high, bool density) {
  NoGradGuard none;
  check_values("histogram", given, weight, given.sizes());
  const Tensor x = reshape(given, Shape{-1}), edges = edges_of("histogram", x, given_edges, bins, low, high);
  const Places p(edges, x);
  const Tensor counts = counts_of(p.inside, weight, wide_dtype(x.dtype()));
  const int64_t n = edges.numel() - 1;
  Tensor hist = index_add_(zeros(Shape{n}, counts.dtype(), x.device()), 0, p.at, counts);
  if (density)
    hist = hist / (sum(hist) * as_dtype(slice(edges, 0, 1, n + 1) - slice(edges, 0, 0, n), hist.dtype()));
  return {cast(hist, x.dtype()), edges};
}

std::vector<Tensor> histogramdd(const Tensor& given, std::span<const Tensor> given_edges,
                                const Tensor& weight, const Tensor& range, IntList bins, bool density) {
  NoGradGuard none;
  if (given.ndim() < 2 || given.size(given.ndim() - 1) == 0)
    fail(Code::shape,
         concat("[histogramdd] input must be points (*, D) of at least 2 dimensions, got shape ",
                given.sizes()),
         {}, "input");
  const int64_t dims = given.size(given.ndim() - 1);
  check_values("histogramdd", given, weight, given.sizes().first(size_t(given.ndim() - 1)));
  const bool edges_given = !given_edges.empty();
  const int64_t count = int64_t(edges_given ? given_edges.size() : bins.size());
  if (count != dims && (edges_given || count != 1))
    fail(Code::shape, concat("[histogramdd] points of ", dims, " dimensions want bins of each, got ", count),
         {}, edges_given ? "edges" : "bins");
  if (range.defined() && range.numel() != 2 * dims)
    fail(Code::shape,
         concat("[histogramdd] for a ", dims, "-dimensional histogram range has ", 2 * dims,
                " elements, got ", range.numel()),
         {}, "range");
  const Tensor points = reshape(given, Shape{given.numel() / dims, dims});
  const Tensor limits = range.defined() ? reshape(range, Shape{2 * dims}) : Tensor();
  auto range_of = [&](int64_t d) {
    if (!limits.defined()) return std::pair{0.0, 0.0};  // that of the data
    const double low = item(select(limits, 0, 2 * d)).to_double(),
                 high = item(select(limits, 0, 2 * d + 1)).to_double(), aside = low == high ? 0.5 : 0;
    return std::pair{low - aside, high + aside};
  };
  std::vector<Tensor> out(1);
  Shape sizes;
  Tensor at, inside;
  for (int64_t d = 0; d < dims; ++d) {
    const Tensor x = select(points, 1, d);
    const auto [low, high] = range_of(d);
    out.push_back(edges_of("histogramdd", x, edges_given ? given_edges[size_t(d)] : Tensor(),
                           edges_given ? 0 : bins[count == 1 ? 0 : size_t(d)], low, high));
    const Places p(out.back(), x);
    sizes.push_back(out.back().numel() - 1);
    at = d ? add(mul_scalar(at, Scalar(sizes.back())), p.at) : p.at;
    inside = d ? logical_and(inside, p.inside) : p.inside;
  }
  const Tensor counts = counts_of(inside, weight, wide_dtype(given.dtype()));
  Tensor hist = index_add_(zeros(Shape{checked_numel(sizes)}, counts.dtype(), given.device()), 0, at, counts);
  hist = reshape(hist, sizes);
  if (density) {
    hist = hist / sum(hist);
    for (int64_t d = 0; d < dims; ++d) {
      Shape along(dims, 1);
      along[d] = sizes[d];
      const Tensor& e = out[size_t(d) + 1];
      hist = hist / reshape(as_dtype(slice(e, 0, 1, e.numel()) - slice(e, 0, 0, e.numel() - 1), hist.dtype()),
                            along);
    }
  }
  out[0] = cast(hist, given.dtype());
  return out;
}

}  // namespace ops
}  // namespace haft
