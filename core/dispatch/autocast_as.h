// Autocast around the host's code, apart from autocast.h, which every operator includes.
#pragma once
#include "core/dispatch/autocast.h"

namespace haft {

// While it lives the thread's state is another one. Then it is as before, whatever was entered and left meanwhile: regions
// from before cannot be left, and those that were not left end.
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
// The thread's state, in no region.
AutocastState without_autocast();

}  // namespace haft
