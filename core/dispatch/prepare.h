// The cold half of the dispatcher: promotion, broadcasting, in-place writes and given outputs.
#pragma once
#include "core/dispatch/op_table.h"
#include "core/dispatch/shape_context.h"

namespace haft {

constexpr int kMaxPointwise = 3;

// Inputs of a pointwise call after promotion and broadcasting. `in` points at the caller's tensors or at `made`.
struct PointwiseInputs {
  int n;
  const Tensor* in[kMaxPointwise] = {};
  Tensor made[kMaxPointwise];
  int lead = 0;         // the input that has the compute dtype (where's condition has not)
  bool blocked = true;  // all inputs share one layout and its memory may be used as it is

  explicit PointwiseInputs(const Call& c) : n(c.n_in) { std::copy_n(c.in, n, in); }
  Inputs inputs() const { return {in, size_t(n)}; }
};
void prepare_pointwise(const Call& c, const OpInfo& op, PointwiseInputs& p);

// add_(a, b) and add_out(a, b, out).
void run_pointwise_into(const Call& c, const OpInfo& op, const PointwiseInputs& p);
void run_general_inplace(const Call& c, const OpInfo& op, ShapeContext& ctx);
void run_general_kernel(OpId id, const OpInfo& op, Inputs inputs, Words words, std::span<Tensor> outputs);

// Fails unless an integer type can hold the value (floats round, and overflow to infinity).
void check_fits(Scalar value, DType t, const char* op);

// Writes src into dst (same sizes, any strides and dtypes, same device) without recording; dst's version is
// not raised.
void copy_into(const Tensor& dst, const Tensor& src);
// x itself when dense and row-major, else a recorded copy.
Tensor make_contiguous(const Tensor& x);
// Fails when several elements of x, which is to be written, are one place in memory: the last one would win.
// The message names the operator as name + form ("add", "_out").
void check_distinct(const Tensor& x, const char* name, const char* form);
[[noreturn]] void fail_devices(const Call& c, const OpInfo& op);
[[noreturn]] void fail_recorded_out(const OpInfo& op);

}  // namespace haft
