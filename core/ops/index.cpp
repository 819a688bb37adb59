// Reading and writing at positions that tensors name: slices, elements, advanced indexing, masks.
#include <algorithm>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"
#include "core/tensor/batched.h"

namespace haft {

namespace {

Tensor zero_scalar(const Backward& b, int input) {
  return ops::zeros({}, b.in_dtype(input), b.in_device(input));
}

int64_t dims_at_least_1(const Tensor& x) { return std::max<int64_t>(1, x.ndim()); }
int64_t size_at(const Tensor& x, int64_t d) { return x.ndim() ? x.size(d) : 1; }

// index fits into x beside dim; an empty index names nothing and always fits, as in PyTorch.
int64_t check_elements(ShapeContext& c, const Tensor& x, const Tensor& index) {
  require_index(c, index);
  const int64_t dim = wrap_dim(c.attrs.i(0), x.ndim(), c.name());
  c.set_word(0, word(dim));
  if (index.numel() == 0) return dim;
  bool fits = dims_at_least_1(x) == dims_at_least_1(index);
  for (int64_t d = 0; fits && d < dims_at_least_1(x); ++d)
    fits = d == dim || size_at(index, d) <= size_at(x, d);
  if (!fits)
    fail(Code::shape,
         concat("[", c.name(), "] index of shape ", index.sizes(), " does not fit into input of shape ",
                x.sizes()),
         concat("both have the same rank, and no size of index is larger except in dimension ", dim),
         "index");
  return dim;
}

// The part of src that index covers, so that its gradient has the shape of src.
void use_covered_part(ShapeContext& c, const Tensor& index, int at) {
  Tensor src = c.in(at);
  if (index.numel() == 0) return;
  bool fits = dims_at_least_1(src) == dims_at_least_1(index);
  for (int64_t d = 0; fits && d < dims_at_least_1(src); ++d) fits = size_at(index, d) <= size_at(src, d);
  if (!fits)
    fail(Code::shape,
         concat("[", c.name(), "] index of shape ", index.sizes(), " is larger than src of shape ",
                src.sizes()),
         {}, "src");
  if (src.ndim() != index.ndim()) src = ops::reshape(src, index.sizes());
  for (int64_t d = 0; d < src.ndim(); ++d)
    if (src.size(d) != index.size(d)) src = ops::slice(src, d, 0, index.size(d), 1);
  if (src.impl() != c.in(at).impl()) c.set_in(at, std::move(src));
}

void scatter_rule(ShapeContext& c) {
  const Tensor &x = c.in(0), &index = c.in(1);
  check_elements(c, x, index);
  require_same_dtype(c, 2, "src");
  use_covered_part(c, index, 2);
  c.out(0, x.dtype(), x.sizes());
}

}  // namespace

SHAPE(index_select) {
  const Tensor &x = c.in(0), &index = c.in(1);
  const int64_t dim = wrap_dim(c.attrs.i(0), x.ndim(), "index_select");
  require_index(c, index);
  if (index.ndim() > 1)
    fail(Code::shape, concat("[index_select] index has one dimension, got shape ", index.sizes()),
         "use gather() or index()", "index");
  if (x.ndim() == 0 && index.numel() != 1)
    fail(Code::shape, concat("[index_select] a 0-dim tensor has one element, index ", index.numel()), {},
         "index");
  Shape sizes(x.sizes());
  if (x.ndim()) sizes[dim] = index.numel();
  c.set_word(0, word(dim));
  c.out(0, x.dtype(), sizes);
}
GRADIENT(index_select, .saves = {IN1 | SIZES}) {
  b.set(0, ops::index_add_(zeros_for(b, 0), b.attrs.i(0), b.in(1), b.grad()));
}

SHAPE(index_add) {
  const Tensor &x = c.in(0), &index = c.in(1), &src = c.in(2);
  const int64_t dim = wrap_dim(c.attrs.i(0), x.ndim(), "index_add");
  require_index(c, index);
  require_same_dtype(c, 2, "source");
  bool fits = index.ndim() <= 1 && src.ndim() == x.ndim() && size_at(src, dim) == index.numel();
  for (int64_t d = 0; fits && d < x.ndim(); ++d) fits = d == dim || src.size(d) == x.size(d);
  if (!fits)
    fail(Code::shape,
         concat("[index_add] source of shape ", src.sizes(), " and index of shape ", index.sizes(),
                " do not fit to input of shape ", x.sizes(), " along dimension ", dim),
         "index has one dimension, and source one slice for each index", "source");
  c.set_word(0, word(dim));
  c.out(0, x.dtype(), x.sizes());
}
GRADIENT(index_add, .saves = {0, 0, IN1}) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(2)) b.set(2, ops::index_select(b.grad(), b.attrs.i(0), b.in(1)));
}

