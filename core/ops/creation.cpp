// Tensors from numbers.
#include "core/ops/creation.h"

#include <cmath>
#include <limits>

#include "core/backend/registry.h"
#include "core/dispatch/batching.h"
#include "core/dispatch/kernel.h"
#include "core/dispatch/prepare.h"
#include "core/ops/gradient.h"
#include "core/tensor/order.h"

namespace haft {

DType checked_dtype(DType t, DType fallback, const char* op) {
  if (t == DType::none) t = fallback;
  if (!is_valid(int32_t(t))) fail(Code::dtype, concat("[", op, "] ", int(t), " is not a dtype"), {}, "dtype");
  return t;
}

Device checked_device(Device d) {
  if (d == kDefaultDevice) d = default_device();
  if (d != Device{}) check_device(d);
  return d;
}

void creation_out(ShapeContext& c, IntList sizes, int dtype_word, DType fallback) {
  const DType t = checked_dtype(DType(c.attrs.i(dtype_word)), fallback, c.name());
  const Device d = checked_device(Device::unpack(c.attrs.i(dtype_word + 1)));
  c.out(0, t, sizes);
  c.device(d);
  c.set_word(dtype_word, word(t));
  c.set_word(dtype_word + 1, word(d));
}

namespace {

DType scalar_dtype(Scalar s) {
  switch (s.kind) {
    case ScalarKind::floating: return default_float();
    case ScalarKind::boolean: return DType::boolean;
    default: return DType::i64;
  }
}

// Elements of start, start + step, ... that lie before end.
int64_t range_length(Scalar start, Scalar end, Scalar step) {
  auto refuse = [&] {
    fail(Code::invalid_argument,
         concat("[arange] no range leads from ", start.to_double(), " to ", end.to_double(), " in steps of ",
                step.to_double()),
         "all three are finite, and step is not 0 and points from start to end", "step");
  };
  const bool whole = start.kind != ScalarKind::floating && end.kind != ScalarKind::floating &&
                     step.kind != ScalarKind::floating;
  if (whole) {
    __int128 span = __int128(end.i) - start.i, by = step.i;
    if (by == 0 || (span > 0 && by < 0) || (span < 0 && by > 0)) refuse();
    const __int128 n = (span + by + (by > 0 ? -1 : 1)) / by;
    if (n > INT64_MAX)
      fail(Code::overflow,
           concat("[arange] from ", start.i, " to ", end.i, " are more elements than memory can hold"), {},
           "end");
    return int64_t(n);
  }
  const double a = start.to_double(), b = end.to_double(), s = step.to_double(), n = std::ceil((b - a) / s);
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(s) || s == 0 || n < 0) refuse();
  if (!(n < 0x1p62))
    fail(Code::overflow, concat("[arange] ", n, " elements are more than memory can hold"), {}, "step");
  return int64_t(n);
}

// Dense memory of a tensor in any layout, as a vector: what a uniform value is written through.
Tensor flat_alias(const Tensor& x) {
  const int64_t size[] = {x.numel()}, stride[] = {1};
  return view_over(*x.impl(), size, stride, 0);
}

// The most common constants skip what dispatch does for writes in place: the memory is new. Modes see them
// all the same.
Tensor filled(Tensor t, Scalar value) {
  if (t.numel() == 0) {
    note_made(t);
    return t;
  }
  const Tensor dense = t.is_contiguous() ? t : flat_alias(t);
  if (thread_state().modes) [[unlikely]] {
    note_made(t);
    ops::fill_(dense, value);
    return t;
  }
  if (is_complex(t.dtype())) {
    NoGradGuard none;
    const Tensor parts = ops::view_as_real(flat_alias(t));
    ops::fill_(parts, 0);
    if (value.to_double() != 0) ops::fill_(ops::select(parts, -1, 0), value);
    return t;
  }
  const haft_tensor_view* out = &dense.view();
  const uint64_t words[] = {word_kind(value), word_bits(value)};
  run_kernel(OpId::fill, {&out, 1}, {&out, 1}, words);
  return t;
}

// Blocked and permuted activations get companions that lie as they do: pointwise operators on both need no
// conversion.
Tensor filled_like(const Tensor& x, Scalar value, DType dtype, const char* op) {
  if (thread_state().modes & (kModeTrace | kModeBatch))
    return ops::full(x.sizes(), value, checked_dtype(dtype, x.dtype(), op),
                     x.device());  // memory is not made there, or not for one example
  return filled(new_tensor_like(*x.impl(), checked_dtype(dtype, x.dtype(), op)), value);
}

}  // namespace

