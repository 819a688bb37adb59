// Shapes and copies in other orders, written with views: turns, repeats, diagonals, parts.
#include <algorithm>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

Tensor flip_one(const Tensor& x, int64_t dim) { return flip(x, IntList(&dim, 1)); }

void want_ndim(const Tensor& x, int64_t least, const char* op) {
  if (x.ndim() < least)
    fail(Code::shape, concat("[", op, "] wants at least ", least, " dimensions, got shape ", x.sizes()), {},
         "input");
}

// Where the elements on one side of a diagonal stand: (2, n).
Tensor places(const Tensor& matrix, DType dtype, const char* op) {
  if (dtype != DType::none && dtype != DType::i64 && dtype != DType::i32)
    fail(Code::dtype, concat("[", op, "] indices are int64 or int32, got ", dtype_name(dtype)), {}, "dtype");
  return as_dtype(contiguous(t(nonzero(matrix))), dtype == DType::none ? DType::i64 : dtype);
}
Tensor all_true(int64_t rows, int64_t columns, Device device, const char* op) {
  if (rows < 0 || columns < 0)
    fail(Code::invalid_argument,
         concat("[", op, "] sizes must not be negative, got ", rows, " and ", columns), {}, "row");
  return ones(Shape{rows, columns}, DType::boolean, device);
}

}  // namespace

Tensor ravel(const Tensor& x) { return reshape(x, Shape{-1}); }

Tensor fliplr(const Tensor& x) {
  want_ndim(x, 2, "fliplr");
  return flip_one(x, 1);
}

Tensor flipud(const Tensor& x) {
  want_ndim(x, 1, "flipud");
  return flip_one(x, 0);
}

Tensor rot90(const Tensor& x, int64_t k, IntList dims) {
  const int64_t first_two[] = {0, 1};
  if (dims.empty()) dims = first_two;
  want_ndim(x, 2, "rot90");
  if (dims.size() != 2)
    fail(Code::invalid_argument, concat("[rot90] turns in the plane of 2 dimensions, got ", dims), {},
         "dims");
  const int64_t a = wrap_dim(dims[0], x.ndim(), "rot90", "dims"),
                b = wrap_dim(dims[1], x.ndim(), "rot90", "dims");
  if (a == b) fail(Code::invalid_argument, concat("[rot90] the dimensions are both ", a), {}, "dims");
  switch ((k % 4 + 4) % 4) {
    case 0: return clone(x);
    case 1: return transpose(flip_one(x, b), a, b);
    case 2: return flip(x, Shape{a, b});
    default: return flip_one(transpose(x, a, b), b);
  }
}

Tensor tile(const Tensor& x, IntList dims) {
  Shape repeats(std::max<int64_t>(0, x.ndim() - int64_t(dims.size())), 1);
  for (int64_t n : dims) repeats.push_back(n);
  return repeat(x, repeats);
}

// The number of slices that end before a place, as searchsorted counts them, is the slice that stands there.
Tensor repeat_interleave(const Tensor& given, const Tensor& repeats, int64_t dim) {
  if (is_float(repeats.dtype()) || repeats.dtype() == DType::boolean)
    fail(Code::dtype,
         concat("[repeat_interleave] repeats must be integers, got ", dtype_name(repeats.dtype())), {},
         "repeats");
  Tensor x = dim == kNone || given.ndim() == 0 ? reshape(given, Shape{-1}) : given;
  const int64_t d = dim == kNone ? 0 : wrap_dim(dim, x.ndim(), "repeat_interleave"), n = x.size(d);
  if (repeats.ndim() > 1 || (repeats.numel() != 1 && repeats.numel() != n))
    fail(Code::shape,
         concat("[repeat_interleave] repeats has one element, or one for each of the ", n,
                " slices of dimension ", d, "; got shape ", repeats.sizes()),
         {}, "repeats");
  Tensor counts = expand(reshape(as_dtype(repeats, DType::i64), Shape{-1}), Shape{n});
  if (n && item(amin(counts)).to_int() < 0)
    fail(Code::invalid_argument, "[repeat_interleave] repeats must not be negative", {}, "repeats");
  // In doubles, which do not wrap around; what they cannot tell exactly no memory holds.
  const double total = n ? item(sum(as_dtype(counts, DType::f64))).to_double() : 0;
  if (total > double(kMaxNumel))
    fail(Code::overflow,
         concat("[repeat_interleave] repeats add up to ", total, " slices, more than a tensor can have"), {},
         "repeats");
  return index_select(
      x, d, searchsorted(cumsum(counts, 0), arange(0, int64_t(total), 1, DType::i64, x.device()), true));
}

