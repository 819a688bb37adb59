// Modes: interceptors of every operator call of a thread. Each bit of ThreadState::modes has one handler,
// which does its work around `dispatch(c)`; inside, its own bit is cleared, so handlers nest and never see
// themselves. The casts, expansions and copies that prepare a call see all modes again: they are calls of
// their own, whose results the tape may keep.
#pragma once
#include "core/base/thread_state.h"
#include "core/dispatch/call.h"

namespace haft {

using ModeHandler = void (*)(Call&);
void set_mode_handler(ModeBit bit, ModeHandler handler);  // from core/init.cpp, before the first call
void dispatch_modes(Call& c, ThreadState& ts);

// While it lives, calls see the modes whose handlers are at work on the call that they prepare.
class AllModes {
  ThreadState& ts_;
  const uint32_t modes_, entered_;

 public:
  explicit AllModes(ThreadState& ts) : ts_(ts), modes_(ts.modes), entered_(ts.entered) {
    ts_.modes |= entered_;
    ts_.entered = 0;
  }
  ~AllModes() {
    ts_.modes = modes_;
    ts_.entered = entered_;
  }
  AllModes(const AllModes&) = delete;
};

}  // namespace haft
