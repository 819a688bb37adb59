// The cold half of the dispatcher: promotion, broadcasting, in-place writes and given outputs.
#pragma once
#include "core/dispatch/op_table.h"
#include "core/dispatch/shape_context.h"

namespace haft {

constexpr int kMaxPointwise = 3;

// Inputs of a pointwise call after promotion and broadcasting. `in` points at the caller's tensors or at
// `made`.
struct PointwiseInputs {
  const Tensor* in[kMaxPointwise] = {};
  Tensor made[kMaxPointwise];
  int lead = 0;                      // the input that has the compute dtype (where's condition has not)
  const Tensor* original = nullptr;  // the first input as the caller gave it
  bool used = false;                 // false: nothing was prepared, the call's own inputs serve
  bool blocked = true;               // all inputs share one layout and its memory may be used as it is
};
void prepare_pointwise(Call& c, const OpInfo& op, PointwiseInputs& p);

// add_(a, b) and add_out(a, b, out).
void run_pointwise_into(Call& c, const OpInfo& op, PointwiseInputs& p);
void run_general_inplace(Call& c, const OpInfo& op, ShapeContext& ctx);
void run_general_kernel(Call& c, const OpInfo& op);

// True for operators whose second input is a weight that the device may keep reordered.
constexpr bool takes_packed_weight(OpId op) {
  return op == OpId::linear || op == OpId::conv2d || op == OpId::conv2d_input;
}

// Writes src into dst (same sizes, any strides and dtypes, same device) without recording; dst's version is
// not raised.
void copy_into(const Tensor& dst, const Tensor& src);
// x itself when dense and row-major, else a recorded copy.
Tensor make_contiguous(const Tensor& x);
[[noreturn]] void fail_devices(const Call& c, const OpInfo& op);
[[noreturn]] void fail_recorded_out(const OpInfo& op);

}  // namespace haft
