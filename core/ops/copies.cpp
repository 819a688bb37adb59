// Copies: to another dtype, layout or device, into given memory, and rearranged.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/dispatch/prepare.h"
#include "core/ops/creation.h"
#include "core/ops/gradient.h"
#include "core/tensor/order.h"

namespace haft {

SHAPE(cast) {
  const DType t = checked_dtype(DType(c.attrs.i(0)), DType::none, "cast");
  // An order of dimensions stays for all types, a blocked layout for those whose convolutions go on with it.
  const Tensor& x = c.in(0);
  const haft_tensor_view& v = x.view();
  const bool keeps = !v.contiguous && (v.layout == HAFT_LAYOUT_STRIDED ||
                                       v.layout == preferred_layout(OpId::conv2d, x.device(), t, x.sizes()));
  c.out(0, t, x.sizes(), keeps ? kLayoutOfInput : uint8_t(HAFT_LAYOUT_STRIDED));
}
GRADIENT(cast, .saves = {SIZES}) { b.set(0, as_dtype(b.grad(), b.in_dtype(0))); }

SHAPE(contiguous_copy) { c.out(0, c.in(0).dtype(), c.in(0).sizes()); }
GRADIENT(contiguous_copy) { b.set(0, b.grad()); }

// The kernel converts dtypes itself; what else differs is brought together by recorded operators.
SHAPE(copy) {
  const Tensor& x = c.in(0);
  Tensor src = c.in(1);
  if (is_complex(x.dtype()) || is_complex(src.dtype())) src = as_dtype(src, x.dtype());
  if (src.device() != x.device()) {
    if (item_size(x.dtype()) < item_size(src.dtype())) src = ops::cast(src, x.dtype());
    src = ops::to_device(src, x.device());
  }
  if (!std::ranges::equal(src.sizes(), x.sizes())) {
    if (!std::ranges::equal(IntList(broadcast_shapes(x.sizes(), src.sizes(), "copy")), x.sizes()))
      fail(Code::shape, concat("[copy] shape ", src.sizes(), " does not broadcast to ", x.sizes()), {},
           "src");
    src = ops::expand(src, x.sizes());
  }
  c.out(0, x.dtype(), x.sizes());
  if (src.impl() != c.in(1).impl()) c.set_in(1, std::move(src));
}
GRADIENT(copy, .saves = {SIZES, SIZES}) {
  if (b.needs(0)) b.set(0, zeros_for(b, 0));
  if (b.needs(1)) b.set(1, as_dtype(b.grad(), b.in_dtype(1)));
}

SHAPE(to_device) {
  const Device d = checked_device(Device::unpack(c.attrs.i(0)));
  c.set_word(0, word(d));
  c.device(d);
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}
// Nobody waits for a gradient, so its copy does.
GRADIENT(to_device, .saves = {SIZES}) { b.set(0, ops::to_device(b.grad(), b.in_device(0), false)); }

SHAPE(fill) {
  check_fits(c.attrs.scalar(0), c.in(0).dtype(), "fill");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}
GRADIENT(fill, .saves = {SIZES}) { b.set(0, zeros_for(b, 0)); }

SHAPE(as_strided_scatter) {
  const Tensor &x = c.in(0), &src = c.in(1);
  const IntList size = c.attrs.ints(0), stride = c.attrs.ints(1);
  const int64_t offset = c.attrs.i(2);
  if (size.size() != stride.size())
    fail(Code::shape,
         concat("[as_strided_scatter] got ", size.size(), " sizes and ", stride.size(), " strides"), {},
         "stride");
  if (!std::ranges::equal(src.sizes(), size))
    fail(Code::shape, concat("[as_strided_scatter] src has shape ", src.sizes(), ", the window ", size), {},
         "src");
  int64_t last = offset;
  for (size_t i = 0; i < size.size() && src.numel(); ++i) {
    int64_t reach;
    if (stride[i] < 0 || __builtin_mul_overflow(size[i] - 1, stride[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      fail(Code::invalid_argument,
           concat("[as_strided_scatter] strides must not be negative or overflow, got ", stride), {},
           "stride");
  }
  if (src.numel() && (offset < 0 || last >= x.numel()))
    fail(Code::index,
         concat("[as_strided_scatter] sizes ", size, ", strides ", stride, " and offset ", offset,
                " reach outside of ", x.numel(), " elements"),
         {}, "offset");
  c.out(0, x.dtype(), x.sizes());
  if (src.dtype() != x.dtype()) c.set_in(1, ops::cast(src, x.dtype()));
}
GRADIENT(as_strided_scatter, .saves = {SIZES, SIZES}) {
  const IntList size = b.attrs.ints(0), stride = b.attrs.ints(1);
  const int64_t offset = b.attrs.i(2);
  if (b.needs(0)) {
    Tensor zero = ops::expand(ops::zeros({}, b.in_dtype(0), b.in_device(0)), size);
    b.set(0, ops::as_strided_scatter(b.grad(), zero, size, stride, offset));
  }
  if (b.needs(1)) b.set(1, ops::as_strided(ops::contiguous(b.grad()), size, stride, offset));
}

SHAPE(flip) {
  const Tensor& x = c.in(0);
  Shape dims;
  uint32_t seen = 0;
  for (int64_t d : c.attrs.ints(0)) {
    d = wrap_dim(d, x.ndim(), "flip", "dims");
    if (seen >> d & 1)
      fail(Code::invalid_argument, concat("[flip] dimension ", d, " is named twice in ", c.attrs.ints(0)), {},
           "dims");
    seen |= 1u << d;
    if (x.ndim()) dims.push_back(d);
  }
  AttrWriter w;
  w.add(IntList(dims));
  c.set_words(w);
  c.out(0, x.dtype(), x.sizes());
}
GRADIENT(flip) { b.set(0, ops::flip(b.grad(), b.attrs.ints(0))); }

SHAPE(roll) {
  const Tensor& x = c.in(0);
  const IntList given_shifts = c.attrs.ints(0), given_dims = c.attrs.ints(1);
  if (given_dims.empty() ? given_shifts.size() != 1 : given_shifts.size() != given_dims.size())
    fail(Code::invalid_argument,
         concat("[roll] got ", given_shifts.size(), " shifts and ", given_dims.size(), " dims"),
         "give one shift for each dimension, or one shift and no dimension", "shifts");
  Shape shifts, dims;
  auto shifted = [](int64_t by, int64_t n) { return n ? (by % n + n) % n : 0; };
  if (given_dims.empty()) shifts.push_back(shifted(given_shifts[0], x.numel()));
  for (size_t i = 0; i < given_dims.size(); ++i) {
    const int64_t d = wrap_dim(given_dims[i], x.ndim(), "roll", "dims");
    if (x.ndim() == 0) continue;
    const int64_t by = shifted(given_shifts[i], x.size(d)), at = std::ranges::find(dims, d) - dims.begin();
    if (at == dims.size()) {
      dims.push_back(d);
      shifts.push_back(by);
    } else {
      shifts[at] = shifted(shifts[at] + by, x.size(d));  // named again: the shifts add up
    }
  }
  if (shifts.empty()) shifts.push_back(0);  // a single number, whatever was asked for
  AttrWriter w;
  w.add(IntList(shifts)).add(IntList(dims));
  c.set_words(w);
  c.out(0, x.dtype(), x.sizes());
}
GRADIENT(roll) {
  Shape back(b.attrs.ints(0));
  for (int64_t& s : back) s = -s;
  b.set(0, ops::roll(b.grad(), back, b.attrs.ints(1)));
}

namespace {

void triangle(ShapeContext& c) {
  const Tensor& x = c.in(0);
  if (x.ndim() < 2)
    fail(Code::shape, concat("[", c.name(), "] needs at least two dimensions, got shape ", x.sizes()), {},
         "input");
  // Beyond the matrix all diagonals mean the same.
  c.set_word(0, word(std::clamp(c.attrs.i(0), -x.size(-2) - 1, x.size(-1) + 1)));
  c.out(0, x.dtype(), x.sizes());
}

}  // namespace

SHAPE(tril) { triangle(c); }
GRADIENT(tril) { b.set(0, ops::tril(b.grad(), b.attrs.i(0))); }
SHAPE(triu) { triangle(c); }
GRADIENT(triu) { b.set(0, ops::triu(b.grad(), b.attrs.i(0))); }

namespace ops {

Tensor contiguous(const Tensor& x) {
  return x.is_contiguous() || (is_batched(x) && is_row_major(x)) ? x : contiguous_copy(x);
}

// A cast keeps the order of dimensions; what lies with gaps becomes row-major.
Tensor clone(const Tensor& x) {
  const haft_tensor_view& v = x.view();
  const bool permuted = !v.contiguous && v.layout == HAFT_LAYOUT_STRIDED && is_dense(x.sizes(), x.strides());
  return permuted ? cast(x, x.dtype()) : contiguous_copy(x);
}

Tensor to(const Tensor& x, DType dtype, Device device, bool non_blocking) {
  const DType t = checked_dtype(dtype, x.dtype(), "to");
  const Device d = device == kDefaultDevice ? x.device() : device;
  Tensor y = x;
  // The smaller of both types travels; what nobody waits for has its type before.
  const bool late = non_blocking && d.is_cpu();
  if (d != x.device() && (late || item_size(t) < item_size(x.dtype()))) y = as_dtype(y, t);
  if (d != x.device()) y = to_device(y, d, non_blocking);
  return as_dtype(y, t);
}

Tensor repeat(const Tensor& x, IntList repeats) {
  const int64_t ndim = int64_t(repeats.size());
  if (ndim < x.ndim())
    fail(Code::shape, concat("[repeat] got ", ndim, " repeats for shape ", x.sizes()),
         "give one for each dimension", "repeats");
  Shape have(x.sizes()), times(repeats), result;
  while (have.size() < ndim) have.insert(0, 1);
  for (int64_t i = 0; i < ndim; ++i) {
    int64_t n;
    if (times[i] < 0)
      fail(Code::invalid_argument, concat("[repeat] repeats must not be negative, got ", repeats), {},
           "repeats");
    if (__builtin_mul_overflow(have[i], times[i], &n))
      fail(Code::overflow, concat("[repeat] shape ", x.sizes(), " repeated ", repeats, " times is too large"),
           {}, "repeats");
    result.push_back(n);
  }
  checked_numel(result);
  Tensor y = reshape(x, have);
  // A tiled dimension is two while it is expanded. Where that makes too many, the outermost are joined one by one.
  int64_t tiled = 0;
  for (int64_t i = 0; i < ndim; ++i) tiled += have[i] != 1 && times[i] != 1;
  for (int64_t i = 0; i < ndim && ndim + tiled > HAFT_MAX_DIMS; ++i) {
    if (have[i] == 1 || times[i] == 1) continue;
    y = times[i] ? cat(std::vector<Tensor>(size_t(times[i]), y), i) : slice(y, i, 0, 0);
    have[i] = result[i];
    times[i] = 1;
    --tiled;
  }
  Shape split, wide;
  for (int64_t i = 0; i < ndim; ++i) {
    if (have[i] != 1 && times[i] != 1) {
      split.push_back(1);
      wide.push_back(times[i]);
    }
    split.push_back(have[i]);
    wide.push_back(have[i] == 1 ? times[i] : have[i]);
  }
  return view(contiguous_copy(expand(reshape(y, split), wide)), result);
}

}  // namespace ops
}  // namespace haft