SHAPE(full) {
  const Scalar value = c.attrs.scalar(1);
  creation_out(c, c.attrs.ints(0), 3, scalar_dtype(value));
  check_fits(value, c.outs[0].dtype, "full");
}

SHAPE(arange) {
  const Scalar start = c.attrs.scalar(0), end = c.attrs.scalar(2), step = c.attrs.scalar(4);
  for (Scalar s : {start, end, step})
    if (s.kind == ScalarKind::none)
      fail(Code::invalid_argument, "[arange] start, end and step are needed", {}, "end");
  const bool floating = start.kind == ScalarKind::floating || end.kind == ScalarKind::floating ||
                        step.kind == ScalarKind::floating;
  const int64_t n[] = {range_length(start, end, step)};
  creation_out(c, n, 6, floating ? default_float() : DType::i64);
  if (c.outs[0].dtype == DType::boolean)
    fail(Code::dtype, "[arange] bool has no range", "use an integer dtype", "dtype");
}

SHAPE(linspace) {
  const int64_t steps[] = {c.attrs.i(2)};
  if (steps[0] < 0)
    fail(Code::invalid_argument, concat("[linspace] steps must not be negative, got ", steps[0]), {},
         "steps");
  creation_out(c, steps, 3, default_float());
  if (is_integer(c.outs[0].dtype))  // both ends are integers then, as in PyTorch
    for (int i : {0, 1}) c.set_word(i, word(std::trunc(c.attrs.d(i))));
}

SHAPE(eye) {
  int64_t n = c.attrs.i(0), m = c.attrs.i(1);
  if (n < 0 || m < -1)
    fail(Code::invalid_argument, concat("[eye] sizes must not be negative, got ", n < 0 ? n : m), {},
         n < 0 ? "n" : "m");
  if (m < 0) m = n;
  c.set_word(1, word(m));
  const int64_t sizes[] = {n, m};
  creation_out(c, sizes, 2, default_float());
}

namespace ops {

Tensor empty(IntList size, DType dtype, Device device) {
  const Tensor t = new_tensor(size, checked_dtype(dtype, default_float(), "empty"), checked_device(device));
  if (thread_state().modes) [[unlikely]]
    note_made(t);
  return t;
}

Tensor zeros(IntList size, DType dtype, Device device) {
  return filled(new_tensor(size, checked_dtype(dtype, default_float(), "zeros"), checked_device(device)),
                int64_t(0));
}

Tensor ones(IntList size, DType dtype, Device device) {
  return filled(new_tensor(size, checked_dtype(dtype, default_float(), "ones"), checked_device(device)),
                int64_t(1));
}

// Powers of the rounded exponents would carry their errors many times over, so both steps are taken in double.
Tensor logspace(double start, double end, int64_t steps, double base, DType dtype, Device device) {
  if (steps < 0)
    fail(Code::invalid_argument, concat("[logspace] steps must not be negative, got ", steps), {}, "steps");
  const DType t = checked_dtype(dtype, default_float(), "logspace");
  if (is_integer(t)) start = std::trunc(start), end = std::trunc(end);
  const Tensor x = rpow_scalar(linspace(start, end, steps, DType::f64, device), base);
  return t == DType::f64 ? x : cast(x, t);
}

Tensor empty_like(const Tensor& x, DType dtype) {
  return new_tensor_like(*x.impl(), checked_dtype(dtype, x.dtype(), "empty_like"));
}
Tensor zeros_like(const Tensor& x, DType dtype) { return filled_like(x, int64_t(0), dtype, "zeros_like"); }
Tensor ones_like(const Tensor& x, DType dtype) { return filled_like(x, int64_t(1), dtype, "ones_like"); }
Tensor full_like(const Tensor& x, Scalar value, DType dtype) {
  check_fits(value, checked_dtype(dtype, x.dtype(), "full_like"), "full_like");
  return filled_like(x, value, dtype, "full_like");
}

}  // namespace ops
}  // namespace haft
