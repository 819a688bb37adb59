// Recordings of device work. A graph that is being recorded owns itself: the recording belongs to a thread, not to a handle.
#include <haft/device_graph.h>

#include <pthread.h>

#include <mutex>
#include <optional>

#include "capi/src/boundary.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/replay.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct GraphObject final : HandleObject {
  const Device device;
  std::mutex mutex;  // for what follows
  std::optional<CaptureScope> recording;
  pthread_t recorder{};
  Ref<GraphObject> self;
  bool lost = false;  // the recorder ended before its recording
  Ref<DeviceGraph> graph;

  explicit GraphObject(Device d) : device(d) {}

  // What this thread records. A thread that ends throws its recording away: the stream would stay in it for good.
  static GraphObject*& by_this_thread() {
    struct Recorded {
      GraphObject* graph = nullptr;
      ~Recorded() {
        if (!graph) return;
        Ref<GraphObject> alive;
        std::lock_guard lock(graph->mutex);
        alive = std::move(graph->self);
        graph->recording.reset();
        graph->lost = true;
      }
    };
    static thread_local Recorded recorded;
    return recorded.graph;
  }

  // The recording, of the thread that asks; it is over then.
  Ref<DeviceGraph> finish(bool keep) {
    Ref<GraphObject> alive;
    std::lock_guard lock(mutex);
    if (!recording || !pthread_equal(recorder, pthread_self()))
      fail(Code::invalid_argument,
           recording ? "another thread records this graph"
           : lost    ? "the thread that recorded this graph has ended, and its recording with it"
                     : "nothing is being recorded into this graph",
           "end it in the thread that called haft_device_graph_begin", "g");
    alive = std::move(self);
    by_this_thread() = nullptr;
    Ref<DeviceGraph> made;
    try {
      if (keep) made = recording->end();
    } catch (...) {
      recording.reset();
      throw;
    }
    recording.reset();
    return made;
  }
};

GraphObject& graph_of(const haft_device_graph* g) { return object_of<GraphObject>(g, HandleType::device_graph, 0, "g"); }

}  // namespace

extern "C" {

haft_status haft_device_graph_create(haft_device device, haft_device_graph** out) noexcept {
  return boundary("haft_device_graph_create", [&] {
    check_out(out, 1, "out");
    Device d = to_device(device, 0, "device");
    if (d == kDefaultDevice) d = default_device();
    check_device(d);
    make_ref<MemoryArena>(d);  // says why where the device records nothing
    *out = hand_out_object<haft_device_graph>(HandleType::device_graph, make_ref<GraphObject>(d));
  });
}

haft_status haft_device_graph_retain(haft_device_graph* g) noexcept {
  return boundary("haft_device_graph_retain", [&] {
    graph_of(g);
    retain_handle(g, HandleType::device_graph);
  });
}

void haft_device_graph_release(haft_device_graph* g) noexcept { release_handle(g, HandleType::device_graph); }

haft_status haft_device_graph_begin(haft_device_graph* g) noexcept {
  return boundary("haft_device_graph_begin", [&] {
    GraphObject& o = graph_of(g);
    std::lock_guard lock(o.mutex);
    if (o.recording || is_recording())
      fail(Code::busy, o.recording ? "this graph is being recorded" : "this thread records another graph", "end that recording first", "g");
    o.graph.reset();
    o.lost = false;
    GraphObject*& recorded = GraphObject::by_this_thread();
    o.recording.emplace(make_ref<MemoryArena>(o.device));
    o.recorder = pthread_self();
    o.self = Ref<GraphObject>::share(&o);
    recorded = &o;
  });
}

haft_status haft_device_graph_end(haft_device_graph* g) noexcept {
  return boundary("haft_device_graph_end", [&] {
    GraphObject& o = graph_of(g);
    Ref<DeviceGraph> made = o.finish(true);
    std::lock_guard lock(o.mutex);
    o.graph = std::move(made);
  });
}

haft_status haft_device_graph_discard(haft_device_graph* g) noexcept {
  return boundary("haft_device_graph_discard", [&] { graph_of(g).finish(false); });
}

haft_status haft_device_graph_replay(haft_device_graph* g) noexcept {
  return boundary("haft_device_graph_replay", [&] {
    GraphObject& o = graph_of(g);
    Ref<DeviceGraph> graph;
    {
      std::lock_guard lock(o.mutex);
      graph = o.graph;
    }
    if (!graph) fail(Code::invalid_argument, "nothing is recorded in this graph", "record with haft_device_graph_begin and _end", "g");
    graph->replay();
  });
}

haft_status haft_device_graph_is_ready(const haft_device_graph* g, int32_t* out) noexcept {
  return boundary("haft_device_graph_is_ready", [&] {
    check_out(out, 1, "out");
    GraphObject& o = graph_of(g);
    std::lock_guard lock(o.mutex);
    *out = bool(o.graph);
  });
}

}  // extern "C"
