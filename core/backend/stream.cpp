#include "core/backend/stream.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/backend/cache.h"
#include "core/backend/capture.h"
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/base/thread_state.h"

namespace haft {

namespace {

// A thread's choices. Devices on their default stream and without an arena are absent.
struct Current {
  Device device;
  haft_raw_stream stream;
  MemoryArena* arena;
  StreamBlocks* list;  // where memory comes from, by both
};
using CurrentStreams = std::vector<Current>;

struct UserStream {
  Device device;
  haft_raw_stream stream;
  int64_t owners = 0;  // of one that was adopted
  bool used = false;   // the same: work or memory of the engine's is there
};
std::mutex streams_mutex;
std::vector<UserStream> streams;  // of all devices

// Under the lock.
UserStream* find_stream(Device d, haft_raw_stream s) {
  auto it = std::find_if(streams.begin(), streams.end(),
                         [&](const UserStream& u) { return u.device == d && u.stream == s; });
  return it == streams.end() ? nullptr : &*it;
}

CurrentStreams* current_streams() { return static_cast<CurrentStreams*>(thread_state().slots[kSlotStream]); }

Current* find_current(Device d) {
  if (CurrentStreams* all = current_streams())
    for (Current& c : *all)
      if (c.device == d) return &c;
  return nullptr;
}

// What the thread chooses from now on; answers what it had chosen.
Current choose(Device d, haft_raw_stream s, MemoryArena* arena) {
  Current next{d, s, arena, nullptr}, old{d, 0, nullptr, nullptr};
  if (s || arena) next.list = &(arena ? arena->list_of(s) : detail::device_cache(d).list_of(s));
  CurrentStreams* all = current_streams();
  if (Current* c = find_current(d)) {
    old = *c;
    if (next.list)
      *c = next;
    else
      all->erase(all->begin() + (c - all->data()));
    return old;
  }
  if (!next.list) return old;
  if (!all) {
    ThreadState& ts = thread_state();
    ts.slots[kSlotStream] = all = new CurrentStreams;
    ts.slot_destroy[kSlotStream] = [](void* p) { delete static_cast<CurrentStreams*>(p); };
  }
  all->push_back(next);
  return old;
}

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

haft_raw_stream create_stream(Device d) { return create_stream(d, 0); }

haft_raw_stream create_stream(Device d, int priority) {
  check_device(d);
  const BackendEntry& b = usable(d);
  if (!b.has_streams()) return 0;
  haft_raw_stream s = priority < 0 ? HAFT_STREAM_FIRST : 0;
  call(d, "creating a stream", b.table.stream_create, d.index, &s);
  try {
    std::lock_guard lock(streams_mutex);
    streams.push_back({d, s});
  } catch (...) {
    b.table.stream_destroy(d.index, s);
    throw;
  }
  return s;
}

void destroy_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (!b.has_streams() || s == 0) return;
  {
    std::lock_guard lock(streams_mutex);
    if (UserStream* u = find_stream(d, s); !u || u->owners)
      fail(Code::invalid_argument, concat("stream ", s, " was not created on ", d));
  }
  // Its free blocks go to the default stream's list. A failure of its work stays with the device.
  char ignored[512];
  b.table.stream_synchronize(d.index, s, ignored, sizeof ignored);
  {
    std::lock_guard lock(streams_mutex);
    if (UserStream* u = find_stream(d, s)) streams.erase(streams.begin() + (u - streams.data()));
  }
  if (current_stream(d) == s) detail::exchange_current_stream(d, 0);
  detail::device_cache(d).retire_list(s);
  b.table.stream_destroy(d.index, s);
}

void synchronize_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (b.has_streams()) call(d, "waiting for a stream", b.table.stream_synchronize, d.index, s);
  if (!d.is_cpu()) detail::reap_retired(d);
}

haft_raw_stream detail::lookup_current_stream(Device d) {
  Current* c = find_current(d);
  return c ? c->stream : 0;
}

haft_raw_stream set_current_stream(Device d, haft_raw_stream s) {
  if (!backend(d).has_streams()) s = 0;
  if (!is_stream(d, s)) fail(Code::invalid_argument, concat("stream ", s, " was not created on ", d));
  note_stream_use(d, s);
  return detail::exchange_current_stream(d, s);
}

