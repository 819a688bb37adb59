#include "core/dispatch/modes.h"

#include <bit>

#include "core/dispatch/dispatch.h"

namespace haft {

namespace {
ModeHandler handlers[32];
}

void set_mode_handler(ModeBit bit, ModeHandler handler) {
  handlers[std::countr_zero(uint32_t(bit))] = handler;
}

void dispatch_modes(Call& c, ThreadState& ts) {
  // The highest bit sees the call first: capture before autocast before the profiler, which measures what
  // really runs.
  int bit = 31 - std::countl_zero(ts.modes);
  ScopedValue<uint32_t> without(ts.modes, ts.modes & ~(1u << bit)),
      inside(ts.entered, ts.entered | 1u << bit);
  if (handlers[bit])
    handlers[bit](c);
  else
    dispatch(c);
}

}  // namespace haft
