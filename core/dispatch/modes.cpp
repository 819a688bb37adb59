#include "core/dispatch/modes.h"

#include <bit>

#include "core/dispatch/dispatch.h"

namespace haft {

namespace {
Mode modes[32];
}

void set_mode(ModeBit bit, Mode mode) { modes[std::countr_zero(uint32_t(bit))] = mode; }

// The highest bit sees the call first; ModeBit says why they stand in that order.
void dispatch_modes(const Call& c, ThreadState& ts) {
  const int bit = 31 - std::countl_zero(ts.modes);
  ScopedValue<uint32_t> without(ts.modes, ts.modes & ~(1u << bit)),
      inside(ts.entered, ts.entered | 1u << bit);
  if (modes[bit].handler)
    modes[bit].handler(c);
  else
    dispatch(c);
}

void tell_modes(ThreadState& ts, const FinishedCall& f) {
  ScopedValue<uint32_t> off(ts.modes, 0), at_work(ts.entered, 0);
  for (uint32_t left = at_work.old; left; left &= left - 1)
    if (auto tell = modes[std::countr_zero(left)].finished) tell(f);
}

void tell_host_read(ThreadState& ts, const Tensor& x) {
  ScopedValue<uint32_t> off(ts.modes, 0), at_work(ts.entered, 0);
  for (uint32_t left = off.old | at_work.old; left; left &= left - 1)
    if (auto tell = modes[std::countr_zero(left)].host_read) tell(x);
}

}  // namespace haft