SHAPE(gather) {
  const Tensor &x = c.in(0), &index = c.in(1);
  check_elements(c, x, index);
  c.out(0, x.dtype(), index.sizes());
}
GRADIENT(gather, .saves = {IN1 | SIZES}) {
  b.set(0, ops::scatter_add_(zeros_for(b, 0), b.attrs.i(0), b.in(1), b.grad()));
}

SHAPE(scatter) { scatter_rule(c); }
GRADIENT(scatter, .saves = {IN1 | SIZES, 0, IN1 | SIZES}) {
  Tensor index = b.in(1);
  if (b.needs(0))
    b.set(0, ops::scatter(b.grad(), b.attrs.i(0), index, ops::expand(zero_scalar(b, 0), index.sizes())));
  if (b.needs(2)) b.set(2, index.numel() ? ops::gather(b.grad(), b.attrs.i(0), index) : zeros_for(b, 2));
}

SHAPE(scatter_add) { scatter_rule(c); }
GRADIENT(scatter_add, .saves = {0, 0, IN1 | SIZES}) {
  if (b.needs(0)) b.set(0, b.grad());
  if (b.needs(2)) {
    Tensor index = b.in(1);
    b.set(2, index.numel() ? ops::gather(b.grad(), b.attrs.i(0), index) : zeros_for(b, 2));
  }
}

// ---- advanced indexing ----

namespace {

// What NumPy's rule makes of the indices: each takes one dimension, undefined ones a whole one.
struct Advanced {
  std::vector<Tensor> index;  // masks turned into integers, all of one shape
  bool changed = false;       // differs from what the call gave
  Shape result;               // sizes of x[index]
};

// One int64 vector for each dimension of the mask, naming the elements that are true.
void append_mask(const ShapeContext& c, const Tensor& x, const Tensor& mask, std::vector<Tensor>& list) {
  const int64_t at = int64_t(list.size());
  if (mask.ndim() == 0)
    fail(Code::shape, concat("[", c.name(), "] a mask needs at least one dimension"),
         "use where(), or add a dimension with unsqueeze()", "indices");
  bool fits = at + mask.ndim() <= x.ndim();
  for (int64_t d = 0; fits && d < mask.ndim(); ++d) fits = mask.size(d) == x.size(at + d);
  if (!fits)
    fail(Code::shape,
         concat("[", c.name(), "] a mask of shape ", mask.sizes(), " does not fit to input of shape ",
                x.sizes(), " at dimension ", at),
         {}, "indices");
  const Tensor where = ops::nonzero(mask);
  for (int64_t d = 0; d < mask.ndim(); ++d) list.push_back(ops::select(where, 1, d));
}

// Indices of the host move to x's device, masks as the places that they name.
Advanced advanced_indices(const ShapeContext& c, const Tensor& x, int first) {
  Advanced a;
  for (int i = first; i < c.n_in(); ++i) {
    if (!c.has(i)) {
      a.index.emplace_back();
      continue;
    }
    const size_t at = a.index.size();
    if (c.in(i).dtype() == DType::boolean ||
        c.in(i).dtype() == DType::u8) {  // bytes were masks before bool was
      append_mask(c, x, c.in(i), a.index);
      a.changed = true;
    } else {
      require_index(c, c.in(i));
      a.index.push_back(c.in(i));
    }
    if (!c.in(i).device().is_cpu() || x.device().is_cpu()) continue;
    for (size_t k = at; k < a.index.size(); ++k) a.index[k] = ops::to(a.index[k], DType::none, x.device());
    a.changed = true;
  }
  if (int64_t(a.index.size()) > x.ndim())
    fail(Code::index,
         concat("[", c.name(), "] got indices for ", a.index.size(), " dimensions, input has shape ",
                x.sizes()),
         {}, "indices");
  Shape shape;
  int64_t used = 0, begin = -1, end = -1;
  for (size_t d = 0; d < a.index.size(); ++d) {
    if (!a.index[d].defined()) continue;
    shape = broadcast_shapes(shape, a.index[d].sizes(), c.name());
    if (begin < 0) begin = int64_t(d);
    end = int64_t(d) + 1;
    ++used;
  }
  for (Tensor& t : a.index) {
    if (!t.defined() || std::ranges::equal(t.sizes(), IntList(shape))) continue;
    t = ops::expand(t, shape);
    a.changed = true;
  }
  // Indexed dimensions that stand together keep their place; separated ones go to the front.
  if (used && end - begin != used) begin = 0;
  int64_t kept = 0;
  for (int64_t d = 0; d <= x.ndim(); ++d) {
    if (used && kept == begin)
      for (int64_t s : shape) a.result.push_back(s);
    if (kept == begin) begin = -1;
    if (d == x.ndim() || (d < int64_t(a.index.size()) && a.index[d].defined())) continue;
    a.result.push_back(x.size(d));
    ++kept;
  }
  return a;
}

std::vector<Tensor> saved_indices(const Backward& b, int first) {
  std::vector<Tensor> list;
  for (int i = first; i < b.n_in(); ++i) list.push_back(b.in(i));
  return list;
}

constexpr uint32_t kIndices = ALL_IN & ~uint32_t(IN0), kPutIndices = kIndices & ~uint32_t(IN1);

}  // namespace

