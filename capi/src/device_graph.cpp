// Recordings of device work. A graph that is being recorded owns itself: the recording belongs to a thread, not to a
// handle.
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
  Ref<MemoryArena> memory;  // of the recording, and of others that share it

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

GraphObject& graph_of(const haft_device_graph* g, int index = 0, const char* name = "g") {
  return object_of<GraphObject>(g, HandleType::device_graph, index, name);
}

// Under the graph's lock.
void begin(GraphObject& o, Ref<MemoryArena> memory) {
  if (o.recording || is_recording())
    fail(Code::busy, o.recording ? "this graph is being recorded" : "this thread records another graph",
         "end that recording first", "g");
  o.graph.reset();
  o.memory.reset();
  o.lost = false;
  GraphObject*& recorded = GraphObject::by_this_thread();
  if (!memory) memory = make_ref<MemoryArena>(o.device);
  o.recording.emplace(memory);
  o.memory = std::move(memory);
  o.recorder = pthread_self();
  o.self = Ref<GraphObject>::share(&o);
  recorded = &o;
}

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
    begin(o, {});
  });
}

haft_status haft_device_graph_begin_sharing(haft_device_graph* g, haft_device_graph* memory) noexcept {
  return boundary("haft_device_graph_begin_sharing", [&] {
    GraphObject &o = graph_of(g), &other = graph_of(memory, 1, "memory");
    if (o.device != other.device)
      fail_argument(Code::device,
                    concat("g is of ", device_text(o.device), ", memory of ", device_text(other.device)), 1,
                    "memory");
    Ref<MemoryArena> shared;
    {
      std::lock_guard lock(other.mutex);
      if (!other.memory) other.memory = make_ref<MemoryArena>(o.device);
      shared = other.memory;
    }
    std::lock_guard lock(o.mutex);
    begin(o, std::move(shared));
  });
}

haft_status haft_device_graph_is_recording(int32_t* out) noexcept {
  return boundary("haft_device_graph_is_recording", [&] {
    check_out(out, 0, "out");
    *out = is_recording();
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
    if (!graph)
      fail(Code::invalid_argument, "nothing is recorded in this graph",
           "record with haft_device_graph_begin and _end", "g");
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
