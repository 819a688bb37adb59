// The cold half of the dispatcher: promotion, broadcasting, in-place writes and given outputs.
#pragma once
#include <optional>

#include "core/dispatch/finish.h"
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
// Of operators with the trait NOBOOL: fails where a tensor or a Scalar of the call is bool.
void refuse_bool(const Call& c, const OpInfo& op);

// Fails unless x.add_(...) or add_out(..., out) may write a result of this dtype, in the shape of `lead`.
void check_target(const Call& c, const OpInfo& op, const Tensor& self, const Tensor& lead, DType dtype);
void check_inplace(const Tensor& self, const OpInfo& op);
// The inputs as the tape will want them, where the call is to be recorded. What is written in place takes part in
// gradients only where it can have one.
std::optional<InputsBeforeWrite> inputs_to_record(Inputs in, const OpInfo& op, const Tensor& self);

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
