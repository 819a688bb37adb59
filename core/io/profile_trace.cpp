#include "core/io/profile_trace.h"

namespace haft {

std::vector<TraceEvent> trace_events(std::span<const ProfileEvent> events) {
  std::vector<TraceEvent> out;
  out.reserve(events.size());
  for (const ProfileEvent& e : events) {
    TraceEvent t{e.name, "op", e.start_ns, e.duration_ns, int64_t(e.thread), {}};
    if (!e.shapes.empty()) t.args.emplace_back("shapes", e.shapes);
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace haft
