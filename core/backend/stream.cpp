#include "core/backend/stream.h"

#include <algorithm>
#include <mutex>

#include "core/backend/registry.h"
#include "core/base/thread_state.h"

namespace haft {

namespace {

struct Current {
  Device device;
  haft_raw_stream stream;
};
using CurrentStreams =
    std::vector<Current>;  // a thread's choices; devices on their default stream are absent

struct UserStream {
  Device device;
  haft_raw_stream stream;
};
std::mutex streams_mutex;
std::vector<UserStream> streams;  // of all devices
std::atomic<uint32_t> streams_of_type[kMaxDeviceTypes];

CurrentStreams* current_streams() { return static_cast<CurrentStreams*>(thread_state().slots[kSlotStream]); }

// Calls a slot of the device and turns a failure into an Error.
template <class F, class... A>
void call(Device d, const char* what, F slot, A... args) {
  char error[512] = "";
  if (int32_t status = slot(args..., error, uint32_t(sizeof error))) [[unlikely]] {
    error[sizeof error - 1] = 0;
    fail_backend(status, error, concat(what, " on ", d));
  }
}

const BackendEntry& usable(Device d) {
  const BackendEntry& b = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  return b;
}

}  // namespace

haft_raw_stream create_stream(Device d) {
  check_device(d);
  const BackendEntry& b = usable(d);
  if (!b.has_streams()) return 0;
  haft_raw_stream s = 0;
  call(d, "creating a stream", b.table.stream_create, d.index, &s);
  {
    std::lock_guard lock(streams_mutex);
    streams.push_back({d, s});
    streams_of_type[d.type].fetch_add(1, std::memory_order_relaxed);
  }
  // Blocks that the memory cache took back while there was one stream may still be in use there.
  try {
    synchronize_stream(d, 0);
  } catch (...) {
    destroy_stream(d, s);
    throw;
  }
  return s;
}

void destroy_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (!b.has_streams() || s == 0) return;
  auto find = [&] {
    return std::find_if(streams.begin(), streams.end(),
                        [&](const UserStream& u) { return u.device == d && u.stream == s; });
  };
  {
    std::lock_guard lock(streams_mutex);
    if (find() == streams.end())
      fail(Code::invalid_argument, concat("stream ", s, " was not created on ", d));
  }
  // Its work must be done before the memory cache stops waiting for it. A failure of that work stays with the
  // device.
  char ignored[512];
  b.table.stream_synchronize(d.index, s, ignored, sizeof ignored);
  {
    std::lock_guard lock(streams_mutex);
    if (auto it = find(); it != streams.end()) {
      streams.erase(it);
      streams_of_type[d.type].fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (current_stream(d) == s) detail::exchange_current_stream(d, 0);
  b.table.stream_destroy(d.index, s);
}

void synchronize_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (b.has_streams()) call(d, "waiting for a stream", b.table.stream_synchronize, d.index, s);
}

haft_raw_stream detail::lookup_current_stream(Device d) {
  if (CurrentStreams* all = current_streams())
    for (const Current& c : *all)
      if (c.device == d) return c.stream;
  return 0;
}

haft_raw_stream set_current_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = backend(d);
  if (!b.has_streams()) s = 0;
  if (s) {
    std::vector<haft_raw_stream> known = user_streams(d);
    if (std::find(known.begin(), known.end(), s) == known.end())
      fail(Code::invalid_argument, concat("stream ", s, " was not created on ", d));
  }
  return detail::exchange_current_stream(d, s);
}

haft_raw_stream detail::exchange_current_stream(Device d, haft_raw_stream s) {
  ThreadState& ts = thread_state();
  CurrentStreams* all = current_streams();
  if (!all) {
    if (s == 0) return 0;
    ts.slots[kSlotStream] = all = new CurrentStreams;
    ts.slot_destroy[kSlotStream] = [](void* p) { delete static_cast<CurrentStreams*>(p); };
  }
  auto it = std::find_if(all->begin(), all->end(), [&](const Current& c) { return c.device == d; });
  haft_raw_stream old = it == all->end() ? 0 : it->stream;
  if (it == all->end() && s)
    all->push_back({d, s});
  else if (it != all->end() && s)
    it->stream = s;
  else if (it != all->end())
    all->erase(it);
  return old;
}

haft_raw_event create_event(Device d, uint32_t flags) {
  const BackendEntry& b = usable(d);
  haft_raw_event e = 0;
  if (b.has_streams()) call(d, "creating an event", b.table.event_create, d.index, flags, &e);
  return e;
}

void synchronize_event(Device d, haft_raw_event e) {
  const BackendEntry& b = usable(d);
  if (b.has_streams()) call(d, "waiting for an event", b.table.event_synchronize, d.index, e);
}

double elapsed_time(Device d, haft_raw_event start, haft_raw_event end) {
  const BackendEntry& b = usable(d);
  if (!b.has_streams())
    fail(Code::unsupported, concat(d, " has no events: its work is done when a call returns"),
         "measure with the host's clock");
  double ms = 0;
  call(d, "the time between two events", b.table.event_elapsed, d.index, start, end, &ms);
  return ms;
}

void destroy_event(Device d, haft_raw_event e) noexcept {
  if (d.is_cpu() || in_forked_child()) return;
  const BackendEntry& b = backend(d);
  if (b.has_streams()) b.table.event_destroy(d.index, e);
}

void record_event(Device d, haft_raw_event e, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (b.has_streams()) call(d, "recording an event", b.table.event_record, d.index, e, s);
}

void wait_event(Device d, haft_raw_event e, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (b.has_streams()) call(d, "waiting for an event", b.table.event_wait, d.index, e, s);
}

bool query_event(Device d, haft_raw_event e) {
  const BackendEntry& b = usable(d);
  int32_t done = 1;
  if (b.has_streams()) call(d, "asking an event", b.table.event_query, d.index, e, &done);
  return done != 0;
}

bool has_user_streams(Device d) noexcept {
  return streams_of_type[d.type].load(std::memory_order_relaxed) != 0;
}

std::vector<haft_raw_stream> user_streams(Device d) {
  std::vector<haft_raw_stream> out;
  std::lock_guard lock(streams_mutex);
  for (const UserStream& u : streams)
    if (u.device == d) out.push_back(u.stream);
  return out;
}

}  // namespace haft
