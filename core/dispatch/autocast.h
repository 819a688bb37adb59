// Mixed precision, per thread: while a region is on, operators with a cast class (ops.def) take their floats in another
// type. The cast is an operator of its own, so that its gradient casts back. float64 and integers stay what they are;
// so does everything in place and into given tensors. A composition casts once and runs inside without the mode.
#pragma once
#include "core/base/thread_state.h"
#include "core/dispatch/call.h"

namespace haft {

constexpr uint32_t kCastClasses = LOWCAST | F32CAST | WIDECAST;

// The inputs of a call as its class wants them; the caller's own where nothing is to be cast.
class CastInputs {
  std::vector<Tensor> made_;
  std::vector<const Tensor*> in_;

 public:
  CastInputs(uint32_t traits, Inputs in);
  bool any() const { return !made_.empty(); }
  Inputs inputs() const { return in_; }
};

// Around a composition: its inputs, cast; calls while it lives are not cast again.
class AutocastScope {
  CastInputs inputs_;
  std::vector<Tensor> list_;
  size_t fixed_;
  ScopedValue<uint32_t> modes_, entered_;

 public:
  AutocastScope(uint32_t traits, std::initializer_list<const Tensor*> fixed,
                std::span<const Tensor> list = {});
  const Tensor& operator[](size_t i) const { return *inputs_.inputs()[i]; }
  std::span<const Tensor> list() const { return list_; }
};

void autocast_or_dispatch(const Call& c);  // the mode's handler

// The state that a thread's region begins from, and goes back to at its end.
AutocastState autocast_state();
// One for `device_type`; dtype none: the type's own. Fails for what is not bfloat16, float16 or, to switch it off,
// float32.
void enter_autocast(uint16_t device_type, DType dtype, bool enabled, bool caches);
void leave_autocast();  // the innermost region
bool is_autocast_enabled(uint16_t device_type);
DType autocast_dtype(uint16_t device_type);
// Changes the innermost region, or what holds outside of all.
void set_autocast(uint16_t device_type, bool enabled, DType dtype);
void set_autocast_caches(bool on);
void clear_autocast_cache();

}  // namespace haft