haft_raw_stream detail::exchange_current_stream(Device d, haft_raw_stream s) {
  Current* c = find_current(d);
  if (!c && s == 0) return 0;
  return choose(d, is_stream(d, s) ? s : 0, c ? c->arena : nullptr).stream;
}

bool is_stream(Device d, haft_raw_stream s) noexcept {
  if (s == 0) return true;
  std::lock_guard lock(streams_mutex);
  return find_stream(d, s) != nullptr;
}

void note_stream_use(Device d, haft_raw_stream s) {
  if (s == 0) return;
  std::lock_guard lock(streams_mutex);
  if (UserStream* u = find_stream(d, s)) u->used = true;
}

bool query_stream(Device d, haft_raw_stream s) {
  const BackendEntry& b = usable(d);
  if (!b.has_streams()) return true;
  if (thread_state().slots[kSlotReplay])
    fail(Code::unsupported, "asking a stream whether it is done cannot be recorded",
         "ask before or after the recording");
  if (b.table.stream_query) {
    int32_t done = 0;
    call(d, "asking a stream", b.table.stream_query, d.index, s, &done);
    return done != 0;
  }
  struct Event {
    Device device;
    haft_raw_event event;
    ~Event() { destroy_event(device, event); }
  } end{d, create_event(d)};
  record_event(d, end.event, s);
  return query_event(d, end.event);
}

namespace {
const haft_backend& with_handles(Device d, const char* what) {
  const BackendEntry& b = usable(d);
  if (!b.table.stream_native)
    fail(Code::unsupported, concat(what, " of ", d, " has no handle that other code knows it by"),
         "streams and events of CUDA devices have one");
  return b.table;
}
}  // namespace

void* native_stream(Device d, haft_raw_stream s) {
  void* native = nullptr;
  call(d, "a stream's handle", with_handles(d, "a stream").stream_native, d.index, s, &native);
  return native;
}

void* native_event(Device d, haft_raw_event e) {
  void* native = nullptr;
  call(d, "an event's handle", with_handles(d, "an event").event_native, d.index, e, &native);
  return native;
}

haft_raw_stream adopt_stream(Device d, void* native, bool* adopted) {
  *adopted = false;
  check_device(d);
  const haft_backend& table = with_handles(d, "a stream");
  std::lock_guard lock(streams_mutex);  // a handle is adopted once at a time
  streams.reserve(streams.size() + 1);
  haft_raw_stream s = 0;
  call(d, "adopting a stream", table.stream_adopt, d.index, native, &s);
  if (s == 0) return s;
  UserStream* known = find_stream(d, s);
  if (!known)
    streams.push_back({d, s, 1});
  else if (known->owners)
    ++known->owners;
  *adopted = !known || known->owners;
  return s;
}

bool retain_adopted(Device d, haft_raw_stream s) {
  if (s == 0) return false;
  std::lock_guard lock(streams_mutex);
  UserStream* u = find_stream(d, s);
  if (!u || u->owners == 0) return false;
  ++u->owners;
  return true;
}

void release_adopted(Device d, haft_raw_stream s) noexcept {
  if (in_forked_child()) return;
  const haft_backend& table = backend(d).table;
  {
    std::unique_lock lock(streams_mutex);
    UserStream* u = find_stream(d, s);
    if (u->owners > 1 || !u->used) {
      if (--u->owners == 0) {
        table.stream_disown(d.index, s);
        streams.erase(streams.begin() + (u - streams.data()));
      }
      return;
    }
  }
  char ignored[512];
  table.stream_synchronize(d.index, s, ignored, sizeof ignored);
  {
    std::lock_guard lock(streams_mutex);
    UserStream* u = find_stream(d, s);
    if (--u->owners > 0) return;  // somebody has come meanwhile
    detail::device_cache(d).retire_list(s);
    table.stream_disown(d.index, s);
    streams.erase(streams.begin() + (u - streams.data()));
  }
  if (current_stream(d) == s) detail::exchange_current_stream(d, 0);
}

StreamBlocks& current_list(Device d) {
  Current* c = find_current(d);
  return c ? *c->list : detail::device_cache(d).list_of(0);
}

ArenaScope::ArenaScope(MemoryArena& arena) : device_(arena.device()) {
  old_ = choose(device_, current_stream(device_), &arena).arena;
}

ArenaScope::~ArenaScope() { choose(device_, current_stream(device_), old_); }

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

}  // namespace haft
