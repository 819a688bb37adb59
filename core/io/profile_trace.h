// The profiler's record in the form that chrome_trace.h writes and tabulates.
#pragma once
#include <span>
#include <vector>

#include "core/io/chrome_trace.h"
#include "core/modes/profiler.h"

namespace haft {

std::vector<TraceEvent> trace_events(std::span<const ProfileEvent> events,
                                     std::span<const DeviceEvent> on_devices = {});

}  // namespace haft
