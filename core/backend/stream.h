// Streams and events. A thread has a current stream on every device (0, the default, until it chooses
// another); kernels and copies go there. On a device without streams, the CPU among them, everything here
// succeeds and is done on return.
#pragma once
#include <haft/backend.h>

#include <cstdint>

#include "core/backend/device.h"

namespace haft {

class StreamBlocks;
class MemoryArena;

haft_raw_stream create_stream(Device d);
// Below 0: what waits there is to begin before what waits on others.
haft_raw_stream create_stream(Device d, int priority);
// Finishes its work; must be nobody's current stream elsewhere.
void destroy_stream(Device d, haft_raw_stream s);
void synchronize_stream(Device d, haft_raw_stream s);

namespace detail {
haft_raw_stream lookup_current_stream(Device d);
haft_raw_stream exchange_current_stream(Device d, haft_raw_stream s);  // unchecked
}  // namespace detail
inline haft_raw_stream current_stream(Device d) { return d.is_cpu() ? 0 : detail::lookup_current_stream(d); }
// Answers the previous one; s: 0 or created on d.
haft_raw_stream set_current_stream(Device d, haft_raw_stream s);

// Makes a stream current for a scope.
class StreamGuard {
  Device device_;
  haft_raw_stream old_;

 public:
  StreamGuard(Device d, haft_raw_stream s) : device_(d), old_(set_current_stream(d, s)) {}
  ~StreamGuard() { detail::exchange_current_stream(device_, old_); }
  StreamGuard(const StreamGuard&) = delete;
};

haft_raw_event create_event(Device d, uint32_t flags = 0);  // HAFT_EVENT_*
void destroy_event(Device d, haft_raw_event e) noexcept;
void record_event(Device d, haft_raw_event e, haft_raw_stream s);
// S, on d, waits; e may be of a device beside d.
void wait_event(Device d, haft_raw_event e, haft_raw_stream s);
bool query_event(Device d, haft_raw_event e);  // true: everything before the recording is done

void synchronize_event(Device d, haft_raw_event e);  // the calling thread waits for its last recording
// Milliseconds of the device between two recordings that have passed; events with HAFT_EVENT_TIMING.
double elapsed_time(Device d, haft_raw_event start, haft_raw_event end);

bool is_stream(Device d, haft_raw_stream s) noexcept;  // 0, or created or adopted on d and not gone
bool query_stream(Device d, haft_raw_stream s);        // true: all that it was given is done

// What the device's vendor knows a stream and an event by. Fails with unsupported where the device has no such handles.
void* native_stream(Device d, haft_raw_stream s);
void* native_event(Device d, haft_raw_event e);
// A stream that other code made: one more owner of its number, which release_adopted takes back. With the last one
// the engine is done with it: it waits for the work where it has given the stream any memory, and the calling thread
// has it no longer as its current one. Not adopted: a stream of the engine's own.
haft_raw_stream adopt_stream(Device d, void* native, bool* adopted);
bool retain_adopted(Device d, haft_raw_stream s);  // false: the same
void release_adopted(Device d, haft_raw_stream s) noexcept;
void note_stream_use(Device d, haft_raw_stream s);  // memory that the stream works on waits for it

// Where this thread's memory of a device comes from: the current stream's list in the device's cache, or in the arena
// whose scope the thread is in.
StreamBlocks& current_list(Device d);

// Memory for this thread's tensors on the arena's device comes from the arena (capture.h).
class ArenaScope {
  Device device_;
  MemoryArena* old_;

 public:
  explicit ArenaScope(MemoryArena& arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope&) = delete;
};

}  // namespace haft
