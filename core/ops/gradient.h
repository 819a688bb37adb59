// How a gradient is written, beside the shape rule of its operator:
//
//   GRADIENT(mul, .saves = {IN1, IN0}) {  // the gradient of input 0 reads input 1, and the reverse
//     if (b.needs(0)) b.set(0, b.grad() * b.in(1));
//     if (b.needs(1)) b.set(1, b.grad() * b.in(0));
//   }
//
// The body calls operators only, so that it can be differentiated again. `.fused = fn` names a shortcut for
// when no further derivative is wanted. An input's gradient may have the input's broadcast shape already: the
// dispatcher expanded and cast the inputs through operators of their own before the call.
#pragma once
#include "core/dispatch/defaults.h"
#include "core/dispatch/shape_context.h"
#include "core/ops/arithmetic.h"
#include "core/tape/tape.h"

namespace haft {

#define GRADIENT(op, ...)                                         \
  static void vjp_##op(Backward& b);                              \
  extern const Gradient gradient_##op;                            \
  const Gradient gradient_##op = {.fn = vjp_##op, ##__VA_ARGS__}; \
  static void vjp_##op([[maybe_unused]] Backward& b)

#define SHAPE(op) void shape_##op([[maybe_unused]] ShapeContext& c)

// g * x in g's own memory when nobody else holds it and nothing is recorded: for gradients at their last use.
inline Tensor mul_reusing(Tensor g, const Tensor& x) {
  TensorImpl& t = *g.impl();
  bool ours = !thread_state().grad_enabled && t.unique() && t.storage->unique() && t.view.contiguous &&
              meta(t.view) == meta(x.view()) && std::ranges::equal(t.sizes(), x.sizes());
  return ours ? ops::mul_(g, x) : ops::mul(g, x);
}

// Attribute words of a shape rule that are lists of dimensions: wrapped, checked for repeats, sorted.
Shape wrap_dims(IntList dims, int64_t ndim, const char* op);
// The shape left by a reduction over dims (empty: all).
Shape reduced_sizes(IntList sizes, IntList dims, bool keepdim);
// Fails unless x is a floating tensor.
void require_float(const ShapeContext& c, const Tensor& x, const char* argument = "input");
// Fails unless index is int64 or int32.
void require_index(const ShapeContext& c, const Tensor& index);
// Fails unless input `i` has the dtype of input 0 (true also when it is absent).
void require_same_dtype(const ShapeContext& c, int i, const char* argument);
// The layout of a result of those sizes that lies as input `i` does: blocked, or channels-last where the device
// writes it so.
uint8_t layout_of(const ShapeContext& c, int i, IntList sizes);
// The list at word `at` as two numbers, both from `least` on; one number stands for both, none for
// `otherwise` (empty: refused).
Shape pair_of(const ShapeContext& c, int at, IntList otherwise, int64_t least, const char* name);
// Zeros like input `i` of the forward call.
inline Tensor zeros_for(const Backward& b, int i) {
  return ops::zeros(b.in_sizes(i), b.in_dtype(i), b.in_device(i));
}
// g where mask, 0 elsewhere: never 0 * infinity.
inline Tensor where_or_zero(const Tensor& mask, const Tensor& g) {
  return ops::where(mask, g, ops::zeros_like(g));
}

}  // namespace haft
