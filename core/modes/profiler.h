// The profiler: what ran when. A mode (dispatch/modes.h), so that it costs nothing while it is off.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/call.h"
#include "core/modes/device_profile.h"

namespace haft {

struct ProfileEvent {
  std::string name;
  std::string shapes;    // "[2, 3], [3, 4]" of the inputs; empty for ranges
  int64_t start_ns = 0;  // CLOCK_MONOTONIC
  int64_t duration_ns = 0;
  uint64_t thread = 0;  // the system's thread id
  uint64_t id = 0;      // what DeviceEvent::caller names; 0 without devices
};

// What is recorded beside operators and ranges; haft_profile_what.
enum ProfileWhat : uint32_t {
  kProfileShapes = 1,
  kProfileDevices = 2,  // what devices ran
  kProfileRanges = 4,   // and their vendors' tools get operators and ranges
  kProfileModules = 8,  // a range for each module that runs
  kProfileAll = 15,
};

// Records every operator that this thread runs from now on, until profiler_stop(). Fails with busy when it is on.
void profiler_start(uint32_t what = 0);
std::vector<ProfileEvent> profiler_stop();
std::span<const ProfileEvent> profiler_events();  // so far; closes open ranges
// What devices ran of it so far, and why some are missing; waits for them. Both are empty without kProfileDevices.
struct DeviceRows {
  std::vector<DeviceEvent> events;
  std::vector<std::string> notes;
};
DeviceRows profiler_device_rows();
// A named range of the caller's own; no effect while the profiler is off.
void profiler_push(const char* name);
void profiler_pop();

void profile_call(const Call& c);  // the mode's handler

}  // namespace haft
