#include "core/io/profile_trace.h"

#include "core/backend/device.h"

namespace haft {

std::vector<TraceEvent> trace_events(std::span<const ProfileEvent> events,
                                     std::span<const DeviceEvent> on_devices) {
  std::vector<TraceEvent> out;
  out.reserve(events.size() + on_devices.size());
  for (const ProfileEvent& e : events) {
    TraceEvent t{e.name, "op", e.start_ns, e.duration_ns, int64_t(e.thread), {}};
    t.id = e.id;
    if (!e.shapes.empty()) t.args.emplace_back("shapes", e.shapes);
    out.push_back(std::move(t));
  }
  for (const DeviceEvent& e : on_devices) {
    const char* const kind = e.kind == HAFT_PROFILED_KERNEL ? "kernel"
                             : e.kind == HAFT_PROFILED_COPY ? "copy"
                                                            : "fill";
    TraceEvent t{e.name, kind, e.start_ns, e.duration_ns, int64_t(e.stream), {}};
    t.device = device_text(e.device);
    t.caller = e.caller;
    if (e.bytes) t.args.emplace_back("bytes", std::to_string(e.bytes));
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace haft
