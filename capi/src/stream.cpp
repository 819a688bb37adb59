// Streams and events. Streams that were made are kept: a released one may still be some thread's current stream, and
// making one is expensive; the next haft_stream_create takes it.
#include <haft/stream.h>

#include <mutex>

#include "capi/src/boundary.h"
#include "core/backend/pinned.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/layout.h"
#include "core/ops/functions.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct Spare {
  Device device;
  haft_raw_stream stream;
  bool first;
};
std::mutex spare_mutex;
std::vector<Spare>& spares() {
  static auto* all = new std::vector<Spare>;
  return *all;
}

struct StreamObject final : HandleObject {
  Device device;
  haft_raw_stream stream = 0;
  bool made = false;     // goes to the spares
  bool first = false;    // of a priority below 0
  bool adopted = false;  // of other code

  ~StreamObject() override {
    if (adopted) release_adopted(device, stream);
    if (!made || stream == 0 || in_forked_child()) return;
    std::lock_guard lock(spare_mutex);
    spares().push_back({device, stream, first});  // there is room: made_stream saw to it
  }
};

struct EventObject final : HandleObject {
  Device device;
  haft_raw_event event = 0;
  bool timing = false;

  ~EventObject() override { destroy_event(device, event); }
};

Device known_device(haft_device device, int index = 0) {
  Device d = to_device(device, index, "device");
  if (d == kDefaultDevice) d = default_device();
  check_device(d);
  return d;
}

haft_raw_stream made_stream(Device d, bool first) {
  if (!backend(d).has_streams()) return 0;
  static size_t most = 0;
  {
    std::lock_guard lock(spare_mutex);
    for (Spare& s : spares())
      if (s.device == d && s.first == first) {
        haft_raw_stream taken = s.stream;
        s = spares().back();
        spares().pop_back();
        return taken;
      }
    spares().reserve(++most);
  }
  return create_stream(d, first ? -1 : 0);
}

StreamObject& stream_of(const haft_stream* s, int index, const char* name) {
  return object_of<StreamObject>(s, HandleType::stream, index, name);
}
EventObject& event_of(const haft_event* e, int index, const char* name) {
  return object_of<EventObject>(e, HandleType::event, index, name);
}

haft_stream* hand_out_stream(Device d, haft_raw_stream stream) {
  auto o = make_ref<StreamObject>();
  o->device = d;
  o->stream = stream;
  o->adopted = retain_adopted(d, stream);
  return hand_out_object<haft_stream>(HandleType::stream, std::move(o));
}

haft_stream* hand_out_made(Device d, bool first) {
  auto o = make_ref<StreamObject>();
  o->device = d;
  o->first = first;
  o->stream = made_stream(d, first);
  o->made = true;
  return hand_out_object<haft_stream>(HandleType::stream, std::move(o));
}

}  // namespace

extern "C" {

haft_status haft_stream_create(haft_device device, haft_stream** out) noexcept {
  return boundary("haft_stream_create", [&] {
    check_out(out, 1, "out");
    *out = hand_out_made(known_device(device), false);
  });
}

haft_status haft_stream_create_with_priority(haft_device device, int32_t priority,
                                             haft_stream** out) noexcept {
  return boundary("haft_stream_create_with_priority", [&] {
    check_out(out, 2, "out");
    *out = hand_out_made(known_device(device), priority < 0);
  });
}

haft_status haft_stream_current(haft_device device, haft_stream** out) noexcept {
  return boundary("haft_stream_current", [&] {
    check_out(out, 1, "out");
    const Device d = known_device(device);
    *out = hand_out_stream(d, current_stream(d));
  });
}

haft_status haft_stream_default(haft_device device, haft_stream** out) noexcept {
  return boundary("haft_stream_default", [&] {
    check_out(out, 1, "out");
    *out = hand_out_stream(known_device(device), 0);
  });
}

haft_status haft_stream_retain(haft_stream* s) noexcept {
  return boundary("haft_stream_retain", [&] {
    stream_of(s, 0, "s");
    retain_handle(s, HandleType::stream);
  });
}

void haft_stream_release(haft_stream* s) noexcept { release_handle(s, HandleType::stream); }

haft_status haft_stream_get_device(const haft_stream* s, haft_device* out) noexcept {
  return boundary("haft_stream_get_device", [&] {
    check_out(out, 1, "out");
    *out = stream_of(s, 0, "s").device.pack();
  });
}

haft_status haft_set_current_stream(haft_stream* s) noexcept {
  return boundary("haft_set_current_stream", [&] {
    StreamObject& o = stream_of(s, 0, "s");
    set_current_stream(o.device, o.stream);
  });
}

haft_status haft_stream_synchronize(haft_stream* s) noexcept {
  return boundary("haft_stream_synchronize", [&] {
    CancelGuard guard;
    StreamObject& o = stream_of(s, 0, "s");
    synchronize_stream(o.device, o.stream);
  });
}

haft_status haft_stream_wait(haft_stream* s, haft_event* e) noexcept {
  return boundary("haft_stream_wait", [&] {
    StreamObject& o = stream_of(s, 0, "s");
    EventObject& event = event_of(e, 1, "e");
    if (o.device.type != event.device.type)
      fail_argument(Code::device,
                    concat("a stream of ", device_text(o.device), " cannot wait for an event of ",
                           device_text(event.device)),
                    1, "e", "wait with haft_event_synchronize");
    wait_event(o.device, event.event, o.stream);
  });
}

haft_status haft_stream_is_done(haft_stream* s, int32_t* out) noexcept {
  return boundary("haft_stream_is_done", [&] {
    check_out(out, 1, "out");
    StreamObject& o = stream_of(s, 0, "s");
    *out = query_stream(o.device, o.stream);
  });
}

haft_status haft_stream_get_native(const haft_stream* s, void** out) noexcept {
  return boundary("haft_stream_get_native", [&] {
    check_out(out, 1, "out");
    StreamObject& o = stream_of(s, 0, "s");
    *out = native_stream(o.device, o.stream);
  });
}

haft_status haft_stream_from_native(haft_device device, void* native, haft_stream** out) noexcept {
  return boundary("haft_stream_from_native", [&] {
    check_out(out, 2, "out");
    const Device d = known_device(device);
    auto o = make_ref<StreamObject>();
    o->device = d;
    o->stream = adopt_stream(d, native, &o->adopted);
    *out = hand_out_object<haft_stream>(HandleType::stream, std::move(o));
  });
}

haft_status haft_tensor_record_stream(haft_tensor* t, haft_stream* s) noexcept {
  return boundary("haft_tensor_record_stream", [&] {
    const Tensor& x = arg(t, 0, "t");
    StreamObject& o = stream_of(s, 1, "s");
    if (!(o.device == x.device()))
      fail_argument(
          Code::device,
          concat("a stream of ", device_text(o.device), " cannot use memory of ", device_text(x.device())), 1,
          "s");
    record_stream(*resolve(*x.impl(), false).storage, o.device, o.stream);
  });
}

haft_status haft_tensor_pin_memory(const haft_tensor* t, haft_device device, haft_tensor** out) noexcept {
  return boundary("haft_tensor_pin_memory", [&] {
    check_out(out, 2, "out");
    const Tensor& x = arg(t, 0, "t");
    if (!x.device().is_cpu())
      fail_argument(Code::device,
                    concat("t lives on ", device_text(x.device()), ", and only host memory can be pinned"), 0,
                    "t", "move it to the CPU with haft_to");
    Tensor pinned = tensor_over(new_pinned_storage(known_device(device, 1), x.bytes()), x.sizes(),
                                contiguous_strides(x.sizes()), x.dtype());
    NoGradGuard no_grad;
    ops::copy_(pinned, x);
    *out = hand_out(std::move(pinned));
  });
}

haft_status haft_tensor_is_pinned(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_pinned", [&] {
    check_out(out, 1, "out");
    *out = arg(t, 0, "t").impl()->storage->pinned != 0;
  });
}

