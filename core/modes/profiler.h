// The profiler: what ran when. A mode (dispatch/modes.h), so that it costs nothing while it is off.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/call.h"

namespace haft {

struct ProfileEvent {
  std::string name;
  std::string shapes;    // "[2, 3], [3, 4]" of the inputs; empty for ranges
  int64_t start_ns = 0;  // CLOCK_MONOTONIC
  int64_t duration_ns = 0;
  uint64_t thread = 0;  // the system's thread id
};

// Records every operator that this thread runs from now on, until profiler_stop(). Fails with busy when it is on.
void profiler_start(bool with_shapes = false);
std::vector<ProfileEvent> profiler_stop();
std::span<const ProfileEvent> profiler_events();  // so far; closes open ranges
// A named range of the caller's own; no effect while the profiler is off.
void profiler_push(const char* name);
void profiler_pop();

void profile_call(const Call& c);  // the mode's handler

}  // namespace haft
