// Autocast around the host's code, apart from autocast.h, which every operator includes.
#pragma once
#include <optional>

#include "core/dispatch/autocast.h"

namespace haft {

// While it lives the thread's state is another one. Then it is as before, whatever was entered and left meanwhile:
// regions from before cannot be left, and those that were not left end.
class AutocastAs {
  ThreadState& ts_;
  const AutocastState state_;
  const uint32_t mode_, entered_;  // the mode's bit
  size_t floor_ = 0, depth_ = 0;

 public:
  explicit AutocastAs(const AutocastState& s);
  ~AutocastAs();
  AutocastAs(const AutocastAs&) = delete;
};

// In no region while it lives; next to nothing in a thread that is in none and enters none.
class AutocastOff {
  ThreadState& ts_;
  std::optional<AutocastAs> as_;

  bool used() const { return ts_.autocast.enabled || ts_.slots[kSlotAutocast]; }
  static AutocastState off();
  void end_regions();

 public:
  AutocastOff() : ts_(thread_state()) {
    if (used()) as_.emplace(off());
  }
  ~AutocastOff() {
    if (!as_ && used()) end_regions();
  }
  AutocastOff(const AutocastOff&) = delete;
};

}  // namespace haft
