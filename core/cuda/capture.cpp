// Recordings: CUDA graphs of what a stream was given, and the memory that they use.
#include "core/cuda/capture.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

// Blocks of the engine are reused within its own arena, so this one only cuts: small ones from a chunk, others one by
// one.
struct Arena {
  static constexpr int64_t kChunk = int64_t(2) << 20, kAlign = 512;
  std::mutex mutex;
  std::vector<void*> chunks;
  char* at = nullptr;
  int64_t left = 0;

  void* take(int64_t bytes) {
    std::lock_guard lock(mutex);
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (bytes > kChunk / 4) return chunk(bytes);
    if (bytes > left) {
      at = static_cast<char*>(chunk(kChunk));
      left = kChunk;
    }
    void* p = at;
    at += bytes;
    left -= bytes;
    return p;
  }
  void* chunk(int64_t bytes) {
    chunks.reserve(chunks.size() + 1);
    void* p = nullptr;
    check(runtime().malloc(&p, size_t(bytes)), "memory of an arena");
    chunks.push_back(p);
    return p;
  }
};

void recording_ended(int device, DeviceState& d) {
  std::lock_guard lock(d.held_mutex);
  if (d.recordings.fetch_sub(1) > 1) return;
  std::lock_guard streams_stay(d.mutex);
  for (const HeldMemory& h : std::exchange(d.held, {})) {
    const bool lives = std::count(d.streams.begin(), d.streams.end(), h.stream) != 0;
    free_memory(device, h.p, h.bytes, lives ? h.stream : d.own);
  }
}

int32_t arena_create(int32_t index, haft_raw_arena* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] { *out = reinterpret_cast<haft_raw_arena>(new Arena); });
}
int32_t arena_alloc(int32_t index, haft_raw_arena arena, int64_t bytes, void** out, char* error,
                    uint32_t size) {
  return guard_on(index, error, size, [&] { *out = reinterpret_cast<Arena*>(arena)->take(bytes); });
}
void arena_destroy(int32_t index, haft_raw_arena arena) {
  quietly_on(index, [&] {
    std::unique_ptr<Arena> a(reinterpret_cast<Arena*>(arena));
    for (void* p : a->chunks) runtime().free(p);  // it waits for the device
  });
}

int32_t capture_begin(int32_t index, haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    DeviceState& d = device_state(index);
    std::lock_guard lock(d.held_mutex);
    if (is_recording(index, stream_of(index, s)))
      fail(Code::invalid_argument, "the stream is being recorded already");
    ++d.recordings;
    const int failed = runtime().capture_begin(stream_of(index, s));
    if (failed) --d.recordings;
    check(failed, "a recording's begin");
  });
}
int32_t capture_end(int32_t index, haft_raw_stream s, haft_raw_graph* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    DeviceState& d = device_state(index);
    Graph graph = nullptr;
    const int ended = runtime().capture_end(stream_of(index, s), &graph);
    struct Destroy {
      Graph g;
      ~Destroy() {
        if (g) runtime().graph_destroy(g);
      }
    } destroy{graph};
    recording_ended(index, d);
    if (!out) {
      if (ended) runtime().last_error();
      return;
    }
    check(ended, "a recording's end");
    GraphExec exec;
    check(runtime().graph_instantiate(&exec, graph), "a recording's graph");
    *out = reinterpret_cast<haft_raw_graph>(exec);
  });
}
int32_t graph_replay(int32_t index, haft_raw_graph graph, haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    check(runtime().graph_launch(reinterpret_cast<GraphExec>(graph), stream_of(index, s)),
          "a graph's replay");
  });
}
void graph_destroy(int32_t index, haft_raw_graph graph) {
  quietly_on(index, [&] { runtime().graph_exec_destroy(reinterpret_cast<GraphExec>(graph)); });
}

}  // namespace

bool is_recording(int device, Stream s) {
  if (device_state(device).recordings.load(std::memory_order_relaxed) == 0) return false;
  CaptureStatus status = kNotCapturing;
  check(runtime().capture_status(s, &status), "a stream's state");
  return status != kNotCapturing;
}
void refuse_recording(int device, Stream s, const char* what) {
  if (is_recording(device, s)) [[unlikely]]
    fail(Code::unsupported, concat(what, " cannot be recorded"), "do it before or after the recording");
}
void refuse_any_recording(int device, const char* what) {
  if (device_state(device).recordings.load(std::memory_order_relaxed)) [[unlikely]]
    fail(Code::unsupported, concat(what, " cannot be recorded: a stream of the device is"),
         "do it before or after the recording");
}
void free_or_hold(int device, void* p, int64_t bytes, Stream s) {
  DeviceState& d = device_state(device);
  std::lock_guard lock(d.held_mutex);
  if (is_recording(device, s))
    d.held.push_back({p, bytes, s});
  else
    free_memory(device, p, bytes, s);
}

void fill_captures(haft_backend* t) {
  t->arena_create = arena_create;
  t->arena_alloc = arena_alloc;
  t->arena_destroy = arena_destroy;
  t->capture_begin = capture_begin;
  t->capture_end = capture_end;
  t->graph_replay = graph_replay;
  t->graph_destroy = graph_destroy;
}

}  // namespace haft::cuda