SHAPE(index) {
  const Tensor x = c.in(0);
  Advanced a = advanced_indices(c, x, 1);
  c.out(0, x.dtype(), a.result);
  if (!a.changed) return;
  a.index.insert(a.index.begin(), x);
  c.set_inputs(std::move(a.index));
}
GRADIENT(index, .saves = {kIndices | SIZES}) {
  b.set(0, ops::index_put_(zeros_for(b, 0), saved_indices(b, 1), b.grad(), true));
}

SHAPE(index_put) {
  const Tensor x = c.in(0);
  Tensor values = c.in(1);
  require_same_dtype(c, 1, "values");
  // Written as they are, never added.
  if (is_float8(x.dtype()) && c.attrs.b(0)) fail_float8(c.op(), x.dtype());
  Advanced a = advanced_indices(c, x, 2);
  if (values.ndim() == 0 && values.device().is_cpu() && !x.device().is_cpu()) {  // one number
    values = ops::to(values, DType::none, x.device());
    a.changed = true;
  }
  if (!std::ranges::equal(values.sizes(), IntList(a.result))) {
    if (!std::ranges::equal(IntList(broadcast_shapes(a.result, values.sizes(), "index_put")),
                            IntList(a.result)))
      fail(Code::shape,
           concat("[index_put] values of shape ", values.sizes(), " do not broadcast to ", IntList(a.result),
                  ", the shape that is indexed"),
           {}, "values");
    values = ops::expand(values, a.result);
    a.changed = true;
  }
  c.out(0, x.dtype(), x.sizes());
  if (!a.changed) return;
  a.index.insert(a.index.begin(), {x, values});
  c.set_inputs(std::move(a.index));
}
GRADIENT(index_put, .saves = {kPutIndices | SIZES, kPutIndices}) {
  const std::vector<Tensor> indices = saved_indices(b, 2);
  if (b.needs(0)) b.set(0, b.attrs.b(0) ? b.grad() : ops::index_put(b.grad(), indices, zero_scalar(b, 0)));
  if (b.needs(1)) b.set(1, ops::index(b.grad(), indices));
}

// ---- masks ----

namespace {

// Flat positions of the elements that are true.
Tensor positions(const Tensor& mask) {
  return ops::select(ops::nonzero(ops::reshape(mask, Shape{-1})), 1, 0);
}

int64_t count_true(const Tensor& x) { return item(ops::count_nonzero(x, {})).to_int(); }

void require_mask(const Tensor& mask, const char* op) {
  if (mask.dtype() != DType::boolean)
    fail(Code::dtype, concat("[", op, "] the mask must be bool, got ", dtype_name(mask.dtype())),
         "compare it, for example ne_scalar(mask, 0)", "mask");
}

}  // namespace

SHAPE(masked_select) {
  require_mask(c.in(1), "masked_select");
  const Shape sizes = broadcast_shapes(c.in(0).sizes(), c.in(1).sizes(), "masked_select");
  for (int i = 0; i < 2; ++i)
    if (!std::ranges::equal(c.in(i).sizes(), IntList(sizes))) c.set_in(i, ops::expand(c.in(i), sizes));
  const int64_t count[] = {count_true(c.in(1))};
  c.out(0, c.in(0).dtype(), count);
}
GRADIENT(masked_select, .saves = {IN1 | SIZES}) {
  const int64_t flat[] = {checked_numel(b.in_sizes(0))};
  const Tensor zero = ops::zeros(flat, b.in_dtype(0), b.in_device(0));
  b.set(0, ops::reshape(ops::index_put_(zero, std::array{positions(b.in(1))}, b.grad()), b.in_sizes(0)));
}

