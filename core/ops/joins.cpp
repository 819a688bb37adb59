// Several tensors side by side: stacks, grids, combinations.
#include <algorithm>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

using Tensors = std::span<const Tensor>;

template <class F>
std::vector<Tensor> each(Tensors xs, const char* op, F f) {
  if (xs.empty()) fail(Code::invalid_argument, concat("[", op, "] needs at least one tensor"), {}, "tensors");
  std::vector<Tensor> out;
  for (const Tensor& x : xs) out.push_back(f(x));
  return out;
}

Tensor beside(const std::vector<Tensor>& xs) { return cat(xs, xs[0].ndim() == 1 ? 0 : 1); }

}  // namespace

Tensor hstack(Tensors xs) { return beside(each(xs, "hstack", atleast_1d)); }
Tensor vstack(Tensors xs) { return cat(each(xs, "vstack", atleast_2d), 0); }
Tensor dstack(Tensors xs) { return cat(each(xs, "dstack", atleast_3d), 2); }
Tensor column_stack(Tensors xs) {
  return beside(each(xs, "column_stack", [](const Tensor& x) {
    return x.ndim() < 2 ? reshape(x, Shape{-1, 1}) : x;
  }));
}

std::vector<Tensor> broadcast_tensors(Tensors xs) {
  Shape sizes;
  for (const Tensor& x : xs) sizes = broadcast_shapes(sizes, x.sizes(), "broadcast_tensors");
  return each(xs, "broadcast_tensors", [&](const Tensor& x) { return expand(x, sizes); });
}

std::vector<Tensor> meshgrid(Tensors xs, bool xy) {
  std::vector<Tensor> lines = each(xs, "meshgrid", [](const Tensor& x) {
    if (x.ndim() > 1)
      fail(Code::shape, concat("[meshgrid] takes vectors and 0-dim tensors, got shape ", x.sizes()), {},
           "tensors");
    return reshape(x, Shape{-1});
  });
  if (lines.size() > HAFT_MAX_DIMS)
    fail(Code::shape,
         concat("[meshgrid] a tensor has at most ", HAFT_MAX_DIMS, " dimensions, got ", int64_t(lines.size()),
                " vectors"),
         {}, "tensors");
  const bool swap = xy && lines.size() > 1;
  if (swap) std::swap(lines[0], lines[1]);
  Shape sizes;
  for (const Tensor& x : lines) sizes.push_back(x.numel());
  for (int64_t i = 0; i < sizes.size(); ++i) {
    Shape own(sizes.size(), 1);
    own[i] = sizes[i];
    lines[size_t(i)] = expand(view(lines[size_t(i)], own), sizes);
  }
  if (swap) std::swap(lines[0], lines[1]);
  return lines;
}

Tensor cartesian_prod(Tensors xs) {
  std::vector<Tensor> grids = meshgrid(xs, false);
  if (grids.size() == 1) return grids[0];
  for (Tensor& g : grids) g = reshape(g, Shape{-1});
  return stack(grids, -1);
}

// Rows of places grow by a column at a time: all places behind the last one.
std::vector<Tensor> unravel_index(const Tensor& indices, IntList shape) {
  if (!is_integer(indices.dtype()))
    fail(Code::dtype, concat("[unravel_index] indices must be integers, got ", dtype_name(indices.dtype())),
         {}, "indices");
  int64_t count = 1;
  for (int64_t n : shape) {
    if (n < 0)
      fail(Code::shape, concat("[unravel_index] sizes must not be negative, got ", shape), {}, "shape");
    if (__builtin_mul_overflow(count, n, &count))
      fail(Code::overflow, concat("[unravel_index] ", shape, " is too large"), {}, "shape");
  }
  Tensor left = as_dtype(indices, DType::i64);
  if (left.numel()) {
    const int64_t least = item(amin(left)).to_int(), most = item(amax(left)).to_int();
    if (least < 0 || most >= count)
      fail(Code::index,
           concat("[unravel_index] index ", least < 0 ? least : most, " is no place in shape ", shape), {},
           "indices");
  }
  std::vector<Tensor> out(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    out[d] = remainder_scalar(left, std::max<int64_t>(shape[d], 1));
    left = floor_divide_scalar(left, std::max<int64_t>(shape[d], 1));
  }
  return out;
}

Tensor vander(const Tensor& x, int64_t n, bool increasing) {
  if (x.ndim() != 1) fail(Code::shape, concat("[vander] takes a vector, got shape ", x.sizes()), {}, "x");
  if (n != kNone && n < 0)
    fail(Code::invalid_argument, concat("[vander] N must not be negative, got ", n), {}, "N");
  const DType type = is_float(x.dtype()) ? x.dtype() : DType::i64;
  const int64_t columns = n == kNone ? x.numel() : n;
  // No power of x: nothing to differentiate.
  if (columns < 2) return ones(Shape{x.numel(), columns}, type, x.device());
  const Tensor powers = increasing ? arange(0, columns, 1, DType::i64, x.device())
                                   : flip(arange(0, columns, 1, DType::i64, x.device()), Shape{0});
  return pow(unsqueeze(as_dtype(x, type), 1), as_dtype(powers, type));
}

Tensor combinations(const Tensor& x, int64_t r, bool with_replacement) {
  if (x.ndim() != 1)
    fail(Code::shape, concat("[combinations] takes a vector, got shape ", x.sizes()), {}, "input");
  if (r < 0) fail(Code::invalid_argument, concat("[combinations] r must not be negative, got ", r), {}, "r");
  if (r == 0) return slice(x, 0, 0, 0);
  const Tensor all = arange(0, x.numel(), 1, DType::i64, x.device());
  Tensor rows = unsqueeze(all, 1);
  for (int64_t k = 1; k < r; ++k) {
    Tensor last = slice(rows, 1, k - 1, k);
    Tensor next = nonzero(with_replacement ? le(last, all) : lt(last, all));
    const Tensor longer[] = {index_select(rows, 0, select(next, 1, 0)), slice(next, 1, 1, 2)};
    rows = cat(longer, 1);
  }
  return view(index_select(x, 0, reshape(rows, Shape{-1})), rows.sizes());
}

Tensor block_diag(Tensors xs) {
  std::vector<Tensor> blocks = each(xs, "block_diag", [](const Tensor& x) {
    if (x.ndim() > 2)
      fail(Code::shape, concat("[block_diag] takes matrices and less, got shape ", x.sizes()), {}, "tensors");
    return atleast_2d(x);
  });
  int64_t width = 0, left = 0;
  for (const Tensor& b : blocks) width += b.size(1);
  for (Tensor& b : blocks) {
    const int64_t rows = b.size(0), right = width - left - b.size(1);
    const Tensor row[] = {zeros(Shape{rows, left}, b.dtype(), b.device()), b,
                          zeros(Shape{rows, right}, b.dtype(), b.device())};
    left += b.size(1);
    b = cat(row, 1);
  }
  return cat(blocks, 0);
}

}  // namespace haft::ops
