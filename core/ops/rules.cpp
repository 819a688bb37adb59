// What the shape rules of several families share.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/gradient.h"
#include "core/tensor/order.h"

namespace haft {

Shape wrap_dims(IntList dims, int64_t ndim, const char* op) {
  Shape out(dims);
  for (int64_t& d : out) d = wrap_dim(d, ndim, op, "dim");
  std::sort(out.begin(), out.end());
  for (int64_t i = 1; i < out.size(); ++i)
    if (out[i] == out[i - 1])
      fail(Code::invalid_argument, concat("[", op, "] dimension ", out[i], " is named twice in ", dims), {},
           "dim");
  return out;
}

Shape reduced_sizes(IntList sizes, IntList dims, bool keepdim) {
  uint32_t gone = dims.empty() ? ~0u : 0;
  for (int64_t d : dims) gone |= 1u << d;
  Shape out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!(gone >> d & 1))
      out.push_back(sizes[d]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

void require_float(const ShapeContext& c, const Tensor& x, const char* argument) {
  if (!is_float(x.dtype()))
    fail(Code::dtype,
         concat("[", c.name(), "] ", argument, " must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first, for example to float32", argument);
}

void require_index(const ShapeContext& c, const Tensor& index) {
  if (index.dtype() != DType::i64 && index.dtype() != DType::i32)
    fail(Code::dtype,
         concat("[", c.name(), "] index must be int64 or int32, got ", dtype_name(index.dtype())),
         "convert it with to()", "index");
}

void require_same_dtype(const ShapeContext& c, int i, const char* argument) {
  if (!c.has(i) || c.in(i).dtype() == c.in(0).dtype()) return;
  fail(Code::dtype,
       concat("[", c.name(), "] ", argument, " is ", dtype_name(c.in(i).dtype()), ", the first tensor ",
              dtype_name(c.in(0).dtype())),
       "cast one of them", argument);
}

uint8_t layout_of(const ShapeContext& c, int i, IntList sizes) {
  if (is_batched(c.in(i))) return HAFT_LAYOUT_STRIDED;  // that of the examples is asked for a level below
  const TensorImpl& x = resolve(*c.in(i).impl(), true);
  if (x.view.layout != HAFT_LAYOUT_STRIDED || x.view.contiguous || !is_channels_last(x.sizes(), x.strides()))
    return x.view.layout;
  return preferred_layout(c.op(), x.device(), x.dtype(), sizes);
}

Shape pair_of(const ShapeContext& c, int at, IntList otherwise, int64_t least, const char* name) {
  IntList v = c.attrs.ints(at);
  if (v.empty()) v = otherwise;
  if (v.empty() || v.size() > 2)
    fail(Code::invalid_argument, concat("[", c.name(), "] ", name, " takes one or two numbers, got ", v), {},
         name);
  Shape p{v[0], v.back()};
  if (std::min(p[0], p[1]) < least || std::max(p[0], p[1]) > INT32_MAX)  // products of two must not overflow
    fail(Code::invalid_argument,
         concat("[", c.name(), "] ", name, " must be between ", least, " and ", INT32_MAX, ", got ", v), {},
         name);
  return p;
}

}  // namespace haft