SHAPE(nonzero) {
  const int64_t sizes[] = {count_true(c.in(0)), c.in(0).ndim()};
  c.out(0, DType::i64, sizes);
}

namespace ops {

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& src) {
  require_mask(mask, "masked_scatter");
  if (src.dtype() != x.dtype())
    fail(Code::dtype,
         concat("[masked_scatter] input is ", dtype_name(x.dtype()), ", source is ", dtype_name(src.dtype())),
         "convert one with to()", "source");
  const Shape sizes = broadcast_shapes(x.sizes(), mask.sizes(), "masked_scatter");
  const Tensor at = positions(expand(mask, sizes));
  if (src.numel() < at.numel())
    fail(Code::shape,
         concat("[masked_scatter] the mask has ", at.numel(), " true elements, source only ", src.numel()),
         {}, "source");
  const Tensor values = slice(reshape(src, Shape{-1}), 0, 0, at.numel(), 1);
  return reshape(index_put(reshape(expand(x, sizes), Shape{-1}), std::array{at}, values), sizes);
}

namespace {
// Indices of which negative ones count from the end of n elements.
Tensor from_the_end(const Tensor& at, int64_t n) {
  if (at.dtype() != DType::i64 && at.dtype() != DType::i32) return at;  // what reads them says what it takes
  // Those that are too small stay as they are, for the kernel to name them.
  const Tensor counts = logical_and(lt_scalar(at, Scalar(int64_t(0))), ge_scalar(at, Scalar(-n)));
  return where(counts, add_scalar(at, Scalar(n)), at);
}
void check_index(const char* op, const Tensor& at) {
  if (at.dtype() != DType::i64 && at.dtype() != DType::i32)
    fail(Code::dtype, concat("[", op, "] index must be int64 or int32, got ", dtype_name(at.dtype())),
         "convert it with to()", "index");
}
}  // namespace

Tensor take(const Tensor& x, const Tensor& at) {
  if (at.dtype() != DType::i64 && at.dtype() != DType::i32)
    fail(Code::dtype, concat("[take] index must be int64 or int32, got ", dtype_name(at.dtype())),
         "convert it with to()", "index");
  return index(reshape(x, Shape{-1}), std::array{at});
}

Tensor take_along_dim(const Tensor& x, const Tensor& given, int64_t dim) {
  const bool flat = dim == kNone;
  const int64_t n = flat ? x.numel() : x.ndim() && dim >= -x.ndim() && dim < x.ndim() ? x.size(int(dim)) : 1;
  const Tensor indices = from_the_end(given, n);
  if (dim == kNone) return gather(reshape(x, Shape{-1}), 0, reshape(indices, Shape{-1}));
  if (x.ndim() != indices.ndim())
    fail(Code::shape,
         concat("[take_along_dim] input and indices have as many dimensions, got shapes ", x.sizes(), " and ",
                indices.sizes()),
         {}, "indices");
  const int64_t d = wrap_dim(dim, x.ndim(), "take_along_dim");
  if (x.ndim() == 0) return gather(x, 0, indices);
  Shape of_x(x.sizes()), of_indices(indices.sizes());
  of_x[d] = of_indices[d] = 1;
  Shape common = broadcast_shapes(of_x, of_indices, "take_along_dim");
  auto spread = [&](const Tensor& t) {
    common[d] = t.size(d);
    return expand(t, common);
  };
  return gather(spread(x), d, spread(indices));
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& at, Scalar value) {
  const int64_t d = wrap_dim(dim, x.ndim(), "index_fill");
  if (at.ndim() > 1)
    fail(Code::shape, concat("[index_fill] index must be a vector or a number, got shape ", at.sizes()), {},
         "index");
  check_index("index_fill", at);
  // Which may be named more than once.
  if (!x.ndim()) return reshape(index_fill(reshape(x, Shape{1}), 0, at, value), {});
  const Tensor rows = reshape(from_the_end(at, x.size(int(d))), Shape{-1});
  if (!rows.numel()) return clone(x);
  Shape size(x.sizes());
  size[d] = at.numel();
  return index_copy(x, d, rows, expand(full({}, value, x.dtype(), x.device()), size));
}

