// Streams and events: the seam's numbers are CUDA's pointers, and 0 is the device's own stream.
#include <algorithm>

#include "core/cuda/capture.h"
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

Stream stream_of(int device, haft_raw_stream raw) {
  return raw ? reinterpret_cast<Stream>(raw) : device_state(device).own;
}

namespace {

Event event_of(haft_raw_event raw) { return reinterpret_cast<Event>(raw); }

int32_t synchronize(int32_t index, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    refuse_any_recording(index, "waiting for the device");
    check(runtime().device_synchronize(), "waiting for the device");
    throw_fault(index);
  });
}

int32_t stream_create(int32_t index, haft_raw_stream* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    DeviceState& d = device_state(index);
    std::lock_guard lock(d.mutex);
    d.streams.reserve(d.streams.size() + 1);
    Stream s;
    check(runtime().stream_create(&s, *out == HAFT_STREAM_FIRST ? -1 : 0), "a stream");
    d.streams.push_back(s);
    *out = reinterpret_cast<haft_raw_stream>(s);
  });
}
void stream_destroy(int32_t index, haft_raw_stream s) {
  quietly_on(index, [&] {
    if (!s) return;
    DeviceState& d = device_state(index);
    const Stream stream = stream_of(index, s);
    runtime().stream_synchronize(stream);
    std::lock_guard lock(d.mutex);
    std::erase(d.streams, stream);
    runtime().stream_destroy(stream);
  });
}
int32_t stream_synchronize(int32_t index, haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    refuse_recording(index, stream_of(index, s), "waiting for a stream");
    check(runtime().stream_synchronize(stream_of(index, s)), "waiting for a stream");
    throw_fault(index);
  });
}

int32_t event_create(int32_t index, uint32_t flags, haft_raw_event* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    Event e;
    check(runtime().event_create(&e, flags & HAFT_EVENT_TIMING), "an event");
    *out = reinterpret_cast<haft_raw_event>(e);
  });
}
void event_destroy(int32_t index, haft_raw_event e) {
  quietly_on(index, [&] {
    if (e) runtime().event_destroy(event_of(e));
  });
}
int32_t event_record(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    check(runtime().event_record(event_of(e), stream_of(index, s)), "recording an event");
  });
}
int32_t event_wait(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    check(runtime().stream_wait_event(stream_of(index, s), event_of(e)), "a stream's waiting for an event");
  });
}
int32_t event_query(int32_t index, haft_raw_event e, int32_t* done, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    const int status = runtime().event_query(event_of(e));
    *done = status == kSuccess;
    if (status == kNotReady)
      runtime().last_error();
    else
      check(status, "asking an event");
  });
}
int32_t event_synchronize(int32_t index, haft_raw_event e, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    check(runtime().event_synchronize(event_of(e)), "waiting for an event");
    throw_fault(index);
  });
}
int32_t event_elapsed(int32_t index, haft_raw_event start, haft_raw_event end, double* milliseconds,
                      char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    float ms;
    const int status = runtime().event_elapsed(&ms, event_of(start), event_of(end));
    if (status == kInvalidHandle) {
      runtime().last_error();
      fail(Code::invalid_argument,
           "the time between two events: one was never recorded, or made without HAFT_EVENT_TIMING");
    }
    check(status, "the time between two events");
    *milliseconds = ms;
  });
}

int32_t stream_query(int32_t index, haft_raw_stream s, int32_t* done, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    refuse_recording(index, stream_of(index, s), "asking a stream");
    const int status = runtime().stream_query(stream_of(index, s));
    *done = status == kSuccess;
    if (status == kNotReady)
      runtime().last_error();
    else
      check(status, "asking a stream");
  });
}

int32_t stream_native(int32_t index, haft_raw_stream s, void** out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] { *out = stream_of(index, s); });
}
int32_t stream_adopt(int32_t index, void* native, haft_raw_stream* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    DeviceState& d = device_state(index);
    const Stream stream = native ? static_cast<Stream>(native) : kLegacyStream;
    if (!is_of_current_device(stream)) {
      int device = -1;
      check(runtime().stream_device(stream, &device), "the device of a stream of other code");
      if (device != index)
        fail(Code::device, concat("a stream of other code is of cuda:", device, ", not of cuda:", index));
    }
    std::lock_guard lock(d.mutex);
    if (stream != d.own && !std::count(d.streams.begin(), d.streams.end(), stream))
      d.streams.push_back(stream);
    *out = stream == d.own ? 0 : reinterpret_cast<haft_raw_stream>(stream);
  });
}
void stream_disown(int32_t index, haft_raw_stream s) {
  quietly_on(index, [&] {
    DeviceState& d = device_state(index);
    std::lock_guard lock(d.mutex);
    std::erase(d.streams, stream_of(index, s));
  });
}
int32_t event_native(int32_t index, haft_raw_event e, void** out, char* error, uint32_t size) {
  return guard(error, size, [&] {
    device_state(index);
    *out = event_of(e);
  });
}
int32_t can_access_peer(int32_t index, int32_t peer, int32_t* out, char* error, uint32_t size) {
  return guard(error, size, [&] {
    device_state(index), device_state(peer);
    int can = 0;
    check(runtime().can_access_peer(&can, index, peer), "whether devices reach each other");
    *out = can != 0;
  });
}

}  // namespace

void fill_streams(haft_backend* t) {
  t->synchronize = synchronize;
  t->stream_create = stream_create;
  t->stream_destroy = stream_destroy;
  t->stream_synchronize = stream_synchronize;
  t->event_create = event_create;
  t->event_destroy = event_destroy;
  t->event_record = event_record;
  t->event_wait = event_wait;
  t->event_query = event_query;
  t->event_synchronize = event_synchronize;
  t->event_elapsed = event_elapsed;
  t->stream_query = stream_query;
  t->stream_native = stream_native;
  t->stream_adopt = stream_adopt;
  t->stream_disown = stream_disown;
  t->event_native = event_native;
  t->can_access_peer = can_access_peer;
}

}  // namespace haft::cuda
