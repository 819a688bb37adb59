// Modes: interceptors of every operator call of a thread. Each bit of ThreadState::modes has one handler,
// which does its work around `dispatch(c)`; inside, its own bit is cleared, so handlers nest and never see
// themselves.
#pragma once
#include "core/base/thread_state.h"
#include "core/dispatch/call.h"

namespace haft {

using ModeHandler = void (*)(Call&);
void set_mode_handler(ModeBit bit, ModeHandler handler);  // from core/init.cpp, before the first call
void dispatch_modes(Call& c, ThreadState& ts);

}  // namespace haft