haft_status haft_event_create(haft_device device, int32_t timing, haft_event** out) noexcept {
  return boundary("haft_event_create", [&] {
    check_out(out, 2, "out");
    auto o = make_ref<EventObject>();
    o->timing = to_bool(timing, 1, "timing");
    const Device d = known_device(device);
    o->event = create_event(d, o->timing ? HAFT_EVENT_TIMING : 0);
    o->device = d;
    *out = hand_out_object<haft_event>(HandleType::event, std::move(o));
  });
}

haft_status haft_event_retain(haft_event* e) noexcept {
  return boundary("haft_event_retain", [&] {
    event_of(e, 0, "e");
    retain_handle(e, HandleType::event);
  });
}

void haft_event_release(haft_event* e) noexcept { release_handle(e, HandleType::event); }

haft_status haft_event_record(haft_event* e, haft_stream* s) noexcept {
  return boundary("haft_event_record", [&] {
    EventObject& event = event_of(e, 0, "e");
    if (!s) return record_event(event.device, event.event, current_stream(event.device));
    StreamObject& o = stream_of(s, 1, "s");
    if (!(o.device == event.device))
      fail_argument(Code::device,
                    concat("an event of ", device_text(event.device), " cannot be recorded on a stream of ",
                           device_text(o.device)),
                    1, "s");
    record_event(event.device, event.event, o.stream);
  });
}

haft_status haft_event_get_native(const haft_event* e, void** out) noexcept {
  return boundary("haft_event_get_native", [&] {
    check_out(out, 1, "out");
    EventObject& event = event_of(e, 0, "e");
    *out = native_event(event.device, event.event);
  });
}

haft_status haft_event_is_done(const haft_event* e, int32_t* out) noexcept {
  return boundary("haft_event_is_done", [&] {
    check_out(out, 1, "out");
    EventObject& event = event_of(e, 0, "e");
    *out = query_event(event.device, event.event);
  });
}

haft_status haft_event_synchronize(const haft_event* e) noexcept {
  return boundary("haft_event_synchronize", [&] {
    CancelGuard guard;
    EventObject& event = event_of(e, 0, "e");
    synchronize_event(event.device, event.event);
  });
}

haft_status haft_event_get_elapsed(const haft_event* start, const haft_event* end,
                                   double* milliseconds) noexcept {
  return boundary("haft_event_get_elapsed", [&] {
    check_out(milliseconds, 2, "milliseconds");
    EventObject &a = event_of(start, 0, "start"), &b = event_of(end, 1, "end");
    if (!a.timing || !b.timing)
      fail_argument(Code::invalid_argument, "the event was made without timing", a.timing ? 1 : 0,
                    a.timing ? "end" : "start", "make both with haft_event_create(device, 1, ...)");
    if (!(a.device == b.device))
      fail_argument(Code::device,
                    concat("the events are of ", device_text(a.device), " and ", device_text(b.device)), 1,
                    "end");
    *milliseconds = elapsed_time(a.device, a.event, b.event);
  });
}

}  // extern "C"
