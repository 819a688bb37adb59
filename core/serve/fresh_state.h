// A session's modules and callbacks see the state of a fresh thread, on whose thread they may be: of the caller's
// modes only the profiler stays, his scope adopts nothing, and what they leave behind is not his.
#pragma once
#include <iterator>
#include <utility>

#include "core/base/thread_state.h"

namespace haft::serve {

class FreshState {
  static constexpr SlotId kAway[] = {kSlotScope, kSlotStop, kSlotAccount, kSlotSavedHooks};

  ThreadState& ts_ = thread_state();
  ScopedValue<uint32_t> modes_{ts_.modes, ts_.modes& kModeProfile};
  ScopedValue<bool> grad_, inference_, in_parallel_;
  ScopedValue<uint32_t> call_flags_;
  ScopedValue<int32_t> device_{ts_.default_device, 0}, dtype_{ts_.default_dtype, 0};
  void* away_[std::size(kAway)];

 public:
  FreshState(bool inference, bool alone, uint32_t call_flags)
      : grad_(ts_.grad_enabled, !inference),
        inference_(ts_.inference, inference),
        in_parallel_(ts_.in_parallel, ts_.in_parallel || alone),
        call_flags_(ts_.call_flags, call_flags) {
    for (size_t i = 0; i < std::size(kAway); ++i) away_[i] = std::exchange(ts_.slots[kAway[i]], nullptr);
  }
  ~FreshState() {
    for (size_t i = 0; i < std::size(kAway); ++i)
      if (void* left = std::exchange(ts_.slots[kAway[i]], away_[i])) ts_.slot_destroy[kAway[i]](left);
  }
  FreshState(const FreshState&) = delete;
};

}  // namespace haft::serve