Tensor put(const Tensor& x, const Tensor& at, const Tensor& source, bool accumulate) {
  if (x.dtype() != source.dtype())
    fail(Code::dtype,
         concat("[put] input is ", dtype_name(x.dtype()), ", source is ", dtype_name(source.dtype())),
         "convert one with to()", "source");
  if (at.numel() != source.numel())
    fail(Code::shape,
         concat("[put] index of shape ", at.sizes(), " and source of shape ", source.sizes(),
                " have different numbers of elements"),
         {}, "source");
  check_index("put", at);
  const Tensor places = reshape(at, Shape{-1});
  return reshape(index_put(reshape(x, Shape{-1}), std::array{places}, reshape(source, Shape{-1}), accumulate),
                 x.sizes());
}

namespace {
// A copy of x, one view of which shows src instead.
template <class View>
Tensor written(const char* op, const Tensor& x, const Tensor& src, View&& view) {
  Tensor out = clone(x), part = view(out);
  if (!std::ranges::equal(part.sizes(), src.sizes()))
    fail(Code::shape,
         concat("[", op, "] src must have the shape of the part that it replaces, ", part.sizes(), ", got ",
                src.sizes()),
         {}, "src");
  copy_(part, src);
  return out;
}
}  // namespace

Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index) {
  return written("select_scatter", x, src, [&](const Tensor& t) { return select(t, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t start, int64_t end,
                     int64_t step) {
  return written("slice_scatter", x, src, [&](const Tensor& t) {
    return slice(t, dim, start == kNone ? 0 : start, end == kNone ? INT64_MAX : end, step);
  });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  return written("diagonal_scatter", x, src,
                 [&](const Tensor& t) { return diagonal(t, offset, dim1, dim2); });
}

Tensor uncast::index_copy(const Tensor& x, int64_t dim, const Tensor& at, const Tensor& source) {
  const int64_t d = wrap_dim(dim, x.ndim(), "index_copy");
  if (x.dtype() != source.dtype())
    fail(Code::dtype,
         concat("[index_copy] input is ", dtype_name(x.dtype()), ", source is ", dtype_name(source.dtype())),
         "convert one with to()", "source");
  Shape want(x.sizes());
  if (x.ndim()) want[d] = at.numel();
  if (at.ndim() > 1 || (x.ndim() ? !std::ranges::equal(IntList(want), source.sizes())
                                 : at.numel() != 1 || source.numel() != 1))
    fail(Code::shape,
         concat("[index_copy] source of shape ", source.sizes(), " and index of shape ", at.sizes(),
                " do not fit to input of shape ", x.sizes(), " along dimension ", d),
         "index has one dimension, and source one slice for each index", "source");
  if (!x.ndim()) return reshape(index_copy(reshape(x, Shape{1}), 0, at, reshape(source, Shape{1})), {});
  Shape line(x.ndim(), 1);
  line[d] = at.numel();
  // Which takes no negative index, nor does PyTorch.
  return scatter(x, d, expand(reshape(at, line), source.sizes()), source);
}

Tensor one_hot(const Tensor& index, int64_t classes) {
  if (index.dtype() != DType::i64 && index.dtype() != DType::i32)
    fail(Code::dtype, concat("[one_hot] input must be int64 or int32, got ", dtype_name(index.dtype())),
         "convert it with to()", "input");
  // As in PyTorch, values are looked at here only where that does not wait for a device, and not under vmap.
  const bool look = index.numel() && (classes == -1 || (index.device().is_cpu() && !is_batched(index)));
  const int64_t least = look ? item(amin(index, {}, false)).to_int() : 0,
                most = look ? item(amax(index, {}, false)).to_int() : -1;
  if (least < 0)
    fail(Code::index, concat("[one_hot] a class must not be negative, input holds ", least), {}, "input");
  if (classes == -1 && look) classes = most + 1;
  if (classes <= 0)
    fail(Code::invalid_argument, concat("[one_hot] the number of classes must be positive, got ", classes),
         "-1 counts the classes of an input that is not empty", "num_classes");
  if (most >= classes)
    fail(Code::index,
         concat("[one_hot] input holds ", most, ", the last of ", classes, " classes is ", classes - 1),
         "-1 counts the classes", "input");
  Shape sizes(index.sizes());
  sizes.push_back(classes);
  const Tensor at = unsqueeze(index, -1), one = expand(ones({}, DType::i64, index.device()), at.sizes());
  return scatter_(zeros(sizes, DType::i64, index.device()), -1, at, one);
}

}  // namespace ops
}  // namespace haft