Tensor atleast_1d(const Tensor& x) { return x.ndim() ? x : reshape(x, Shape{1}); }
Tensor atleast_2d(const Tensor& x) { return x.ndim() > 1 ? x : unsqueeze(atleast_1d(x), 0); }
Tensor atleast_3d(const Tensor& x) { return x.ndim() > 2 ? x : unsqueeze(atleast_2d(x), 2); }

// ---- diagonals ----

Tensor diag_embed(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  want_ndim(x, 1, "diag_embed");
  const int64_t rank = x.ndim() + 1, first = wrap_dim(dim1, rank, "diag_embed", "dim1"),
                second = wrap_dim(dim2, rank, "diag_embed", "dim2");
  if (first == second)
    fail(Code::invalid_argument, concat("[diag_embed] dim1 and dim2 are both ", first), {}, "dim2");
  int64_t n = 0;
  if (offset == kNone || __builtin_add_overflow(x.size(-1), std::abs(offset), &n))
    fail(Code::overflow, concat("[diag_embed] an offset of ", offset, " makes the result too large"), {},
         "offset");
  Shape sizes(x.sizes());
  sizes.back() = n;
  sizes.push_back(n);
  Tensor zero = zeros(sizes, x.dtype(), x.device());
  Shape strides = contiguous_strides(sizes);
  strides.pop_back();
  strides.back() = n + 1;
  Tensor y = as_strided_scatter(zero, x, x.sizes(), strides, offset >= 0 ? offset : -offset * n);
  Shape order;
  for (int64_t d = 0, rest = 0; d < rank; ++d)
    order.push_back(d == first ? rank - 2 : d == second ? rank - 1 : rest++);
  return std::ranges::is_sorted(order) ? y : permute(y, order);
}

Tensor diag(const Tensor& x, int64_t offset) {
  if (x.ndim() != 1 && x.ndim() != 2)
    fail(Code::shape, concat("[diag] takes a vector or a matrix, got shape ", x.sizes()), {}, "input");
  return x.ndim() == 2 ? clone(diagonal(x, offset)) : diag_embed(x, offset);
}

Tensor diagflat(const Tensor& x, int64_t offset) { return diag_embed(ravel(x), offset); }

Tensor uncast::trace(const Tensor& x) {
  if (x.ndim() != 2) fail(Code::shape, concat("[trace] takes a matrix, got shape ", x.sizes()), {}, "input");
  return sum(diagonal(x));
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, DType dtype, Device device) {
  return places(tril(all_true(row, col, device, "tril_indices"), offset), dtype, "tril_indices");
}
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, DType dtype, Device device) {
  return places(triu(all_true(row, col, device, "triu_indices"), offset), dtype, "triu_indices");
}

// ---- parts ----

std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, int64_t dim) {
  want_ndim(x, 1, "tensor_split");
  const int64_t d = wrap_dim(dim, x.ndim(), "tensor_split"), n = x.size(d);
  if (sections <= 0)
    fail(Code::invalid_argument, concat("[tensor_split] sections must be positive, got ", sections), {},
         "sections");
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < sections; ++i) sizes.push_back(n / sections + (i < n % sections));
  return split_sizes(x, sizes, d);
}

std::vector<Tensor> tensor_split_indices(const Tensor& x, IntList indices, int64_t dim) {
  want_ndim(x, 1, "tensor_split_indices");
  const int64_t d = wrap_dim(dim, x.ndim(), "tensor_split_indices");
  std::vector<Tensor> parts;
  int64_t at = 0;
  for (int64_t i : indices) {
    parts.push_back(slice(x, d, at, i));
    at = i;
  }
  parts.push_back(slice(x, d, at, x.size(d)));
  return parts;
}

}  // namespace haft::ops
